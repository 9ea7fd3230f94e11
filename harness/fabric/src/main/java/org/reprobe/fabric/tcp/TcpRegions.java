package org.reprobe.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.RemoteRegion;

/**
 * Registered memory of a server. Any thread may change it; event loops read snapshots. The upper bits of an address
 * select its region; its lowest six bits equal those of the memory's own address, to preserve alignment.
 */
final class TcpRegions {
    private static final int REGION_SHIFT = 44;
    private static final int MAX_REGIONS = 1 << 18;

    /** Registered block; {@code start} is the remote address of its first byte. */
    record Region(MemorySegment memory, long start, int key) {}

    private final SecureRandom random = new SecureRandom();
    private volatile @Nullable Region[] regions = new Region[0];

    synchronized RemoteRegion register(MemorySegment memory) {
        @Nullable Region[] all = regions;
        int place = 0;
        while (place < all.length && all[place] != null) {
            place++;
        }
        if (place == MAX_REGIONS) {
            throw new IllegalStateException("no more than " + MAX_REGIONS + " regions can be registered");
        }
        @Nullable Region[] next = Arrays.copyOf(all, Math.max(all.length, place + 1));
        long start = ((place + 1L) << REGION_SHIFT) + (memory.address() & 63);
        Region region = new Region(memory, start, random.nextInt());
        next[place] = region;
        regions = next;
        return new RemoteRegion(start, memory.byteSize(), region.key());
    }

    synchronized void deregister(RemoteRegion gone) {
        @Nullable Region[] next = regions.clone();
        for (int i = 0; i < next.length; i++) {
            Region region = next[i];
            if (region != null && region.start() == gone.address() && region.key() == gone.key()) {
                next[i] = null;
            }
        }
        regions = next;
    }

    boolean holds(Region region) {
        return region.equals(find(region.start(), 0, region.key()));
    }

    /** Returns the region of [address, address + bytes) if the key matches; otherwise null. */
    @Nullable
    Region find(long address, int bytes, int key) {
        @Nullable Region[] all = regions;
        long place = (address >>> REGION_SHIFT) - 1;
        if (place < 0 || place >= all.length || bytes < 0) {
            return null;
        }
        Region region = all[(int) place];
        if (region == null || region.key() != key) {
            return null;
        }
        long offset = address - region.start();
        return offset < 0 || offset > region.memory().byteSize() - bytes ? null : region;
    }
}
