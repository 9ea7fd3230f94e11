package org.reprobe.run.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.run.zookeeper.OwnZooKeeper;
import org.reprobe.run.zookeeper.ZooKeeperAddress;
import org.reprobe.run.zookeeper.ZooKeeperWord;

/** Words shared by the processes of runs, in given ZooKeeper servers or in one that starts here when needed. */
final class SharedWords implements AutoCloseable {
    private final String hosts;
    private @Nullable OwnZooKeeper own;
    private boolean listensOnAllAddresses;

    /** @param hosts as {@code host:port,host:port}; empty for a server in this process */
    SharedWords(String hosts) {
        this.hosts = hosts;
    }

    record Held(ZooKeeperAddress address, ZooKeeperWord word) implements AutoCloseable {
        @Override
        public void close() {
            word.close();
        }
    }

    /** @param localProcesses true if all processes that share the word are on this host */
    Held anew(boolean localProcesses) throws FabricException, IOException {
        ZooKeeperAddress address = ZooKeeperAddress.anew(hosts.isEmpty() ? own(localProcesses) : hosts);
        return new Held(address, ZooKeeperWord.connect(address, true));
    }

    private String own(boolean localProcesses) throws FabricException, IOException {
        if (own != null && !localProcesses && !listensOnAllAddresses) {
            close();
        }
        OwnZooKeeper server = own;
        if (server == null) {
            InetAddress everywhere = new InetSocketAddress(0).getAddress();
            server = OwnZooKeeper.start(localProcesses ? InetAddress.getLoopbackAddress() : everywhere);
            own = server;
            listensOnAllAddresses = !localProcesses;
        }
        return server.hosts();
    }

    @Override
    public void close() {
        if (own != null) {
            own.close();
            own = null;
        }
    }
}
