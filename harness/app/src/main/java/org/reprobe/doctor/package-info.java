/** What commonly goes wrong with RDMA on real machines, found before a run rather than in its numbers. */
@NullMarked
package org.reprobe.doctor;

import org.jspecify.annotations.NullMarked;
