package org.reprobe.nessie;

import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

@Section(name = "nessie", meaning = "Scheme nessie: a cuckoo table that clients write by one-sided operations.")
public record NessieSettings(
        @Key(byDefault = "corrected", meaning = """
                corrected: linearizable. printed: the algorithms as printed in the paper, which are not linearizable. rhtm: the \
                remote transactions that the paper proposes, for sim with a nic that has them. rhtm-naive: whole operations \
                in such a transaction, which the paper advises against.""") Rules rules,

        @Key(byDefault = "false", meaning = "True for writes of absent keys, false for overwrites.")
        boolean newKeys,

        @Key(byDefault = "false", meaning = """
                With new-keys: the assumption of the paper's analysis that no write needs the server. If neither item in the \
                places of a key can be moved, another key is drawn, for which the second item can be moved. For sim.""") boolean alwaysPossible,
        @Key(byDefault = "false", meaning = """
                Initial filling of the table. false: a key is placed at its primary place or, if that is occupied, at its \
                secondary one. true: at a random one of both, and omitted if that one is occupied. So the place of an item \
                is independent of the state of its other place, as assumed in the paper's analysis.""") boolean independentPlaces,

        @Key(
                byDefault = "1024",
                min = 1,
                max = 1 << 20,
                identifies = false,
                meaning = "Initially free data items per client.")
        int spareItems,

        @Key(byDefault = "2000", min = 0, max = 1L << 40, meaning = """
                Maximum wait before the first repetition of an attempt, in nanoseconds; it doubles with each repetition.""")
        long backOffNs,

        @Key(byDefault = "0", min = 0, max = 64, meaning = """
                Maximum size of the index table, which the server program may grow, as a multiple of the initial size. 1: the \
                program only moves chains. 0: no server program; a write without a free place is refused.""")
        int growth) {}
