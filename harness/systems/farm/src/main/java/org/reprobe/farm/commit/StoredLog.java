package org.reprobe.farm.commit;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.reprobe.farm.memory.ObjectWriter;

/**
 * Contents of a {@link LogFile}'s segments after a restart: all flushed records that were not cleaned, oldest first, up
 * to the first incomplete one. {@code position} is the end of the last record in the {@link ReplicaLog}; {@code ending}
 * is the reason why no record follows.
 */
record StoredLog(List<long[]> records, long position, Ending ending) {
    private static final byte DAMAGE = 0x5a;

    enum Ending {
        /** End of the log. */
        WHOLE,
        /** Incomplete record: an interrupted write, or damage. */
        TORN,
        /** End of the log, but records before the first one are missing. */
        BEGINNING_MISSING
    }

    private static final class Stored {
        /** Position in the log in memory. */
        private final long at;
        /** Position of the oldest record that was needed after this one. */
        private final long head;

        private final long[] words;

        Stored(long at, long head, long[] words) {
            this.at = at;
            this.head = head;
            this.words = words;
        }

        long at() {
            return at;
        }

        long head() {
            return head;
        }

        long[] words() {
            return words;
        }

        long end() {
            return at + 1 + words.length;
        }
    }

    /** {@code bytes} is the end of the last record in the segment. */
    private record Segment(long generation, List<Stored> records, long bytes, boolean ends) {
        boolean isBefore(Segment later) {
            return generation == later.generation - 1
                    && ends
                    && records.getLast().end() == later.records.getFirst().at();
        }
    }

    static StoredLog in(Path folder) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            FileChannel.MapMode mode = FileChannel.MapMode.READ_ONLY;
            return of(map(folder, 0, mode, arena), map(folder, 1, mode, arena));
        }
    }

    private static MemorySegment map(Path folder, int segment, FileChannel.MapMode mode, Arena arena)
            throws IOException {
        Set<StandardOpenOption> options = mode.equals(FileChannel.MapMode.READ_ONLY)
                ? EnumSet.of(StandardOpenOption.READ)
                : EnumSet.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
        Path path = LogFile.path(folder, segment);
        if (!Files.exists(path) && !Files.exists(LogFile.path(folder, LogFile.LAST_SEGMENT))) {
            return MemorySegment.NULL; // the failure was before the log's files were complete
        }
        try (FileChannel file = FileChannel.open(path, options)) {
            return file.map(mode, 0, file.size(), arena);
        }
    }

    /**
     * Appends a torn record, as if a power failure had interrupted a write: the next version of an object with another
     * payload, of which the last word or more is missing. If it were taken for a whole record, the object would have a
     * value that no transaction has written.
     */
    static void tear(Path folder, RandomGenerator random) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment file = map(folder, 0, FileChannel.MapMode.READ_WRITE, arena);
            MemorySegment other = map(folder, 1, FileChannel.MapMode.READ_WRITE, arena);
            if (read(other).generation > read(file).generation) {
                file = other;
            }
            Segment segment = read(file);
            long[] words = segment.records.stream()
                    .map(Stored::words)
                    .filter(each -> CommitMessage.hasPayload(CommitMessage.kind(each)))
                    .reduce((_, next) -> next)
                    .orElse(new long[0])
                    .clone();
            if (words.length == 0) {
                return;
            }
            Stored last = segment.records.getLast();
            long at = segment.bytes;
            int count = words.length;
            long recordBytes = LogRecords.bytes(count);
            if (recordBytes > file.byteSize() - at) {
                return;
            }
            file.set(LogRecords.WORD, at + LogRecords.GENERATION_AT, segment.generation);
            file.set(LogRecords.WORD, at + LogRecords.POSITION_AT, last.end());
            file.set(LogRecords.WORD, at + LogRecords.HEAD_AT, last.head);
            words[0] = CommitMessage.LOG_WRITES; // needs no further record to be committed
            words[2] = 1;
            words[CommitMessage.HEADER_WORDS + 1] += ObjectWriter.ONE_VERSION;
            for (int i = CommitMessage.HEADER_WORDS + CommitMessage.OBJECT_WORDS; i < count; i++) {
                words[i] = ~words[i];
            }
            MemorySegment.copy(words, 0, file, LogRecords.WORD, at + LogRecords.HEADER_BYTES, count);
            int checksum = LogRecords.checksumOf(file.asByteBuffer(), (int) at, (int) recordBytes, new CRC32C());
            file.set(LogRecords.WORD, at, LogRecords.first(count, checksum));
            int lastWord = LogRecords.HEADER_WORDS + count - 1;
            long writtenBytes = Long.BYTES * (random.nextBoolean() ? lastWord : random.nextLong(1, lastWord));
            file.asSlice(at + writtenBytes, recordBytes - writtenBytes).fill(DAMAGE);
        }
    }

    static StoredLog of(MemorySegment first, MemorySegment second) {
        Segment one = read(first);
        Segment other = read(second);
        return one.generation > other.generation ? of(other, one) : of(one, other);
    }

    private static StoredLog of(Segment older, Segment newer) {
        if (newer.records.isEmpty()) {
            return new StoredLog(List.of(), 0, newer.ends && older.ends ? Ending.WHOLE : Ending.TORN);
        }
        List<Stored> all = new ArrayList<>();
        if (!older.records.isEmpty() && older.isBefore(newer)) {
            all.addAll(older.records);
        }
        all.addAll(newer.records);
        long head = all.getLast().head();
        Ending ending = all.getFirst().at() > head ? Ending.BEGINNING_MISSING : newer.ends ? Ending.WHOLE : Ending.TORN;
        return new StoredLog(
                all.stream()
                        .filter(each -> each.at() >= head)
                        .map(Stored::words)
                        .toList(),
                all.getLast().end(),
                ending);
    }

    /** Returns the records from a segment's start to the first one that is incomplete or has another generation. */
    private static Segment read(MemorySegment segment) {
        CRC32C crc = new CRC32C();
        ByteBuffer bytes = segment.asByteBuffer();
        List<Stored> records = new ArrayList<>();
        long generation = 0;
        long at = 0;
        while (at + LogRecords.HEADER_BYTES <= segment.byteSize()) {
            long first = LogRecords.word(segment, at);
            long recordBytes = LogRecords.HEADER_BYTES + LogRecords.count(first) * Long.BYTES;
            if (first == LogRecords.END || recordBytes > segment.byteSize() - at) {
                break;
            }
            long of = LogRecords.word(segment, at + LogRecords.GENERATION_AT);
            Stored record = record(segment, at, (int) LogRecords.count(first));
            if (LogRecords.checksumOf(bytes, (int) at, (int) recordBytes, crc) != LogRecords.checksum(first)
                    || (!records.isEmpty()
                            && (of != generation
                                    || record.at() != records.getLast().end()))) {
                break;
            }
            generation = of;
            records.add(record);
            at += recordBytes;
        }
        boolean ends = at + Long.BYTES > segment.byteSize() || LogRecords.word(segment, at) == LogRecords.END;
        return new Segment(generation, records, at, ends);
    }

    private static Stored record(MemorySegment segment, long at, int count) {
        long[] words = new long[count];
        MemorySegment.copy(segment, LogRecords.WORD, at + LogRecords.HEADER_BYTES, words, 0, count);
        return new Stored(
                LogRecords.word(segment, at + LogRecords.POSITION_AT),
                LogRecords.word(segment, at + LogRecords.HEAD_AT),
                words);
    }

    /** Returns the number of records of the log in memory that are missing or different here. */
    long missing(ReplicaLog log) {
        int[] next = {0};
        long[] missing = {0};
        log.forEach(words -> {
            boolean same = next[0] < records.size() && Arrays.equals(records.get(next[0]), words);
            missing[0] += same ? 0 : 1;
            next[0]++;
        });
        return missing[0];
    }
}
