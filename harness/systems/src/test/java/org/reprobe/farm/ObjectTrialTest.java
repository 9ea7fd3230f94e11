package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.reprobe.farm.ObjectWriter.Step.HEADER;
import static org.reprobe.farm.ObjectWriter.Step.LINE_VERSIONS;
import static org.reprobe.farm.ObjectWriter.Step.LOCK_LINES;
import static org.reprobe.farm.ObjectWriter.Step.PAYLOAD;

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
import org.reprobe.farm.ObjectTrial.Reuse;
import org.reprobe.farm.ObjectTrial.Rules;
import org.reprobe.testing.Seeds;

/** Each part of how an object is changed and read is needed: without it a READ accepts what the object never held. */
class ObjectTrialTest {
    private static final ExplorationLimits LIMITS = ExplorationLimits.USUAL.withTearing(Tearing.EITHER_WAY);
    private static final long SEED = Seeds.seed();

    private static @Nullable Counterexample found(Rules rules, int switches, long schedules) throws Exception {
        return new Exploration(new ObjectTrial(rules), LIMITS)
                .exhaustive(switches, schedules)
                .counterexample();
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of("lines not locked first", Rules.PRINTED.withOrder(PAYLOAD, LINE_VERSIONS, HEADER), 2),
                Arguments.of(
                        "line versions before the payload",
                        Rules.PRINTED.withOrder(LOCK_LINES, LINE_VERSIONS, PAYLOAD, HEADER),
                        2),
                Arguments.of("header not locked", Rules.PRINTED.withoutLock(), 2),
                Arguments.of("words with a version at their line's start", Rules.PRINTED.byWords(false), 1),
                Arguments.of("1 bit, no age limit", Rules.PRINTED.wrapping(1, false), 1),
                Arguments.of("2 bits, no age limit", Rules.PRINTED.wrapping(2, false), 1));
    }

    /** @param switches of the shortest counterexample, which the whole search up to them has */
    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsFound(String fault, Rules rules, int switches) throws Exception {
        Counterexample found = found(rules, switches, 100_000);
        assertThat(found).as(fault).isNotNull();
        assertThat(found.wrong()).contains("a READ was accepted that has bytes of values");
        assertThat(found.timeline()).contains("stores line ");
    }

    static Stream<Arguments> right() {
        return Stream.of(
                Arguments.of("printed", Rules.PRINTED),
                Arguments.of(
                        "the header before line versions",
                        Rules.PRINTED.withOrder(LOCK_LINES, PAYLOAD, HEADER, LINE_VERSIONS)),
                Arguments.of("words with versions at both ends", Rules.PRINTED.byWords(true)),
                Arguments.of("1 bit and an age limit", Rules.PRINTED.wrapping(1, true)),
                Arguments.of("2 bits and an age limit", Rules.PRINTED.wrapping(2, true)),
                Arguments.of("reuse", Rules.PRINTED.reusing(Reuse.TOLD)),
                Arguments.of("reuse, words", Rules.PRINTED.byWords(true).reusing(Reuse.TOLD)));
    }

    @ParameterizedTest
    @MethodSource("right")
    void whatIsAcceptedWasThereAtAMomentOfTheRead(String name, Rules rules) throws Exception {
        assertThat(found(rules, 2, 4_000)).as(name).isNull();
        assertThat(new Exploration(new ObjectTrial(rules), LIMITS)
                        .random(SEED, 1_000)
                        .counterexample())
                .as("%s, %s", name, Seeds.replay())
                .isNull();
    }

    @Test
    void withoutIncarnationsAPointerToAFreedObjectReadsAnother() throws Exception {
        Counterexample found = found(Rules.PRINTED.reusing(Reuse.UNTOLD), 0, 1_000);
        assertThat(found).isNotNull();
        assertThat(found.wrong())
                .contains("No order of these operations explains")
                .contains("read(0) -> 9");
    }
}
