/**
 * Pure Java provider for <a href="https://github.com/zrlio/disni">DiSNI</a> over rdma-core's {@code libibverbs.so.1}
 * and {@code librdmacm.so.1}. It needs neither {@code libdisni} nor the rest of Reprobe. Call
 * {@link org.reprobe.verbs.DisniProvider#install()} before any other use of DiSNI, and start Java with
 * {@code --enable-native-access=ALL-UNNAMED}. DiSNI's API, including its endpoint groups, then works unchanged.
 * Additions:
 *
 * <ul>
 *   <li>atomics: {@code IBV_WR_ATOMIC_CMP_AND_SWP} and {@code IBV_WR_ATOMIC_FETCH_AND_ADD} (libdisni ignores them);
 *   <li>regions beyond 2 GiB: {@link org.reprobe.verbs.MemoryRegion#register};
 *   <li>chosen numbers of outstanding READs: {@link org.reprobe.verbs.ConnectionParameters};
 *   <li>posting without allocation: {@link org.reprobe.verbs.SendRing}, {@link org.reprobe.verbs.ReceiveRequests} and
 *       {@link org.reprobe.verbs.WorkCompletions};
 *   <li>errors with their verbs names and a hint: {@link org.reprobe.verbs.VerbsException},
 *       {@link org.reprobe.verbs.CompletionStatus}.
 * </ul>
 *
 * Events of the connection manager are acknowledged on receipt; {@code ackEvent()} has no effect. A connection whose
 * {@code RdmaConnParam} specifies no depths gets the device's maximum. Linux on x86-64; the structures' layouts are
 * those of rdma-core's stable ABI, verified on the first structure of each kind that the libraries fill in.
 */
@NullMarked
package org.reprobe.verbs;

import org.jspecify.annotations.NullMarked;
