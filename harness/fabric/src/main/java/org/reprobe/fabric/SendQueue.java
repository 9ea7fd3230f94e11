package org.reprobe.fabric;

/**
 * The work requests of a queue pair, from when they are appended until the program knows that they are over, for fabrics
 * that have no card to keep them. They are numbered from 0 on; the fabric keeps count of which are posted and done.
 *
 * <p>One thread appends, retires and asks what is free. Another may read requests once it has been told of them.
 */
public final class SendQueue {
    public static final int READ = 1;
    public static final int COMPARE_AND_SWAP = 2;
    public static final int FETCH_AND_ADD = 3;
    public static final int WRITE = 4;

    public static final int SEND = 5;

    /** Of transactions, for a card that has them: begin and write bring back an acknowledgement, read and commit a word. */
    public static final int BEGIN = 6;

    public static final int TRANSACTIONAL_WRITE = 7;
    public static final int TRANSACTIONAL_READ = 8;
    public static final int COMMIT = 9;

    /** Words of a work request in the ring: remote address; id; key and bytes; operation, signaled, local offset. */
    private static final int WORDS = 4;

    /** Of a growing one. */
    private static final int FIRST_ROOM = 16;

    private static final int OPERATION_SHIFT = 60;
    private static final long SIGNALED = 1L << 59;
    private static final long LOCAL_MASK = SIGNALED - 1;

    private final int depth;
    private int mask;
    private long[] ring;
    private long[] operands;
    private long appended;
    /** All before this are known to the program to be over. */
    private long retired;

    /** An empty queue in which so many work requests have room. */
    public SendQueue(int depth) {
        this(depth, powerOfTwo(depth));
    }

    private SendQueue(int depth, int capacity) {
        this.depth = depth;
        this.mask = capacity - 1;
        this.ring = new long[capacity * WORDS];
        this.operands = new long[capacity * 2];
    }

    /**
     * An empty queue in which so many work requests have room, which takes memory for those that are in it at once: for a single thread. A
     * cluster has ten thousand queues, of which few are ever full.
     */
    public static SendQueue growing(int depth) {
        return new SendQueue(depth, Math.min(FIRST_ROOM, powerOfTwo(depth)));
    }

    /** The smallest power of two that is not less. */
    public static int powerOfTwo(int min) {
        return Integer.highestOneBit(Math.max(1, 2 * min - 1));
    }

    /** The depth, rounded up to a power of two: request n may stand in place n modulo this of arrays beside the queue. */
    public int capacity() {
        return powerOfTwo(depth);
    }

    /** Whether more than an acknowledgement comes back: the limit of outstanding READs counts only those. */
    public static boolean bringsBack(int operation) {
        return operation < WRITE || operation >= TRANSACTIONAL_READ;
    }

    /** How many more have room. */
    public int free() {
        return (int) (depth - (appended - retired));
    }

    /** The number of the next request. */
    public long appended() {
        return appended;
    }

    /** Whether all before this one are known to be over. */
    public boolean retiredAll(long sequence) {
        return retired == sequence;
    }

    /**
     * Appends a work request.
     *
     * @param operation one of the constants above
     * @return its number
     * @throws IllegalStateException when the queue is full
     * @throws IllegalArgumentException when offset or length can't be
     */
    public long append(int operation, long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
        if (appended - retired >= depth) {
            throw new IllegalStateException(
                    "the send queue is full: " + depth + " work requests wait for their completion");
        }
        if (localOffset < 0 || localOffset > LOCAL_MASK || bytes < 0) {
            throw new IllegalArgumentException("local offset " + localOffset + ", " + bytes + " bytes");
        }
        if (appended - retired > mask) {
            grow();
        }
        int at = (int) (appended & mask) * WORDS;
        ring[at] = remote;
        ring[at + 1] = id;
        ring[at + 2] = ((long) key << 32) | bytes;
        ring[at + 3] = ((long) operation << OPERATION_SHIFT) | (signaled ? SIGNALED : 0) | localOffset;
        return appended++;
    }

    private void grow() {
        int capacity = mask + 1;
        long[] moreRing = new long[2 * capacity * WORDS];
        long[] moreOperands = new long[2 * capacity * 2];
        int moreMask = 2 * capacity - 1;
        for (long sequence = retired; sequence < appended; sequence++) {
            int from = (int) (sequence & mask);
            int to = (int) (sequence & moreMask);
            System.arraycopy(ring, from * WORDS, moreRing, to * WORDS, WORDS);
            System.arraycopy(operands, from * 2, moreOperands, to * 2, 2);
        }
        ring = moreRing;
        operands = moreOperands;
        mask = moreMask;
    }

    /** Appends an atomic operation on 8 bytes: what is expected and desired, or what is added or written and nothing. */
    public void appendAtomic(
            int operation, long id, long localOffset, long remote, int key, long first, long second, boolean signaled) {
        int at = (int) (append(operation, id, localOffset, remote, key, Long.BYTES, signaled) & mask) * 2;
        operands[at] = first;
        operands[at + 1] = second;
    }

    /** The program learns that this request, and so all before it, are over. */
    public void retire(long sequence) {
        retired = sequence + 1;
    }

    /** The program's name for the request. */
    public long id(long sequence) {
        return ring[(int) (sequence & mask) * WORDS + 1];
    }

    /** Where it works in the server's memory. */
    public long remote(long sequence) {
        return ring[(int) (sequence & mask) * WORDS];
    }

    /** The region's key. */
    public int key(long sequence) {
        return (int) (ring[(int) (sequence & mask) * WORDS + 2] >>> 32);
    }

    /** How many bytes it moves. */
    public int bytes(long sequence) {
        return (int) ring[(int) (sequence & mask) * WORDS + 2];
    }

    /** One of the constants above. */
    public int operation(long sequence) {
        return (int) (ring[(int) (sequence & mask) * WORDS + 3] >>> OPERATION_SHIFT);
    }

    /** Whether its success is a completion. */
    public boolean signaled(long sequence) {
        return (ring[(int) (sequence & mask) * WORDS + 3] & SIGNALED) != 0;
    }

    /** Where it works in the local memory. */
    public long localOffset(long sequence) {
        return ring[(int) (sequence & mask) * WORDS + 3] & LOCAL_MASK;
    }

    /** The first operand of an atomic, what is expected or added. */
    public long firstOperand(long sequence) {
        return operands[(int) (sequence & mask) * 2];
    }

    /** The second operand of a compare-and-swap, what is desired. */
    public long secondOperand(long sequence) {
        return operands[(int) (sequence & mask) * 2 + 1];
    }
}
