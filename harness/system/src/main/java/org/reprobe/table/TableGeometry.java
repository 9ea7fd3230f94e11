package org.reprobe.table;

/**
 * Where things stand in a table's memory: all that a client must know to address it. Byte offsets are relative to the
 * table's or the heap's first byte; numbers are little-endian.
 *
 * <ul>
 *   <li>Inline, one record a slot: key (4 bytes), value. A key of zero marks an empty slot.
 *   <li>Inline cuckoo: {@code associativity} such records a slot, filled from the front.
 *   <li>Heap: {@code associativity} signatures of 1 byte (zero: empty), then a 4-byte offset, the number of a block of
 *       {@code associativity} records in the heap. Offset zero marks an empty slot and no block has it (Figs. 4 and 5).
 *   <li>Chained hopscotch: buckets of {@code neighbourhood / 2} slots, each followed by a 4-byte chain: the number, from 1,
 *       of the bucket's first overflow block, or zero. Behind the last bucket stand the overflow blocks, of two slots and
 *       the 4-byte number of the next block of the chain, or zero. A key's home is a bucket,
 *       {@code Hashing.home(key, buckets())}; it stands in that bucket, the next one (after the last comes the first), or
 *       the home bucket's chain. Slots fill from the front (FaRM 2014, section 3.6, without its versions).
 *   <li>Linear probing and hopscotch go on at the first slot after the last one.
 *   <li>A record's value starts with the record's ordinal (4 bytes), so that an answer can be checked; the rest is
 *       filled from it.
 * </ul>
 *
 * @param slots slots of the table; for {@code HOPSCOTCH_CHAINED} slots of the main table
 * @param slotBytes bytes of one slot, with all its records or signatures
 * @param associativity records a slot; 1 for all but cuckoo
 * @param hashes candidate slots a key; 1 for all but cuckoo
 * @param neighbourhood H; 1 for all but hopscotch
 * @param tableBytes the whole table, overflow blocks included
 * @param heapBytes the whole heap; 0 for inline
 */
public record TableGeometry(
        TableKind kind,
        Storage storage,
        long slots,
        int slotBytes,
        int recordBytes,
        int associativity,
        int hashes,
        int neighbourhood,
        long tableBytes,
        long heapBytes) {

    /** Bytes of an offset of a slot in the heap, and of a chain's block number. */
    public static final int OFFSET_BYTES = 4;

    /** Slots of an overflow block of a chained table. */
    public static final int OVERFLOW_SLOTS = 2;

    /**
     * The geometry of a table before it is built. Two lengths are known only afterwards ({@link TableImage#geometry()}):
     * {@code tableBytes} of a chained table, here without overflow blocks, and {@code heapBytes} of a cuckoo table, here
     * as if no slot stayed empty. The number of places, slots times associativity, is the number of records divided by the
     * load factor, rounded to whole slots or buckets and always more than the records.
     */
    public static TableGeometry of(TableSpec spec) {
        TableKind kind = spec.kind();
        boolean cuckoo = kind == TableKind.CUCKOO;
        boolean hopscotch = kind == TableKind.HOPSCOTCH || kind == TableKind.HOPSCOTCH_CHAINED;
        boolean inline = spec.storage() == Storage.INLINE;
        int associativity = cuckoo ? spec.associativity() : 1;
        int neighbourhood = hopscotch ? spec.neighbourhood() : 1;
        int slotBytes = inline ? associativity * spec.recordBytes() : associativity + OFFSET_BYTES;
        int group = kind == TableKind.HOPSCOTCH_CHAINED ? neighbourhood / 2 : associativity;
        long groups = Math.max(Math.round(spec.records() / spec.loadFactor() / group), spec.records() / group + 1);
        groups = switch (kind) { // no neighbourhood overlaps itself
            case HOPSCOTCH -> Math.max(groups, neighbourhood);
            case HOPSCOTCH_CHAINED -> Math.max(groups, 2);
            case LINEAR, CUCKOO -> groups;
        };
        long slots = kind == TableKind.HOPSCOTCH_CHAINED ? groups * group : groups;
        long tableBytes = kind == TableKind.HOPSCOTCH_CHAINED
                ? groups * (group * (long) slotBytes + OFFSET_BYTES)
                : slots * slotBytes;
        long blocks = Math.min(slots, spec.records()) + 1;
        long heapBytes = inline ? 0 : blocks * associativity * spec.recordBytes();
        return new TableGeometry(
                kind,
                spec.storage(),
                slots,
                slotBytes,
                spec.recordBytes(),
                associativity,
                cuckoo ? spec.hashes() : 1,
                neighbourhood,
                tableBytes,
                heapBytes);
    }

    /** How many records the slots hold at most, overflow blocks not counted. */
    public long places() {
        return slots * associativity;
    }

    /** Byte offset of a slot in the table. */
    public long slotOffset(long slot) {
        return kind == TableKind.HOPSCOTCH_CHAINED
                ? bucketOffset(slot / bucketSlots()) + slot % bucketSlots() * slotBytes
                : slot * slotBytes;
    }

    /** Byte offset in the heap of a record: block {@code offset} of a slot, place {@code lane} in it. */
    public long heapOffset(int offset, int lane) {
        return (Integer.toUnsignedLong(offset) * associativity + lane) * recordBytes;
    }

    /** Byte offset in a heap slot of the heap block's number: behind the signatures. */
    public int slotHeapOffset() {
        return associativity;
    }

    /** Slots of a bucket of a chained table: half a neighbourhood. */
    public int bucketSlots() {
        return neighbourhood / 2;
    }

    /** Buckets of a chained table. */
    public long buckets() {
        return slots / bucketSlots();
    }

    /** Bytes of a bucket of a chained table: its slots and its chain. */
    public int bucketBytes() {
        return bucketSlots() * slotBytes + OFFSET_BYTES;
    }

    /** Byte offset of a bucket in a chained table. */
    public long bucketOffset(long bucket) {
        return bucket * bucketBytes();
    }

    /** Byte offset in a bucket of its chain: the number of its first overflow block, or zero. */
    public int bucketChainOffset() {
        return bucketSlots() * slotBytes;
    }

    /** Bytes of an overflow block of a chained table: its slots and the number of the next one, or zero. */
    public int overflowBlockBytes() {
        return OVERFLOW_SLOTS * slotBytes + OFFSET_BYTES;
    }

    /** Byte offset in a chained table of overflow block {@code number}, an unsigned number from 1. */
    public long overflowOffset(int number) {
        return bucketOffset(buckets()) + (Integer.toUnsignedLong(number) - 1) * overflowBlockBytes();
    }

    /** Byte offset in an overflow block of the number of the next one, or zero. */
    public int overflowChainOffset() {
        return OVERFLOW_SLOTS * slotBytes;
    }

    /** The same with a table of another length: overflow blocks are known once they are built. */
    public TableGeometry withTableBytes(long bytes) {
        return new TableGeometry(
                kind, storage, slots, slotBytes, recordBytes, associativity, hashes, neighbourhood, bytes, heapBytes);
    }

    /** The same with a heap of another length. */
    public TableGeometry withHeapBytes(long bytes) {
        return new TableGeometry(
                kind, storage, slots, slotBytes, recordBytes, associativity, hashes, neighbourhood, tableBytes, bytes);
    }
}
