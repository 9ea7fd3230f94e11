/** Histories of concurrent operations and whether they are linearizable. Knows no fabric. */
@NullMarked
package org.reprobe.check;

import org.jspecify.annotations.NullMarked;
