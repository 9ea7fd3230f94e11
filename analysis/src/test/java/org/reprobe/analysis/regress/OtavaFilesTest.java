package org.reprobe.analysis.regress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.measurement.Kind;
import tools.jackson.databind.JsonNode;

/** Histories in the format of Apache Otava's CSV importer: a time, attributes, and a number in every field. */
class OtavaFilesTest {
    private static SeriesHistory series(String cell, String metric, int from, int to) {
        List<SeriesHistory.Point> points = java.util.stream.IntStream.range(from, to)
                .mapToObj(i -> new SeriesHistory.Point(
                        OffsetDateTime.parse("2026-11-0" + (1 + i) + "T03:00:00Z"),
                        i == 1 ? "abc" + i + "+changes" : "abc" + i,
                        1.5 * i))
                .toList();
        return new SeriesHistory(
                "figure-7",
                cell,
                metric,
                Kind.MEASURED,
                Direction.of(metric),
                points,
                List.of(),
                RegressionVerdict.SAME,
                "");
    }

    @Test
    void metricsThatWereMeasuredTogetherShareAFileWithoutGaps() throws Exception {
        RunHistory history = new RunHistory(
                "m",
                List.of(
                        series("linear,load-factor=0.5", "throughput_ops_per_s", 0, 3),
                        series("linear,load-factor=0.5", "latency_ns.p50", 0, 3),
                        series("linear,load-factor=0.5", "latency_ns.p99", 1, 3)),
                List.of(),
                false);
        Map<String, String> files = OtavaFiles.of(history);
        assertThat(files.keySet())
                .containsExactly(
                        "figure-7.linear-load-factor=0.5.csv", "figure-7.linear-load-factor=0.5-2.csv", "otava.yaml");
        assertThat(files).containsEntry("figure-7.linear-load-factor=0.5.csv", """
                        time,commit,throughput_ops_per_s,latency_ns.p50
                        2026-11-01T03:00:00Z,abc0,0.0,0.0
                        2026-11-02T03:00:00Z,abc1-changes,1.5,1.5
                        2026-11-03T03:00:00Z,abc2,3.0,3.0
                        """);
        JsonNode tests = Document.parse("otava.yaml", Objects.requireNonNull(files.get("otava.yaml")))
                .root()
                .get("tests");
        assertThat(tests.size()).isEqualTo(2);
        tests.forEachEntry((name, test) -> {
            String csv = Objects.requireNonNull(files.get(test.get("file").stringValue()));
            List<String> columns = List.of(csv.lines().findFirst().orElseThrow().split(","));
            assertThat(test.get("type").stringValue()).isEqualTo("csv");
            assertThat(columns).contains(test.get("time_column").stringValue());
            test.get("attributes").forEach(attribute -> assertThat(columns).contains(attribute.stringValue()));
            test.get("metrics").forEachEntry((metric, about) -> {
                assertThat(columns).contains(metric);
                assertThat(about.get("direction").intValue()).isEqualTo(metric.startsWith("lat") ? -1 : 1);
            });
            Pattern whole = Pattern.compile("[^,]+(,[^,]+){" + (columns.size() - 1) + "}");
            assertThat(csv.lines()).allMatch(line -> whole.matcher(line).matches());
        });
    }
}
