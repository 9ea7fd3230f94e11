package org.reprobe.fabric.verbs;

/** How long things may take. */
final class Waits {
    /** A request without completion for so long has no queue pair any more. */
    static final long DEADLINE_MS = Long.getLong("reprobe.verbs.deadline-ms", 20_000);

    /** Connecting, and the server's first answer; a busy machine accepts thirty connections in more than ten seconds. */
    static final int CONNECT_MS = 60_000;

    /** Both sides of the TCP connection say so often that they live. */
    static final int HEARTBEAT_MS = 1_000;

    /** Silence for so long on the TCP connection: the other side is gone. */
    static final int GONE_MS = 8_000;

    /** The server's end of the TCP connection is noticed before its end of the others. */
    static final int LAST_EVENT_MS = 500;

    /** Polls in vain before a thread lets others run. With more threads than processors, whom one waits for needs them. */
    static final int SPINS = 200;

    /** From there on a wait need not keep a processor busy. */
    static final long LONG_MS = 5;

    static final long PARK_NS = 20_000;

    /** Between looks at the clock, the run's end and the connection's events, while polling. */
    static final int POLLS_BETWEEN_LOOKS = 256;

    /** Between looks at the run's end and the connection's events, of a client whose completions come at once. */
    static final int DOORBELLS_BETWEEN_LOOKS = 1024;

    private Waits() {}
}
