/** Regression detection: two folders, interleaved pairs, and a history with its change points. */
@NullMarked
package org.reprobe.analysis.regress;

import org.jspecify.annotations.NullMarked;
