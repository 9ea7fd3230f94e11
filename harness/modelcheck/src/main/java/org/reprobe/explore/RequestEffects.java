package org.reprobe.explore;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.Transactions;

/** Effects of a queue pair's requests on server memory and on local memory. */
final class RequestEffects {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private final World world;
    private final Program owner;
    private final MemorySegment local;
    private final int readShift;
    private final Transactions.Transaction transaction;
    /** True once the connection is broken: nothing is returned to local memory. */
    private boolean cut;

    private long landed = Mixing.START;

    RequestEffects(World world, Program owner, MemorySegment local) {
        this.world = world;
        this.owner = owner;
        this.local = local;
        this.readShift = Integer.numberOfTrailingZeros(world.atomicReadBytes());
        this.transaction = world.memory().transactions().ofQueuePair();
    }

    void cut() {
        cut = true;
    }

    /** Returns the hash of all data that has landed in local memory. */
    long landed() {
        return landed;
    }

    long transactionState() {
        return transaction.state();
    }

    long payload(Request request) {
        long hash = 0;
        long end = Math.min(request.local + request.bytes, local.byteSize());
        long at = request.local;
        for (; at + 8 <= end; at += 8) {
            hash = Mixing.mix(hash, local.get(WORD, at));
        }
        for (; at < end; at++) {
            hash = Mixing.mix(hash, local.get(ValueLayout.JAVA_BYTE, at));
        }
        return hash;
    }

    /** Copies the payload of a request whose connection breaks. */
    void keepBytes(Request request) {
        if (request.brings() && request.local + request.bytes <= local.byteSize()) {
            request.sent = MemorySegment.ofArray(
                    local.asSlice(request.local, request.bytes).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** Returns true if a request exceeds local memory, so that it fails at the sending card. */
    boolean liesBeyond(Request request) {
        return request.local + request.bytes > local.byteSize();
    }

    /** Returns the status of a request if it is executed now. */
    Status statusOf(Request request) {
        if (liesBeyond(request)) {
            return Status.LOCAL_PROTECTION_ERROR;
        }
        if (request.operation == Request.SEND
                || request.operation == Request.BEGIN
                || request.operation == Request.COMMIT) {
            return Status.SUCCESS;
        }
        boolean aligned = request.operation < Request.COMPARE_AND_SWAP || ((request.remote | request.bytes) & 7) == 0;
        return aligned && world.memory().region(request.remote, request.bytes, request.key) != null
                ? Status.SUCCESS
                : Status.REMOTE_ACCESS_ERROR;
    }

    private ServerMemory.Region region(Request request) {
        ServerMemory.Region region = world.memory().region(request.remote, request.bytes, request.key);
        if (region == null) {
            throw new IllegalStateException("the region of an accepted request is not registered");
        }
        return region;
    }

    /** Returns the binary logarithm of the step size, in bytes, of a READ or WRITE. */
    private int stepShift(Request request) {
        return request.operation == Request.READ ? readShift : 3;
    }

    /** Returns the number of steps of a READ or WRITE: aligned words, or atomic blocks of a READ. */
    int steps(Request request) {
        int shift = stepShift(request);
        long first = request.remote >>> shift;
        long last = (request.remote + Math.max(1, request.bytes) - 1) >>> shift;
        return (int) (last - first) + 1;
    }

    /** Performs one step, limited to the request's bytes. */
    void transfer(Request request, int step) {
        if (request.bytes == 0) {
            return;
        }
        ServerMemory.Region region = region(request);
        int shift = stepShift(request);
        long from = Math.max(request.remote, ((request.remote >>> shift) + step) << shift);
        long to = Math.min(request.remote + request.bytes, ((request.remote >>> shift) + step + 1) << shift);
        MemorySegment source = source(request);
        long at = sourceOffset(request) + from - request.remote;
        long offset = ServerMemory.offset(from);
        if (request.operation == Request.READ) {
            MemorySegment.copy(region.words(), region.from() + offset, local, at, to - from);
            for (long word = from; word < to; word += Long.BYTES) {
                landed = Mixing.mix(landed, bytes(local, at + word - from, Math.min(Long.BYTES, to - word)));
            }
        } else if (world.memory().write(region, offset, source, at, to - from)) {
            changed();
        }
        world.timeline()
                .addStep(
                        owner,
                        () -> request.text(world),
                        step,
                        steps(request),
                        () -> to - from > Long.BYTES ? (to - from) + " B" : Request.text(bytes(source, at, to - from)));
    }

    private MemorySegment source(Request request) {
        MemorySegment sent = request.sent;
        return sent == null ? local : sent;
    }

    private static long sourceOffset(Request request) {
        return request.sent == null ? request.local : 0;
    }

    /** Notes a change of server memory. If the request arrives late, its own client observes the change as well. */
    void changed() {
        world.changed(cut ? null : owner);
    }

    private static long bytes(MemorySegment memory, long at, long count) {
        if (count == 8) {
            return memory.get(WORD, at);
        }
        long value = 0;
        for (long i = count - 1; i >= 0; i--) {
            value = (value << 8) | (memory.get(ValueLayout.JAVA_BYTE, at + i) & 0xFF);
        }
        return value;
    }

    void atomic(Request request) {
        ServerMemory.Region region = region(request);
        long offset = ServerMemory.offset(request.remote);
        long before = region.words().get(WORD, region.from() + offset);
        boolean swap = request.operation == Request.COMPARE_AND_SWAP;
        if (!swap || before == request.first) {
            long after = swap ? request.second : before + request.first;
            if (world.memory().write(region, offset, after)) {
                changed();
            }
        }
        land(request.local, before);
        world.timeline()
                .add(
                        owner,
                        () -> request.text(world) + " -> " + Request.text(before)
                                + (swap && before != request.first && request.first != request.second
                                        ? ", fails"
                                        : ""));
    }

    void transactional(Request request) {
        switch (request.operation) {
            case Request.BEGIN -> transaction.begin();
            case Request.TRANSACTIONAL_READ -> {
                ServerMemory.Region region = region(request);
                long from = region.from() + ServerMemory.offset(request.remote);
                for (int at = 0; at < request.bytes; at += Long.BYTES) {
                    long there = region.words().get(WORD, from + at);
                    land(request.local + at, transaction.read(request.remote + at, there));
                }
            }
            case Request.TRANSACTIONAL_WRITE -> {
                for (int at = 0; at < request.bytes; at += Long.BYTES) {
                    transaction.write(
                            request.remote + at,
                            request.brings() ? source(request).get(WORD, sourceOffset(request) + at) : request.first);
                }
            }
            default -> {
                long before = world.memory().hash();
                land(request.local, transaction.commit(world.memory()::set) ? 1 : 0);
                if (world.memory().hash() != before) {
                    changed();
                }
            }
        }
        world.timeline()
                .add(
                        owner,
                        () -> request.text(world)
                                + switch (request.operation) {
                                    case Request.TRANSACTIONAL_READ ->
                                        cut ? "" : " -> " + Request.text(local.get(WORD, request.local));
                                    case Request.COMMIT -> cut || local.get(WORD, request.local) == 1 ? "" : ", fails";
                                    default -> "";
                                });
    }

    /** Returns a word to local memory, unless the connection has broken. */
    private void land(long at, long value) {
        if (cut) {
            return;
        }
        local.set(WORD, at, value);
        landed = Mixing.mix(landed, value);
    }

    void send(Request request, Request receive, RequestEffects receiver) {
        MemorySegment.copy(source(request), sourceOffset(request), receiver.local, receive.local, request.bytes);
        receive.receivedBytes = request.bytes;
        receiver.landed = Mixing.mix(receiver.landed, request.payload);
    }
}
