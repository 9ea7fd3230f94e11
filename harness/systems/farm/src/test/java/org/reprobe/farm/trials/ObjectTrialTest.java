package org.reprobe.farm.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.explore.Trial;
import org.reprobe.farm.trials.ObjectTrial.Reuse;
import org.reprobe.farm.trials.ObjectTrial.Rules;
import org.reprobe.testing.SeededFaults;
import org.reprobe.testing.Seeds;

/** Necessity of each step of updates and READs: without it, a READ accepts a value that the object never had. */
class ObjectTrialTest {
    private static final ExplorationLimits LIMITS = ExplorationLimits.USUAL.withTearing(Tearing.EITHER_WAY);
    private static final long SEED = Seeds.seed();

    private static final String WRITER = "memory.ObjectWriter";
    private static final String PAYLOAD = "setPayload(memory, at, payload);";
    private static final String LINE_VERSIONS = "setLineVersions(memory, at, (short) next);";
    private static final String NEXT_STEP = " VarHandle.releaseFence(); cpu.spendCpu(stepPs); ";
    private static final String HEADER = "cpu.accesses(Long.BYTES); memory.set(LONG, at, next);";

    private static SeededFaults seeded() {
        return new SeededFaults("org.reprobe.farm.");
    }

    private static @Nullable Counterexample found(Trial trial, int switches, long schedules) throws Exception {
        return new Exploration(trial, LIMITS).exhaustive(switches, schedules).counterexample();
    }

    static Trial printed() {
        return new ObjectTrial(Rules.PRINTED);
    }

    private static Trial seeded(SeededFaults fault) throws Exception {
        return (Trial) Objects.requireNonNull(fault.call(ObjectTrialTest.class, "printed"));
    }

    static Stream<Arguments> faults() throws Exception {
        return Stream.of(
                Arguments.of(
                        "lines not locked first",
                        seeded(seeded().without(WRITER, "setLineVersions(memory, at, LOCKED_LINE);")),
                        2),
                Arguments.of(
                        "line versions before the payload",
                        seeded(seeded().replacing(
                                        WRITER,
                                        PAYLOAD + NEXT_STEP + LINE_VERSIONS,
                                        LINE_VERSIONS + NEXT_STEP + PAYLOAD)),
                        2),
                Arguments.of(
                        "header not locked",
                        seeded(seeded().replacing(
                                        "trials.ObjectTrial",
                                        "lock(writer, version); if (rules.minUpdateNs > 0) {",
                                        "if (rules.minUpdateNs > 0) {")),
                        2),
                Arguments.of(
                        "words with a version at their line's start", new ObjectTrial(Rules.PRINTED.byWords(false)), 1),
                Arguments.of("1 bit, no age limit", new ObjectTrial(Rules.PRINTED.wrapping(1, false)), 1),
                Arguments.of("2 bits, no age limit", new ObjectTrial(Rules.PRINTED.wrapping(2, false)), 1));
    }

    /** @param switches of the shortest counterexample; the search covers all schedules up to them */
    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsFound(String fault, Trial trial, int switches) throws Exception {
        Counterexample found = found(trial, switches, 100_000);
        assertThat(found).as(fault).isNotNull();
        assertThat(found.violation()).contains("an accepted READ has bytes of values");
        assertThat(found.timeline()).contains("stores line ");
    }

    static Stream<Arguments> right() throws Exception {
        return Stream.of(
                Arguments.of("printed", printed()),
                Arguments.of(
                        "the header before line versions",
                        seeded(seeded().replacing(
                                        WRITER,
                                        LINE_VERSIONS + NEXT_STEP + HEADER,
                                        HEADER + NEXT_STEP + LINE_VERSIONS))),
                Arguments.of("words with versions at both ends", new ObjectTrial(Rules.PRINTED.byWords(true))),
                Arguments.of("1 bit and an age limit", new ObjectTrial(Rules.PRINTED.wrapping(1, true))),
                Arguments.of("2 bits and an age limit", new ObjectTrial(Rules.PRINTED.wrapping(2, true))),
                Arguments.of("reuse", new ObjectTrial(Rules.PRINTED.reusing(Reuse.CHECKED))),
                Arguments.of(
                        "reuse, words",
                        new ObjectTrial(Rules.PRINTED.byWords(true).reusing(Reuse.CHECKED))));
    }

    @ParameterizedTest
    @MethodSource("right")
    void acceptedValuesWerePresentDuringTheRead(String name, Trial trial) throws Exception {
        assertThat(found(trial, 2, 4_000)).as(name).isNull();
        assertThat(new Exploration(trial, LIMITS).random(SEED, 1_000).counterexample())
                .as("%s, %s", name, Seeds.replay())
                .isNull();
    }

    @Test
    void withoutIncarnationsAPointerToAFreedObjectReadsAnother() throws Exception {
        Counterexample found = found(new ObjectTrial(Rules.PRINTED.reusing(Reuse.UNCHECKED)), 0, 1_000);
        assertThat(found).isNotNull();
        assertThat(found.violation())
                .contains("No order of these operations explains")
                .contains("read(0) -> 9");
    }
}
