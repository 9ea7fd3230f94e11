/** {@code calibrate}: NIC profiles from measurements. */
@NullMarked
package org.reprobe.cli.calibrate;

import org.jspecify.annotations.NullMarked;
