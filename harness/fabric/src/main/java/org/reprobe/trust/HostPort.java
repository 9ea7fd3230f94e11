package org.reprobe.trust;

import java.net.InetSocketAddress;

/** Text form of socket addresses, with IPv6 addresses in brackets. */
public final class HostPort {
    private HostPort() {}

    /** Returns {@code host:port}, or {@code [host]:port}. */
    public static String text(String host, int port) {
        return (host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Returns {@code host:port}, or {@code [host]:port}. */
    public static String text(InetSocketAddress address) {
        return text(address.getHostString(), address.getPort());
    }
}
