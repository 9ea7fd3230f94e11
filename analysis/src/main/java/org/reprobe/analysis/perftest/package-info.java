/** Outputs of perftest, ibv_devinfo, ibstat and lspci, and the constants of a NIC profile that they identify. */
@NullMarked
package org.reprobe.analysis.perftest;

import org.jspecify.annotations.NullMarked;
