package org.reprobe.calibrate;

import org.reprobe.fabric.RemoteRegion;
import org.reprobe.workload.Rng;

final class TargetAddresses {
    enum Order {
        /** Uniformly random, 8-byte aligned. */
        RANDOM,
        /** Each begins at the end of the last one. */
        SEQUENTIAL,
        SAME
    }

    private final long base;
    private final long places;
    private final long bytes;
    private final Order order;
    private final Rng random;
    private long offset;

    /** @param bytes per operation; at most a quarter of the region */
    TargetAddresses(RemoteRegion region, Order order, int bytes, Rng random) {
        this.base = region.address();
        this.bytes = region.bytes() - bytes;
        this.places = (region.bytes() - bytes) / Long.BYTES;
        this.order = order;
        this.random = random;
        this.offset = order == Order.SAME ? 0 : random.below(places) * Long.BYTES;
    }

    long next(int length) {
        return switch (order) {
            case RANDOM -> base + random.below(places) * Long.BYTES;
            case SEQUENTIAL -> {
                if (offset >= bytes) {
                    offset = 0;
                }
                long at = base + offset;
                offset += length;
                yield at;
            }
            case SAME -> base;
        };
    }
}
