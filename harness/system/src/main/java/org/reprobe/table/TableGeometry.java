package org.reprobe.table;

/**
 * Memory layout of a table: all parameters that clients need to compute addresses. Byte offsets are relative to the
 * start of the table or the heap. Numbers are little-endian.
 *
 * <ul>
 *   <li>Inline tables have one record per slot: key (4 bytes), value. A key of zero marks an empty slot.
 *   <li>Inline cuckoo tables have {@code associativity} such records per slot, filled from the front.
 *   <li>With a heap, a slot has {@code associativity} signatures of 1 byte (zero: empty), then a 4-byte offset: the
 *       number, from 1, of a block of {@code associativity} records in the heap. An offset of zero marks an empty slot
 *       (linear-probing paper, figures 4 and 5).
 *   <li>In the hybrid layout (section 7 there) a slot of a small record has a signature of zero and then the record.
 *   <li>Records of two sizes: in the heap, the large ones are in front. In slots of the large size, a small record is
 *       followed by zeros.
 *   <li>Chained hopscotch tables have buckets of {@code neighbourhood / 2} slots, followed by a 4-byte chain: the
 *       number, from 1, of the bucket's first overflow block, or zero. The overflow blocks follow the last bucket; a
 *       block has two slots and the 4-byte number of the chain's next block, or zero. A key's home bucket is
 *       {@code Hashing.home(key, buckets())}; the key is in that bucket, the next one (cyclically) or the home bucket's
 *       chain. Slots fill from the front (FaRM 2014, section 3.6, without its versions).
 *   <li>Tables with linear probing or hopscotch are cyclic.
 *   <li>A record's value starts with the record's ordinal (4 bytes), which determines the rest, so that results can be
 *       verified.
 * </ul>
 *
 * @param slots number of slots; for {@code HOPSCOTCH_CHAINED} without overflow blocks
 * @param slotBytes bytes of one slot, with all its records or signatures
 * @param associativity records per slot; 1 except for cuckoo
 * @param hashes candidate slots per key; 1 except for cuckoo
 * @param neighbourhood H; 1 except for hopscotch
 * @param tableBytes size of the table, including overflow blocks
 * @param heapBytes size of the heap; 0 for inline storage
 * @param largeRecords number of records of {@code recordBytes}, which have the lowest ordinals
 * @param smallBytes size of the other records; 0 if there are none
 * @param hybrid true if small records are in the slots and large ones in the heap
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
        long heapBytes,
        long largeRecords,
        int smallBytes,
        boolean hybrid) {

    public static final int OFFSET_BYTES = 4;

    public static final int OVERFLOW_SLOTS = 2;

    /**
     * Returns the geometry before building. Two sizes are final only after building ({@link TableImage#geometry()}):
     * {@code tableBytes} of a chained table, here without overflow blocks, and {@code heapBytes} of a cuckoo table,
     * here without empty slots. The number of places (slots times associativity) is the number of records divided by
     * the load factor, rounded to whole slots or buckets. It exceeds the number of records.
     */
    public static TableGeometry of(TableSpec spec) {
        TableKind kind = spec.kind();
        boolean cuckoo = kind == TableKind.CUCKOO;
        boolean hopscotch = kind == TableKind.HOPSCOTCH || kind == TableKind.HOPSCOTCH_CHAINED;
        boolean inline = spec.storage() == Storage.INLINE;
        int associativity = cuckoo ? spec.associativity() : 1;
        int neighbourhood = hopscotch ? spec.neighbourhood() : 1;
        RecordSizes sizes = spec.sizes();
        boolean hybrid = !inline && sizes.inlineBytes() > 0;
        int slotBytes = inline
                ? associativity * spec.recordBytes()
                : associativity + Math.max(OFFSET_BYTES, sizes.inlineBytes());
        int group = kind == TableKind.HOPSCOTCH_CHAINED ? neighbourhood / 2 : associativity;
        long groups = Math.max(Math.round(spec.records() / spec.loadFactor() / group), spec.records() / group + 1);
        groups = switch (kind) { // at least a neighbourhood, so that none overlaps itself
            case HOPSCOTCH -> Math.max(groups, neighbourhood);
            case HOPSCOTCH_CHAINED -> Math.max(groups, 2);
            case LINEAR, CUCKOO -> groups;
        };
        long slots = kind == TableKind.HOPSCOTCH_CHAINED ? groups * group : groups;
        long tableBytes = kind == TableKind.HOPSCOTCH_CHAINED
                ? groups * (group * (long) slotBytes + OFFSET_BYTES)
                : slots * slotBytes;
        long blocks = Math.min(slots, spec.records()) + 1;
        long large = sizes.large(spec.records());
        long small = hybrid ? 0 : spec.records() - large;
        long heapBytes = inline
                ? 0
                : (blocks - (spec.records() - large)) * associativity * spec.recordBytes() + small * sizes.smallBytes();
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
                heapBytes,
                large,
                sizes.smallBytes(),
                hybrid);
    }

    /** Returns the maximum number of records in slots, without overflow blocks. */
    public long places() {
        return slots * associativity;
    }

    public long slotOffset(long slot) {
        return kind == TableKind.HOPSCOTCH_CHAINED
                ? bucketOffset(slot / bucketSlots()) + slot % bucketSlots() * slotBytes
                : slot * slotBytes;
    }

    /** Returns the byte offset of a record in the heap: place {@code lane} of block {@code offset}. */
    public long heapOffset(int offset, int lane) {
        return (Integer.toUnsignedLong(offset) * associativity + lane) * recordBytes;
    }

    /** Returns the byte offset of a record in the heap of a table with one record per slot. */
    public long heapOffset(int offset) {
        long number = Integer.toUnsignedLong(offset);
        long small = Math.max(0, number - 1 - largeRecords);
        return (number - small) * recordBytes + small * smallBytes;
    }

    /** Returns the size of a record in bytes. */
    public int recordBytes(long ordinal) {
        return ordinal < largeRecords ? recordBytes : smallBytes;
    }

    /** Returns the byte offset, in a slot, of the heap block's number. It follows the signatures. */
    public int slotHeapOffset() {
        return associativity;
    }

    /** Returns the number of slots per bucket of a chained table: half a neighbourhood. */
    public int bucketSlots() {
        return neighbourhood / 2;
    }

    public long buckets() {
        return slots / bucketSlots();
    }

    /** Returns the size of a bucket of a chained table in bytes: slots and chain. */
    public int bucketBytes() {
        return bucketSlots() * slotBytes + OFFSET_BYTES;
    }

    public long bucketOffset(long bucket) {
        return bucket * bucketBytes();
    }

    /** Returns the byte offset, in a bucket, of the chain. */
    public int bucketChainOffset() {
        return bucketSlots() * slotBytes;
    }

    /** Returns the size of an overflow block of a chained table in bytes. */
    public int overflowBlockBytes() {
        return OVERFLOW_SLOTS * slotBytes + OFFSET_BYTES;
    }

    /** Returns the byte offset of an overflow block, whose unsigned number is from 1, in a chained table. */
    public long overflowOffset(int number) {
        return bucketOffset(buckets()) + (Integer.toUnsignedLong(number) - 1) * overflowBlockBytes();
    }

    /** Returns the byte offset, in an overflow block, of the next block's number. */
    public int overflowChainOffset() {
        return OVERFLOW_SLOTS * slotBytes;
    }

    public TableGeometry withTableBytes(long bytes) {
        return with(bytes, heapBytes);
    }

    public TableGeometry withHeapBytes(long bytes) {
        return with(tableBytes, bytes);
    }

    private TableGeometry with(long tableBytes, long heapBytes) {
        return new TableGeometry(
                kind,
                storage,
                slots,
                slotBytes,
                recordBytes,
                associativity,
                hashes,
                neighbourhood,
                tableBytes,
                heapBytes,
                largeRecords,
                smallBytes,
                hybrid);
    }
}
