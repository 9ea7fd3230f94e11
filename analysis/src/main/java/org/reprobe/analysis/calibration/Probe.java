package org.reprobe.analysis.calibration;

/** Timed experiments of a calibration, each at several places {@code x}, in ns; addresses are random by default. */
public enum Probe {
    /** One READ at a time, of x bytes: median from posting to completion. */
    IDLE_READ("idle-read", "read-bytes", "One READ at a time: median latency"),
    /** The same: the 90th percentile. */
    IDLE_READ_P90("idle-read-p90", "read-bytes", "One READ at a time: 90th percentile of the latency"),
    /** A batch of x READs of 8 bytes, posted with one doorbell on an idle queue pair: median until the last end. */
    READ_BATCH("read-batch", "batch-length", "A batch of READs of 8 bytes: median latency"),
    /** The same with 1 outstanding READ. */
    ONE_OUTSTANDING("one-outstanding", "batch-length", "A batch of READs, 1 outstanding: median latency"),
    /** A batch of x WRITEs of 8 bytes on an idle queue pair: median until the last completion. */
    WRITE_BATCH("write-batch", "batch-length", "A batch of WRITEs of 8 bytes: median latency"),
    /** One busy queue pair with x outstanding READs of 8 bytes: time per READ. */
    OUTSTANDING("outstanding", "outstanding-reads", "One busy queue pair: time per READ"),
    /** All clients with x busy queue pairs each, READs of 8 bytes: time per READ. */
    QUEUE_PAIRS("queue-pairs", "queue-pairs-per-client", "All clients busy: time per READ by queue pairs"),
    /** All clients busy with READs of x bytes: time per READ. */
    RANDOM_READ("random-read", "read-bytes", "All clients busy, random addresses: time per READ"),
    /** The same, where each READ begins at the end of the queue pair's previous one. */
    SEQUENTIAL_READ("sequential-read", "read-bytes", "All clients busy, sequential addresses: time per READ"),
    /** All clients busy with WRITEs of x bytes: time per WRITE. */
    WRITE("write", "write-bytes", "All clients busy: time per WRITE"),
    /** All clients busy with compare-and-swaps at random addresses; x is 8 bytes: time per operation. */
    ATOMIC("atomic", "bytes", "All clients busy with compare-and-swaps: time per operation"),
    /** The same on one address. */
    ATOMIC_SAME_ADDRESS("atomic-same-address", "bytes", "Compare-and-swaps on one address: time per operation"),
    /** The client's CPU: appending a batch of READs of x bytes and ringing its doorbell: time per READ. */
    POST("post", "read-bytes", "Client: posting a READ of a batch"),
    /** The client's CPU: appending x READs of 8 bytes and ringing their doorbell: total time. */
    POST_BATCH("post-batch", "batch-length", "Client: posting a batch"),
    /** The client's CPU: taking one of x available completions. */
    COMPLETION("completion", "completions", "Client: taking a completion"),
    /** One client posting batches of a full send queue of READs of x bytes and waiting for each: time per READ. */
    ROUND("round", "read-bytes", "One client in rounds: time per READ"),
    /** One client's lookups in such rounds: time per lookup minus its READs' in {@link #ROUND}; x: slots scanned. */
    LOOKUP("lookup", "slots-per-lookup", "Client: a lookup without its READs' time"),
    /** {@link #ROUND} with all clients at once: time per READ of each client. */
    BUSY_ROUND("busy-round", "read-bytes", "All clients in rounds: time per READ of each"),
    /** {@link #LOOKUP} with all clients at once, minus {@link #BUSY_ROUND}: time per lookup of each client. */
    BUSY_LOOKUP("busy-lookup", "slots-per-lookup", "All clients: a lookup of each without its READs' time");

    /** READs per round: few enough that their data stays in the first-level cache until it is examined. */
    public static final int ROUND_READS = 64;

    private final String key;
    private final String x;
    private final String title;

    Probe(String key, String x, String title) {
        this.key = key;
        this.x = x;
        this.title = title;
    }

    public String key() {
        return key;
    }

    public String x() {
        return x;
    }

    public String title() {
        return title;
    }

    /** Returns true if a time is the difference of two, and so may be close to 0. */
    public boolean isDifference() {
        return this == LOOKUP || this == BUSY_LOOKUP;
    }
}
