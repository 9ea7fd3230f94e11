/** External programs that measure themselves: start, end, and reading of their numbers. */
@NullMarked
package org.reprobe.command;

import org.jspecify.annotations.NullMarked;
