/** Histories of concurrent operations and checkers for them. Independent of fabrics. */
@NullMarked
package org.reprobe.check;

import org.jspecify.annotations.NullMarked;
