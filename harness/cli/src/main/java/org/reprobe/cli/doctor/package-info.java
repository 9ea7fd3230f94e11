/** {@code doctor}: examination of a machine. */
@NullMarked
package org.reprobe.cli.doctor;

import org.jspecify.annotations.NullMarked;
