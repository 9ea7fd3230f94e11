/** Page of a plan: one HTML file with its figures. */
@NullMarked
package org.reprobe.plots.plan;

import org.jspecify.annotations.NullMarked;
