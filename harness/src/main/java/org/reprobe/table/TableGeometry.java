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
 *   <li>A record's value starts with the record's ordinal (4 bytes), so that an answer can be checked; the rest is
 *       filled from it.
 * </ul>
 *
 * @param slots slots of the table; for {@code HOPSCOTCH_CHAINED} slots of the main table
 * @param slotBytes bytes of one slot, with all its records or signatures
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

    /** Byte offset of a slot in the table. */
    public long slotOffset(long slot) {
        return slot * slotBytes;
    }

    /** Byte offset in the heap of a record: block {@code offset} of a slot, place {@code lane} in it. */
    public long heapOffset(int offset, int lane) {
        return (Integer.toUnsignedLong(offset) * associativity + lane) * recordBytes;
    }
}
