package org.reprobe.analysis.calibration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CurvesTest {
    private static final Probe PROBE = Probe.values()[0];
    private static final Probe OTHER = Probe.values()[1];

    private static List<Observation> observed(int repeat, double... xAndNs) {
        List<Observation> observations = new ArrayList<>();
        for (int i = 0; i < xAndNs.length; i += 2) {
            observations.add(new Observation(PROBE, xAndNs[i], repeat, xAndNs[i + 1]));
        }
        return observations;
    }

    @Test
    void placesThatDifferBetweenRepeatsAreOnePointByRank() {
        List<Observation> all = new ArrayList<>(observed(0, 30, 300, 10, 100));
        all.addAll(observed(1, 12, 120, 34, 340));
        assertThat(Curves.of(all).get(PROBE))
                .containsExactly(
                        new Curves.Point(11, List.of(100.0, 120.0)), new Curves.Point(32, List.of(300.0, 340.0)));
    }

    @Test
    void missesAreRelativeToWhatWasFoundAndTheirMedianIsTheMiddle() {
        List<Observation> found = observed(0, 1, 100, 2, 200, 3, 400, 4, 800);
        List<Observation> fitted = observed(0, 1, 101, 2, 190, 3, 400, 4, 880);
        assertThat(Curves.errors(found, fitted)).singleElement().satisfies(miss -> {
            assertThat(miss.points()).isEqualTo(4);
            assertThat(miss.medianFraction()).isCloseTo((0.01 + 0.05) / 2, within(1e-9));
            assertThat(miss.worstFraction()).isCloseTo(0.1, within(1e-9));
        });
    }

    @Test
    void missesOfDifferencesThatMayBeZeroAreRelativeToTheLongestTime() {
        List<Observation> found = List.of(
                new Observation(Probe.BUSY_LOOKUP, 2, 0, 20),
                new Observation(Probe.BUSY_LOOKUP, 4, 0, -0.2),
                new Observation(Probe.BUSY_LOOKUP, 8, 0, 0.5));
        List<Observation> fitted = List.of(
                new Observation(Probe.BUSY_LOOKUP, 2, 0, 20.2),
                new Observation(Probe.BUSY_LOOKUP, 4, 0, 0),
                new Observation(Probe.BUSY_LOOKUP, 8, 0, 1.3));
        assertThat(Curves.errors(found, fitted)).singleElement().satisfies(miss -> {
            assertThat(miss.points()).isEqualTo(3);
            assertThat(miss.medianFraction()).isCloseTo(0.01, within(1e-9));
            assertThat(miss.worstFraction()).isCloseTo(0.04, within(1e-9));
        });
    }

    @Test
    void aProbeThatOneSideDidNotRunIsNotCompared() {
        assertThat(Curves.errors(observed(0, 1, 100), List.of(new Observation(OTHER, 1, 0, 100))))
                .isEmpty();
    }

    @Test
    void linesOfReadingsAreThoseThroughTheirTimes() {
        Readings readings = new Readings(observed(0, 1, 13, 2, 16, 4, 22, 100, 1000));
        assertThat(readings.first(PROBE)).isEqualTo(13);
        assertThat(readings.line(PROBE, 4).intercept()).isCloseTo(10, within(1e-9));
        assertThat(readings.line(PROBE, 4).slope()).isCloseTo(3, within(1e-9));
        assertThat(readings.lastSlope(PROBE)).isCloseTo(978.0 / 96, within(1e-9));
        Readings straight = new Readings(observed(0, 1, 13, 10, 40, 1000, 3010));
        assertThat(straight.relativeLine(PROBE).intercept()).isCloseTo(10, within(1e-6));
        assertThat(straight.relativeLine(PROBE).slope()).isCloseTo(3, within(1e-6));
        assertThat(readings.of(OTHER)).isEmpty();
    }
}
