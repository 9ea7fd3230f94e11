package org.reprobe.table;

/**
 * Sizes of a table's records: all of one size, or of two.
 *
 * @param smallBytes size of the small records; 0 if all records have {@link TableSpec#recordBytes}
 * @param smallShare share of the small records, which have the highest ordinals
 * @param inlineBytes longest record in the slots of a table with a heap (hybrid layout), from {@code smallBytes} on; 0
 *     if all records are in the heap
 */
public record RecordSizes(int smallBytes, double smallShare, int inlineBytes) {
    /** Records of one size. */
    public static final RecordSizes ONE = new RecordSizes(0, 0, 0);

    long large(long records) {
        return smallBytes == 0 ? records : records - Math.round(records * smallShare);
    }
}
