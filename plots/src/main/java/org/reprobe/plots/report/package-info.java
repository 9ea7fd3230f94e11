/** The report of a reproduction: one HTML file that needs no other. */
@NullMarked
package org.reprobe.plots.report;

import org.jspecify.annotations.NullMarked;
