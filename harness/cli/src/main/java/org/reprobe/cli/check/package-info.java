/** {@code check}: search for wrong schedules and check of recorded histories. */
@NullMarked
package org.reprobe.cli.check;

import org.jspecify.annotations.NullMarked;
