package org.reprobe.fabric.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Transactions;

/**
 * Serving side of a card: one FIFO stage for requests, then one FIFO wire for replies. For each of them the card keeps
 * the time until which it is busy. Payload then passes {@link PacketStages} instead, if the profile states the slot.
 * Also holds the registered regions.
 *
 * <p>The stage's time per request is {@code message + random access + payload bytes * DMA}; a READ that continues an
 * earlier one of the same queue pair does not pay the random access.
 */
final class ServerCard {
    /**
     * Binary logarithm of the distance between the regions' addresses. The upper bits of an address select its region.
     */
    private static final int REGION_SHIFT = 44;

    private static final int ATOMIC_LOCKS = 4096;

    /** This process's memory, for accesses without checks. */
    @SuppressWarnings("restricted")
    private static final MemorySegment PROCESS = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** Upper limit of WRITEs in flight between a card and its host's memory. */
    private static final int LANDINGS = 64;

    private final CardTimes times;
    private final @Nullable PacketEngine engine;
    private final @Nullable PacketStages stages;
    /** Memory by region; null if deregistered. */
    private final List<@Nullable MemorySegment> memories = new ArrayList<>();

    private long busyPs;
    private long responseWirePs;
    private long nowPs;
    private final long[] atomicAddresses = new long[ATOMIC_LOCKS];
    private final long[] atomicFreePs = new long[ATOMIC_LOCKS];
    /** Time of the last atomic's effect, by lock; on the scale of the times at which requests are computed. */
    private final long[] atomicEffectPs = new long[ATOMIC_LOCKS];

    private long effectPs;
    private final boolean uncontended;
    private final NicCache cache;
    private final RequestRate rate = new RequestRate();
    private final Transactions transactions;
    /** Programs of this machine that watch words and are notified of other machines' WRITEs. */
    private final List<SimClient> watchers = new ArrayList<>();
    /** Recent WRITEs, recorded while a program watches memory: address, length, landing time. */
    private final long[] landings = new long[3 * LANDINGS];

    private int nextLanding;
    private int[] firstPages = new int[4];
    private int pages;
    /** Addresses and lengths of regions in this process, for {@link #touch}; the length is 0 if deregistered. */
    private long[] addresses = new long[firstPages.length];

    private long[] lengths = new long[firstPages.length];

    ServerCard(CardTimes times) {
        this.times = times;
        this.stages = times.transfer().hasStages() ? new PacketStages(times) : null;
        this.engine = times.card().hasOneEngine() ? new PacketEngine(times, stages) : null;
        this.uncontended = times.contention().isNone();
        this.cache = new NicCache(times.contention());
        this.transactions = new Transactions(times.transactions().words());
    }

    RemoteRegion register(MemorySegment memory) {
        memories.add(memory);
        if (memories.size() > firstPages.length) {
            firstPages = Arrays.copyOf(firstPages, 2 * firstPages.length);
            addresses = Arrays.copyOf(addresses, firstPages.length);
            lengths = Arrays.copyOf(lengths, firstPages.length);
        }
        addresses[memories.size() - 1] = memory.address();
        lengths[memories.size() - 1] = memory.isNative() ? memory.byteSize() : 0;
        firstPages[memories.size() - 1] = pages;
        pages += uncontended ? 0 : cache.pagesOf(memory.byteSize());
        int region = memories.size();
        return new RemoteRegion((long) region << REGION_SHIFT, memory.byteSize(), keyOf(region));
    }

    void deregister(RemoteRegion region) throws FabricException {
        if (memory(region.address(), 0, region.key()) == null) {
            throw new FabricException("the region is not registered");
        }
        int index = (int) (region.address() >>> REGION_SHIFT) - 1;
        memories.set(index, null);
        lengths[index] = 0;
    }

    void forgetRegions() {
        Collections.fill(memories, null);
        Arrays.fill(lengths, 0);
    }

    @Nullable
    PacketEngine engine() {
        return engine;
    }

    @Nullable
    PacketStages stages() {
        return stages;
    }

    /** Sets a lower limit for the times of all later calls. */
    void at(long nowPs) {
        this.nowPs = nowPs;
        if (engine != null) {
            engine.at(nowPs);
        }
    }

    /** Adds {@code ps} to the serving time of the request that arrives at {@code arrivePs}. */
    void hold(long arrivePs, long ps) {
        if (engine != null) {
            engine.hold(ps);
        } else {
            busyPs = Math.max(arrivePs, busyPs) + ps;
        }
    }

    /** @param seed of the run, for this card */
    void reset(long seed) {
        busyPs = 0;
        responseWirePs = 0;
        nowPs = 0;
        if (engine != null) {
            engine.reset();
        }
        if (stages != null) {
            stages.reset();
        }
        Arrays.fill(atomicAddresses, 0);
        Arrays.fill(atomicFreePs, 0);
        Arrays.fill(atomicEffectPs, 0);
        cache.reset(pages, seed);
        rate.reset();
        transactions.reset();
        watchers.clear();
        Arrays.fill(landings, 0);
    }

    Transactions transactions() {
        return transactions;
    }

    /** Writes a word of a commit, whose request has passed the access check. */
    void set(long address, long value) {
        MemorySegment memory = Objects.requireNonNull(memories.get((int) (address >>> REGION_SHIFT) - 1));
        memory.set(ValueLayout.JAVA_LONG, offset(address), value);
        landed(memory, offset(address), Long.BYTES, busyPs);
    }

    void watchedBy(SimClient program) {
        if (!watchers.contains(program)) {
            watchers.add(program);
        }
    }

    /** Returns the landing time of the last WRITE to an address (of this process's memory). */
    long landsPs(long address) {
        long landPs = 0;
        for (int i = 0; i < landings.length; i += 3) {
            if (address + Long.BYTES > landings[i] && address < landings[i] + landings[i + 1]) {
                landPs = Math.max(landPs, landings[i + 2]);
            }
        }
        return landPs;
    }

    /** Notes that bytes were written at {@code servedPs}. The host's CPU sees them once they have crossed the bus. */
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

    /** Returns true if the card's caches are unlimited, so that no request costs extra time. */
    boolean isUncontended() {
        return uncontended;
    }

    /**
     * Returns the number of translations fetched so far, from which {@code fetchedSince} of a later request is
     * computed.
     */
    int fetches() {
        return cache.fetches();
    }

    /**
     * Holds the serving stage for the cache misses of a request.
     *
     * @param fetchedSince number of translations fetched since the request that this one continues; -1 if it continues
     *     none
     */
    void contend(long arrivePs, QueuePairState queuePair, long address, int bytes, int fetchedSince) {
        long offset = offset(address);
        int page = firstPages[(int) (address >>> REGION_SHIFT) - 1] + (int) (offset >>> cache.pageShift());
        long inPage = offset & ((1L << cache.pageShift()) - 1);
        boolean waiting = arrivePs < queuePair.beganTherePs();
        long extraPs = cache.extraPs(queuePair.number(), waiting, page, inPage, bytes, fetchedSince);
        if (extraPs > 0) {
            hold(arrivePs, extraPs);
        }
    }

    /**
     * Holds the serving stage for the cache misses of a message. It needs the queue pair's state only, since the
     * RECEIVE determines the memory.
     */
    void contend(long arrivePs, QueuePairState queuePair) {
        long extraPs = statePs(queuePair, arrivePs < queuePair.beganTherePs());
        if (extraPs > 0) {
            hold(arrivePs, extraPs);
        }
    }

    /** Returns the extra time if the queue pair's state is not cached by this card. */
    long statePs(QueuePairState queuePair, boolean waiting) {
        return cache.queuePairPs(queuePair.number(), waiting);
    }

    /** Returns the time at which the card began with the last request that it served. */
    long beganPs() {
        return engine == null ? busyPs - times.messagePs() : engine.beganPs();
    }

    /**
     * Returns the extra round-trip time that requests of other queue pairs cause.
     *
     * @param own rate of the request's queue pair, which counts this request
     */
    long othersPs(long arrivePs, RequestRate own) {
        double perRate = times.cluster().othersPsPerRate();
        return perRate == 0 ? 0 : (long) (perRate * (rate.count(arrivePs) - own.count(arrivePs)));
    }

    /** Returns the memory of [address, address + bytes) if the key matches; otherwise null. */
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

    /**
     * Loads the start and the end of a range into this machine's caches; returns the sum of the bytes, 0 outside the
     * regions. The fewer instructions this takes, the more cache misses of successive calls overlap. So it does not
     * check that the memory is still allocated, as registered memory must be.
     */
    long touch(long address, int bytes) {
        int region = (int) (address >>> REGION_SHIFT) - 1;
        long offset = offset(address);
        if (region < 0 || region >= lengths.length || bytes < 1 || offset + bytes > lengths[region]) {
            return 0;
        }
        long first = addresses[region] + offset;
        return (long) PROCESS.get(ValueLayout.JAVA_BYTE, first) + PROCESS.get(ValueLayout.JAVA_BYTE, first + bytes - 1);
    }

    /** Returns the byte offset of an address in its region. */
    static long offset(long address) {
        return address & ((1L << REGION_SHIFT) - 1);
    }

    /** Serves a READ that arrives at {@code arrivePs}; returns the departure time of the reply's last byte. */
    long read(long arrivePs, int bytes, boolean sequential) {
        if (engine != null) {
            return engine.serve(arrivePs, sequential ? 0 : times.randomAccessPs(), bytes, times.responseHeaderBytes());
        }
        return read(Math.max(arrivePs, busyPs) + times.messagePs(), bytes, sequential, times.responseHeaderBytes());
    }

    /**
     * Serves a further range of the last READ, on a card with separate engines. It takes a READ's time except that per
     * request, which is a lower bound, since no card has such READs.
     */
    long readFurther(long arrivePs, int bytes, boolean sequential) {
        return read(Math.max(arrivePs, busyPs), bytes, sequential, 0);
    }

    private long read(long acceptedPs, int bytes, boolean sequential, int headerBytes) {
        long head = acceptedPs + (sequential ? 0 : times.randomAccessPs());
        long payloadPs = times.payloadPsPerByte();
        busyPs = head + bytes * payloadPs;
        // The first packet leaves when it has been fetched; later ones are fetched while earlier ones are on the wire.
        long firstPacket = head + Math.min(bytes, times.mtuBytes()) * payloadPs;
        if (stages != null) {
            return Math.max(busyPs, stages.leave(nowPs, firstPacket, bytes, true));
        }
        long sent = Math.max(firstPacket, responseWirePs) + times.wirePs(bytes, headerBytes);
        responseWirePs = Math.max(sent, busyPs);
        return responseWirePs;
    }

    /** Serves a WRITE; returns the departure time of the acknowledgement. */
    long write(long arrivePs, int bytes, boolean sequential) {
        long firstPs = stages == null ? arrivePs : stages.firstPs(arrivePs, bytes, false);
        if (engine != null) {
            long donePs = engine.acknowledge(firstPs, bytes, sequential ? 0 : times.randomAccessPs());
            return stages == null ? donePs : stages.deliver(nowPs, donePs, bytes, false);
        }
        long start = Math.max(firstPs, busyPs);
        busyPs = start
                + times.transfer().messagePs()
                + (sequential ? 0 : times.randomAccessPs())
                + bytes * times.payloadPsPerByte();
        return reply(stages == null ? busyPs : stages.deliver(nowPs, busyPs, bytes, false));
    }

    /**
     * Serves an atomic; returns the departure time of the reply. Atomics on the same address are serialized: each takes
     * effect at {@link #effectPs}. Other requests overtake a waiting atomic.
     */
    long atomic(long arrivePs, long address) {
        long served = execute(arrivePs, times.atomicPs());
        int lock = (int) (((address >>> 3) * 0x9E3779B97F4A7C15L) >>> 52);
        long done = served;
        effectPs = nowPs;
        if (atomicAddresses[lock] == address) {
            done = Math.max(done, atomicFreePs[lock]);
            effectPs = Math.max(nowPs + done - served, atomicEffectPs[lock]);
        }
        atomicAddresses[lock] = address;
        atomicFreePs[lock] = done + times.atomicSameAddressPs();
        atomicEffectPs[lock] = effectPs;
        return Math.max(reply(served), done);
    }

    /**
     * Returns the time of the last atomic's effect: that of the call of {@link #at}, or later while earlier atomics on
     * its address are under way. Requests that are served until then find the old word.
     */
    long effectPs() {
        return effectPs;
    }

    /** Serves a transactional request of duration {@code ps}; returns the departure time of the reply. */
    long transactional(long arrivePs, long ps) {
        return reply(execute(arrivePs, ps));
    }

    /** Performs work whose total time is {@code ps}; returns the end time. */
    private long execute(long arrivePs, long ps) {
        if (engine != null) {
            return engine.work(arrivePs, ps);
        }
        busyPs = Math.max(arrivePs, busyPs) + ps;
        return busyPs;
    }

    /** Sends a reply without payload; returns its departure time. */
    private long reply(long readyPs) {
        if (engine != null) {
            return engine.reply(readyPs, times.responseHeaderBytes());
        }
        if (stages != null) {
            return readyPs;
        }
        responseWirePs = Math.max(readyPs, responseWirePs) + times.wirePs(0, times.responseHeaderBytes());
        return responseWirePs;
    }

    private static int keyOf(int region) {
        return region * 0x9E3779B1 ^ 0x5EED;
    }
}
