package org.reprobe.farm.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.OwnMemory;
import org.reprobe.farm.memory.RegionCopies;

/** Restart from the log files of two replicas of one region, some of which are torn or damaged. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RestoredObjectsTest {
    private static final ObjectLayout OBJECT = ObjectLayout.inLines(2 * Long.BYTES, true);
    private static final ObjectsByAddress OBJECTS = (_, _) -> OBJECT;
    private static final int WORDS =
            CommitMessage.HEADER_WORDS + CommitMessage.objectWords(CommitMessage.LOG_WRITES, OBJECT);
    private static final int BYTES = 4096;
    private static final int PREPARE_BYTES = (int) LogRecords.bytes(WORDS);
    private static final int END_BYTES = (int) LogRecords.bytes(CommitMessage.HEADER_WORDS);
    private static final int WRITES = 3;
    private static final int LENGTH = WRITES * (PREPARE_BYTES + END_BYTES);
    private static final long ADDRESS = Address.of(0, 0);
    private static final RegionCopies COPIES = RegionCopies.inOrder(3, 3, 2);

    @TempDir
    private Path folder;

    private LogFolder logs;

    /** Log of a replica, whose transactions all write the same object; the last one may be without its outcome. */
    private void write(int machine, int writes, boolean decided) throws FabricException {
        try (LogFile file = LogFile.in(logs.thread(machine, 0), BYTES)) {
            MemorySegment memory = MemorySegment.ofArray(new long[BYTES / Long.BYTES]);
            ReplicaLog log = new ReplicaLog(new OwnMemory(), memory, 0, BYTES, OBJECTS, file);
            CommitMessage.Builder message = new CommitMessage.Builder(WORDS);
            for (long write = 1; write <= writes; write++) {
                MemorySegment payload = OBJECT.newPayload();
                payload.fill((byte) 7); // zeros would hide torn writes
                payload.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, write);
                message.begin(CommitMessage.LOG_PREPARE, write);
                message.add(ADDRESS, write * ObjectWriter.ONE_VERSION, OBJECT, payload);
                log.append(message.words(), message.count());
                if (write < writes || decided) {
                    message.begin(CommitMessage.LOG_COMMIT, write);
                    log.append(message.words(), message.count());
                }
            }
            log.awaitSafe();
        }
    }

    @BeforeEach
    void writeLogs() throws FabricException {
        logs = new LogFolder(folder);
        write(1, WRITES, true);
        write(2, WRITES, true);
    }

    /** Returns the first segment with records. */
    private Path file(int machine) {
        return LogFile.path(logs.thread(machine, 0), 1);
    }

    private RestoredObjects restored(int... machines) throws Exception {
        Map<Integer, List<List<long[]>>> records = new HashMap<>();
        for (int machine : machines) {
            records.put(machine, logs.records(machine));
        }
        return new RestoredObjects(COPIES, 1, OBJECTS, records);
    }

    /** Returns the last write of the object; 0 if it was not written. */
    private static long last(RestoredObjects restored) throws FabricException {
        Map<Long, Long> values = new TreeMap<>();
        restored.forEach((address, replaced, payload) -> {
            long write = payload.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
            assertThat(replaced).isEqualTo(write * ObjectWriter.ONE_VERSION);
            values.put(address, write);
        });
        return values.getOrDefault(ADDRESS, 0L);
    }

    @Test
    void theLastVersionIsWrittenOverTheLoadedOne() throws Exception {
        MemorySegment memory = MemorySegment.ofArray(new long[OBJECT.bytes() / Long.BYTES]);
        OBJECT.write(memory, 0, ObjectWriter.ONE_VERSION, 5, OBJECT.newPayload());
        RestoredObjects restored = restored(1, 2);
        restored.writeTo(1, memory);
        assertThat(ObjectLayout.version(memory, 0)).isEqualTo(ObjectWriter.ONE_VERSION);
        restored.writeTo(0, memory);
        assertThat(ObjectLayout.version(memory, 0)).isEqualTo((WRITES + 1) * ObjectWriter.ONE_VERSION);
        assertThat(ObjectLayout.incarnation(memory, 0)).isEqualTo(5);
        MemorySegment payload = OBJECT.newPayload();
        assertThat(OBJECT.read(memory, 0, 0, payload)).isTrue();
        assertThat(payload.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(WRITES);
        assertThat(restored.incomplete()).isZero();
    }

    /** A file that ends at any byte has the transactions whose commit is whole; the other replica has all. */
    @Test
    void aFileMayBeCutAtAnyByte() throws Exception {
        byte[] whole = Files.readAllBytes(file(1));
        for (int kept = 0; kept <= LENGTH; kept++) {
            byte[] cut = new byte[whole.length];
            Arrays.fill(cut, (byte) 0x5A); // zeros may be the end of the record
            System.arraycopy(whole, 0, cut, 0, kept);
            Files.write(file(1), cut);
            assertThat(last(restored(1))).as("%d bytes kept", kept).isEqualTo(kept / (PREPARE_BYTES + END_BYTES));
            RestoredObjects both = restored(1, 2);
            assertThat(last(both)).as("%d bytes kept", kept).isEqualTo(WRITES);
            // The commit may be in the other log only.
            assertThat(both.incomplete()).isEqualTo(kept < LENGTH - END_BYTES ? 1 : 0);
        }
    }

    @Test
    void anIncompleteRecordEndsTheLog() throws Exception {
        for (int seed = 0; seed < 100; seed++) {
            byte[] whole = Files.readAllBytes(file(1));
            logs.tear(1, new SplittableRandom(seed));
            assertThat(Files.mismatch(file(1), Files.write(folder.resolve("whole"), whole)))
                    .isEqualTo(LENGTH);
            assertThat(StoredLog.in(logs.thread(1, 0)).ending()).isEqualTo(StoredLog.Ending.TORN);
            assertThat(last(restored(1))).isEqualTo(WRITES);
            Files.write(file(1), whole);
        }
    }

    /** If checksums were ignored, a torn record would be taken for a write. */
    @Test
    void anIncompleteRecordWouldBeAWriteOfAnotherValue() throws Exception {
        int[] others = {0};
        for (int seed = 0; seed < 20; seed++) {
            byte[] whole = Files.readAllBytes(file(1));
            logs.tear(1, new SplittableRandom(seed));
            ByteBuffer torn = ByteBuffer.wrap(Files.readAllBytes(file(1))).order(ByteOrder.nativeOrder());
            int checksum = LogRecords.checksumOf(torn.duplicate(), LENGTH, PREPARE_BYTES, new CRC32C());
            torn.putLong(LENGTH, LogRecords.first(WORDS, checksum));
            Files.write(file(1), torn.array());
            restored(1)
                    .forEach((_, _, payload) ->
                            others[0] += payload.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) == WRITES ? 0 : 1);
            Files.write(file(1), whole);
        }
        assertThat(others[0]).isGreaterThan(5);
    }

    /** A restart that another failure interrupts: its logs may have anything up to further commits. */
    @Test
    void aLaterRunMayHaveLoggedNothingOrMore() throws Exception {
        LogFolder later = new LogFolder(folder.resolve("later"));
        RestoredObjects nothing = restored(1, 2);
        nothing.addLater(COPIES, Map.of());
        assertThat(last(nothing)).isEqualTo(WRITES);
        List<long[]> again = new ArrayList<>();
        CommitMessage.Builder message = new CommitMessage.Builder(WORDS);
        nothing.forEachLoggedBy(COPIES, 1, 0, 1, (address, replaced, payload) -> {
            message.begin(CommitMessage.LOG_WRITES, 0);
            message.add(address, replaced, OBJECT, payload);
            again.add(Arrays.copyOf(message.words(), message.count()));
        });
        assertThat(again).hasSize(1);
        RestoredObjects same = restored(1, 2);
        same.addLater(COPIES, Map.of(1, List.of(again)));
        assertThat(last(same)).isEqualTo(WRITES);
        logs = later;
        write(1, WRITES + 1, true);
        RestoredObjects more = restoredEarlier();
        more.addLater(COPIES, Map.of(1, later.records(1)));
        assertThat(last(more)).isEqualTo(WRITES + 1);
        logs = new LogFolder(folder.resolve("undecided"));
        write(1, WRITES + 1, false);
        RestoredObjects undecided = restoredEarlier();
        undecided.addLater(COPIES, Map.of(1, logs.records(1)));
        assertThat(last(undecided)).isEqualTo(WRITES);
    }

    private RestoredObjects restoredEarlier() throws Exception {
        LogFolder earlier = new LogFolder(folder);
        return new RestoredObjects(COPIES, 1, OBJECTS, Map.of(1, earlier.records(1), 2, earlier.records(2)));
    }

    /** A file may also be shorter. */
    @Test
    void aFileMayBeTruncatedAtAnyByte() throws Exception {
        byte[] whole = Files.readAllBytes(file(1));
        for (int kept = 0; kept <= LENGTH; kept++) {
            Files.write(file(1), Arrays.copyOf(whole, kept));
            assertThat(last(restored(1))).as("%d bytes kept", kept).isEqualTo(kept / (PREPARE_BYTES + END_BYTES));
        }
    }

    /** The log ends before a record of which any bit has changed. */
    @Test
    void aBitMayHaveChanged() throws Exception {
        byte[] whole = Files.readAllBytes(file(1));
        int from = LENGTH - PREPARE_BYTES - END_BYTES;
        for (int bit = from * Byte.SIZE; bit < LENGTH * Byte.SIZE; bit++) {
            byte[] damaged = whole.clone();
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            Files.write(file(1), damaged);
            assertThat(last(restored(1))).as("bit %d", bit).isEqualTo(WRITES - 1);
            assertThat(last(restored(1, 2))).as("bit %d", bit).isEqualTo(WRITES);
        }
    }

    @Test
    void aTransactionIsCommittedIfAnyLogHasItsCommit() throws Exception {
        logs = new LogFolder(folder.resolve("undecided"));
        write(1, WRITES, false);
        write(2, WRITES, true);
        assertThat(last(restored(1))).isEqualTo(WRITES - 1);
        RestoredObjects both = restored(1, 2);
        assertThat(last(both)).isEqualTo(WRITES);
        assertThat(both.incomplete()).isZero();
    }

    @Test
    void aRegionWithoutALogIsReported() throws Exception {
        assertThat(logs.records(0)).isEmpty();
        assertThatThrownBy(this::restored)
                .isInstanceOf(FabricException.class)
                .hasMessage("region 0 is lost: no log of a replica is left");
        assertThatThrownBy(() -> restored(0)).isInstanceOf(FabricException.class); // the primary does not log
    }

    @Test
    void contradictingReplicasAreReported() throws Exception {
        Map<Integer, List<List<long[]>>> records = new HashMap<>();
        records.put(1, logs.records(1));
        records.put(2, logs.records(2));
        records.get(2).getFirst().get(2 * WRITES - 2)[WORDS - 1]++;
        assertThatThrownBy(() -> new RestoredObjects(COPIES, 1, OBJECTS, records))
                .isInstanceOf(FabricException.class)
                .hasMessage("the logs of two replicas have different writes of version 16 of object 0 in region 0");
    }
}
