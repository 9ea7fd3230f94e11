package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.reprobe.farm.LocalTransaction.Step.LOCK;
import static org.reprobe.farm.LocalTransaction.Step.LOCK_ALL;
import static org.reprobe.farm.LocalTransaction.Step.LOCK_EXCLUSIVELY;
import static org.reprobe.farm.LocalTransaction.Step.LOCK_EXCLUSIVELY_AND_WRITE_EACH;
import static org.reprobe.farm.LocalTransaction.Step.VALIDATE;
import static org.reprobe.farm.LocalTransaction.Step.WRITE;

import java.util.List;
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
import org.reprobe.farm.TableWriter.JointVersions;
import org.reprobe.farm.TableWriter.Renewed;
import org.reprobe.farm.TableWriter.Rules;
import org.reprobe.testing.Seeds;

/** Each part of how transactions commit and how the table is changed is needed: without it somebody is told what no order explains. */
class TableTrialTest {
    private static final ExplorationLimits LIMITS = ExplorationLimits.USUAL.withTearing(Tearing.EITHER_WAY);
    private static final long SEED = Seeds.seed();
    private static final int MAX_SWITCHES = 2;
    private static final String NO_ORDER = "No order of these operations explains";
    private static final String NO_END = "waits for ever";

    private static @Nullable Counterexample found(Trial trial, int switches, long schedules) throws Exception {
        return new Exploration(trial, LIMITS).exhaustive(switches, schedules).counterexample();
    }

    static Stream<Arguments> faults() {
        Rules right = Rules.RIGHT;
        return Stream.of(
                Arguments.of(
                        "exclusive one at a time",
                        FarmTrials.twoObjects(List.of(LOCK, VALIDATE, LOCK_EXCLUSIVELY_AND_WRITE_EACH)),
                        NO_ORDER),
                Arguments.of("never exclusive", FarmTrials.twoObjects(List.of(LOCK, VALIDATE, WRITE)), NO_ORDER),
                Arguments.of(
                        "validated before it is exclusive", FarmTrials.readSet(LocalTransaction.PRINTED), NO_ORDER),
                Arguments.of(
                        "lock not taken", FarmTrials.sameObject(List.of(LOCK_EXCLUSIVELY, VALIDATE, WRITE)), NO_ORDER),
                Arguments.of("not validated", FarmTrials.writeSkew(List.of(LOCK, LOCK_EXCLUSIVELY, WRITE)), NO_ORDER),
                Arguments.of(
                        "what is only read is not held",
                        FarmTrials.readSet(List.of(LOCK, LOCK_EXCLUSIVELY, WRITE)),
                        NO_ORDER),
                Arguments.of(
                        "what is held is never exclusive", FarmTrials.twoObjects(List.of(LOCK_ALL, WRITE)), NO_ORDER),
                Arguments.of("no joint versions", FarmTrials.displacement(right.with(JointVersions.NONE)), NO_ORDER),
                Arguments.of(
                        "joint version of one side",
                        FarmTrials.displacement(right.with(JointVersions.FORWARD_ONLY)),
                        NO_END),
                Arguments.of(
                        "no joint versions, a slot is filled from the chain of the bucket before",
                        FarmTrials.neighboursChain(right.with(JointVersions.NONE)),
                        NO_ORDER),
                Arguments.of("incarnation not changed", FarmTrials.twoBlocks(right.with(Renewed.NONE)), NO_ORDER),
                Arguments.of(
                        "incarnation of the last block alone",
                        FarmTrials.twoBlocks(right.with(Renewed.LAST)),
                        NO_ORDER),
                Arguments.of("pointer not rewritten", FarmTrials.twoBlocks(right.withoutRewriting()), NO_END),
                Arguments.of(
                        "lock not taken, table",
                        FarmTrials.twoWriters(right.withCommit(LOCK_EXCLUSIVELY, VALIDATE, WRITE)),
                        NO_ORDER),
                Arguments.of(
                        "not validated, table",
                        FarmTrials.twoWriters(right.withCommit(LOCK, LOCK_EXCLUSIVELY, WRITE)),
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
        assertThat(found.wrong()).as(fault).contains(wrong);
    }

    static Stream<Arguments> combiningFaults() {
        TableTrial.Script insert = TableTrial.Script.writes(TableTrial.insert(2, 21));
        TableTrial.Script look = TableTrial.Script.lookups(2);
        return Stream.of(
                Arguments.of(
                        Combining.Fault.ANY_KEY,
                        List.of(
                                TableTrial.Script.writes(TableTrial.insert(2, 21), TableTrial.update(1, 11)),
                                TableTrial.Script.lookups(2))),
                Arguments.of(
                        Combining.Fault.ANSWERS_EARLY,
                        List.of(TableTrial.Script.writes(TableTrial.update(2, 22)), look)),
                Arguments.of(Combining.Fault.TAKES_LATE, List.of(insert, look)),
                Arguments.of(Combining.Fault.ALL_INSERTED, List.of(insert, look)));
    }

    /** What inserts and updates are answered is right only if they are combined so. */
    @ParameterizedTest
    @MethodSource("combiningFaults")
    void aFaultOfCombiningIsFound(Combining.Fault fault, List<TableTrial.Script> others) throws Exception {
        Trial trial = FarmTrials.combinedInserts(fault, others.toArray(TableTrial.Script[]::new));
        Counterexample found = found(trial, 1, 5_000);
        assertThat(found).isNotNull();
        assertThat(found.wrong()).contains(NO_ORDER);
    }

    static Stream<Arguments> right() {
        Rules right = Rules.RIGHT;
        return Stream.of(
                Arguments.of("two objects", FarmTrials.twoObjects(LocalTransaction.STRICT)),
                Arguments.of("two objects, printed", FarmTrials.twoObjects(LocalTransaction.PRINTED)),
                Arguments.of("two objects, held", FarmTrials.twoObjects(LocalTransaction.HELD)),
                Arguments.of("read set", FarmTrials.readSet(LocalTransaction.STRICT)),
                Arguments.of("read set, held", FarmTrials.readSet(LocalTransaction.HELD)),
                Arguments.of("write skew, held", FarmTrials.writeSkew(LocalTransaction.HELD)),
                Arguments.of("same object, held", FarmTrials.sameObject(LocalTransaction.HELD)),
                Arguments.of("displacement, held", FarmTrials.displacement(right.held())),
                Arguments.of("two writers, held", FarmTrials.twoWriters(right.held())),
                Arguments.of("same object", FarmTrials.sameObject(LocalTransaction.STRICT)),
                Arguments.of("write skew", FarmTrials.writeSkew(LocalTransaction.STRICT)),
                Arguments.of("displacement", FarmTrials.displacement(right)),
                Arguments.of("chain of the bucket before", FarmTrials.neighboursChain(right)),
                Arguments.of("two blocks", FarmTrials.twoBlocks(right)),
                Arguments.of("two writers", FarmTrials.twoWriters(right)),
                Arguments.of("a displaced pair removed", FarmTrials.displacedAndRemoved(right)),
                Arguments.of("combined inserts", FarmTrials.combinedInserts()));
    }

    @ParameterizedTest
    @MethodSource("right")
    void whatAnybodyIsToldFollowsFromSomeOrder(String name, Trial trial) throws Exception {
        Counterexample found = found(trial, 2, 5_000);
        assertThat(found).as("%s: %s", name, found).isNull();
        assertThat(new Exploration(trial, LIMITS).random(SEED, 500).counterexample())
                .as("%s, %s", name, Seeds.replay())
                .isNull();
    }
}
