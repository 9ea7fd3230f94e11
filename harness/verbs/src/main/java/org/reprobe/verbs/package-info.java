/**
 * A provider for <a href="https://github.com/zrlio/disni">DiSNI</a> in pure Java, over rdma-core's {@code libibverbs.so.1}
 * and {@code librdmacm.so.1}. It needs neither {@code libdisni} nor any other native code of its own, and nothing else of
 * Reprobe. {@link org.reprobe.verbs.DisniProvider#install()} before any other use of DiSNI, and start Java with
 * {@code --enable-native-access=ALL-UNNAMED}. DiSNI's API, its endpoint groups included, then works as it is, and more:
 *
 * <ul>
 *   <li>atomics: {@code IBV_WR_ATOMIC_CMP_AND_SWP} and {@code IBV_WR_ATOMIC_FETCH_AND_ADD} (libdisni ignores them);
 *   <li>regions beyond 2 GiB: {@link org.reprobe.verbs.MemoryRegion#register};
 *   <li>chosen numbers of outstanding READs: {@link org.reprobe.verbs.ConnectionParameters};
 *   <li>lists that are posted without garbage: {@link org.reprobe.verbs.SendRing}, {@link org.reprobe.verbs.ReceiveRequests} and
 *       {@link org.reprobe.verbs.WorkCompletions};
 *   <li>errors with their verbs names and a hint: {@link org.reprobe.verbs.VerbsException},
 *       {@link org.reprobe.verbs.CompletionStatus}.
 * </ul>
 *
 * Events of the connection manager are acknowledged as soon as they are taken; {@code ackEvent()} does nothing more. A
 * connection whose {@code RdmaConnParam} names no depths gets the device's largest. Linux on x86-64; the structures' layouts
 * are those of rdma-core's stable ABI, checked against what the libraries fill in when the first of each is made.
 */
@NullMarked
package org.reprobe.verbs;

import org.jspecify.annotations.NullMarked;
