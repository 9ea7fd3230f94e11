package org.reprobe.memcached;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/** Keys of section {@code memcached}; {@code memoryMib} is 0 for as much memory as the records need. */
@Section(
        name = MemcachedSystem.SCHEME,
        meaning = "Scheme memcached, on tcp: the program memcached, accessed by a client library in Java (folsom).")
record MemcachedSettings(
        @Key(byDefault = OWN, pattern = MemcachedSettings.ADDRESS, allowed = "host:port, or own", meaning = """
                Address of a running memcached, which holds the records only during a run. own: a memcached is started on this host \
                for each run.""")
        String address,

        @Key(byDefault = "4", min = 1, max = 1024, meaning = "Threads of a started memcached (its option -t).")
        int serverThreads,

        @Key(byDefault = OWN, min = 2, max = 1 << 24, or = OWN, meaning = """
                Memory of a started memcached, in MiB (its option -m); a run with evictions is invalid. \
                own: as much as the records need.""")
        int memoryMib,

        @Key(byDefault = "8", min = 1, max = 1024, meaning = "Gets, multi-gets or sets that each client has in flight.")
        int inFlight,

        @Key(byDefault = "1", min = 1, max = 1024, meaning = """
                Keys per get (a multi-get). Each counts as a lookup; a set is always of one key.""")
        int getKeys) {

    static final String OWN = "own";
    static final String ADDRESS = "^(own|([A-Za-z0-9_.-]+|\\[[0-9a-fA-F:.]+\\]):[0-9]{1,5})$";

    /** Returns the external server; null if one is started. */
    @Nullable
    ServerAddress given() {
        int colon = address.lastIndexOf(':');
        return address.equals(OWN)
                ? null
                : new ServerAddress(
                        address.substring(0, colon).replaceAll("[\\[\\]]", ""),
                        Integer.parseInt(address.substring(colon + 1)));
    }
}
