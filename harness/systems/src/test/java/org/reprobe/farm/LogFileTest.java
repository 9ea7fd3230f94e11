package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.LogFile.Fault;
import org.reprobe.farm.StoredLog.Ending;
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

    /** What of a segment survives a power failure: of what was not flushed, as much as chance will have it. */
    private static class Disk implements LogSegment {
        private final byte[] written = new byte[(int) LogFile.segmentBytes(BYTES)];
        private final byte[] kept = new byte[written.length];

        @Override
        public synchronized void write(ByteBuffer bytes, long at) {
            bytes.get(written, (int) at, bytes.remaining());
        }

        @Override
        public synchronized void flush() {
            System.arraycopy(written, 0, kept, 0, kept.length);
        }

        /** Its words after a power failure now, each of which the device may have written or not. */
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
            // Nothing is open.
        }
    }

    /** A replica of one thread that logs writes, one after the other. */
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
            Participant participant = new Participant(cpu, List.of(), objects, DistributedTransaction.Rules.RIGHT, log);
            logging = new LoggingParticipant(participant, log, null, file, SLOTS);
        }

        /** Logs a write; how long its answer waits. */
        long write() throws FabricException {
            written++;
            message.begin(CommitMessage.LOG_WRITES, written);
            payload.fill((byte) 7); // what is torn is no zero
            payload.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, written);
            message.add(FarmTable.address(0, 64 * (written % OBJECTS)), written << 2, OBJECT, payload);
            assertThat(logging.answer(message.words(), message.count())).isEqualTo(CommitMessage.DONE);
            return logging.waitNs(0, message.words(), message.count(), 0);
        }

        /** Logs a write, and waits until it may be answered; its number. */
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

    /** Whether all that was acknowledged is there after power failures at any time, over many turns of the segments. */
    private static boolean survives(Fault fault) throws FabricException {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        Disk first = new Disk();
        Disk second = new Disk();
        try (Replica replica = new Replica(new LogFile(List.of(first, second), null, BYTES, fault))) {
            for (int i = 0; i < 4000; i++) {
                int together = random.nextInt(12);
                long acknowledged = replica.acknowledged();
                for (int j = 0; j < together; j++) {
                    replica.write(); // nobody waits for it
                }
                StoredLog stored = StoredLog.of(first.afterFailure(random), second.afterFailure(random));
                if (stored.ending() == Ending.BEGINNING_MISSING || last(stored) < acknowledged) {
                    return false;
                }
            }
            assertThat(replica.log.freedWords()).isGreaterThan(20L * BYTES / Long.BYTES);
        }
        return true;
    }

    @Test
    void whatIsAcknowledgedSurvives() throws Exception {
        assertThat(survives(Fault.NONE)).as(Seeds.replay()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = Fault.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aLogThatIsWrongIsFoundOut(Fault fault) throws Exception {
        assertThat(survives(fault)).as(Seeds.replay()).isFalse();
    }

    /** Every record that is not cleaned is read again, wherever the log ends, also across both segments. */
    @Test
    void aFileHasWhatMemoryHas() throws Exception {
        try (Replica replica = new Replica(LogFile.temporary(BYTES, Fault.NONE))) {
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
    void aTornTailEndsTheLog() throws Exception {
        try (Replica replica = new Replica(LogFile.temporary(BYTES, Fault.NONE))) {
            for (int i = 0; i < 4; i++) {
                replica.write();
            }
            replica.file.awaitSafe();
            Path folder = Objects.requireNonNull(replica.file.path());
            long recordBytes = LogRecords.bytes(WORDS);
            // Of the first generation, which is the second file's.
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

    /** Each bit counts, also of the header; a record behind a damaged one is not believed. */
    @Test
    void aDamagedRecordEndsTheLog() throws Exception {
        try (Replica replica = new Replica(LogFile.temporary(BYTES, Fault.NONE))) {
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

    /** Records that come during a flush are flushed together by the next one. */
    @Test
    void aFlushIsForAllThatHasComeMeanwhile() throws Exception {
        CountDownLatch flushing = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Disk slow = new Disk() {
            @Override
            public void flush() {
                flushing.countDown();
                try {
                    mayEnd.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                super.flush();
            }
        };
        try (Replica replica = new Replica(new LogFile(List.of(new Disk(), slow), null, BYTES, Fault.NONE))) {
            assertThat(replica.write()).isPositive();
            flushing.await();
            for (int i = 0; i < 8; i++) {
                assertThat(replica.write()).isPositive();
            }
            mayEnd.countDown();
            replica.file.awaitSafe();
            assertThat(replica.logging.stillNs(0)).isZero();
            LogFile.Flushes flushes = replica.file.flushes();
            assertThat(flushes.count()).isEqualTo(2);
            assertThat(flushes.records()).isEqualTo(9);
            assertThat(flushes.ns()).isPositive();
        }
    }

    /** Also when what fails is no device: whoever waits for the flush must hear of it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // it would wait for ever
    void whoCanNotWriteSaysSo(boolean isDevice) throws Exception {
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
                // Nothing is open.
            }
        };
        try (Replica replica = new Replica(new LogFile(List.of(full, full), null, BYTES, Fault.NONE))) {
            assertThatThrownBy(replica::acknowledged)
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("no space left");
        }
    }

    /** The files go with the log, whose end is checked before. */
    @Test
    void theEndIsCheckedAndTheFilesAreDeleted() throws Exception {
        for (Fault fault : List.of(Fault.NONE, Fault.LEAVES_RECORDS_OUT)) {
            Path folder;
            try (Replica replica = new Replica(LogFile.temporary(BYTES, fault))) {
                folder = Objects.requireNonNull(replica.file.path());
                assertThat(folder).isDirectory();
                for (int i = 0; i < 100; i++) {
                    replica.write();
                }
                Counts counts = OperationCounts.none();
                replica.logging.check(counts);
                assertThat(counts.total(Counter.LOG_RECORDS_LOST) > 0).isEqualTo(fault != Fault.NONE);
            }
            assertThat(folder).doesNotExist();
        }
    }
}
