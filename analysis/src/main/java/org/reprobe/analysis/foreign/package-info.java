/** What other programs write of their measurements: JSON lines, CSV, text and HdrHistogram logs, in units that are declared. */
@NullMarked
package org.reprobe.analysis.foreign;

import org.jspecify.annotations.NullMarked;
