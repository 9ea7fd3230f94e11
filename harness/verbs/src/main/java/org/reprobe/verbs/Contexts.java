package org.reprobe.verbs;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Device contexts by address: the connection manager opens each device once, for all ids, and never closes it. */
final class Contexts {
    private static final Map<Long, DeviceContext> KNOWN = new HashMap<>();

    private Contexts() {}

    static synchronized DeviceContext of(long address) throws IOException {
        DeviceContext known = KNOWN.get(address);
        if (known == null) {
            known = DeviceContext.of(address);
            KNOWN.put(address, known);
        }
        return known;
    }
}
