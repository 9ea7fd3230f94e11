package org.example.race;

import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

@Section(name = "race", meaning = "Scheme race: RACE hashing, with one-sided operations only.")
public record RaceSettings(
        @Key(byDefault = "corrected", meaning = """
                How two inserts of a key at once are told apart. corrected: linearizable; an insert is seen when it has found itself \
                alone. printed: as the paper has it, a round trip less; an insert is seen at once, and taken back when it was not alone.""") RaceRules rules,

        @Key(
                byDefault = "3",
                min = 0,
                max = 16,
                meaning = "Bits that select a key's subtable: initially there are 2^depth.")
        int depth,

        @Key(byDefault = "0", min = 0, max = 16, meaning = """
                A write that finds both of its combined buckets full splits its subtable by one more bit, up to so many. With no more than \
                race.depth none is split, and such a write is refused.""")
        int maxDepth,

        @Key(byDefault = "false", meaning = """
                true: writes insert absent keys; false: they overwrite.""") boolean newKeys,

        @Key(byDefault = "64", min = 2, max = 1 << 20, identifies = false, meaning = """
                Blocks of each client that are initially free: the longer one stays unused, the fewer readers find it rewritten.""")
        int spareBlocks,

        @Key(byDefault = "2000", min = 0, max = 1 << 20, meaning = """
                Initial back-off in nanoseconds, which doubles with each attempt, up to 16 times.""")
        long backOffNs) {}
