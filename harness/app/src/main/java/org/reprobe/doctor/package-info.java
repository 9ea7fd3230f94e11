/** Examination of a machine before a run: common faults of RDMA set-ups, and conditions that disturb measurements. */
@NullMarked
package org.reprobe.doctor;

import org.jspecify.annotations.NullMarked;
