package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.run.SampleAccuracy.Point;
import org.reprobe.run.SampleAccuracy.Verdict;
import org.reprobe.testing.Seeds;

/** Share of {@code ./run.sh bench SampleProof} that takes seconds. */
class SampleAccuracyTest {
    @ParameterizedTest
    @CsvSource({
        "uniform, 'scheme: linear-variable, linear-probing: {read-slots: 5}'",
        "zipf, 'scheme: linear-variable, linear-probing: {read-slots: 64}'",
        "uniform, 'scheme: hopscotch-chained'",
        "uniform, 'scheme: cuckoo-sequential'"
    })
    void briefRunsFindWhatTheTableAndLongRunsSay(String keys, String scheme) throws Exception {
        String yaml = """
            title: Sample
            clients: {machines: 1, threads: 4}
            connection: {send-queue: 32}
            table: {records: 5000}
            workload: {keys: %s}
            sweep: {load-factor: [0.5, 0.9]}
            %s
            """.formatted(keys, scheme.replace(", ", "\n"));

        List<Point> points = SampleAccuracy.points(keys, yaml, Map.of(0.5, 10, 5.0, 2), Seeds.seed());

        assertThat(points).hasSizeGreaterThanOrEqualTo(2);
        assertThat(points.stream()
                        .filter(point -> point.verdict() == Verdict.WRONG)
                        .map(Point::line))
                .as(Seeds.replay())
                .isEmpty();
    }

    @Test
    void runsOfTwoRoundLookupsSaySoUntilTheseHaveSettled() throws Exception {
        String yaml = """
            title: Sample
            clients: {machines: 1, threads: 6}
            connection: {send-queue: 64}
            table: {records: 20000, storage: heap}
            workload: {keys: uniform}
            load-factor: 0.5
            scheme: linear-variable
            linear-probing: {read-slots: 16}
            """;

        List<Point> points =
                SampleAccuracy.points("heap", yaml, Map.of(1.0, 2, 10.0, 1, 30.0, 2, 300.0, 1), Seeds.seed());

        assertThat(points.stream().filter(point -> point.durationMs() == 1))
                .as(Seeds.replay())
                .singleElement()
                .extracting(Point::verdict)
                .isEqualTo(Verdict.WARNED);
        assertThat(points.stream().filter(point -> point.durationMs() == 30).map(Point::verdict))
                .as(Seeds.replay())
                .hasSize(4)
                .doesNotContain(Verdict.WRONG, Verdict.WARNED);
    }
}
