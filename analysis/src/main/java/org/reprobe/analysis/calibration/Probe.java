package org.reprobe.analysis.calibration;

/**
 * What a calibration times. Each probe is run at several places {@code x}; what it finds is a time in nanoseconds. Addresses
 * are random unless it says otherwise.
 */
public enum Probe {
    /** One READ at a time, of x bytes: the median from posting to completion. */
    IDLE_READ("idle-read", "read-bytes", "One READ at a time: median latency"),
    /** The same: the 90th percentile. */
    IDLE_READ_P90("idle-read-p90", "read-bytes", "One READ at a time: 90th percentile of the latency"),
    /** A batch of x READs of 8 bytes, posted with one doorbell on an idle queue pair: the median until the last is done. */
    READ_BATCH("read-batch", "batch-length", "A batch of READs of 8 bytes: median latency"),
    /** The same with 1 outstanding READ. */
    ONE_OUTSTANDING("one-outstanding", "batch-length", "A batch of READs, 1 outstanding: median latency"),
    /** A batch of x WRITEs of 8 bytes on an idle queue pair: the median until the last is done. */
    WRITE_BATCH("write-batch", "batch-length", "A batch of WRITEs of 8 bytes: median latency"),
    /** One busy queue pair with x outstanding READs of 8 bytes: time a READ. */
    OUTSTANDING("outstanding", "outstanding-reads", "One busy queue pair: time a READ"),
    /** All clients with x busy queue pairs each, READs of 8 bytes: time a READ. */
    QUEUE_PAIRS("queue-pairs", "queue-pairs-per-client", "All clients busy: time a READ by queue pairs"),
    /** All clients busy with READs of x bytes: time a READ. */
    RANDOM_READ("random-read", "read-bytes", "All clients busy, random addresses: time a READ"),
    /** The same, where each READ begins where the queue pair's last one ended. */
    SEQUENTIAL_READ("sequential-read", "read-bytes", "All clients busy, sequential addresses: time a READ"),
    /** All clients busy with WRITEs of x bytes: time a WRITE. */
    WRITE("write", "write-bytes", "All clients busy: time a WRITE"),
    /** All clients busy with compare-and-swaps at random addresses; x is 8 bytes: time an operation. */
    ATOMIC("atomic", "bytes", "All clients busy with compare-and-swaps: time an operation"),
    /** The same on one address. */
    ATOMIC_SAME_ADDRESS("atomic-same-address", "bytes", "Compare-and-swaps on one address: time an operation"),
    /** The client's CPU: appending a batch of READs of x bytes and ringing its doorbell: time a READ. */
    POST("post", "read-bytes", "Client: posting a READ of a batch"),
    /** The client's CPU: appending x READs of 8 bytes and ringing their doorbell: time of all. */
    POST_BATCH("post-batch", "batch-length", "Client: posting a batch"),
    /** The client's CPU: taking one of x completions that are there. */
    COMPLETION("completion", "completions", "Client: taking a completion"),
    /** One client posting batches of a full send queue of READs of x bytes and waiting for each: time a READ. */
    ROUND("round", "read-bytes", "One client in rounds: time a READ"),
    /**
     * One client looking keys up in such rounds: time a lookup over the time that its READs take in {@link #ROUND}; x is
     * slots scanned a lookup.
     */
    LOOKUP("lookup", "slots-per-lookup", "Client: a lookup, its READs' time taken off"),
    /** {@link #ROUND} with all clients at once: time that each takes for a READ. */
    BUSY_ROUND("busy-round", "read-bytes", "All clients in rounds: time a READ of each"),
    /** {@link #LOOKUP} with all clients at once, over {@link #BUSY_ROUND}: time that each takes for a lookup. */
    BUSY_LOOKUP("busy-lookup", "slots-per-lookup", "All clients: a lookup of each, its READs' time taken off");

    /** READs of a round: so few that what they bring stays in the nearest cache until it is looked at. */
    public static final int ROUND_READS = 64;

    private final String key;
    private final String x;
    private final String title;

    Probe(String key, String x, String title) {
        this.key = key;
        this.x = x;
        this.title = title;
    }

    /** Its name in files. */
    public String key() {
        return key;
    }

    /** What x is, as a cell key. */
    public String x() {
        return x;
    }

    /** What is timed, for people. */
    public String title() {
        return title;
    }
}
