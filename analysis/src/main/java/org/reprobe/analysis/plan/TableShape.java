package org.reprobe.analysis.plan;

/**
 * One way to lay records out and to look them up.
 *
 * @param loadFactor occupied share of the table's places
 * @param inline records stand in the slots; else slots hold a 1-byte signature a record and a 4-byte offset
 * @param recordBytes key and value
 * @param readSlots slots of one READ of a linear scheme; 1 for others
 * @param associativity records a slot of a cuckoo table; 1 for others
 * @param hashes candidate slots of a key in a cuckoo table; 1 for others
 * @param neighbourhood H of a hopscotch table; 1 for others
 */
public record TableShape(
        PlanScheme scheme,
        double loadFactor,
        boolean inline,
        int recordBytes,
        int readSlots,
        int associativity,
        int hashes,
        int neighbourhood) {

    private static final int OFFSET_BYTES = 4;

    /** Bytes of one slot, with all its records or signatures. */
    public int slotBytes() {
        return inline ? associativity * recordBytes : associativity + OFFSET_BYTES;
    }

    /** READs of the table begin at multiples of so many bytes. */
    int unitBytes() {
        return scheme == PlanScheme.HOPSCOTCH_CHAINED ? neighbourhood / 2 * slotBytes() + OFFSET_BYTES : slotBytes();
    }

    /** Bytes of the READ that a lookup begins with. */
    public int readBytes() {
        return switch (scheme) {
            case HOPSCOTCH -> neighbourhood * slotBytes();
            case HOPSCOTCH_CHAINED -> neighbourhood * slotBytes() + 2 * OFFSET_BYTES;
            default -> readSlots * slotBytes();
        };
    }

    /** Bytes of the table alone for each record. */
    double tableBytesPerRecord() {
        return slotBytes() / (associativity * loadFactor);
    }

    /** Bytes of table and heap for each record. */
    public double bytesPerRecord() {
        double perSlot = slotBytes();
        double table = perSlot / (associativity * loadFactor);
        if (scheme == PlanScheme.HOPSCOTCH_CHAINED) {
            table += OFFSET_BYTES / (neighbourhood / 2.0 * loadFactor);
            table += HopscotchCounts.blocksPerRecord(loadFactor) * (2 * perSlot + OFFSET_BYTES);
        }
        if (inline) {
            return table;
        }
        // A cuckoo slot names a heap block with a place for each of its records; a slot without any names none.
        double places = 1;
        if (scheme.cuckoo()) {
            double emptySlots = Math.pow(1 - loadFactor, associativity);
            places = (1 - emptySlots) / loadFactor;
        }
        return table + places * recordBytes;
    }

    /** Memory beyond the records themselves, as a share of them. */
    public double overhead() {
        return bytesPerRecord() / recordBytes - 1;
    }

    /** {@code linear-variable, load 0.80, inline, READs of 184 bytes}. */
    public String label() {
        return "%s, load %.2f, %s, READs of %d bytes"
                .formatted(scheme.key(), loadFactor, inline ? "inline" : "heap", readBytes());
    }
}
