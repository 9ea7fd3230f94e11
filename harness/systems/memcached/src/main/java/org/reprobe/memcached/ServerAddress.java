package org.reprobe.memcached;

import org.reprobe.trust.HostPort;

record ServerAddress(String host, int port) {
    static final int MAX_PORT = 65_535;

    /** Returns the address of a port that is reachable only from this host. */
    static ServerAddress local(int port) {
        return new ServerAddress("127.0.0.1", port);
    }

    @Override
    public String toString() {
        return HostPort.text(host, port);
    }
}
