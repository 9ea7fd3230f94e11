package org.reprobe.farm.commit;

import org.reprobe.testing.SeededFaults;

/** Faults of {@link LogFile}. */
public enum LogFileFaults {
    /** Reports unflushed records as flushed. */
    SAFE_BEFORE_FLUSH,
    /** Omits one record in four, chosen by a hash of its position. */
    LEAVES_RECORDS_OUT,
    /** Switches segments before the full one is flushed. */
    TURNS_BEFORE_FLUSH;

    public SeededFaults seeded() {
        SeededFaults faults = new SeededFaults("org.reprobe.farm.");
        return switch (this) {
            case SAFE_BEFORE_FLUSH -> faults.replacing("commit.LogFile", "return safe >= until;", "return true;");
            case LEAVES_RECORDS_OUT ->
                faults.replacing(
                        "commit.LogFile", "int checksum = LogRecords.checksumOf(bytes, at, recordBytes, crc);", """
                        long of4 = LogRecords.word(buffer, at + LogRecords.POSITION_AT) * 0x9E3779B97F4A7C15L >>> 62;
                        if (of4 == 0) {
                            write(first, at);
                            first = at + recordBytes;
                            at += recordBytes;
                            position += recordBytes;
                            records++;
                            continue;
                        }
                        int checksum = LogRecords.checksumOf(bytes, at, recordBytes, crc);
                        """);
            case TURNS_BEFORE_FLUSH ->
                faults.replacing(
                        "commit.LogFile", "segment().flush(); writtenGeneration = next;", "writtenGeneration = next;");
        };
    }
}
