/** Histories of concurrent operations and their checkers, independent of any fabric. */
@NullMarked
package org.reprobe.check;

import org.jspecify.annotations.NullMarked;
