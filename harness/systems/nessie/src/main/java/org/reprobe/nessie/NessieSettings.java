package org.reprobe.nessie;

import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/** Nessie. */
@Section(name = "nessie", meaning = "Scheme nessie: a cuckoo table that clients write by one-sided operations.")
public record NessieSettings(
        @Key(byDefault = "corrected", meaning = """
                corrected: linearizable. printed: the paper's algorithms to the letter, which are not. rhtm: the paper's \
                proposal of remote transactions, for sim with a nic that has them.""") Rules rules,

        @Key(byDefault = "false", meaning = "Whether writes are of keys that are not there; else they overwrite.")
        boolean newKeys,

        @Key(byDefault = "false", meaning = """
                With new-keys: what the paper's analysis assumes. Where neither the items in a key's places could be moved, \
                another key is drawn, for which the second one can: no write needs the server. For sim.""") boolean alwaysPossible,
        @Key(byDefault = "false", meaning = """
                How the table is filled at first. false: a key goes to its primary place, or to its secondary one when that is \
                taken. true: to either, by chance, and is left out when that one is taken; so where else an item could go has \
                nothing to do with where it stands, as the paper's analysis takes it.""") boolean independentPlaces,

        @Key(
                byDefault = "1024",
                min = 1,
                max = 1 << 20,
                identifies = false,
                meaning = "Data items of each client that are free at first.")
        int spareItems,

        @Key(byDefault = "2000", min = 0, max = 1L << 40, meaning = """
                The longest wait before an attempt is repeated, which doubles each time.""")
        long backOffNs,

        @Key(byDefault = "0", min = 0, max = 64, meaning = """
                Whether the server's program runs, and how many times as large as at first the index table may become when it \
                resizes it. 1: it only moves chains. 0: there is none, and a write that finds no place is refused.""")
        int growth) {}
