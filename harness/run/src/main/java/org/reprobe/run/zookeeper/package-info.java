/**
 * Words shared by the processes of a run that survive the failure of any process: stored in ZooKeeper, by conditional
 * updates of a node's value only. {@code OwnZooKeeper} is its server in this process, {@code ZooKeeperWord} the word,
 * {@code ZooKeeperAddress} its address.
 */
@NullMarked
package org.reprobe.run.zookeeper;

import org.jspecify.annotations.NullMarked;
