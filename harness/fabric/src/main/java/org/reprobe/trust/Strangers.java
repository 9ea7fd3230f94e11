package org.reprobe.trust;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Connections that have not proved yet that they belong here. When there are too many, one is to be closed for each that comes:
 * the oldest from the address that most come from. So nobody who needs a moment for the proof is crowded out by those who hold
 * connections, least of all from another address. For any thread.
 *
 * @param <C> a connection
 */
public final class Strangers<C> {
    /** More than a run ever has at once that have not yet proved themselves. */
    private static final int MAX = 512;

    private static final int MIN = 16;
    /** The share of all descriptors that they may have. */
    private static final int SHARE = 4;

    private final int max;
    private final Map<C, InetAddress> waiting = new LinkedHashMap<>();
    private final Map<InetAddress, Integer> counts = new HashMap<>();

    public Strangers(int max) {
        if (max < 1) {
            throw new IllegalArgumentException("nobody could ever come in");
        }
        this.max = max;
    }

    /** Returns the number of them that leaves most of this process's descriptors to others. */
    public static int limit() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? Math.clamp(unix.getMaxFileDescriptorCount() / SHARE, MIN, MAX)
                : MAX;
    }

    /** Notes one that has come; the one to be closed for it, or null. */
    public synchronized @Nullable C admit(C connection, InetAddress from) {
        C crowdedOut = waiting.size() < max ? null : oldestOfTheMost();
        if (crowdedOut != null) {
            forget(crowdedOut);
        }
        waiting.put(connection, from);
        counts.merge(from, 1, Integer::sum);
        return crowdedOut;
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
            throw new IllegalStateException("nobody waits");
        }
        return oldest;
    }

    /** It is no stranger any more, or gone. */
    public synchronized void forget(C connection) {
        InetAddress from = waiting.remove(connection);
        if (from != null) {
            counts.computeIfPresent(from, (_, count) -> count == 1 ? null : count - 1);
        }
    }
}
