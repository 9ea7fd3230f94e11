package org.reprobe.system;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/**
 * Something that goes wrong in each run: an entry of a scenario's {@code faults}.
 *
 * @param atMs 0 for a time drawn from the run's seed
 * @param forMs 0 for the rest of the run
 */
@Section(meaning = "What goes wrong in each run.")
public record FaultSpec(
        @Key(example = "crash", meaning = """
                crash: a machine's power fails. kill: a client's process ends. slow-cpu, slow-card: a machine's CPU or card takes times \
                as long. cut: nothing gets through between two machines. delay: round trips between two machines take longer.""") Kind kind,

        @Key(byDefault = "drawn", above = 0, max = 86_400_000, or = "drawn", example = "at-ms: 3", meaning = """
                Milliseconds from the beginning of the interval that counts; drawn: from the run's seed, within it. The warm-up is \
                as long as measure.warm-up-ms says.""")
        double atMs,

        @Key(byDefault = "rest", above = 0, max = 86_400_000, or = "rest", example = "for-ms: 2", meaning = """
                Milliseconds until it is over; rest: the rest of the run. A process that was killed does not come back. On real fabrics a machine that \
                crashes is a process that is killed, or with for-ms one that is stopped for as long.""")
        double forMs,

        @Key(
                byDefault = "server",
                pattern = "^(server|client)(-([0-9]{1,5}|any))?$",
                allowed = "server, server-N or server-any, client-N or client-any",
                example = "machine: client-3",
                meaning = """
                Whose fault: server-N or client-N, from 0; any: drawn from the run's seed. server is the first. Where clients' machines \
                serve, both names mean the same. Of kill, client-N is client N of all machines' clients.""")
        String machine,

        @Key(
                byDefault = "server",
                pattern = "^(server|client)(-([0-9]{1,5}|any))?$",
                allowed = "server, server-N or server-any, client-N or client-any",
                example = "to: server",
                meaning = "cut and delay: the other machine.")
        String to,

        @Key(byDefault = "both", meaning = "cut: whether requests are lost, answers, or both.")
        Way way,

        @Key(byDefault = "kept", meaning = """
                crash: whether what was registered is there again when a server is back, as with a battery, or lost: then \
                it refuses what it is asked for.""") Memory memory,

        @Key(byDefault = "10", above = 1, max = 1e6, meaning = "slow-cpu and slow-card: how many times as long.")
        double times,

        @Key(byDefault = "100", above = 0, max = 1e9, meaning = "delay: how many microseconds longer.")
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

    /** What goes wrong. */
    public enum Kind {
        CRASH,
        KILL,
        SLOW_CPU,
        SLOW_CARD,
        CUT,
        DELAY
    }

    /** What a cut link loses, seen from {@code machine}. */
    public enum Way {
        THERE,
        BACK,
        BOTH
    }

    /** What becomes of the memory of a machine that crashes. */
    public enum Memory {
        KEPT,
        LOST
    }
}
