package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Record format of a {@link LogFile}. The first word has the number of message words in the lower half and the CRC32C
 * of all later words in the upper half. Then follow the segment's generation, the record's position in the
 * {@link ReplicaLog}, the position of the oldest record needed at that time, and the message. The generation
 * distinguishes records from older ones after them. A zero word ends a full segment.
 */
final class LogRecords {
    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    static final int HEADER_WORDS = 4;
    static final int HEADER_BYTES = HEADER_WORDS * Long.BYTES;
    static final long GENERATION_AT = Long.BYTES;
    static final long POSITION_AT = 2L * Long.BYTES;
    static final long HEAD_AT = 3L * Long.BYTES;

    /** First word where no record follows. */
    static final long END = 0;

    private static final long COUNT = 0xffff_ffffL;

    private LogRecords() {}

    static long bytes(int count) {
        return HEADER_BYTES + (long) count * Long.BYTES;
    }

    /** Returns the number of message words, given a record's first word. */
    static long count(long first) {
        return first & COUNT;
    }

    static int checksum(long first) {
        return (int) (first >>> Integer.SIZE);
    }

    static long first(long count, int checksum) {
        return (long) checksum << Integer.SIZE | count;
    }

    /** Returns the checksum of a record. Changes the buffer's position and limit. */
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
