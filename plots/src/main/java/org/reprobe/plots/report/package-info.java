/** Report of a reproduction: one self-contained HTML file. */
@NullMarked
package org.reprobe.plots.report;

import org.jspecify.annotations.NullMarked;
