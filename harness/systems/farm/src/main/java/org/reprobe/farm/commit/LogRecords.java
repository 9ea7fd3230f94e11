package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * How a {@link LogFile}'s records look: in the first word how many words the message has and, above that, the CRC32C of all words that follow; then the
 * generation of the segment, the record's position in the {@link ReplicaLog}, and the position of the oldest record which that still needed; then the message. Who
 * reads a segment again finds older generations' records behind the last one: their generation tells. A word of zeros ends a segment that was
 * written to its end.
 */
final class LogRecords {
    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    static final int HEADER_WORDS = 4;
    static final int HEADER_BYTES = HEADER_WORDS * Long.BYTES;
    static final long GENERATION_AT = Long.BYTES;
    static final long POSITION_AT = 2L * Long.BYTES;
    static final long HEAD_AT = 3L * Long.BYTES;

    /** The first word where no record is. */
    static final long END = 0;

    private static final long COUNT = 0xffff_ffffL;

    private LogRecords() {}

    static long bytes(int count) {
        return HEADER_BYTES + (long) count * Long.BYTES;
    }

    /** Words of the message, by a record's first word. */
    static long count(long first) {
        return first & COUNT;
    }

    static int checksum(long first) {
        return (int) (first >>> Integer.SIZE);
    }

    static long first(long count, int checksum) {
        return (long) checksum << Integer.SIZE | count;
    }

    /** What a record's checksum must be. The buffer's position and limit are lost. */
    static int checksumOf(ByteBuffer bytes, int at, int recordBytes, CRC32C crc) {
        crc.reset();
        bytes.limit(at + recordBytes).position(at + Long.BYTES);
        crc.update(bytes);
        return (int) crc.getValue();
    }

    static long word(MemorySegment bytes, long at) {
        return bytes.get(WORD, at);
    }
}
