package org.reprobe.fabric.verbs;

/** Time limits and polling intervals. */
final class Waits {
    /** Time without a completion after which a queue pair counts as lost. */
    static final long DEADLINE_MS = Long.getLong("reprobe.verbs.deadline-ms", 20_000);

    /** Time limit of connecting and the first reply: a busy machine may need more than 10 s for thirty connections. */
    static final int CONNECT_MS = 60_000;

    /** Interval of heartbeats on the TCP connection. */
    static final int HEARTBEAT_MS = 1_000;

    /** Silence on the TCP connection after which the other side counts as gone. */
    static final int GONE_MS = 8_000;

    /** Additional wait for a queue pair's last event, since the end of the TCP connection is detected earlier. */
    static final int LAST_EVENT_MS = 500;

    /** Number of polls before a thread yields: with more threads than cores, the awaited thread needs the core. */
    static final int SPINS = 200;

    /** Duration of a wait after which the thread sleeps between polls. */
    static final long LONG_MS = 5;

    static final long PARK_NS = 20_000;

    /** Number of polls between checks of the clock, the run's end and the connection's events. */
    static final int POLLS_BETWEEN_LOOKS = 256;

    /** Number of doorbells between checks of the run's end and the connection's events, for clients that never wait. */
    static final int DOORBELLS_BETWEEN_LOOKS = 1024;

    private Waits() {}
}
