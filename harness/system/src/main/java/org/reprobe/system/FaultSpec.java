package org.reprobe.system;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/**
 * Entry of a scenario's {@code faults}. An {@code atMs} of 0 stands for a time that is drawn from the seed, a
 * {@code forMs} of 0 for the rest of the run.
 */
@Section(meaning = "Faults injected into each run.")
public record FaultSpec(
        @Key(example = "crash", meaning = """
                crash: power failure of a machine. kill: end of a client's process. slow-cpu, slow-card: slow-down of a machine's CPU or \
                card by the factor times. cut: cut link between two machines. delay: longer round trips between two machines.""") Kind kind,

        @Key(byDefault = "drawn", above = 0, max = 86_400_000, or = "drawn", example = "at-ms: 3", meaning = """
                Milliseconds from the start of the measured interval; drawn: from the run's seed, within it. The warm-up has \
                exactly measure.warm-up-ms.""")
        double atMs,

        @Key(byDefault = "rest", above = 0, max = 86_400_000, or = "rest", example = "for-ms: 2", meaning = """
                Duration in milliseconds; rest: until the end of the run. A killed process is not restarted. On real fabrics a crash \
                kills the machine's process, or with for-ms stops it for as long.""")
        double forMs,

        @Key(
                byDefault = "server",
                pattern = "^(server|client)(-([0-9]{1,5}|any))?$",
                allowed = "server, server-N or server-any, client-N or client-any",
                example = "machine: client-3",
                meaning = """
                Affected machine: server-N or client-N, from 0; any: drawn from the run's seed. server is the first one. If clients run \
                on the servers, both names are equivalent. For kill, client-N is client N of all clients.""")
        String machine,

        @Key(
                byDefault = "server",
                pattern = "^(server|client)(-([0-9]{1,5}|any))?$",
                allowed = "server, server-N or server-any, client-N or client-any",
                example = "to: server",
                meaning = "cut and delay: the other machine.")
        String to,

        @Key(byDefault = "both", meaning = "cut: direction of the lost packets: requests, replies, or both.")
        Way way,

        @Key(byDefault = "kept", meaning = """
                crash: kept if a server's registered memory survives, as with a battery; lost if not: then the restarted \
                server refuses requests.""") Memory memory,

        @Key(byDefault = "10", above = 1, max = 1e6, meaning = "slow-cpu and slow-card: slow-down factor.")
        double times,

        @Key(byDefault = "100", above = 0, max = 1e9, meaning = "delay: extra round-trip time in microseconds.")
        double delayUs,

        @Key(
                byDefault = "{}",
                fullNames = true,
                example = "where: {nessie.rules: corrected}",
                meaning = "Only in cells with these values.")
        Map<String, Object> where) {

    public FaultSpec {
        where = Collections.unmodifiableMap(new LinkedHashMap<>(where));
    }

    public enum Kind {
        CRASH,
        KILL,
        SLOW_CPU,
        SLOW_CARD,
        CUT,
        DELAY
    }

    public enum Way {
        THERE,
        BACK,
        BOTH
    }

    /** Fate of a crashed machine's memory. */
    public enum Memory {
        KEPT,
        LOST
    }
}
