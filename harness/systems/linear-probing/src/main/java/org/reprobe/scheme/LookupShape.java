package org.reprobe.scheme;

import org.reprobe.analysis.plan.TableShape;

/**
 * A table of lookups as the planner knows it. Where records stand in a heap, a slot holds a 1-byte signature for each of its
 * records and a 4-byte offset.
 */
sealed interface LookupShape extends TableShape
        permits LinearShape, CuckooShape, HopscotchShape, ChainedHopscotchShape {
    int OFFSET_BYTES = 4;

    /** A signature has 255 values. */
    double SAME_SIGNATURE = 1 / 255.0;

    /** Rounds that strays alone may add: more of them in one lookup do not happen. */
    int MAX_STRAYS = 60;

    /** Records of the heap that are read in the mean only because their signature is that of the key. */
    double strays();

    /** Bytes of one slot, with all its records or signatures. */
    default int slotBytes() {
        return slotBytes(inline(), recordBytes(), 1);
    }

    /** Bytes of a slot of so many records. */
    static int slotBytes(boolean inline, int recordBytes, int records) {
        return inline ? records * recordBytes : records + OFFSET_BYTES;
    }

    @Override
    default int unitBytes() {
        return slotBytes();
    }

    @Override
    default double tableBytesPerRecord() {
        return slotBytes() / loadFactor();
    }

    @Override
    default double bytesPerRecord() {
        return inline() ? tableBytesPerRecord() : tableBytesPerRecord() + recordBytes();
    }

    /** Mean READs of the heap: that of the record, and strays. */
    default double heapReads() {
        return inline() ? 0 : 1 + strays();
    }

    /** Bytes of each of them. */
    default int heapBytes() {
        return inline() ? 0 : recordBytes();
    }

    /**
     * Mean strays of a lookup that reads so many places: one in 255 of the other records in them. Where one key stands others are
     * no rarer than elsewhere.
     */
    static double strays(int places, double loadFactor) {
        return Math.min(places - 1, places * loadFactor) * SAME_SIGNATURE;
    }

    /** To {@code rounds[from]} and behind it, {@code chance} times Poisson's distribution. */
    static void addStrays(double[] rounds, int from, double chance, double mean) {
        double p = chance * StrictMath.exp(-mean);
        for (int strays = 0; strays < MAX_STRAYS; strays++) {
            rounds[from + strays] += p;
            p *= mean / (strays + 1);
        }
    }

    /**
     * Rounds of a lookup that has room for one READ only, so that the record and each stray take a round of their own.
     *
     * @param table P[it takes i + 1 READs of the table]
     */
    default double[] oneByOne(double... table) {
        double[] rounds = new double[table.length + 1 + MAX_STRAYS];
        for (int i = 0; i < table.length; i++) {
            addStrays(rounds, i + 1, table[i], strays());
        }
        return rounds;
    }
}
