package org.example.race;

import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

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

        @Key(byDefault = "2000", min = 0, max = 1 << 20, meaning = """
                Initial back-off in nanoseconds; it doubles with each attempt, up to 16 times.""")
        long backOffNs) {}
