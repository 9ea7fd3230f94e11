/**
 * Where the processes of a run keep a word that stays when any of them fails: ZooKeeper, of which nothing is used but replacing a node's value that is
 * known. {@code OwnZooKeeper} is its server in this process, {@code ZooKeeperWord} the word, {@code ZooKeeperAddress} what leads to it.
 */
@NullMarked
package org.reprobe.run.zookeeper;

import org.jspecify.annotations.NullMarked;
