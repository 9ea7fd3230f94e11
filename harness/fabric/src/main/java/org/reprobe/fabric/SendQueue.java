package org.reprobe.fabric;

/**
 * Work requests of a queue pair, numbered from 0, from being appended until the program has taken their completion. The
 * fabric tracks which are posted and which are done. One thread appends, retires and calls {@link #free}. Another may
 * read requests, if the fabric publishes them to it.
 */
public final class SendQueue {
    public static final int READ = 1;
    public static final int COMPARE_AND_SWAP = 2;
    public static final int FETCH_AND_ADD = 3;
    public static final int WRITE = 4;

    public static final int SEND = 5;

    /** Operations of transactions. The reply to begin and write is an acknowledgement, to read and commit a word. */
    public static final int BEGIN = 6;

    public static final int TRANSACTIONAL_WRITE = 7;
    public static final int TRANSACTIONAL_READ = 8;
    public static final int COMMIT = 9;

    /** Further remote range of the READ before it. */
    public static final int GATHERED = 10;

    /** Words per request: remote address; id; key and bytes; operation, signaled, local offset. */
    private static final int WORDS = 4;

    private static final int INITIAL_CAPACITY = 4;

    private static final int OPERATION_SHIFT = 60;
    private static final long SIGNALED = 1L << 59;
    private static final long LOCAL_MASK = SIGNALED - 1;

    private final int depth;
    private int mask;
    private long[] ring;
    private long[] operands;
    private long appended;
    /** The program has taken the completions of all earlier requests. */
    private long retired;

    /** Creates an empty queue for {@code depth} work requests. */
    public SendQueue(int depth) {
        this(depth, powerOfTwo(depth));
    }

    private SendQueue(int depth, int capacity) {
        this.depth = depth;
        this.mask = capacity - 1;
        this.ring = new long[capacity * WORDS];
        this.operands = new long[capacity * 2];
    }

    /** Creates an empty queue that grows: few of a cluster's ten thousand queues are ever full. Not thread-safe. */
    public static SendQueue growing(int depth) {
        return new SendQueue(depth, Math.min(INITIAL_CAPACITY, powerOfTwo(depth)));
    }

    /** Returns the smallest power of two that is at least {@code min}. */
    public static int powerOfTwo(int min) {
        return Integer.highestOneBit(Math.max(1, 2 * min - 1));
    }

    /** Returns the depth rounded up to a power of two, the length of parallel arrays: request n is at n modulo it. */
    public int capacity() {
        return powerOfTwo(depth);
    }

    /** Returns true if the operation's reply has a payload. Only such requests count as outstanding READs. */
    public static boolean returnsData(int operation) {
        return operation < WRITE || operation >= TRANSACTIONAL_READ;
    }

    public int free() {
        return depth - held();
    }

    /** Returns the number of requests whose completion the program has not taken. */
    public int held() {
        return (int) (appended - retired);
    }

    /** Returns the number of the next request. */
    public long appended() {
        return appended;
    }

    public boolean retiredAll(long sequence) {
        return retired == sequence;
    }

    /**
     * Appends a work request, whose operation is a constant of this class, and returns its number. Throws an
     * {@link IllegalStateException} if the queue is full, an {@link IllegalArgumentException} if offset or length is
     * out of range.
     */
    public long append(int operation, long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
        if (appended - retired >= depth) {
            throw new IllegalStateException(
                    "the send queue is full: " + depth + " work requests wait for their completion");
        }
        if (localOffset < 0 || localOffset > LOCAL_MASK || bytes < 0) {
            throw new IllegalArgumentException("invalid range: " + bytes + " bytes at local offset " + localOffset);
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

    /** Appends an atomic: {@code first} is the expected value, addend or written value; {@code second} the desired. */
    public void appendAtomic(
            int operation, long id, long localOffset, long remote, int key, long first, long second, boolean signaled) {
        int at = (int) (append(operation, id, localOffset, remote, key, Long.BYTES, signaled) & mask) * 2;
        operands[at] = first;
        operands[at + 1] = second;
    }

    /** Retires this request and all earlier ones. */
    public void retire(long sequence) {
        retired = sequence + 1;
    }

    public long id(long sequence) {
        return ring[(int) (sequence & mask) * WORDS + 1];
    }

    public long remote(long sequence) {
        return ring[(int) (sequence & mask) * WORDS];
    }

    public int key(long sequence) {
        return (int) (ring[(int) (sequence & mask) * WORDS + 2] >>> 32);
    }

    public int bytes(long sequence) {
        return (int) ring[(int) (sequence & mask) * WORDS + 2];
    }

    public int operation(long sequence) {
        return (int) (ring[(int) (sequence & mask) * WORDS + 3] >>> OPERATION_SHIFT);
    }

    public boolean signaled(long sequence) {
        return (ring[(int) (sequence & mask) * WORDS + 3] & SIGNALED) != 0;
    }

    public long localOffset(long sequence) {
        return ring[(int) (sequence & mask) * WORDS + 3] & LOCAL_MASK;
    }

    /** Returns the first operand of an atomic: expected value or addend. */
    public long firstOperand(long sequence) {
        return operands[(int) (sequence & mask) * 2];
    }

    /** Returns the second operand of a compare-and-swap: the desired value. */
    public long secondOperand(long sequence) {
        return operands[(int) (sequence & mask) * 2 + 1];
    }
}
