package org.reprobe.fabric.verbs;

/** Time limits and polling intervals. */
final class Waits {
    /** Time without completion after which a queue pair counts as lost. */
    static final long DEADLINE_MS = Long.getLong("reprobe.verbs.deadline-ms", 20_000);

    /** Time limit of connecting and of the first reply; a busy machine may need over ten seconds for thirty connections. */
    static final int CONNECT_MS = 60_000;

    /** Interval of heartbeats on the TCP connection. */
    static final int HEARTBEAT_MS = 1_000;

    /** Silence on the TCP connection after which the other side counts as gone. */
    static final int GONE_MS = 8_000;

    /** Extra wait for a queue pair's last event: the end of the TCP connection is detected earlier. */
    static final int LAST_EVENT_MS = 500;

    /** Fruitless polls before a thread yields: with more threads than cores, the awaited thread needs the core. */
    static final int SPINS = 200;

    /** Duration after which a wait need not keep a core busy. */
    static final long LONG_MS = 5;

    static final long PARK_NS = 20_000;

    /** Polls between checks of the clock, the run's end and the connection's events. */
    static final int POLLS_BETWEEN_LOOKS = 256;

    /** Doorbells between checks of the run's end and the connection's events, for clients whose completions are immediate. */
    static final int DOORBELLS_BETWEEN_LOOKS = 1024;

    private Waits() {}
}
