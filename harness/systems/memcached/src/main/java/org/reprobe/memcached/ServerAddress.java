package org.reprobe.memcached;

import org.reprobe.trust.HostPort;

/** Where a memcached listens. */
record ServerAddress(String host, int port) {
    static final int MAX_PORT = 65_535;

    /** A port of this host, which nobody else can reach. */
    static ServerAddress here(int port) {
        return new ServerAddress("127.0.0.1", port);
    }

    @Override
    public String toString() {
        return HostPort.text(host, port);
    }
}
