/** Calibration: client programs that time one-sided operations on any fabric. */
@NullMarked
package org.reprobe.calibrate;

import org.jspecify.annotations.NullMarked;
