/** The command line. */
@NullMarked
package org.reprobe.cli;

import org.jspecify.annotations.NullMarked;
