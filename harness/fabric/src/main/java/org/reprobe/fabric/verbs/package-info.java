/**
 * Real RDMA: InfiniBand, RoCE or Linux's software RDMA, by DiSNI's API over {@link org.reprobe.verbs}. Every queue pair is a
 * reliable connection made by the connection manager, with a completion queue of its own. Beside them each process of clients
 * has a TCP connection to the server, which tells either side when the other has ended or is gone.
 */
@NullMarked
package org.reprobe.fabric.verbs;

import org.jspecify.annotations.NullMarked;
