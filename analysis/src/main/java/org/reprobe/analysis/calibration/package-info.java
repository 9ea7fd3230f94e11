/** Calibration: the constants of a NIC profile from timed one-sided operations. */
@NullMarked
package org.reprobe.analysis.calibration;

import org.jspecify.annotations.NullMarked;
