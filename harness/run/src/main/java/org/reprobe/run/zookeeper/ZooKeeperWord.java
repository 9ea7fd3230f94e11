package org.reprobe.run.zookeeper;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.Stat;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.system.SharedWord;

/** Value of a ZooKeeper node, accessible with the run's secret and deleted in the end. Thread-safe. */
public final class ZooKeeperWord implements SharedWord, AutoCloseable {
    private static final int SESSION_MS = 20_000;
    private static final int CONNECT_MS = 10_000;
    private static final int TRY_AGAIN_MS = 100;
    private static final String SCHEME = "digest";

    private final CuratorFramework client;
    private final String path;
    private final boolean owner;

    private ZooKeeperWord(CuratorFramework client, String path, boolean owner) {
        this.client = client;
        this.path = path;
        this.owner = owner;
    }

    /** Connects to a word; the {@code owner} deletes the node in the end. Fails if no server replies. */
    public static ZooKeeperWord connect(ZooKeeperAddress address, boolean owner) throws FabricException {
        CuratorFramework client = CuratorFrameworkFactory.builder()
                .connectString(address.hosts())
                .authorization(SCHEME, address.credentials().getBytes(StandardCharsets.US_ASCII))
                .sessionTimeoutMs(SESSION_MS)
                .connectionTimeoutMs(CONNECT_MS)
                .retryPolicy(new RetryOneTime(TRY_AGAIN_MS))
                .build();
        client.start();
        boolean connected = false;
        try {
            connected = client.blockUntilConnected(CONNECT_MS, java.util.concurrent.TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FabricException("the run was ended", e);
        } finally {
            if (!connected) {
                client.close();
            }
        }
        if (!connected) {
            throw new FabricException(
                    "no reply from ZooKeeper at " + address.hosts() + " within " + CONNECT_MS / 1000 + " s");
        }
        return new ZooKeeperWord(client, address.path(), owner);
    }

    @Override
    public long replace(long known, long next) throws FabricException {
        try {
            while (true) {
                Stat stat = new Stat();
                try {
                    long present = value(client.getData().storingStatIn(stat).forPath(path));
                    if (present != known || known == next) {
                        return present;
                    }
                    client.setData().withVersion(stat.getVersion()).forPath(path, bytes(next));
                    return next;
                } catch (KeeperException.NoNodeException _) {
                    begin(known);
                } catch (KeeperException.BadVersionException _) {
                    // Another process created it first: read again.
                }
            }
        } catch (KeeperException.NoAuthException e) {
            throw new FabricException("ZooKeeper's node " + path + " belongs to another run", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FabricException("the run was ended", e);
        } catch (Exception e) { // Curator's declared type
            throw new UnreachableException("ZooKeeper does not respond: " + e.getMessage());
        }
    }

    /** Sets the initial value; all processes that find none agree on one. */
    private void begin(long value) throws Exception {
        try {
            client.create()
                    .creatingParentsIfNeeded()
                    .withMode(CreateMode.PERSISTENT)
                    .withACL(ZooDefs.Ids.CREATOR_ALL_ACL)
                    .forPath(path, bytes(value));
        } catch (KeeperException.NodeExistsException _) {
            // Created by another process.
        }
    }

    private static byte[] bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static long value(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getLong();
    }

    @Override
    public void close() {
        if (owner) {
            try {
                client.delete().quietly().forPath(path);
            } catch (Exception e) {
                // A node of a few bytes stays.
            }
        }
        client.close();
    }
}
