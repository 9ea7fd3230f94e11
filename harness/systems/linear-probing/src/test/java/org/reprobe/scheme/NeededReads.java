package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.reprobe.system.BuiltContent;
import org.reprobe.table.Storage;
import org.reprobe.table.TableGeometry;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.Hashing;

/**
 * Number of READs that lookups need, from the bytes of a small table. Depends on the layout of tables and the requests
 * of each scheme, not on clients.
 *
 * @param mean of all lookups, as their keys are chosen
 * @param deviation standard deviation of one lookup's
 */
public record NeededReads(double mean, double deviation) {

    /** Counts those of built content, which must be a table. */
    public static NeededReads of(BuiltContent table, int readSlots) {
        return of(((TableContent.Built) table).image(), readSlots);
    }

    /**
     * Counts them.
     *
     * @param readSlots of one READ of linear probing; 0 for other schemes
     */
    public static NeededReads of(TableImage image, int readSlots) {
        boolean byKey = image.spec().keys().distribution() != Distribution.ZIPF; // else by record
        int[] toEmpty = image.geometry().kind() == TableKind.LINEAR ? slotsToEmpty(image) : new int[0];
        Set<Integer> counted = new HashSet<>();
        double lookups = 0;
        double sum = 0;
        double squares = 0;
        for (int record = 0; record < image.keys().records(); record++) {
            int key = image.keys().key(record);
            if (!byKey || counted.add(key)) {
                double reads = switch (image.geometry().kind()) {
                    case LINEAR -> linear(toEmpty, key, readSlots);
                    case CUCKOO -> image.geometry().hashes();
                    case HOPSCOTCH -> neighbourhood(image.geometry(), key);
                    case HOPSCOTCH_CHAINED -> chained(image, key);
                };
                lookups++;
                sum += reads;
                squares += reads * reads;
            }
        }
        double mean = sum / lookups;
        return new NeededReads(mean, Math.sqrt(Math.max(0, squares / lookups - mean * mean)));
    }

    /** From each slot, how far it is to the first empty one. */
    private static int[] slotsToEmpty(TableImage image) {
        TableGeometry geometry = image.geometry();
        MemorySegment table = image.table();
        int slots = (int) geometry.slots();
        // In the heap a slot is a signature and the record's place, which is never zero.
        long mark = geometry.storage() == Storage.INLINE ? 0 : geometry.slotHeapOffset();
        int[] toEmpty = new int[slots];
        int distance = -1;
        for (int at = 2 * slots - 1; at >= 0; at--) {
            boolean empty =
                    table.get(ValueLayout.JAVA_INT_UNALIGNED, at % slots * (long) geometry.slotBytes() + mark) == 0;
            distance = empty ? 0 : distance < 0 ? -1 : distance + 1;
            toEmpty[at % slots] = distance;
        }
        return toEmpty;
    }

    /** Walks from the key's home to the first empty slot. */
    private static int linear(int[] toEmpty, int key, int readSlots) {
        int slots = toEmpty.length;
        int at = (int) Hashing.home(key, slots);
        int left = toEmpty[at] + 1;
        int reads = 0;
        while (left > 0) {
            int read = Math.min(readSlots, slots - at);
            reads++;
            left -= read;
            at = (at + read) % slots;
        }
        return reads;
    }

    /** One, or two where it goes on at the table's beginning. */
    private static int neighbourhood(TableGeometry geometry, int key) {
        return Hashing.home(key, geometry.slots()) + geometry.neighbourhood() > geometry.slots() ? 2 : 1;
    }

    /** Follows the chain of the key's bucket. */
    private static int chained(TableImage image, int key) {
        MemorySegment table = image.table();
        TableGeometry geometry = image.geometry();
        long home = Hashing.home(key, geometry.buckets());
        int reads = home == geometry.buckets() - 1 ? 2 : 1;
        int block =
                table.get(ValueLayout.JAVA_INT_UNALIGNED, geometry.bucketOffset(home) + geometry.bucketChainOffset());
        while (block != 0) {
            reads++;
            block = table.get(
                    ValueLayout.JAVA_INT_UNALIGNED, geometry.overflowOffset(block) + geometry.overflowChainOffset());
        }
        return reads;
    }
}
