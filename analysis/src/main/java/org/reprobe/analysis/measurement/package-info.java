/** Results of runs: cells, metrics and the measurement file. */
@NullMarked
package org.reprobe.analysis.measurement;

import org.jspecify.annotations.NullMarked;
