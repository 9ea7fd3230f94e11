/** What a run found: cells, metrics and the measurement file. */
@NullMarked
package org.reprobe.analysis.measurement;

import org.jspecify.annotations.NullMarked;
