/**
 * Nessie: a cuckoo hash table that clients read and write by one-sided operations alone (Szepesi, Wong, Cassell and
 * Brecht, "Designing a low-latency cuckoo hash table for write-intensive workloads using RDMA", WRSC 2014).
 */
@NullMarked
package org.reprobe.nessie;

import org.jspecify.annotations.NullMarked;
