package org.reprobe.run.zookeeper;

import org.reprobe.trust.HostPort;
import org.reprobe.trust.Secret;

/**
 * What leads a process to a run's word: told sealed.
 *
 * @param hosts servers, as {@code host:port,host:port}
 * @param path of the node
 * @param secret of the run
 */
public record ZooKeeperAddress(String hosts, String path, String secret) {
    private static final String FOLDER = "/reprobe/";
    private static final String USER = "reprobe:";

    /** A word that nobody has yet. */
    public static ZooKeeperAddress anew(String hosts) {
        return new ZooKeeperAddress(
                hosts, FOLDER + Secret.random().text(), Secret.random().text());
    }

    /** From what {@link #text} says. */
    public static ZooKeeperAddress parse(String text) {
        String[] parts = text.split(" ", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("no address of ZooKeeper's");
        }
        return new ZooKeeperAddress(parts[0], parts[1], parts[2]);
    }

    /**
     * The same for a process that reaches this host by another name.
     *
     * @param host empty for one that needs none
     */
    public ZooKeeperAddress from(String host) {
        boolean isHere = hosts.startsWith("127.0.0.1:") || hosts.startsWith("localhost:");
        return host.isEmpty() || !isHere
                ? this
                : new ZooKeeperAddress(
                        HostPort.text(host, Integer.parseInt(hosts.substring(hosts.lastIndexOf(':') + 1))),
                        path,
                        secret);
    }

    /** In one line. */
    public String text() {
        return hosts + " " + path + " " + secret;
    }

    String credentials() {
        return USER + secret;
    }
}
