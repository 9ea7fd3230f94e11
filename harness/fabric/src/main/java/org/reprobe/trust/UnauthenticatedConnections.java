package org.reprobe.trust;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Connections that have not completed the {@link Handshake}. At the limit, each new one causes one to be closed: the
 * oldest from the address with the most connections. A connection whose first message had the
 * {@link Handshake#firstProof first proof} is closed only if all have it. So any number of connections without the
 * secret can't displace it. Thread-safe.
 *
 * @param <C> a connection
 */
public final class UnauthenticatedConnections<C> {
    /** Maximum of the limit, more than a run ever has at once. */
    private static final int MAX = 512;

    private static final int MIN = 16;
    /** The limit is at most this fraction (1 / SHARE) of the process's file descriptors. */
    private static final int SHARE = 4;

    private final int max;
    private final Map<C, InetAddress> waiting = new LinkedHashMap<>();
    private final Map<InetAddress, Integer> counts = new HashMap<>();
    /** Connections that have shown the first proof, oldest first. */
    private final Set<C> expected = new LinkedHashSet<>();

    public UnauthenticatedConnections(int max) {
        if (max < 1) {
            throw new IllegalArgumentException("the limit must be positive");
        }
        this.max = max;
    }

    /** Returns the limit, which leaves most of this process's file descriptors to other uses. */
    public static int limit() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? Math.clamp(unix.getMaxFileDescriptorCount() / SHARE, MIN, MAX)
                : MAX;
    }

    /** Adds a connection; returns the one that must be closed for it, or null. */
    public synchronized @Nullable C admit(C connection, InetAddress from) {
        C evicted = waiting.size() + expected.size() < max
                ? null
                : waiting.isEmpty() ? expected.iterator().next() : oldestOfTheMost();
        if (evicted != null) {
            forget(evicted);
        }
        waiting.put(connection, from);
        counts.merge(from, 1, Integer::sum);
        return evicted;
    }

    private C oldestOfTheMost() {
        C oldest = null;
        int most = 0;
        for (Map.Entry<C, InetAddress> entry : waiting.entrySet()) {
            int count = counts.getOrDefault(entry.getValue(), 0);
            if (count > most) {
                most = count;
                oldest = entry.getKey();
            }
        }
        if (oldest == null) {
            throw new IllegalStateException("no connection to close");
        }
        return oldest;
    }

    /** Notes that a connection's first message had the first proof; without effect on a closed connection. */
    public synchronized void expect(C connection) {
        if (waiting.containsKey(connection)) {
            forget(connection);
            expected.add(connection);
        }
    }

    public synchronized void forget(C connection) {
        expected.remove(connection);
        InetAddress from = waiting.remove(connection);
        if (from != null) {
            counts.computeIfPresent(from, (_, count) -> count == 1 ? null : count - 1);
        }
    }
}
