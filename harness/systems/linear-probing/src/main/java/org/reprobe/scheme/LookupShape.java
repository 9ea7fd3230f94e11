package org.reprobe.scheme;

import org.reprobe.analysis.plan.TableShape;

/**
 * Hash table in capacity planning. With a heap, a slot holds a 1-byte signature per record and one 4-byte offset. A
 * <em>stray</em> is a record in the heap that is read only because its signature equals that of the key.
 */
sealed interface LookupShape extends TableShape
        permits LinearShape, CuckooShape, HopscotchShape, ChainedHopscotchShape {
    int OFFSET_BYTES = 4;

    /** Probability that two keys have the same signature, which has 255 values. */
    double SAME_SIGNATURE = 1 / 255.0;

    /** Maximum number of strays per lookup that is computed; the probability of more is negligible. */
    int MAX_STRAYS = 60;

    /** Returns the mean number of strays per lookup. */
    double strays();

    /** Returns the bytes of a slot with all its records or signatures. */
    default int slotBytes() {
        return slotBytes(inline(), recordBytes(), 1);
    }

    /** Returns the bytes of a slot of {@code records} records. */
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

    /** Returns the mean number of heap READs per lookup: the record and the strays. */
    default double heapReads() {
        return inline() ? 0 : 1 + strays();
    }

    /** Returns the bytes of a heap READ; 0 without a heap. */
    default int heapBytes() {
        return inline() ? 0 : recordBytes();
    }

    /**
     * Returns the mean number of strays of a lookup that reads {@code places} places for records: 1/255 of the other
     * records in them. The record itself does not make other records in these places rarer, except where the places are
     * full.
     */
    static double strays(int places, double loadFactor) {
        return Math.min(places - 1, places * loadFactor) * SAME_SIGNATURE;
    }

    /** Adds {@code chance} times the Poisson distribution with this mean to {@code rounds}, from an index on. */
    static void addStrays(double[] rounds, int from, double chance, double mean) {
        double p = chance * StrictMath.exp(-mean);
        for (int strays = 0; strays < MAX_STRAYS; strays++) {
            rounds[from + strays] += p;
            p *= mean / (strays + 1);
        }
    }

    /**
     * Returns the distribution of rounds with one READ in flight, so that the record and each stray take a round each.
     * The probability of i + 1 table READs is at index i of {@code table}.
     */
    default double[] oneByOne(double... table) {
        double[] rounds = new double[table.length + 1 + MAX_STRAYS];
        for (int i = 0; i < table.length; i++) {
            addStrays(rounds, i + 1, table[i], strays());
        }
        return rounds;
    }
}
