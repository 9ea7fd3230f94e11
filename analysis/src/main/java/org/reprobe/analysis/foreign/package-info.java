/** Results of other programs: JSON lines, CSV, text and HdrHistogram logs, in declared units. */
@NullMarked
package org.reprobe.analysis.foreign;

import org.jspecify.annotations.NullMarked;
