package org.reprobe.fabric.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Transactions;

/**
 * The server's card: one FIFO stage that serves requests, then one FIFO wire that carries the responses. Both are
 * advanced by busy-until arithmetic. It also holds the registered regions.
 *
 * <p>The stage's time for a request is {@code message + random access + payload bytes * DMA}; the random-access part is
 * not paid by a READ that continues right where an earlier one of the same queue pair ended.
 */
final class ServerCard {
    /** Regions stand this far apart in the address space, so that an address names its region. */
    private static final int REGION_SHIFT = 44;

    private static final int ATOMIC_LOCKS = 4096;

    /** More WRITEs than are under way between a card and its host's memory at once. */
    private static final int LANDINGS = 64;

    private final CardTimes times;
    private final @Nullable PacketEngine engine;
    /** By region; null for one that was deregistered. */
    private final List<@Nullable MemorySegment> memories = new ArrayList<>();

    private long busyPs;
    private long responseWirePs;
    private final long[] atomicAddresses = new long[ATOMIC_LOCKS];
    private final long[] atomicFreePs = new long[ATOMIC_LOCKS];
    private final boolean roomy;
    private final CardRoom room;
    private final RequestRate rate = new RequestRate();
    private final Transactions transactions;
    /** The machine's programs that are told of what others write. */
    private final List<SimClient> watchers = new ArrayList<>();
    /** The last WRITEs since the memory is watched: where, how much, and when they land. */
    private final long[] landings = new long[3 * LANDINGS];

    private int nextLanding;
    private int[] firstPages = new int[4];
    private int pages;

    ServerCard(CardTimes times) {
        this.times = times;
        this.engine = times.card().hasOneEngine() ? new PacketEngine(times) : null;
        this.roomy = times.contention().isNone();
        this.room = new CardRoom(times.contention());
        this.transactions = new Transactions(times.transactions().words());
    }

    RemoteRegion register(MemorySegment memory) {
        memories.add(memory);
        if (memories.size() > firstPages.length) {
            firstPages = java.util.Arrays.copyOf(firstPages, 2 * firstPages.length);
        }
        firstPages[memories.size() - 1] = pages;
        pages += roomy ? 0 : room.pagesOf(memory.byteSize());
        int region = memories.size();
        return new RemoteRegion((long) region << REGION_SHIFT, memory.byteSize(), keyOf(region));
    }

    void deregister(RemoteRegion region) throws FabricException {
        if (memory(region.address(), 0, region.key()) == null) {
            throw new FabricException("the region is not registered");
        }
        memories.set((int) (region.address() >>> REGION_SHIFT) - 1, null);
    }

    /** The machine has lost its memory. */
    void forgetRegions() {
        java.util.Collections.fill(memories, null);
    }

    /** What does all that the card does; null where serving is a stage of its own. */
    @Nullable
    PacketEngine engine() {
        return engine;
    }

    /** Has what is asked for from now on not come before. */
    void at(long nowPs) {
        if (engine != null) {
            engine.at(nowPs);
        }
    }

    /** Holds the serving stage for {@code ps} more than the request that arrives then takes. */
    void hold(long arrivePs, long ps) {
        if (engine != null) {
            engine.hold(ps);
        } else {
            busyPs = Math.max(arrivePs, busyPs) + ps;
        }
    }

    /** Forgets the traffic of an earlier run; regions stay. */
    void reset() {
        busyPs = 0;
        responseWirePs = 0;
        if (engine != null) {
            engine.reset();
        }
        java.util.Arrays.fill(atomicAddresses, 0);
        java.util.Arrays.fill(atomicFreePs, 0);
        room.reset(pages);
        rate.reset();
        transactions.reset();
        watchers.clear();
        java.util.Arrays.fill(landings, 0);
    }

    /** Those that clients have open. */
    Transactions transactions() {
        return transactions;
    }

    /** A commit's write of an address that a request was let through for. */
    void set(long address, long value) {
        MemorySegment memory = Objects.requireNonNull(memories.get((int) (address >>> REGION_SHIFT) - 1));
        memory.set(ValueLayout.JAVA_LONG, offset(address), value);
        landed(memory, offset(address), Long.BYTES, busyPs);
    }

    /** Has a program be told of what is written here. */
    void watchedBy(SimClient program) {
        if (!watchers.contains(program)) {
            watchers.add(program);
        }
    }

    /** When the last WRITE to an address of this process lands. */
    long landsPs(long address) {
        long landPs = 0;
        for (int i = 0; i < landings.length; i += 3) {
            if (address + Long.BYTES > landings[i] && address < landings[i] + landings[i + 1]) {
                landPs = Math.max(landPs, landings[i + 2]);
            }
        }
        return landPs;
    }

    /** Bytes were written that are served at {@code servedPs}: the host's CPU sees them once they have crossed the bus. */
    void landed(MemorySegment memory, long offset, int bytes, long servedPs) {
        if (!watchers.isEmpty()) {
            long landPs = servedPs + times.hostPs();
            long address = memory.address() + offset;
            landings[nextLanding] = address;
            landings[nextLanding + 1] = bytes;
            landings[nextLanding + 2] = landPs;
            nextLanding = (nextLanding + 3) % landings.length;
            for (int i = 0; i < watchers.size(); i++) {
                watchers.get(i).landed(address, bytes, landPs);
            }
        }
    }

    /** Whether no request ever takes longer for want of room. */
    boolean roomy() {
        return roomy;
    }

    /** Translations fetched so far, to be told when a request goes on behind one of now. */
    int fetches() {
        return room.fetches();
    }

    /**
     * Holds the serving stage for what a request, which leaves the client at {@code leftPs}, takes for want of room.
     *
     * @param fetchedSince translations fetched since the request that it goes on behind; -1 for none
     */
    void contend(long leftPs, long arrivePs, int queuePair, long address, int bytes, int fetchedSince) {
        long offset = offset(address);
        int page = firstPages[(int) (address >>> REGION_SHIFT) - 1] + (int) (offset >>> room.pageShift());
        long inPage = offset & ((1L << room.pageShift()) - 1);
        long extraPs = room.extraPs(leftPs, queuePair, page, inPage, bytes, fetchedSince, times.messagePs());
        if (extraPs > 0) {
            hold(arrivePs, extraPs);
        }
    }

    /** Likewise of a message, whose place in memory its receiver's RECEIVE says: the state of the queue pair is all that is looked for. */
    void contend(long arrivePs, int queuePair) {
        long extraPs = room.queuePairPs(queuePair);
        if (extraPs > 0) {
            hold(arrivePs, extraPs);
        }
    }

    /** Tells when a request's answer will be at the client. */
    void ends(long ps) {
        room.ends(ps);
    }

    /**
     * What a request's round trip takes longer for those that come from others.
     *
     * @param own the requests of its own queue pair, in which it is counted here
     */
    long othersPs(long arrivePs, RequestRate own) {
        double perRate = times.cluster().othersPsPerRate();
        return perRate == 0 ? 0 : (long) (perRate * (rate.count(arrivePs) - own.count(arrivePs)));
    }

    /** The memory that holds [address, address + bytes), if the key opens it; null otherwise. */
    @Nullable
    MemorySegment memory(long address, int bytes, int key) {
        int region = (int) (address >>> REGION_SHIFT);
        if (region < 1 || region > memories.size() || key != keyOf(region)) {
            return null;
        }
        MemorySegment memory = memories.get(region - 1);
        long end = offset(address) + bytes;
        return memory == null || bytes < 0 || end > memory.byteSize() ? null : memory;
    }

    /** Brings the start and the end of a range into this machine's caches; the bytes there, added, or 0 for no such range. */
    long touch(long address, int bytes, int key) {
        MemorySegment memory = bytes < 1 ? null : memory(address, bytes, key);
        if (memory == null) {
            return 0;
        }
        long offset = offset(address);
        return (long) memory.get(ValueLayout.JAVA_BYTE, offset) + memory.get(ValueLayout.JAVA_BYTE, offset + bytes - 1);
    }

    /** Byte offset of an address in its region. */
    static long offset(long address) {
        return address & ((1L << REGION_SHIFT) - 1);
    }

    /**
     * Serves a READ that arrives at {@code arrivePs}.
     *
     * @return when the last byte of the response has left
     */
    long read(long arrivePs, int bytes, boolean sequential) {
        if (engine != null) {
            long workPs = (sequential ? 0 : times.randomAccessPs()) + bytes * times.payloadPsPerByte();
            return engine.serve(arrivePs, workPs, bytes, times.responseHeaderBytes());
        }
        long start = Math.max(arrivePs, busyPs);
        long head = start + times.messagePs() + (sequential ? 0 : times.randomAccessPs());
        long payloadPs = times.payloadPsPerByte();
        busyPs = head + bytes * payloadPs;
        // The first packet leaves when it has been fetched; later ones are fetched while earlier ones are on the wire.
        long firstPacket = head + Math.min(bytes, times.mtuBytes()) * payloadPs;
        long sent = Math.max(firstPacket, responseWirePs) + times.wirePs(bytes, times.responseHeaderBytes());
        responseWirePs = Math.max(sent, busyPs);
        return responseWirePs;
    }

    /** Serves a WRITE; returns when its acknowledgement has left. */
    long write(long arrivePs, int bytes, boolean sequential) {
        if (engine != null) {
            long workPs = (sequential ? 0 : times.randomAccessPs()) + bytes * times.payloadPsPerByte();
            return engine.acknowledge(arrivePs, bytes, workPs);
        }
        long start = Math.max(arrivePs, busyPs);
        busyPs = start
                + times.messagePs()
                + (sequential ? 0 : times.randomAccessPs())
                + bytes * times.payloadPsPerByte();
        return answer(busyPs);
    }

    /**
     * Serves an atomic. Those on one address wait for each other; other requests pass them.
     *
     * @return when its response has left
     */
    long atomic(long arrivePs, long address) {
        long served = alone(arrivePs, times.atomicPs());
        int lock = (int) (((address >>> 3) * 0x9E3779B97F4A7C15L) >>> 52);
        long done = served;
        if (atomicAddresses[lock] == address) {
            done = Math.max(done, atomicFreePs[lock]);
        }
        atomicAddresses[lock] = address;
        atomicFreePs[lock] = done + times.atomicSameAddressPs();
        return Math.max(answer(served), done);
    }

    /** Serves a request of a transaction, which takes {@code ps}; returns when its response has left. */
    long transactional(long arrivePs, long ps) {
        return answer(alone(arrivePs, ps));
    }

    /** Does what takes {@code ps} in all; when it is done. */
    private long alone(long arrivePs, long ps) {
        if (engine != null) {
            return engine.work(arrivePs, ps);
        }
        busyPs = Math.max(arrivePs, busyPs) + ps;
        return busyPs;
    }

    /** Sends an answer without payload that is ready; returns when it has left. */
    private long answer(long readyPs) {
        if (engine != null) {
            return engine.reply(readyPs, times.responseHeaderBytes());
        }
        responseWirePs = Math.max(readyPs, responseWirePs) + times.wirePs(0, times.responseHeaderBytes());
        return responseWirePs;
    }

    private static int keyOf(int region) {
        return region * 0x9E3779B1 ^ 0x5EED;
    }
}
