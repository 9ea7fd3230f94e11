package org.reprobe.farm.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.explore.Trial;
import org.reprobe.farm.commit.LocalTransaction.CommitOrder;
import org.reprobe.farm.table.TableWriter.Variant;
import org.reprobe.testing.SeededFaults;
import org.reprobe.testing.Seeds;

/** Necessity of each part of the commit and of table writes: without it, a history has no serial order. */
class TableTrialTest {
    private static final ExplorationLimits LIMITS = ExplorationLimits.USUAL.withTearing(Tearing.EITHER_WAY);
    private static final long SEED = Seeds.seed();
    private static final int MAX_SWITCHES = 2;
    private static final String NO_ORDER = "No order of these operations explains";
    private static final String NO_END = "waits forever";

    private static @Nullable Counterexample found(Trial trial, int switches, long schedules) throws Exception {
        return new Exploration(trial, LIMITS).exhaustive(switches, schedules).counterexample();
    }

    private static final String TRANSACTION = "commit.LocalTransaction";
    private static final String WRITER = "table.TableWriter";
    private static final String STRICT = "case STRICT -> { lock(false); lockExclusively(); validate(); }";
    private static final String RENEWED = "if (variant.renewsAllPassed || i == lastBlock) {";

    private static SeededFaults seeded() {
        return new SeededFaults("org.reprobe.farm.");
    }

    /** Replaces the strict commit by other steps. */
    private static SeededFaults committing(String steps) {
        return seeded().replacing(TRANSACTION, STRICT, "case STRICT -> { " + steps + " }");
    }

    private static SeededFaults exclusiveOneAtATime() {
        return committing("lock(false); validate();")
                .replacing(
                        TRANSACTION,
                        "write(copy, copy.writer);",
                        "copy.writer.lockExclusively(memory, copy.at, copy.version); write(copy, copy.writer);");
    }

    private static SeededFaults withoutJointVersions() {
        return seeded().replacing(
                        WRITER,
                        "private void incrementJointVersions() {",
                        "private void incrementJointVersions() { if (true) { return; }");
    }

    static Trial twoObjects() {
        return FarmTrials.twoObjects(CommitOrder.STRICT);
    }

    static Trial sameObject() {
        return FarmTrials.sameObject(CommitOrder.STRICT);
    }

    static Trial writeSkew() {
        return FarmTrials.writeSkew(CommitOrder.STRICT);
    }

    static Trial readSet() {
        return FarmTrials.readSet(CommitOrder.STRICT);
    }

    static Trial displacement() {
        return FarmTrials.displacement(Variant.CORRECTED);
    }

    static Trial neighboursChain() {
        return FarmTrials.neighboursChain(Variant.CORRECTED);
    }

    static Trial twoBlocks() {
        return FarmTrials.twoBlocks(Variant.CORRECTED);
    }

    static Trial twoWriters() {
        return FarmTrials.twoWriters(Variant.CORRECTED);
    }

    private static Trial trial(String name, SeededFaults fault) throws Exception {
        return (Trial) Objects.requireNonNull(fault.call(TableTrialTest.class, name));
    }

    static Stream<Arguments> faults() throws Exception {
        return Stream.of(
                Arguments.of("exclusive one at a time", trial("twoObjects", exclusiveOneAtATime()), NO_ORDER),
                Arguments.of("never exclusive", trial("twoObjects", committing("lock(false); validate();")), NO_ORDER),
                Arguments.of("validated before it is exclusive", FarmTrials.readSet(CommitOrder.PRINTED), NO_ORDER),
                Arguments.of(
                        "lock not taken", trial("sameObject", committing("lockExclusively(); validate();")), NO_ORDER),
                Arguments.of(
                        "not validated", trial("writeSkew", committing("lock(false); lockExclusively();")), NO_ORDER),
                Arguments.of(
                        "what is only read is not held",
                        trial("readSet", committing("lock(false); lockExclusively();")),
                        NO_ORDER),
                Arguments.of(
                        "what is held is never exclusive", trial("twoObjects", committing("lock(true);")), NO_ORDER),
                Arguments.of("no joint versions", trial("displacement", withoutJointVersions()), NO_ORDER),
                Arguments.of(
                        "joint version of one side",
                        trial(
                                "displacement",
                                seeded().without(
                                                WRITER,
                                                "BucketLayout.incrementVersion(next.payload(), layout.backwardVersionOffset());")),
                        NO_END),
                Arguments.of(
                        "no joint versions, a slot is filled from the chain of the bucket before",
                        trial("neighboursChain", withoutJointVersions()),
                        NO_ORDER),
                Arguments.of(
                        "incarnation not changed",
                        trial("twoBlocks", seeded().replacing(WRITER, RENEWED, "if (false) {")),
                        NO_ORDER),
                Arguments.of("incarnation of the last block alone", FarmTrials.twoBlocks(Variant.PRINTED), NO_ORDER),
                Arguments.of(
                        "pointer not rewritten",
                        trial(
                                "twoBlocks",
                                seeded().without(
                                                WRITER,
                                                "putPointer(before(bucket, blocks, i), pointerOffset(i), blocks.get(i));")),
                        NO_END),
                Arguments.of(
                        "lock not taken, table",
                        trial("twoWriters", committing("lockExclusively(); validate();")),
                        NO_ORDER),
                Arguments.of(
                        "not validated, table",
                        trial("twoWriters", committing("lock(false); lockExclusively();")),
                        NO_ORDER));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsFound(String fault, Trial trial, String wrong) throws Exception {
        Counterexample found = null;
        for (int switches = 0; switches <= MAX_SWITCHES && found == null; switches++) {
            found = found(trial, switches, 100_000);
        }
        assertThat(found).as(fault).isNotNull();
        assertThat(found.violation()).as(fault).contains(wrong);
    }

    private static Trial combinedInserts(TableTrial.Script... others) {
        return FarmTrials.combinedInserts(others);
    }

    static Trial combinedInsertAndUpdateOfAnotherKey() {
        return combinedInserts(
                TableTrial.Script.writes(TableTrial.insert(2, 21), TableTrial.update(1, 11)),
                TableTrial.Script.lookups(2));
    }

    static Trial combinedInsertAndUpdate() {
        return combinedInserts(TableTrial.Script.writes(TableTrial.update(2, 22)), TableTrial.Script.lookups(2));
    }

    static Trial twoCombinedInserts() {
        return combinedInserts(TableTrial.Script.writes(TableTrial.insert(2, 21)), TableTrial.Script.lookups(2));
    }

    static Stream<Arguments> combiningFaults() throws Exception {
        return Stream.of(
                Arguments.of(
                        "operations of other keys are combined",
                        trial("combinedInsertAndUpdateOfAnotherKey", CombiningFaults.anyKey())),
                Arguments.of(
                        "replied before the write", trial("combinedInsertAndUpdate", CombiningFaults.answersEarly())),
                Arguments.of("replied although too late", trial("twoCombinedInserts", CombiningFaults.takesLate())),
                Arguments.of(
                        "all inserts report that the key was absent",
                        trial("twoCombinedInserts", CombiningFaults.allInserted())));
    }

    /** Combining is necessary as it is: other variants return wrong results of inserts and updates. */
    @ParameterizedTest
    @MethodSource("combiningFaults")
    void aFaultOfCombiningIsFound(String fault, Trial trial) throws Exception {
        Counterexample found = found(trial, 1, 5_000);
        assertThat(found).as(fault).isNotNull();
        assertThat(found.violation()).as(fault).contains(NO_ORDER);
    }

    static Stream<Arguments> right() {
        Variant right = Variant.CORRECTED;
        return Stream.of(
                Arguments.of("two objects", FarmTrials.twoObjects(CommitOrder.STRICT)),
                Arguments.of("two objects, printed", FarmTrials.twoObjects(CommitOrder.PRINTED)),
                Arguments.of("two objects, held", FarmTrials.twoObjects(CommitOrder.HELD)),
                Arguments.of("read set", FarmTrials.readSet(CommitOrder.STRICT)),
                Arguments.of("read set, held", FarmTrials.readSet(CommitOrder.HELD)),
                Arguments.of("write skew, held", FarmTrials.writeSkew(CommitOrder.HELD)),
                Arguments.of("same object, held", FarmTrials.sameObject(CommitOrder.HELD)),
                Arguments.of("displacement, held", FarmTrials.displacement(Variant.HELD)),
                Arguments.of("two writers, held", FarmTrials.twoWriters(Variant.HELD)),
                Arguments.of("same object", FarmTrials.sameObject(CommitOrder.STRICT)),
                Arguments.of("write skew", FarmTrials.writeSkew(CommitOrder.STRICT)),
                Arguments.of("displacement", FarmTrials.displacement(right)),
                Arguments.of("chain of the bucket before", FarmTrials.neighboursChain(right)),
                Arguments.of("two blocks", FarmTrials.twoBlocks(right)),
                Arguments.of("two writers", FarmTrials.twoWriters(right)),
                Arguments.of("a displaced pair removed", FarmTrials.displacedAndRemoved(right)),
                Arguments.of("combined inserts", FarmTrials.combinedInserts()));
    }

    @ParameterizedTest
    @MethodSource("right")
    void allResultsFollowFromSomeOrder(String name, Trial trial) throws Exception {
        Counterexample found = found(trial, 2, 5_000);
        assertThat(found).as("%s: %s", name, found).isNull();
        assertThat(new Exploration(trial, LIMITS).random(SEED, 500).counterexample())
                .as("%s, %s", name, Seeds.replay())
                .isNull();
    }
}
