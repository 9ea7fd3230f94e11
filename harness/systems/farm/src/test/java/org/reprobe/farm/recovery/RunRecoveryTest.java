package org.reprobe.farm.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.check.Recording;
import org.reprobe.check.TransactionHistory;
import org.reprobe.check.TransactionHistory.Access;
import org.reprobe.check.TransactionHistory.Entry;
import org.reprobe.farm.commit.LogFolder;
import org.reprobe.farm.commit.Votes;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.transactions.ObjectArray;
import org.reprobe.system.RunContext;

/** Copies of objects, checks of acknowledged commits, and what a machine's threads share. */
class RunRecoveryTest {
    private static final int MACHINES = 3;
    private static final int OBJECTS = 10;
    private static final int REPLICAS = 1;
    private static final long LEASE_NS = 1000;
    private static final Configuration FIRST = Configuration.first(MACHINES);
    private static final ObjectLayout LAYOUT = ObjectLayout.inLines(64, false);

    private final ObjectArray objects = new ObjectArray(LAYOUT, MACHINES, OBJECTS);
    private final RegionCopies copies = RegionCopies.inOrder(MACHINES, 1, REPLICAS);
    private final long copiesAt = Math.ceilDiv(objects.bytes(), 64) * 64L;
    private final List<MemorySegment> memories = new ArrayList<>();
    private final RunRecovery recovery;

    RunRecoveryTest() {
        long bytes = copiesAt + RunRecovery.bytes(objects, REPLICAS);
        for (int machine = 0; machine < MACHINES; machine++) {
            MemorySegment memory = MemorySegment.ofArray(new long[(int) bytes / Long.BYTES]);
            objects.load(machine, memory);
            RunRecovery.load(objects, copies, copiesAt, machine, memory);
            memories.add(memory);
        }
        recovery =
                new RunRecovery(objects, copies, memories, List.of(), copiesAt, 2, LEASE_NS, 0, RunContext.NONE, null);
    }

    private MemorySegment copy(int machine, long number) {
        return recovery.copies(machine, memories.get(machine)).get(objects.region(number));
    }

    private void write(int machine, long number, long version, long stamp) {
        MemorySegment payload = LAYOUT.newPayload();
        ObjectArray.put(payload, number, stamp);
        LAYOUT.write(copy(machine, number), objects.offset(number), version, 1, payload);
    }

    private void lock(int machine, long number) {
        MemorySegment memory = copy(machine, number);
        long at = objects.offset(number);
        long header = memory.get(ValueLayout.JAVA_LONG, at);
        memory.set(ValueLayout.JAVA_LONG, at, header | ObjectLayout.EXCLUSIVE);
    }

    @Test
    void eachCopyIsAtItsOwnPlace() {
        assertThat(RunRecovery.bytes(objects, 2) - RunRecovery.bytes(objects, 1))
                .isBetween(objects.bytes(), objects.bytes() + 63);
        for (long number = 0; number < OBJECTS; number++) {
            int region = objects.region(number);
            int replica = copies.replica(region, 0);
            assertThat(recovery.copyAt(region, region)).isZero();
            assertThat(recovery.copyAt(replica, region)).isEqualTo(copiesAt);
            for (int machine : new int[] {region, replica}) {
                MemorySegment payload = LAYOUT.newPayload();
                long at = objects.offset(number);
                assertThat(LAYOUT.read(copy(machine, number), at, at, payload)).isTrue();
                assertThat(ObjectArray.stamp(payload, number)).isEqualTo(ObjectArray.LOADED);
            }
        }
    }

    @Test
    void aConfigurationIsReplacedOnlyWhileItIsThePresentOne() throws Exception {
        Configuration second = FIRST.without(2);
        assertThat(recovery.replace(FIRST, second)).isEqualTo(second);
        assertThat(recovery.replace(FIRST, FIRST.without(1))).isEqualTo(second);
        assertThat(recovery.replace(second, second)).isEqualTo(second);
        assertThat(recovery.replace(second, second.without(0))).isEqualTo(second.without(0));
    }

    @Test
    void acknowledgedCommitsAreComparedWithThePrimaries() {
        long step = ObjectWriter.ONE_VERSION;
        long version = ObjectArray.VERSION;
        assertThat(recovery.failure(0, memories)).isNull();
        assertThat(recovery.changesNs()).isEmpty();
        recovery.acknowledged(4, version + 2 * step, 77);
        assertThat(recovery.failure(0, memories)).contains("object 4", "77").contains("but a commit of version");
        write(1, 4, version + 2 * step, 78);
        assertThat(recovery.failure(0, memories)).contains("object 4", "78");
        write(1, 4, version + 2 * step, 77);
        assertThat(recovery.failure(0, memories)).isNull();
        // Of several commits the last one counts, whatever the order of acknowledgements.
        recovery.acknowledged(4, version + step, 76);
        assertThat(recovery.failure(0, memories)).isNull();
        recovery.acknowledged(4, version + 3 * step, 79);
        assertThat(recovery.failure(0, memories)).contains("object 4", "79");
        write(1, 4, version + 4 * step, 80);
        assertThat(recovery.failure(0, memories)).isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 5, 9})
    void lockedAndTornObjectsAreReported(long number) throws Exception {
        int primary = objects.region(number);
        int replica = copies.replica(primary, 0);
        lock(replica, number); // replicas are not checked
        assertThat(recovery.failure(0, memories)).isNull();
        long word = objects.offset(number) + 40;
        byte before = copy(primary, number).get(ValueLayout.JAVA_BYTE, word);
        copy(primary, number).set(ValueLayout.JAVA_BYTE, word, (byte) ~before);
        assertThat(recovery.failure(0, memories)).contains("object " + number);
        copy(primary, number).set(ValueLayout.JAVA_BYTE, word, before);
        lock(primary, number);
        assertThat(recovery.failure(0, memories))
                .contains("object " + number + " is locked or torn at machine " + primary);
        // A process checks the regions of its own machine only.
        for (int machine = 0; machine < MACHINES; machine++) {
            String failure = recovery.failure(machine, List.of(memories.get(machine)));
            assertThat(failure != null).isEqualTo(machine == primary);
        }
        // The replica takes over.
        recovery.replace(FIRST, FIRST.without(primary));
        assertThat(recovery.failure(0, memories)).contains("at machine " + replica);
    }

    @Test
    void theFinalStateHasTheObjectsOfTheMachine() {
        write(1, 4, ObjectArray.VERSION + ObjectWriter.ONE_VERSION, 77);
        for (int machine = 0; machine < MACHINES; machine++) {
            Recording recording = new Recording(() -> 5);
            recovery.recordState(machine, memories.get(machine), recording, 9);
            List<Entry> entries = TransactionHistory.of(recording.history()).transactions();
            int of = machine;
            assertThat(entries).singleElement().satisfies(entry -> {
                assertThat(entry.client()).isEqualTo(9);
                assertThat(entry.writes()).isEmpty();
                assertThat(entry.reads())
                        .containsExactlyElementsOf(IntStream.range(0, OBJECTS)
                                .filter(number -> objects.region(number) == of)
                                .mapToObj(number -> new Access(number, number == 4 ? 77 : ObjectArray.LOADED))
                                .toList());
            });
        }
        copy(2, 5).set(ValueLayout.JAVA_BYTE, objects.offset(5) + 40, (byte) 99);
        Recording recording = new Recording(() -> 5);
        recovery.recordState(2, memories.get(2), recording, 9);
        assertThat(TransactionHistory.of(recording.history())
                        .transactions()
                        .getFirst()
                        .reads())
                .contains(new Access(5, ObjectArray.TORN));
    }

    /** Reports of threads count for the present configuration; each step's first time remains. */
    @Test
    void threadsStopAndDecideTogether() {
        MachineWords words =
                new MachineWords(MemorySegment.ofArray(new long[(int) MachineWords.BYTES / Long.BYTES]), 0);
        MachineRecovery machine = new MachineRecovery(2, FIRST, words);
        Configuration second = FIRST.without(2);
        machine.begins(100);
        machine.update(110);
        assertThat(machine.configuration()).isEqualTo(FIRST);
        assertThat(machine.isDecided(FIRST)).isTrue();
        assertThat(List.of(machine.beganNs(), machine.stoppedNs(), machine.decidedNs(), machine.activeNs()))
                .containsExactly(100L, 0L, 0L, 0L);
        machine.stop(second);
        words.set(second, MachineWords.State.STOPPED, 500);
        machine.update(120);
        machine.hasStopped(FIRST, votes(1));
        machine.hasStopped(second, votes(2));
        assertThat(machine.hasStopped()).isFalse();
        machine.hasStopped(second, votes(3));
        assertThat(machine.hasStopped()).isTrue();
        assertThat(machine.votes().words()).isEqualTo(2);
        assertThat(machine.isDecided(second)).isFalse();
        machine.decide(second, Votes.of(new long[] {~(2L << Integer.SIZE | 1)}, 0, 1));
        assertThat(machine.isDecided(second)).isTrue();
        assertThat(machine.decided().isCommitted(2L << Integer.SIZE | 1)).isTrue();
        assertThat(machine.decided().isCommitted(3L << Integer.SIZE | 1)).isFalse();
        machine.threadHasDecided(FIRST);
        machine.threadHasDecided(second);
        assertThat(machine.hasDecided()).isFalse();
        machine.update(130);
        machine.threadHasDecided(second);
        assertThat(machine.hasDecided()).isTrue();
        machine.update(140);
        words.set(second, MachineWords.State.ACTIVE, 500);
        machine.update(150);
        machine.update(160);
        assertThat(List.of(machine.stoppedNs(), machine.decidedNs(), machine.activeNs()))
                .containsExactly(120L, 140L, 150L);
        Configuration third = second.without(1);
        machine.stop(third);
        assertThat(machine.hasStopped()).isFalse();
        assertThat(machine.hasDecided()).isFalse();
        assertThat(machine.votes().words()).isZero();
        machine.update(170);
        assertThat(List.of(machine.stoppedNs(), machine.decidedNs(), machine.activeNs()))
                .containsExactly(120L, 140L, 150L);
        assertThat(machine.isEvicted()).isFalse();
        machine.evicted();
        assertThat(machine.isEvicted()).isTrue();
        assertThat(machine.othersHaveLeft()).isFalse();
        machine.hasLeft();
        assertThat(machine.othersHaveLeft()).isTrue();
    }

    private static Votes votes(long coordinator) {
        Votes votes = new Votes();
        votes.unfinished(coordinator << Integer.SIZE | 1);
        return votes;
    }

    @Test
    void aConfigurationDeterminesPrimariesAndManager() {
        Configuration second = FIRST.without(0);
        assertThat(second).isEqualTo(new Configuration(2, 0b110));
        assertThat(second.all()).containsExactly(1, 2);
        assertThat(List.of(FIRST.manager(), second.manager(), second.rank(1), second.rank(2), FIRST.rank(2)))
                .containsExactly(0, 1, 0, 1, 2);
        assertThat(Configuration.of(second.word())).isEqualTo(second);
        assertThat(Configuration.of(new Configuration(7, -1).word())).isEqualTo(new Configuration(7, -1));
        assertThat(Configuration.first(Configuration.MAX_MACHINES).all()).hasSize(Integer.SIZE);
        RegionCopies of = second.copies(copies);
        assertThat(List.of(of.primary(0), of.primary(1), of.primary(2))).containsExactly(1, 1, 2);
        assertThat(List.of(of.replica(0, 0), of.replica(1, 0), of.replica(2, 0)))
                .containsExactly(RegionCopies.NO_MACHINE, 2, RegionCopies.NO_MACHINE);
        assertThat(second.keeps(copies, MACHINES)).isTrue();
        assertThat(second.without(1).keeps(copies, MACHINES)).isFalse();
        assertThat(FIRST.mayLoseOne(copies, MACHINES)).isTrue();
        assertThat(second.mayLoseOne(copies, MACHINES)).isFalse();
        assertThat(second.has(0)).isFalse();
        assertThat(second.has(2)).isTrue();
        assertThat(second.numbered(9)).isEqualTo(new Configuration(9, 0b110));
    }

    @Test
    void aStoredConfigurationThatIsCutIsAnErrorInWords(@TempDir Path folder) throws Exception {
        LogFolder logs = new LogFolder(folder);
        Path machine = Files.createDirectories(logs.machine(1));
        StoredConfiguration.write(machine, FIRST.without(0));
        assertThat(StoredConfiguration.last(logs, MACHINES)).isEqualTo(FIRST.without(0));
        Files.write(machine.resolve("configuration"), new byte[5]);
        assertThatThrownBy(() -> StoredConfiguration.last(logs, MACHINES))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("machine-1")
                .hasMessageEndingWith("has 5 bytes, not 8");
    }
}
