/**
 * RDMA fabric: InfiniBand, RoCE or Linux's software RDMA, through DiSNI's API over {@link org.reprobe.verbs}. Every
 * queue pair is a reliable connection of the connection manager and has its own completion queue. Each client process
 * also has a TCP connection to the server, by which either side detects that the other has ended.
 */
@NullMarked
package org.reprobe.fabric.verbs;

import org.jspecify.annotations.NullMarked;
