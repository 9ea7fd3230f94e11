package org.reprobe.trust;

import java.net.InetSocketAddress;

/** Addresses as they are typed: an IPv6 address stands in brackets, since it has colons itself. */
public final class HostPort {
    private HostPort() {}

    /** Returns {@code host:port}, or {@code [host]:port}. */
    public static String text(String host, int port) {
        return (host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Returns the same of a socket's address. */
    public static String text(InetSocketAddress address) {
        return text(address.getHostString(), address.getPort());
    }
}
