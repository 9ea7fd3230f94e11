package org.reprobe.analysis.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.claims.ClaimResult.Status;
import org.reprobe.analysis.measurement.Kind;

class ClaimCheckTest {
    @TempDir
    Path folder;

    private ClaimResult check(String body, SampleRuns runs) throws Exception {
        return ClaimCheck.evaluate(SampleRuns.claims(folder, body), runs.all, Comparability.PRESUMED)
                .getFirst();
    }

    @Test
    void aValueHoldsUpToItsToleranceAndMissesBeyond() throws Exception {
        String body =
                "value: {metric: m, cell: {scheme: a}}, published: 1.22, tolerance: {unit-of-last-digit: 0.01}, cause: why";
        ClaimResult exact = check(body, new SampleRuns().add("s", "scheme=a", "m", 1.22));
        assertThat(exact.status()).isEqualTo(Status.HOLDS);
        assertThat(exact.cause()).as("what is behind a claim that holds").isEqualTo("why");
        assertThat(exact.kinds()).containsExactly(Kind.SIMULATED);
        assertThat(exact.interval()).isNaN();
        assertThat(check(body, new SampleRuns().add("s", "scheme=a", "m", 1.23)).status())
                .isEqualTo(Status.HOLDS);
        assertThat(check(body, new SampleRuns().add("s", "scheme=a", "m", 1.21)).status())
                .isEqualTo(Status.HOLDS);
        ClaimResult missed = check(body, new SampleRuns().add("s", "scheme=a", "m", 1.2301));
        assertThat(missed.status()).isEqualTo(Status.MISSED);
        assertThat(missed.cause()).isEqualTo("why");
        assertThat(missed.difference()).isCloseTo(0.0101, within(1e-12));
    }

    @Test
    void anExactValueForgivesNothing() throws Exception {
        String body = "value: {metric: m, cell: {scheme: a}}, published: 23, tolerance: exact";
        assertThat(check(body, new SampleRuns().add("s", "scheme=a", "m", 23, 23))
                        .status())
                .isEqualTo(Status.HOLDS);
        assertThat(check(body, new SampleRuns().add("s", "scheme=a", "m", 23.001, 23.001))
                        .status())
                .isEqualTo(Status.MISSED);
    }

    @Test
    void repeatsAreAveragedWithTheirInterval() throws Exception {
        String body = "value: {metric: m, cell: {scheme: a}, scale: 1.0e-6}, published: 2, tolerance: {percent: 7}";
        ClaimResult result = check(body, new SampleRuns().add("s", "scheme=a", "m", 1e6, 2e6, 3e6));
        assertThat(result.reproduced()).isCloseTo(2, within(1e-12));
        assertThat(result.tolerance()).isCloseTo(0.14, within(1e-12));
        // t(0.975, 2) = 4.30265 (any table), standard error 1 / sqrt(3)
        assertThat(result.interval()).isCloseTo(4.30265 / Math.sqrt(3), within(1e-5));
    }

    @Test
    void aComplementIsOneMinusTheMetricBeforeScaling() throws Exception {
        String body =
                "value: {metric: f.2, cell: {scheme: a}, complement: true, scale: 100}, at-least: 89, tolerance: {unit-of-last-digit: 1}";
        ClaimResult result = check(body, new SampleRuns().add("s", "scheme=a", "f.2", 0.12));
        assertThat(result.reproduced()).isCloseTo(88, within(1e-9));
        assertThat(result.status()).isEqualTo(Status.HOLDS);
        assertThat(check(body, new SampleRuns().add("s", "scheme=a", "f.2", 0.1201))
                        .status())
                .isEqualTo(Status.MISSED);
    }

    @Test
    void strictRelationsRefuseEquality() throws Exception {
        SampleRuns equal = new SampleRuns().add("s", "scheme=a", "m", 1);
        String value = "value: {metric: m, cell: {scheme: a}}, ";
        assertThat(check(value + "above: 1", equal).status()).isEqualTo(Status.MISSED);
        assertThat(check(value + "below: 1", equal).status()).isEqualTo(Status.MISSED);
        assertThat(check(value + "at-least: 1", equal).status()).isEqualTo(Status.HOLDS);
        assertThat(check(value + "at-most: 1", equal).status()).isEqualTo(Status.HOLDS);
        assertThat(check(value + "above: 0.999", equal).status()).isEqualTo(Status.HOLDS);
        assertThat(check(value + "below: 1.001", equal).status()).isEqualTo(Status.HOLDS);
        assertThat(check(value + "above: 0", new SampleRuns().add("s", "scheme=a", "m", 0))
                        .status())
                .isEqualTo(Status.MISSED);
        assertThat(check(value + "at-most: 0.9, tolerance: {percent: 10}", equal)
                        .status())
                .isEqualTo(Status.MISSED);
        assertThat(check(value + "at-most: 0.95, tolerance: {percent: 10}", equal)
                        .status())
                .isEqualTo(Status.HOLDS);
    }

    @Test
    void combinedQuantitiesAreComputedFromTheirParts() throws Exception {
        SampleRuns runs = new SampleRuns().add("s", "scheme=a", "m", 44).add("s", "scheme=b", "m", 35.2);
        String a = "{metric: m, cell: {scheme: a}}";
        String b = "{metric: m, cell: {scheme: b}}";
        assertThat(check("ratio: {of: " + a + ", to: " + b + "}, published: 1.25", runs)
                        .status())
                .isEqualTo(Status.HOLDS);
        assertThat(check("difference: {of: " + a + ", minus: " + b + "}, published: 8.8", runs)
                        .status())
                .isEqualTo(Status.HOLDS);
        assertThat(check("drop-percent: {of: " + b + ", from: " + a + "}, published: 20", runs)
                        .status())
                .isEqualTo(Status.HOLDS);
        assertThat(check("product: {of: " + a + ", by: " + b + "}, published: 1548.8", runs)
                        .status())
                .isEqualTo(Status.HOLDS);
        String nested = "ratio: {of: {ratio: {of: " + a + ", to: " + b + "}}, to: {ratio: {of: " + b + ", to: " + a
                + "}}}, published: 1.5625";
        assertThat(check(nested, runs).status()).isEqualTo(Status.HOLDS);
    }

    @Test
    void aRatioIsTakenRepeatByRepeatSinceRepeatsShareTheirTables() throws Exception {
        // Tables differ by a factor of two, the ratio within each is about 2.
        SampleRuns runs =
                new SampleRuns().add("s", "scheme=a", "m", 99, 202, 401).add("s", "scheme=b", "m", 50, 100, 200);
        ClaimResult result = check(
                "ratio: {of: {metric: m, cell: {scheme: a}}, to: {metric: m, cell: {scheme: b}}}, published: 2", runs);
        assertThat(result.reproduced()).isCloseTo((99 / 50.0 + 202 / 100.0 + 401 / 200.0) / 3, within(1e-12));
        // t(0.975, 2) = 4.30265; the ratios' standard deviation is 0.020207
        assertThat(result.interval()).isCloseTo(4.30265 * 0.0202073 / Math.sqrt(3), within(1e-6));
    }

    @Test
    void aRatioOfDifferentNumbersOfRepeatsHasTheIntervalOfIndependentParts() throws Exception {
        SampleRuns runs = new SampleRuns().add("s", "scheme=a", "m", 99, 101).add("s", "scheme=b", "m", 50);
        assertThat(check(
                                "ratio: {of: {metric: m, cell: {scheme: a}}, to: {metric: m, cell: {scheme: b}}}, published: 2",
                                runs)
                        .interval())
                .isNaN();
        runs.add("s", "scheme=c", "m", 50, 49, 51);
        // t(0.975, 1) = 12.7062, standard error 1; t(0.975, 2) = 4.30265, standard error 1 / sqrt(3)
        assertThat(check(
                                "ratio: {of: {metric: m, cell: {scheme: a}}, to: {metric: m, cell: {scheme: c}}}, published: 2",
                                runs)
                        .interval())
                .isCloseTo(Math.hypot(12.7062 / 50, 2 * 4.30265 / Math.sqrt(3) / 50), within(1e-4));
    }

    @Test
    void aClaimWhoseIntervalSpansItsBoundIsUndecided() throws Exception {
        String equals = "value: {metric: m, cell: {scheme: a}}, published: 7.41, tolerance: {unit-of-last-digit: 0.01}";
        SampleRuns wide = new SampleRuns().add("s", "scheme=a", "m", 7.3, 7.428, 7.556);
        assertThat(check(equals, wide).status()).as("wider than the tolerance").isEqualTo(Status.CANT_TELL);
        SampleRuns over = new SampleRuns().add("s", "scheme=a", "m", 7.418, 7.419, 7.42);
        assertThat(check(equals, over).status()).as("over one end").isEqualTo(Status.CANT_TELL);
        SampleRuns inside = new SampleRuns().add("s", "scheme=a", "m", 7.409, 7.41, 7.411);
        assertThat(check(equals, inside).status()).isEqualTo(Status.HOLDS);
        SampleRuns outside = new SampleRuns().add("s", "scheme=a", "m", 7.429, 7.43, 7.431);
        assertThat(check(equals, outside).status()).isEqualTo(Status.MISSED);
        String above = "value: {metric: m, cell: {scheme: a}}, above: 1";
        assertThat(check(above, new SampleRuns().add("s", "scheme=a", "m", 0.9, 1.1, 1.3))
                        .status())
                .isEqualTo(Status.CANT_TELL);
        assertThat(check(above, new SampleRuns().add("s", "scheme=a", "m", 1.1, 1.11, 1.12))
                        .status())
                .isEqualTo(Status.HOLDS);
    }

    @Test
    void equivalenceNeedsTheWholeIntervalWithinTheMargin() throws Exception {
        String ratio = "ratio: {of: {metric: m, cell: {scheme: a}}, to: {metric: m, cell: {scheme: b}}}"
                + ", equivalent-within: {percent: 5}";
        SampleRuns still = new SampleRuns().add("s", "scheme=b", "m", 1, 1, 1);
        ClaimResult inside = check(ratio, still.add("s", "scheme=a", "m", 1.03, 1.031, 1.032));
        assertThat(inside.status())
                .as("significantly different, but equivalent")
                .isEqualTo(Status.HOLDS);
        assertThat(inside.published()).isEqualTo(1);
        assertThat(inside.relativeError()).as("no printed number").isNaN();
        assertThat(EvidenceCount.Group.of(inside)).isEqualTo(EvidenceCount.Group.TABLES);
        SampleRuns across =
                new SampleRuns().add("s", "scheme=a", "m", 1.03, 1.045, 1.06).add("s", "scheme=b", "m", 1, 1, 1);
        assertThat(check(ratio, across).status()).isEqualTo(Status.CANT_TELL);
        SampleRuns outside =
                new SampleRuns().add("s", "scheme=a", "m", 0.92, 0.921, 0.922).add("s", "scheme=b", "m", 1, 1, 1);
        assertThat(check(ratio, outside).status()).isEqualTo(Status.MISSED);
        String rise = "rise-percent: {of: {metric: m, cell: {scheme: a}}, over: {metric: m, cell: {scheme: b}}}"
                + ", equivalent-within: {percent: 5}";
        assertThat(check(rise, across).status()).isEqualTo(Status.CANT_TELL);
        assertThat(check(rise, outside).status()).isEqualTo(Status.MISSED);
        assertThat(check(rise, outside).published()).isZero();
        String spread = "value: {metric: m}, over: {scheme: [a, b]}, take: spread, equivalent-within: {percent: 9}";
        assertThat(check(spread, outside).status()).isEqualTo(Status.HOLDS);
    }

    @Test
    void aRateOfAnUnreliableIntervalIsUndecidedWhateverItsNumber() throws Exception {
        String warning = "waves; use a longer measure.duration-ms";
        String value = "value: {metric: latency_ns.p50, cell: {scheme: a}}, published: 1, cause: known";
        for (double reproduced : new double[] {1, 5}) {
            ClaimResult result = check(
                    value, new SampleRuns().warned("s", "scheme=a", "latency_ns.p50", warning, reproduced, reproduced));
            assertThat(result.status()).isEqualTo(Status.CANT_TELL);
            assertThat(result.cause()).isEqualTo("a: " + warning);
        }
        SampleRuns two = new SampleRuns()
                .warned("s", "scheme=a,load=1", "latency_ns.p50", warning, 1)
                .warned("s", "scheme=a,load=2", "latency_ns.p50", warning, 1);
        assertThat(check("value: {metric: latency_ns.p50}, over: {scheme: [a], load: all}, published: 1", two)
                        .cause())
                .endsWith(warning + " (first of 2 warnings)");
        String few = "only 12 operations were sampled: p99 needs 1000";
        assertThat(check(value, new SampleRuns().warned("s", "scheme=a", "latency_ns.p50", few, 1, 1))
                        .status())
                .as("a warning about something else")
                .isEqualTo(Status.HOLDS);
        assertThat(check(
                                "value: {metric: requests, cell: {scheme: a}}, published: 1",
                                new SampleRuns().warned("s", "scheme=a", "requests", warning, 1, 1))
                        .status())
                .as("a count")
                .isEqualTo(Status.HOLDS);
    }

    /** A single draw that exceeded its bound by 0.06 % was a claim that held; with another seed it was missed. */
    @Test
    void aRateOfOneRunIsUndecidedWithinTwoPercentOfItsLimit() throws Exception {
        String rate = "value: {metric: throughput_ops_per_s, cell: {scheme: a}}, ";
        ClaimResult near = check(
                rate + "at-least: 100, cause: known",
                new SampleRuns().add("s", "scheme=a", "throughput_ops_per_s", 101));
        assertThat(near.status()).isEqualTo(Status.CANT_TELL);
        assertThat(near.cause()).isEqualTo("one run, within 2 % of the limit. known");
        assertThat(near.isOfOneRun()).isTrue();
        assertThat(near.interval()).isNaN();
        assertThat(oneRun(rate + "at-least: 100", 103)).isEqualTo(Status.HOLDS);
        assertThat(oneRun(rate + "at-least: 100", 97)).isEqualTo(Status.MISSED);
        assertThat(oneRun(rate + "published: 100, tolerance: {percent: 7}", 106))
                .isEqualTo(Status.CANT_TELL);
        assertThat(oneRun(rate + "published: 100, tolerance: {percent: 7}", 104))
                .isEqualTo(Status.HOLDS);
        ClaimResult three = check(
                rate + "at-least: 100", new SampleRuns().add("s", "scheme=a", "throughput_ops_per_s", 101, 101, 101));
        assertThat(three.status()).isEqualTo(Status.HOLDS);
        assertThat(three.isOfOneRun()).isFalse();
        ClaimResult count = check(
                "value: {metric: m, cell: {scheme: a}}, at-least: 100",
                new SampleRuns().add("s", "scheme=a", "m", 101));
        assertThat(count.status()).as("a count").isEqualTo(Status.HOLDS);
        assertThat(count.isOfOneRun()).isTrue();
    }

    @Test
    void aRatioOfRatesOfOneRunIsUndecidedWithinTwoPercentOfItsLimit() throws Exception {
        String a = "{metric: throughput_ops_per_s, cell: {scheme: a}}";
        String b = "{metric: throughput_ops_per_s, cell: {scheme: b}}";
        String ratio = "ratio: {of: " + a + ", to: " + b + "}, above: 1";
        String rise = "rise-percent: {of: " + a + ", over: " + b + "}, above: 0";
        String difference = "difference: {of: " + a + ", minus: " + b + "}, above: 0";
        String largest =
                "largest: {of: {metric: throughput_ops_per_s}, at: {scheme: a}, among: {scheme: all}}, published: 1";
        for (String body : List.of(ratio, rise, difference, largest)) {
            assertThat(oneRun(body, 101)).as(body).isEqualTo(Status.CANT_TELL);
            assertThat(oneRun(body, 103)).as(body).isEqualTo(Status.HOLDS);
            assertThat(oneRun(body, 97)).as(body).isEqualTo(Status.MISSED);
        }
    }

    private Status oneRun(String body, double rate) throws Exception {
        return check(
                        body,
                        new SampleRuns()
                                .add("s", "scheme=a", "throughput_ops_per_s", rate)
                                .add("s", "scheme=b", "throughput_ops_per_s", 100))
                .status();
    }

    @Test
    void aMissedCellOutweighsAnUndecidedOne() throws Exception {
        SampleRuns runs = new SampleRuns().add("s", "load=1", "m", 3, 3, 3).add("s", "load=2", "m", 1, 2, 9);
        String value = "value: {metric: m}, over: {load: [1, 2]}, ";
        assertThat(check(value + "published: 3", runs).status()).isEqualTo(Status.CANT_TELL);
        assertThat(check(value + "published: 4", runs).status()).isEqualTo(Status.MISSED);
        assertThat(check(value + "published: 4", runs).reproduced()).isEqualTo(3);
    }

    @Test
    void anUncertainLeadIsUndecided() throws Exception {
        String largest = "largest: {of: {metric: m}, at: {r: 2}, among: {r: all}}, published: 1";
        SampleRuns narrow = new SampleRuns().add("s", "r=1", "m", 10, 11, 12).add("s", "r=2", "m", 10, 11.5, 12.1);
        assertThat(check(largest, narrow).status()).isEqualTo(Status.CANT_TELL);
        SampleRuns clear = new SampleRuns().add("s", "r=1", "m", 10, 11, 12).add("s", "r=2", "m", 11, 12.1, 13.2);
        assertThat(check(largest, clear).status()).isEqualTo(Status.HOLDS);
        assertThat(check(largest, clear).reproduced()).isEqualTo(1);
    }

    @Test
    void runsWithOtherSettingsAreNotComparable() throws Exception {
        Comparability other = (scenario, cell, metric) -> List.of("nic x instead of y", "for " + cell.get("scheme"));
        String body = "value: {metric: m, cell: {scheme: a}}, published: 1, cause: why";
        ClaimResult result = ClaimCheck.evaluate(
                        SampleRuns.claims(folder, body), new SampleRuns().add("s", "scheme=a", "m", 1).all, other)
                .getFirst();
        assertThat(result.status()).isEqualTo(Status.NOT_COMPARABLE);
        assertThat(result.cause()).isEqualTo("nic x instead of y; for a");
        assertThat(result.reproduced()).isEqualTo(1);
        assertThat(ClaimCheck.evaluate(SampleRuns.claims(folder, body), List.of(), other)
                        .getFirst()
                        .status())
                .isEqualTo(Status.NOT_MEASURED);
    }

    @Test
    void aFormulasAnswerIsPredictedEvenAmongSimulatedRuns() throws Exception {
        String body = "value: {metric: read_size_slots, cell: {scheme: a}}, published: 23";
        ClaimResult result = check(body, new SampleRuns().add("s", "scheme=a", "read_size_slots", 23));
        assertThat(result.kinds()).containsExactly(Kind.PREDICTED);
        assertThat(result.evidence()).isEqualTo(Evidence.MODEL);
    }

    @Test
    void evidenceFollowsFromMetricsUnlessTheFileOverridesIt() throws Exception {
        String rate = "value: {metric: throughput_ops_per_s, cell: {scheme: a}}, published: 1";
        String count = "value: {metric: requests_per_lookup, cell: {scheme: a}}, published: 1";
        assertThat(SampleRuns.claims(folder, rate).getFirst().evidence()).isEqualTo(Evidence.PERFORMANCE);
        assertThat(SampleRuns.claims(folder, count).getFirst().evidence()).isEqualTo(Evidence.TABLES);
        assertThat(SampleRuns.claims(folder, count + ", evidence: input")
                        .getFirst()
                        .evidence())
                .isEqualTo(Evidence.INPUT);
    }

    @Test
    void aDerivedValueIsNotCalledPublished() throws Exception {
        String body = "value: {metric: m, cell: {scheme: a}}, derived: 15";
        ClaimResult result = check(body, new SampleRuns().add("s", "scheme=a", "m", 15));
        assertThat(result.status()).isEqualTo(Status.HOLDS);
        assertThat(result.derived()).isTrue();
    }

    @Test
    void aRiseIsByHowManyPercentTheFirstIsHigher() throws Exception {
        SampleRuns runs = new SampleRuns().add("s", "scheme=a", "m", 61).add("s", "scheme=b", "m", 50);
        assertThat(check(
                                "rise-percent: {of: {metric: m, cell: {scheme: a}}, over: {metric: m, cell: {scheme: b}}}, published: 22",
                                runs)
                        .status())
                .isEqualTo(Status.HOLDS);
    }

    @Test
    void overSelectsExtremeMeanOrSpreadOfTheCells() throws Exception {
        SampleRuns runs = new SampleRuns()
                .add("s", "load=1", "m", 2)
                .add("s", "load=2", "m", 8)
                .add("s", "load=3", "m", 5);
        String value = "value: {metric: m}, over: {load: [1, 2, 3]}, ";
        assertThat(check(value + "take: highest, published: 8", runs).reproduced())
                .isEqualTo(8);
        assertThat(check(value + "take: lowest, published: 2", runs).reproduced())
                .isEqualTo(2);
        assertThat(check(value + "take: mean, published: 5", runs).reproduced()).isEqualTo(5);
        assertThat(check(value + "take: spread, published: 4", runs).reproduced())
                .isEqualTo(4);
    }

    @Test
    void eachReportsTheCellThatIsFurthestOff() throws Exception {
        SampleRuns runs = new SampleRuns()
                .add("s", "load=1", "m", 2)
                .add("s", "load=2", "m", 8)
                .add("s", "load=3", "m", 5);
        String value = "value: {metric: m}, over: {load: all}, ";
        assertThat(check(value + "published: 4", runs).reproduced()).isEqualTo(8);
        assertThat(check(value + "published: 7", runs).reproduced()).isEqualTo(2);
        assertThat(check(value + "at-least: 3", runs).reproduced()).isEqualTo(2);
        ClaimResult max = check(value + "at-most: 8", runs);
        assertThat(max.reproduced()).isEqualTo(8);
        assertThat(max.status()).isEqualTo(Status.HOLDS);
    }

    @Test
    void aRangeOfACellKeySelectsTheMeasuredValuesWithinIt() throws Exception {
        SampleRuns runs = new SampleRuns()
                .add("s", "x=-12", "m", 5)
                .add("s", "x=-10", "m", 5)
                .add("s", "x=-9", "m", 1);
        assertThat(check("value: {metric: m}, over: {x: {at-most: -10}}, published: 5", runs)
                        .status())
                .isEqualTo(Status.HOLDS);
        assertThat(check("value: {metric: m}, over: {x: {at-most: -9}}, published: 5", runs)
                        .status())
                .isEqualTo(Status.MISSED);
        ClaimResult none = check("value: {metric: m}, over: {x: {at-least: 0}}, published: 5", runs);
        assertThat(none.status()).isEqualTo(Status.NOT_MEASURED);
        assertThat(none.cause()).isEqualTo("no run of s with any cell has an allowed value of x");
    }

    @Test
    void anotherScenariosCellMayBeWithoutAKeyOfOver() throws Exception {
        SampleRuns runs = new SampleRuns().add("s", "load=1,x=-10", "m", 5).add("t", "load=1", "m", 5);
        assertThat(check(
                                "difference: {of: {metric: m}, minus: {scenario: t, metric: m, without: [x]}}, over: {load: [1], x: all}, published: 0",
                                runs)
                        .status())
                .isEqualTo(Status.HOLDS);
    }

    @Test
    void theLargestIsRelativeToItsRivals() throws Exception {
        SampleRuns runs = new SampleRuns()
                .add("s", "r=7", "m", 42)
                .add("s", "r=13", "m", 40)
                .add("s", "r=23", "m", 35);
        String atThirteen = "largest: {of: {metric: m}, at: {r: 13}, among: {r: all}}, published: 1";
        assertThat(check(atThirteen, runs).status()).isEqualTo(Status.MISSED);
        assertThat(check(atThirteen + ", tolerance: {percent: 7}", runs).status())
                .isEqualTo(Status.HOLDS);
        ClaimResult bounded =
                check("largest: {of: {metric: m}, at: {r: 13}, among: {r: {at-least: 10}}}, published: 1", runs);
        assertThat(bounded.reproduced()).isEqualTo(1);
        assertThat(bounded.status()).isEqualTo(Status.HOLDS);
        assertThat(check("smallest: {of: {metric: m}, at: {r: 23}, among: {r: all}}, published: 1", runs)
                        .status())
                .isEqualTo(Status.HOLDS);
        assertThat(check("smallest: {of: {metric: m}, at: {r: 13}, among: {r: all}}, published: 1", runs)
                        .reproduced())
                .isCloseTo(40.0 / 35, within(1e-12));
        assertThat(check("largest: {of: {metric: m}, at: {r: 5}, among: {r: all}}, published: 1", runs)
                        .status())
                .isEqualTo(Status.NOT_MEASURED);
    }

    @Test
    void aSignificanceIsWelchsTest() throws Exception {
        String test =
                "significance: {of: {metric: m, cell: {scheme: a}}, against: {metric: m, cell: {scheme: b}}, is: %s, level: 0.05}";
        SampleRuns close =
                new SampleRuns().add("s", "scheme=a", "m", 10, 11, 12).add("s", "scheme=b", "m", 10.1, 11.3, 12);
        assertThat(check(test.formatted("not significant"), close).status()).isEqualTo(Status.HOLDS);
        assertThat(check(test.formatted("significant"), close).status()).isEqualTo(Status.MISSED);
        SampleRuns apart =
                new SampleRuns().add("s", "scheme=a", "m", 10, 11, 12).add("s", "scheme=b", "m", 20, 21, 22);
        assertThat(check(test.formatted("not significant"), apart).status()).isEqualTo(Status.MISSED);
        assertThat(check(test.formatted("significant"), apart).status()).isEqualTo(Status.HOLDS);
        SampleRuns still = new SampleRuns().add("s", "scheme=a", "m", 10, 10).add("s", "scheme=b", "m", 10, 10);
        assertThat(check(test.formatted("not significant"), still).reproduced()).isEqualTo(1);
        SampleRuns stillApart =
                new SampleRuns().add("s", "scheme=a", "m", 10, 10).add("s", "scheme=b", "m", 11, 11);
        assertThat(check(test.formatted("significant"), stillApart).reproduced())
                .isEqualTo(0);
        ClaimResult single = check(
                test.formatted("significant"),
                new SampleRuns().add("s", "scheme=a", "m", 10, 10).add("s", "scheme=b", "m", 11));
        assertThat(single.status()).isEqualTo(Status.NOT_MEASURED);
        assertThat(single.cause())
                .isEqualTo("a test of significance needs at least two runs of each cell, but scheme b has one");
    }

    @Test
    void notSignificantInSeveralCellsCorrectsForTheirNumber() throws Exception {
        String body =
                "significance: {of: {metric: m, cell: {scheme: a}}, against: {metric: m, cell: {scheme: b}}, is: not significant, level: 0.05}";
        SampleRuns runs = new SampleRuns();
        for (int load = 1; load <= 4; load++) {
            runs.add("s", "load=" + load + ",scheme=a", "m", 10, 11, 12);
            runs.add(
                    "s",
                    "load=" + load + ",scheme=b",
                    "m",
                    load == 1 ? new double[] {12.2, 13.2, 14.2} : new double[] {10, 11, 12});
        }
        double alone = check(body + ", over: {load: [1]}", runs).reproduced();
        ClaimResult family = check(body + ", over: {load: [1, 2, 3, 4]}", runs);
        assertThat(alone).isBetween(0.02, 0.08);
        assertThat(family.reproduced()).isCloseTo(4 * alone, within(1e-12));
        assertThat(family.status()).isEqualTo(Status.HOLDS);
    }

    @Test
    void missingRunsAreNamed() throws Exception {
        ClaimResult result = check(
                "value: {metric: m, cell: {scheme: a}}, over: {load: [0.25, 0.5, 0.65]}, published: 1",
                new SampleRuns().add("s", "scheme=a,load=0.25", "m", 1));
        assertThat(result.status()).isEqualTo(Status.NOT_MEASURED);
        assertThat(result.reproduced()).isNaN();
        assertThat(result.kinds()).isEmpty();
        assertThat(result.cause())
                .isEqualTo("no run of s with load 0.5, scheme a; no run of s with load 0.65, scheme a");
    }

    @Test
    void aFailedRunLeavesItsClaimUnmeasured() throws Exception {
        ClaimResult result = check(
                "value: {metric: m, cell: {scheme: a}}, published: 1",
                new SampleRuns()
                        .add("s", "scheme=a", "m", 1, 1)
                        .failed("s", "scheme=a", 2, "a lookup gave a wrong answer"));
        assertThat(result.status()).isEqualTo(Status.NOT_MEASURED);
        assertThat(result.cause()).isEqualTo("run 2 of s with scheme a failed: a lookup gave a wrong answer");
    }

    @Test
    void aMissingMetricIsNamed() throws Exception {
        ClaimResult result = check(
                "value: {metric: other, cell: {scheme: a}}, published: 1",
                new SampleRuns().add("s", "scheme=a", "m", 1));
        assertThat(result.cause()).isEqualTo("run 0 of s with scheme a has no other");
    }

    @Test
    void aCellThatIsNotSingledOutIsRefused() throws Exception {
        ClaimResult result = check(
                "value: {metric: m, cell: {scheme: a}}, published: 1",
                new SampleRuns().add("s", "scheme=a,load=1", "m", 1).add("s", "scheme=a,load=2", "m", 1));
        assertThat(result.status()).isEqualTo(Status.NOT_MEASURED);
        assertThat(result.cause()).isEqualTo("2 cells of s have scheme a: the claim does not identify one of them");
    }

    @Test
    void aClaimThatNamesFabricsMayCompareMeasuredWithSimulatedRuns() throws Exception {
        String body =
                "ratio: {of: {metric: m, cell: {fabric: tcp}}, to: {metric: m, cell: {fabric: sim}}}, published: 2";
        SampleRuns mixed =
                new SampleRuns().add("s", "fabric=sim", "m", 1).add("s", "fabric=tcp", Kind.MEASURED, "m", 2);
        assertThat(check(body, mixed).status()).isEqualTo(Status.HOLDS);
        assertThat(check(body, mixed).kinds()).containsExactly(Kind.MEASURED, Kind.SIMULATED);
    }

    @Test
    void measuredAndSimulatedRunsAreNeverMixed() throws Exception {
        String body = "ratio: {of: {metric: m, cell: {scheme: a}}, to: {metric: m, cell: {scheme: b}}}, published: 1";
        SampleRuns mixed = new SampleRuns().add("s", "scheme=a", "m", 1).add("s", "scheme=b", Kind.MEASURED, "m", 1);
        assertThat(check(body, mixed).status()).isEqualTo(Status.NOT_MEASURED);
        assertThat(check(body, mixed).cause()).contains("never mixed");
        SampleRuns predicted =
                new SampleRuns().add("s", "scheme=a", "m", 1).add("s", "scheme=b", Kind.PREDICTED, "m", 1);
        assertThat(check(body, predicted).status()).isEqualTo(Status.HOLDS);
        assertThat(check(body, predicted).kinds()).containsExactly(Kind.SIMULATED);
    }

    @Test
    void aQuotientByZeroIsNotANumberToReport() throws Exception {
        String body = "ratio: {of: {metric: m, cell: {scheme: a}}, to: {metric: m, cell: {scheme: b}}}, at-least: 1";
        ClaimResult result =
                check(body, new SampleRuns().add("s", "scheme=a", "m", 1).add("s", "scheme=b", "m", 0));
        assertThat(result.status()).isEqualTo(Status.NOT_MEASURED);
        assertThat(result.cause()).isEqualTo("the quantity divides by zero");
    }
}
