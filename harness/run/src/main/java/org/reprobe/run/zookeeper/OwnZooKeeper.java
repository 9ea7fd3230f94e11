package org.reprobe.run.zookeeper;

import java.io.IOException;
import java.net.InetAddress;
import java.util.Properties;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.reprobe.fabric.FabricException;
import org.reprobe.trust.PrivateFolder;

/** ZooKeeper server in this process, for the processes of consecutive runs. Its data ends with it. */
public final class OwnZooKeeper implements AutoCloseable {
    private static final int TICK_MS = 500;
    private static final long START_WITHIN_MS = 30_000;
    private static final String LOOPBACK = "127.0.0.1";

    private final PrivateFolder folder;
    private final ZooKeeperServerEmbedded server;
    private final String hosts;

    private OwnZooKeeper(PrivateFolder folder, ZooKeeperServerEmbedded server, String hosts) {
        this.folder = folder;
        this.server = server;
        this.hosts = hosts;
    }

    /** Starts a server on a free port. */
    public static OwnZooKeeper start(InetAddress listen) throws FabricException, IOException {
        PrivateFolder folder = PrivateFolder.temporary("reprobe-zookeeper");
        try {
            Properties configuration = new Properties();
            configuration.setProperty("tickTime", Integer.toString(TICK_MS));
            configuration.setProperty("dataDir", folder.path().resolve("data").toString());
            configuration.setProperty("clientPort", "0");
            configuration.setProperty("clientPortAddress", listen.getHostAddress());
            configuration.setProperty("admin.enableServer", "false");
            configuration.setProperty("maxClientCnxns", "0");
            ZooKeeperServerEmbedded server = ZooKeeperServerEmbedded.builder()
                    .baseDir(folder.path())
                    .configuration(configuration)
                    .exitHandler(ExitHandler.LOG_ONLY)
                    .build();
            Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
            server.start(START_WITHIN_MS);
            Thread.setDefaultUncaughtExceptionHandler(handler); // ZooKeeper has replaced it, for all threads
            String bound = server.getConnectionString();
            return new OwnZooKeeper(
                    folder,
                    server,
                    listen.isAnyLocalAddress() ? LOOPBACK + bound.substring(bound.lastIndexOf(':')) : bound);
        } catch (Exception e) { // its declared type
            folder.close();
            throw new FabricException("ZooKeeper does not start here: " + e.getMessage(), e);
        }
    }

    public String hosts() {
        return hosts;
    }

    @Override
    public void close() {
        server.close();
        try {
            folder.close();
        } catch (IOException e) {
            // Temporary files, which the next run deletes.
        }
    }
}
