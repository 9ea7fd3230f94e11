/** Detection of common problems with RDMA on real machines before a run. */
@NullMarked
package org.reprobe.doctor;

import org.jspecify.annotations.NullMarked;
