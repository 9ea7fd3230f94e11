package org.example.race;

import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/** Keys of section {@code race}. {@code ranks} 0 means as many as records, {@code throttle} 0 no limit. */
@Section(name = "race", meaning = "Scheme race: RACE hashing, with one-sided operations only.")
public record RaceSettings(
        @Key(byDefault = "corrected", meaning = """
                Resolution of concurrent inserts of a key. corrected: linearizable; an insert becomes visible when it has verified that it \
                is the only one. printed: one round trip less; an insert is visible at once, and withdrawn if it is not the only one.""") RaceRules rules,

        @Key(
                byDefault = "3",
                min = 0,
                max = 16,
                meaning = "Bits that select a key's subtable: initially there are 2^depth.")
        int depth,

        @Key(byDefault = "0", min = 0, max = 16, meaning = """
                Maximum depth: a write that finds both of its combined buckets full splits its subtable by one more bit, up to this many \
                bits. If not above race.depth, subtables are never split, and such a write is refused.""")
        int maxDepth,

        @Key(byDefault = "false", meaning = """
                True for writes of absent keys, false for overwrites.""") boolean newKeys,

        @Key(byDefault = "64", min = 2, max = 1 << 20, identifies = false, meaning = """
                Initially free blocks per client. More blocks stay unused for longer, so that fewer readers find a rewritten block.""")
        int spareBlocks,

        @Key(byDefault = "0", min = 0, max = 1 << 20, meaning = """
                Initial back-off in nanoseconds; it doubles with each attempt, up to 16 times. 0: retries at once.""")
        long backOffNs,

        @Key(byDefault = "own", min = 1, max = Integer.MAX_VALUE, or = "own", meaning = """
                Ranks of zipf, scattered over the records: as many as in the larger table that this one represents. own: one per \
                record.""")
        long ranks,

        @Key(byDefault = "1", min = 1, max = 64, fabrics = "sim", meaning = """
                sim: machines with a table each; a hash of the key selects one.""")
        int servers,

        @Key(byDefault = "1", min = 1, max = 256, fabrics = "sim", meaning = """
                sim: coroutines per thread, each with one operation in flight. They share the thread's CPU and, for each server, a \
                queue pair. 1: the thread itself, with its own queue pairs.""")
        int coroutines,

        @Key(byDefault = "0", min = 0, max = 1_000_000, fabrics = "sim", meaning = """
                sim: nanoseconds of CPU time per round trip of a read, besides those of the NIC profile.""")
        long readNs,

        @Key(byDefault = "0", min = 0, max = 1_000_000, fabrics = "sim", meaning = """
                sim: the same for a write, which also computes its block's checksum.""")
        long writeNs,

        @Key(byDefault = "0", min = 0, max = 10, fabrics = "sim", meaning = """
                sim: coefficient of variation of race.read-ns and race.write-ns, whose distribution is log-normal.""")
        double cpuVariation,

        @Key(byDefault = "0", min = 0, max = 4096, fabrics = "sim", meaning = """
                sim: cores of a client machine. race.read-ns and race.write-ns grow by 15 % up to a thread per core, and by further 43 % \
                up to two, which share a core. 0: no growth.""")
        int cores,

        @Key(byDefault = "thread", fabrics = "sim", meaning = """
                sim: thread: each queue pair has a doorbell that no other thread uses. driver: all queue pairs of a machine share 12 \
                doorbells, the default of rdma-core for ConnectX cards.""")
        Allocation allocation,

        @Key(byDefault = "own", fabrics = "sim", meaning = """
                sim: end of a coroutine's wait. own: its requests are complete. thread: all that its thread had posted, to any server, \
                is complete.""")
        Waits waits,

        @Key(byDefault = "none", min = 1, max = 1024, or = "none", fabrics = "sim", meaning = """
                sim: limit of a thread's requests in flight: coroutines wait before they post. An operation posts up to 3 at once.""")
        int throttle,

        @Key(byDefault = "none", meaning = """
                Avoidance of conflicts between writes, as in SMART. none: race.back-off-ns. back-off: 1.7 us, doubled with each \
                attempt, plus a random time of up to 1.7 us. dynamic: the same up to a limit that a thread doubles when more than \
                half of its attempts fail, and halves when less than a tenth do. coroutines: a limit of the thread's coroutines that write \
                is halved or doubled first, 64 at the start.""") Avoidance conflicts,

        @Key(byDefault = "20", above = 0, max = 10_000, meaning = """
                Milliseconds after which a thread adapts the limits of race.conflicts: dynamic and coroutines.""")
        double epochMs) {

    /** Avoidance of conflicts between writes. */
    public enum Avoidance {
        NONE,
        BACK_OFF,
        DYNAMIC,
        COROUTINES
    }

    /** Ends of waits for requests. */
    public enum Waits {
        OWN,
        THREAD
    }

    /** Assignment of doorbells to queue pairs. */
    public enum Allocation {
        THREAD,
        DRIVER
    }
}
