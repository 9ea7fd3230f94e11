/**
 * Word that the processes of a run share and that outlives each of them, kept in ZooKeeper. Only the conditional replacement of a node's value is
 * used. {@code OwnZooKeeper} is a server in this process, {@code ZooKeeperWord} the word, {@code ZooKeeperAddress} its address.
 */
@NullMarked
package org.reprobe.run.zookeeper;

import org.jspecify.annotations.NullMarked;
