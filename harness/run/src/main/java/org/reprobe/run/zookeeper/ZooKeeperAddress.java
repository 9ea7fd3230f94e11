package org.reprobe.run.zookeeper;

import org.reprobe.trust.HostPort;
import org.reprobe.trust.Secret;

/** Address of a run's word; sent sealed. Servers are {@code host:port,host:port}. */
public record ZooKeeperAddress(String hosts, String path, String secret) {
    private static final String FOLDER = "/reprobe/";
    private static final String USER = "reprobe:";

    public static ZooKeeperAddress anew(String hosts) {
        return new ZooKeeperAddress(
                hosts, FOLDER + Secret.random().text(), Secret.random().text());
    }

    public static ZooKeeperAddress parse(String text) {
        String[] parts = text.split(" ", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("not an address of a word in ZooKeeper");
        }
        return new ZooKeeperAddress(parts[0], parts[1], parts[2]);
    }

    /** Returns the address for a process that reaches this host by another name; empty if no other name is needed. */
    public ZooKeeperAddress from(String host) {
        boolean isHere = hosts.startsWith("127.0.0.1:") || hosts.startsWith("localhost:");
        return host.isEmpty() || !isHere
                ? this
                : new ZooKeeperAddress(
                        HostPort.text(host, Integer.parseInt(hosts.substring(hosts.lastIndexOf(':') + 1))),
                        path,
                        secret);
    }

    public String text() {
        return hosts + " " + path + " " + secret;
    }

    String credentials() {
        return USER + secret;
    }
}
