package org.reprobe.nessie;

import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

@Section(name = "nessie", meaning = "Scheme nessie: a cuckoo table that clients write by one-sided operations.")
public record NessieSettings(
        @Key(byDefault = "corrected", meaning = """
                corrected: linearizable. printed: the paper's algorithms literally, which are not linearizable. rhtm: the \
                paper's proposal of remote transactions, for sim with a nic that has them.""") Rules rules,

        @Key(byDefault = "false", meaning = "True for writes of keys that are absent; else they overwrite.")
        boolean newKeys,

        @Key(byDefault = "false", meaning = """
                With new-keys: the assumption of the paper's analysis. If neither item in a key's places can be moved, another \
                key is drawn, for which the second one can be moved: no write needs the server. For sim.""") boolean alwaysPossible,
        @Key(byDefault = "false", meaning = """
                Initial filling of the table. false: a key is placed at its primary place, or if that is occupied at \
                its secondary one. true: at one of the two, chosen at random, and omitted if that one is occupied. \
                An item's place is thus independent of its other one, as the paper's analysis assumes.""") boolean independentPlaces,

        @Key(
                byDefault = "1024",
                min = 1,
                max = 1 << 20,
                identifies = false,
                meaning = "Initially free data items per client.")
        int spareItems,

        @Key(byDefault = "2000", min = 0, max = 1L << 40, meaning = """
                Maximum wait before the first repetition of an attempt, in nanoseconds; it doubles each time.""")
        long backOffNs,

        @Key(byDefault = "0", min = 0, max = 64, meaning = """
                Limit for the index table's growth by the server's program, as a multiple of the initial size. 1: the program \
                only moves chains. 0: there is no program, and a write without a free place is refused.""")
        int growth) {}
