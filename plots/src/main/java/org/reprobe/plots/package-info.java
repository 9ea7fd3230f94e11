/** Figures of measurements, as SVG and PNG, and the HTML report. */
@NullMarked
package org.reprobe.plots;

import org.jspecify.annotations.NullMarked;
