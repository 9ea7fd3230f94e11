package org.reprobe.farm.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.StoredLog.Ending;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.OwnMemory;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.testing.Seeds;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class LogFileTest {
    private static final ObjectLayout OBJECT = ObjectLayout.inLines(3 * Long.BYTES, true);
    private static final int WORDS =
            CommitMessage.HEADER_WORDS + CommitMessage.objectWords(CommitMessage.LOG_WRITES, OBJECT);
    private static final int BYTES = 4096;
    private static final int OBJECTS = 5;
    private static final int SLOTS = 2;
    /** Length of records that the tests write themselves. */
    private static final int RECORD_BYTES = (int) LogRecords.bytes(CommitMessage.HEADER_WORDS);

    /** Gate that blocks each flush, so that the test's seed determines the records of each flush. */
    private static final class Gate {
        private boolean isFlushWaiting;
        private boolean isPassable;
        private boolean isOpen;

        private synchronized void pass() {
            isFlushWaiting = true;
            notifyAll();
            while (!isPassable && !isOpen) {
                await();
            }
            isFlushWaiting = false;
            isPassable = false;
            notifyAll();
        }

        synchronized boolean isFlushWaiting() {
            return isFlushWaiting;
        }

        synchronized void awaitFlush() {
            while (!isFlushWaiting) {
                await();
            }
        }

        synchronized void letPass() {
            isPassable = true;
            notifyAll();
            while (isPassable) {
                await();
            }
        }

        synchronized void open() {
            isOpen = true;
            notifyAll();
        }

        private void await() {
            try {
                wait();
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted by the test's time limit", e);
            }
        }
    }

    /** Simulated device: a random part of unflushed writes survives a power failure. */
    private static final class Disk implements LogSegment {
        private final Gate gate;
        private final byte[] written = new byte[(int) LogFile.segmentBytes(BYTES)];
        private final byte[] kept = new byte[written.length];

        Disk(Gate gate) {
            this.gate = gate;
        }

        @Override
        public synchronized void write(ByteBuffer bytes, long at) {
            bytes.get(written, (int) at, bytes.remaining());
        }

        @Override
        public void flush() {
            gate.pass();
            synchronized (this) {
                System.arraycopy(written, 0, kept, 0, kept.length);
            }
        }

        /** Returns a copy as after a power failure: each unflushed word is old or new. */
        synchronized MemorySegment afterFailure(SplittableRandom random) {
            byte[] left = kept.clone();
            boolean all = random.nextBoolean();
            for (int at = 0; at < left.length; at += Long.BYTES) {
                if (all || random.nextInt(4) == 0) {
                    System.arraycopy(written, at, left, at, Long.BYTES);
                }
            }
            return MemorySegment.ofArray(left);
        }

        @Override
        public void close() {
            // Nothing to close.
        }
    }

    /** Replica of one thread that logs writes one after the other. */
    private static final class Replica implements AutoCloseable {
        private final LogFile file;
        private final ReplicaLog log;
        private final LoggingParticipant logging;
        private final CommitMessage.Builder message = new CommitMessage.Builder(WORDS);
        private final MemorySegment payload = OBJECT.newPayload();
        private long written;

        Replica(LogFile file) {
            this.file = file;
            OwnMemory cpu = new OwnMemory();
            ObjectsByAddress objects = (_, _) -> OBJECT;
            log = new ReplicaLog(cpu, MemorySegment.ofArray(new long[BYTES / Long.BYTES]), 0, BYTES, objects, file);
            Participant participant = new Participant(cpu, List.of(), objects, CommitRules.CORRECTED, log);
            logging = new LoggingParticipant(participant, log, null, file, SLOTS);
        }

        /** Logs a write and returns the delay of its reply in ns. */
        long write() throws FabricException {
            log();
            return logging.waitNs(0, message.words(), message.count(), 0);
        }

        /** Logs a write on behalf of a slot and returns its number. */
        long write(int slot) throws FabricException {
            log();
            logging.waitNs(slot, message.words(), message.count(), 0);
            return written;
        }

        /** Returns true if the reply to the slot's last write may be sent. */
        boolean isAnswered(int slot) throws FabricException {
            return logging.stillNs(slot) == 0;
        }

        private void log() throws FabricException {
            written++;
            message.begin(CommitMessage.LOG_WRITES, written);
            payload.fill((byte) 7); // zeros would hide torn writes
            payload.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, written);
            message.add(Address.of(0, 64 * (written % OBJECTS)), written << 2, OBJECT, payload);
            assertThat(logging.execute(message.words(), message.count())).isEqualTo(CommitMessage.DONE);
        }

        /** Logs a write, waits until its reply may be sent, and returns its number. */
        long acknowledged() throws FabricException {
            for (long ns = write(); ns > 0; ns = logging.stillNs(0)) {
                Thread.onSpinWait();
            }
            return written;
        }

        StoredLog stored() throws Exception {
            file.awaitSafe();
            return StoredLog.in(Objects.requireNonNull(file.path()));
        }

        @Override
        public void close() {
            logging.close();
        }
    }

    private static long last(StoredLog stored) {
        return stored.records().isEmpty()
                ? 0
                : CommitMessage.transaction(stored.records().getLast());
    }

    /**
     * Returns true if all acknowledged writes survive power failures before each flush, over many segment switches.
     * Each round flushes one record, then all records that arrived during that flush.
     */
    static boolean survives() throws FabricException {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        Gate gate = new Gate();
        List<Disk> disks = List.of(new Disk(gate), new Disk(gate));
        try (Replica replica = new Replica(new LogFile(List.copyOf(disks), null, BYTES))) {
            try {
                for (int round = 0; round < 2000; round++) {
                    long before = replica.written;
                    long alone = replica.write(0);
                    gate.awaitFlush();
                    for (int j = random.nextInt(12); j >= 0; j--) {
                        replica.write(1);
                    }
                    while (replica.file.flushes().records() < replica.written) {
                        if (gate.isFlushWaiting()) {
                            long acknowledged =
                                    replica.isAnswered(1) ? replica.written : replica.isAnswered(0) ? alone : before;
                            StoredLog stored = StoredLog.of(
                                    disks.get(0).afterFailure(random),
                                    disks.get(1).afterFailure(random));
                            if (stored.ending() == Ending.BEGINNING_MISSING || last(stored) < acknowledged) {
                                return false;
                            }
                            gate.letPass();
                        }
                        Thread.onSpinWait();
                    }
                }
            } finally {
                gate.open(); // closing the log flushes
            }
            assertThat(replica.log.freedWords()).isGreaterThan(20L * BYTES / Long.BYTES);
        }
        return true;
    }

    @Test
    void acknowledgedUpdatesSurvive() throws Exception {
        assertThat(survives()).as(Seeds.replay()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void anIncorrectLogIsDetected(LogFileFaults fault) throws Exception {
        assertThat(fault.seeded().call(LogFileTest.class, "survives"))
                .as(Seeds.replay())
                .isEqualTo(false);
    }

    /** The file contains all records that are not cleaned, wherever the log ends, also across both segments. */
    @Test
    void aFileHasWhatMemoryHas() throws Exception {
        try (Replica replica = new Replica(LogFile.temporary(BYTES))) {
            assertThat(replica.stored()).isEqualTo(new StoredLog(List.of(), 0, Ending.WHOLE));
            for (int i = 0; i < 1000; i++) {
                replica.write();
                if (i % 7 == 0) {
                    StoredLog stored = replica.stored();
                    List<long[]> inMemory = new ArrayList<>();
                    replica.log.forEach(inMemory::add);
                    assertThat(stored.ending()).isEqualTo(Ending.WHOLE);
                    assertThat(stored.missing(replica.log)).isZero();
                    assertThat(stored.records()).hasSameSizeAs(inMemory);
                }
            }
            assertThat(replica.log.freedWords()).isPositive();
        }
    }

    @Test
    void aLogWhoseFilesAreIncompleteIsEmptyUnlessItsFirstIsLost() throws Exception {
        try (Replica replica = new Replica(LogFile.temporary(BYTES))) {
            replica.acknowledged();
            Path folder = Objects.requireNonNull(replica.file.path());
            StoredLog empty = new StoredLog(List.of(), 0, Ending.WHOLE);
            byte[] last = Files.readAllBytes(LogFile.path(folder, LogFile.LAST_SEGMENT));
            Files.delete(LogFile.path(folder, LogFile.LAST_SEGMENT));
            assertThat(StoredLog.in(folder)).isEqualTo(empty);
            StoredLog.tear(folder, new SplittableRandom(1));
            Files.delete(LogFile.path(folder, 0));
            assertThat(StoredLog.in(folder)).isEqualTo(empty);
            StoredLog.tear(folder, new SplittableRandom(1));
            Files.write(LogFile.path(folder, LogFile.LAST_SEGMENT), last);
            assertThatThrownBy(() -> StoredLog.in(folder)).isInstanceOf(java.nio.file.NoSuchFileException.class);
        }
    }

    @Test
    void aTornTailEndsTheLog() throws Exception {
        try (Replica replica = new Replica(LogFile.temporary(BYTES))) {
            for (int i = 0; i < 4; i++) {
                replica.write();
            }
            replica.file.awaitSafe();
            Path folder = Objects.requireNonNull(replica.file.path());
            long recordBytes = LogRecords.bytes(WORDS);
            // The first generation is in the second file.
            byte[] whole = Files.readAllBytes(LogFile.path(folder, 1));
            for (int missing = 1; missing < recordBytes / Long.BYTES; missing++) {
                byte[] torn = whole.clone();
                for (int at = (int) (4 * recordBytes) - missing * Long.BYTES; at < 4 * recordBytes; at++) {
                    torn[at] = 0;
                }
                StoredLog stored =
                        StoredLog.of(MemorySegment.ofArray(new byte[whole.length]), MemorySegment.ofArray(torn));
                assertThat(stored.records()).hasSize(3);
                assertThat(last(stored)).isEqualTo(3);
                assertThat(stored.ending()).isEqualTo(Ending.TORN);
            }
        }
    }

    /** Damage of any bit, also in the header, ends the log before the damaged record. */
    @Test
    void aDamagedRecordEndsTheLog() throws Exception {
        try (Replica replica = new Replica(LogFile.temporary(BYTES))) {
            for (int i = 0; i < 4; i++) {
                replica.write();
            }
            replica.file.awaitSafe();
            byte[] whole = Files.readAllBytes(LogFile.path(Objects.requireNonNull(replica.file.path()), 1));
            int recordBytes = (int) LogRecords.bytes(WORDS);
            for (int bit = 0; bit < recordBytes * Byte.SIZE; bit++) {
                byte[] damaged = whole.clone();
                damaged[2 * recordBytes + bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                StoredLog stored =
                        StoredLog.of(MemorySegment.ofArray(new byte[whole.length]), MemorySegment.ofArray(damaged));
                assertThat(last(stored)).as("bit %d", bit).isEqualTo(2);
                assertThat(stored.ending()).isEqualTo(Ending.TORN);
                assertThat(stored.missing(replica.log)).isEqualTo(2);
            }
        }
    }

    /** Records that arrive during a flush share the next one. */
    @Test
    void aFlushIsForAllThatHasComeMeanwhile() throws Exception {
        Gate gate = new Gate();
        try (Replica replica = new Replica(new LogFile(List.of(new Disk(gate), new Disk(gate)), null, BYTES))) {
            assertThat(replica.write()).isPositive();
            gate.awaitFlush();
            for (int i = 0; i < 8; i++) {
                assertThat(replica.write()).isPositive();
            }
            gate.open();
            replica.file.awaitSafe();
            assertThat(replica.logging.stillNs(0)).isZero();
            LogFile.Flushes flushes = replica.file.flushes();
            assertThat(flushes.count()).isEqualTo(2);
            assertThat(flushes.records()).isEqualTo(9);
            assertThat(flushes.ns()).isPositive();
        }
    }

    /** Record of a segment, with the transaction's number. */
    private record Written(long generation, long at, long head, long number) {
        long[] words() {
            return new long[] {CommitMessage.LOG_ABORT, number, 0};
        }

        /** Returns the record behind this one, of the same generation. */
        Written next(long newHead) {
            return new Written(generation, at + 1 + words().length, newHead, number + 1);
        }

        Written ofGeneration(long other) {
            return new Written(other, at, head, number);
        }

        Written at(long other) {
            return new Written(generation, other, head, number);
        }
    }

    /** Returns a segment of records, with room for {@code more} bytes behind them. */
    private static MemorySegment segment(int more, Written... records) {
        MemorySegment segment = MemorySegment.ofArray(new byte[records.length * RECORD_BYTES + more]);
        for (int i = 0; i < records.length; i++) {
            int at = i * RECORD_BYTES;
            long[] words = records[i].words();
            segment.set(LogRecords.WORD, at + LogRecords.GENERATION_AT, records[i].generation);
            segment.set(LogRecords.WORD, at + LogRecords.POSITION_AT, records[i].at);
            segment.set(LogRecords.WORD, at + LogRecords.HEAD_AT, records[i].head);
            MemorySegment.copy(words, 0, segment, LogRecords.WORD, at + LogRecords.HEADER_BYTES, words.length);
            int checksum = LogRecords.checksumOf(segment.asByteBuffer(), at, RECORD_BYTES, new CRC32C());
            segment.set(LogRecords.WORD, at, LogRecords.first(words.length, checksum));
        }
        return segment;
    }

    /** Checks the transactions and the end of a log, in either order of its segments. */
    private static void assertLog(MemorySegment one, MemorySegment other, Ending ending, long... transactions) {
        for (StoredLog log : List.of(StoredLog.of(one, other), StoredLog.of(other, one))) {
            assertThat(log.records().stream().mapToLong(CommitMessage::transaction))
                    .containsExactlyElementsOf(
                            Arrays.stream(transactions).boxed().toList());
            assertThat(log.ending()).isEqualTo(ending);
        }
    }

    private static final Written FIRST = new Written(1, 0, 0, 1);
    private static final Written SECOND = FIRST.next(0);
    private static final Written THIRD = SECOND.next(0).ofGeneration(2);
    private static final Written FOURTH = THIRD.next(0);

    @Test
    void aLogIsTheRecordsOfBothSegmentsThatAreNeeded() {
        MemorySegment older = segment(8, FIRST, SECOND);
        assertLog(older, segment(80, THIRD, FOURTH), Ending.WHOLE, 1, 2, 3, 4);
        assertLog(older, segment(80, THIRD, THIRD.next(SECOND.at())), Ending.WHOLE, 2, 3, 4);
        assertLog(older, segment(80, THIRD, THIRD.next(FOURTH.at())), Ending.WHOLE, 4);
        assertLog(older, segment(80), Ending.WHOLE, 1, 2);
        assertLog(segment(80), segment(80), Ending.WHOLE);
        assertThat(StoredLog.of(older, segment(80, THIRD)).position()).isEqualTo(FOURTH.at());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 24, 32, 40})
    void recordsMayFillTheirSegments(int more) {
        assertLog(segment(more, FIRST, SECOND), segment(more), Ending.WHOLE, 1, 2);
        assertLog(segment(more, FIRST, SECOND), segment(more, THIRD, FOURTH), Ending.WHOLE, 1, 2, 3, 4);
    }

    /** The newer segment continues the older one only if the numbers of both and the positions are consecutive. */
    @Test
    void aLogWithoutItsOldestRecordsIsRecognized() {
        MemorySegment newer = segment(80, THIRD, FOURTH);
        MemorySegment torn = segment(8, FIRST, SECOND);
        torn.set(LogRecords.WORD, 2L * RECORD_BYTES, 1);
        for (MemorySegment older : List.of(
                segment(80),
                torn,
                segment(80, FIRST),
                segment(80, FIRST.ofGeneration(0), SECOND.ofGeneration(0)),
                segment(80, FIRST.at(1), FIRST.at(1).next(0)))) {
            assertLog(older, newer, Ending.BEGINNING_MISSING, 3, 4);
            assertLog(older, segment(80, THIRD, THIRD.next(THIRD.at())), Ending.WHOLE, 3, 4);
        }
        assertLog(segment(80, FIRST.at(4)), segment(80), Ending.BEGINNING_MISSING, 1);
    }

    /** A record of another generation, or at another position, is one that a newer log has not yet overwritten. */
    @Test
    void aLogEndsBeforeARecordThatDoesNotContinueIt() {
        for (Written wrong : List.of(SECOND.ofGeneration(0), SECOND.ofGeneration(2), SECOND.at(5), SECOND.at(3))) {
            assertLog(segment(80, FIRST, wrong), segment(80), Ending.TORN, 1);
        }
        MemorySegment tooLong = segment(80, FIRST, SECOND);
        tooLong.set(LogRecords.WORD, RECORD_BYTES, LogRecords.first(1000, 0));
        assertLog(tooLong, segment(80), Ending.TORN, 1);
        MemorySegment noRecord = segment(80);
        noRecord.set(LogRecords.WORD, 0, LogRecords.first(1000, 0));
        assertLog(noRecord, segment(80), Ending.TORN);
    }

    /** Failures other than I/O errors also end waits for a flush. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a regression would wait forever
    void aDeviceWithoutWritesIsReported(boolean isDevice) throws Exception {
        LogSegment full = new LogSegment() {
            @Override
            public void write(ByteBuffer bytes, long at) throws IOException {
                if (isDevice) {
                    throw new IOException("no space left");
                }
                throw new IllegalStateException("no space left");
            }

            @Override
            public void flush() {
                throw new IllegalStateException("nothing was written");
            }

            @Override
            public void close() {
                // Nothing to close.
            }
        };
        try (Replica replica = new Replica(new LogFile(List.of(full, full), null, BYTES))) {
            assertThatThrownBy(replica::acknowledged)
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("no space left");
        }
    }

    /** Returns true if the check at the log's end reports lost records. */
    static boolean losesRecords() throws Exception {
        Counts counts = OperationCounts.none();
        Path folder;
        try (Replica replica = new Replica(LogFile.temporary(BYTES))) {
            folder = Objects.requireNonNull(replica.file.path());
            assertThat(folder).isDirectory();
            for (int i = 0; i < 100; i++) {
                replica.write();
            }
            replica.logging.check(counts);
        }
        assertThat(folder).doesNotExist();
        return counts.total(Counter.LOG_RECORDS_LOST) > 0;
    }

    @Test
    void theEndIsCheckedAndTheFilesAreDeleted() throws Exception {
        assertThat(losesRecords()).isFalse();
        assertThat(LogFileFaults.LEAVES_RECORDS_OUT.seeded().call(LogFileTest.class, "losesRecords"))
                .isEqualTo(true);
    }
}
