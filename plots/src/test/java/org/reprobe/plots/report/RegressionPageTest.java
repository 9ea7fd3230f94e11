package org.reprobe.plots.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.regress.ChangePoints;
import org.reprobe.analysis.regress.Comparison;
import org.reprobe.analysis.regress.Criteria;
import org.reprobe.analysis.regress.Directions;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.analysis.regress.ResultComparison;
import org.reprobe.analysis.regress.RunHistory;
import org.xml.sax.InputSource;

class RegressionPageTest {
    private static final Pattern SVG = Pattern.compile("<svg .*?</svg>", Pattern.DOTALL);

    private static Measurement run(String cell, int repeat, Kind kind, double throughput) {
        return new Measurement(
                "s <i>",
                new Cell(Map.of("scheme", cell)),
                repeat,
                1,
                "f",
                kind,
                true,
                null,
                Map.of(Metrics.THROUGHPUT, throughput));
    }

    private static String historyPage() {
        SplittableRandom random = new SplittableRandom(2);
        List<HistoryEntry> entries = new ArrayList<>();
        for (int night = 0; night < 40; night++) {
            double level = night < 25 ? 1e6 : 0.85e6;
            entries.add(HistoryEntry.of(
                    OffsetDateTime.parse("2026-09-01T00:00:00Z").plusDays(night),
                    Map.of("commit", "c" + night),
                    "m",
                    List.of(
                            run("a & b", 0, Kind.MEASURED, level * (1 + 0.01 * random.nextGaussian())),
                            run("steady", 0, Kind.SIMULATED, 5e6)),
                    _ -> Map.of("nic", "c")));
        }
        RunHistory history = RunHistory.of(
                entries,
                List.of(),
                new RunHistory.Options(ChangePoints.Options.DEFAULT, 30, List.of(), Directions.BY_NAME));
        return RegressionPage.html("History", "./run.sh regress", Map.of("kernel", "6.8"), history);
    }

    private static List<String> plots(String page) {
        Matcher matcher = SVG.matcher(page);
        List<String> plots = new ArrayList<>();
        while (matcher.find()) {
            plots.add(matcher.group());
        }
        return plots;
    }

    /** Returns the number of straight lines that have this colour and width. */
    private static long lines(String plot, String color, String width) {
        return Pattern.compile("d=\"M[^ML]*L[^ML]*\" stroke=\"" + color + "\" stroke-width=\"" + width + "\"")
                .matcher(plot)
                .results()
                .count();
    }

    @Test
    void aPlotShowsEveryNightEveryLevelAndEveryChange() throws Exception {
        List<String> plots = plots(historyPage());
        assertThat(plots).hasSize(2);
        assertThat(plots.get(0).split("<title>", -1)).hasSize(41);
        assertThat(lines(plots.get(0), "#a3260f", "1.4")).isEqualTo(1);
        assertThat(lines(plots.get(0), "#222222", "1.6")).isEqualTo(2);
        assertThat(lines(plots.get(1), "#a3260f", "1.4")).isZero();
        for (String plot : plots) {
            DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(plot)));
            assertThat(plot).doesNotContain("NaN").doesNotContain("Infinity");
        }
    }

    @Test
    void changedRowsPrecedeUnchangedOnes() {
        String page = historyPage();
        assertThat(page.indexOf("Metrics with possible changes")).isBetween(1, page.indexOf(">Unchanged<"));
        assertThat(page).contains("since c25");
    }

    @Test
    void namesAreTextAndPagesLoadNoOtherFiles() {
        String page = historyPage();
        assertThat(page).containsPattern("s &lt;i(>|&gt;)").doesNotContain("s <i>");
        assertThat(page).doesNotContain("src=\"http").doesNotContain(" src=").doesNotContain("@import");
    }

    @Test
    void aComparisonHasAPlotAMetricWithAnIntervalACell() throws Exception {
        List<Measurement> base = new ArrayList<>();
        List<Measurement> now = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(3);
        for (String cell : List.of("one", "two", "three")) {
            for (int i = 0; i < 10; i++) {
                base.add(run(cell, i, Kind.MEASURED, 1e6 * (1 + 0.02 * random.nextGaussian())));
                now.add(run(cell, i, Kind.MEASURED, 0.8e6 * (1 + 0.02 * random.nextGaussian())));
            }
        }
        // A single run: no interval, and so none drawn.
        base.add(run("four", 0, Kind.MEASURED, 1e6));
        now.add(run("four", 0, Kind.MEASURED, 1e6));
        Comparison comparison = ResultComparison.of(base, now, Criteria.DEFAULT, List.of());
        List<String> plots = plots(RegressionPage.html("t", "c", Map.of(), comparison));
        assertThat(plots).hasSize(1);
        assertThat(lines(plots.getFirst(), "#a3260f", "1.6")).isEqualTo(3);
        assertThat(Pattern.compile("translate\\([0-9.]+ ([0-9.]+)\\)[^>]*class=\"p\"")
                        .matcher(plots.getFirst())
                        .results()
                        .map(hint -> hint.group(1)))
                .containsExactly("14.5", "23.5", "32.5", "41.5");
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(plots.getFirst())));
    }
}
