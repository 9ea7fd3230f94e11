package org.reprobe.run.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.run.zookeeper.OwnZooKeeper;
import org.reprobe.run.zookeeper.ZooKeeperAddress;
import org.reprobe.run.zookeeper.ZooKeeperWord;

/** The words that processes of runs share: in ZooKeeper's servers that somebody names, or in one of this process's, from the first that is needed on. */
final class SharedWords implements AutoCloseable {
    private final String hosts;
    private @Nullable OwnZooKeeper own;
    private boolean listensElsewhere;

    /** @param hosts as {@code host:port,host:port}; empty for a server of our own */
    SharedWords(String hosts) {
        this.hosts = hosts;
    }

    /** A run's, which is deleted with it. */
    record Held(ZooKeeperAddress address, ZooKeeperWord word) implements AutoCloseable {
        @Override
        public void close() {
            word.close();
        }
    }

    /**
     * One that nobody has.
     *
     * @param processesAreHere whether all that share it are on this host
     * @throws FabricException when there is no server, in words
     */
    Held anew(boolean processesAreHere) throws FabricException, IOException {
        ZooKeeperAddress address = ZooKeeperAddress.anew(hosts.isEmpty() ? own(processesAreHere) : hosts);
        return new Held(address, ZooKeeperWord.connect(address, true));
    }

    private String own(boolean processesAreHere) throws FabricException, IOException {
        if (own != null && !processesAreHere && !listensElsewhere) {
            close();
        }
        OwnZooKeeper server = own;
        if (server == null) {
            InetAddress everywhere = new InetSocketAddress(0).getAddress();
            server = OwnZooKeeper.start(processesAreHere ? InetAddress.getLoopbackAddress() : everywhere);
            own = server;
            listensElsewhere = !processesAreHere;
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
