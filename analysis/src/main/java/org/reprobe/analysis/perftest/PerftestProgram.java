package org.reprobe.analysis.perftest;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Program of perftest whose output is read. */
public enum PerftestProgram {
    READ_BW("ib_read_bw", "RDMA_Read", false),
    READ_LAT("ib_read_lat", "RDMA_Read", true),
    WRITE_BW("ib_write_bw", "RDMA_Write", false),
    WRITE_LAT("ib_write_lat", "RDMA_Write", true),
    SEND_BW("ib_send_bw", "Send", false),
    SEND_LAT("ib_send_lat", "Send", true),
    ATOMIC_BW("ib_atomic_bw", "Atomic", false),
    ATOMIC_LAT("ib_atomic_lat", "Atomic", true);

    private final String command;
    private final String verb;
    private final boolean latency;

    PerftestProgram(String command, String verb, boolean latency) {
        this.command = command;
        this.verb = verb;
        this.latency = latency;
    }

    public String command() {
        return command;
    }

    /** Returns the verb's name in a heading. */
    public String verb() {
        return verb;
    }

    public boolean isLatency() {
        return latency;
    }

    /** Returns the program with a heading's verb; null for an unknown one. */
    static @Nullable PerftestProgram of(String verb, boolean latency) {
        return Arrays.stream(values())
                .filter(program -> program.verb.equals(verb) && program.latency == latency)
                .findFirst()
                .orElse(null);
    }

    static List<String> commands() {
        return Arrays.stream(values()).map(PerftestProgram::command).toList();
    }
}
