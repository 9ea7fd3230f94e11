package org.reprobe.plots.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.claims.ClaimCount;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.regress.Criteria;
import org.reprobe.analysis.regress.RegressionFinding;
import org.reprobe.analysis.regress.ResultComparison;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Display of the page of all results in a browser. */
@Needs(Need.BROWSER)
class ResultsPageInBrowserTest {
    private static final String ROWS = "[...document.querySelectorAll('#results tbody tr')]";
    private static final String SHOWN =
            ROWS + ".filter(row => row.offsetParent !== null).map(row => row.dataset.folder).join()";

    private static final String TYPE =
            "{const field = document.getElementById('find'); field.value = '%s'; field.dispatchEvent(new Event('input'))}";

    @TempDir
    static Path directory;

    private static @Nullable Browser browser;

    private static final Map<String, String> DATA = new HashMap<>();
    private static final List<Measurement> BASE = runs(1, 7, 5);
    private static final List<Measurement> NEW = runs(2, 6, 4);

    /** Measured cells with random values and different numbers of runs, a simulated cell, one with a value of 0. */
    private static List<Measurement> runs(long seed, int first, int second) {
        Random random = new Random(seed);
        List<Measurement> runs = new ArrayList<>();
        for (int cell = 0; cell < 4; cell++) {
            int repeats = cell % 2 == 0 ? first : second;
            for (int repeat = 0; repeat < repeats; repeat++) {
                Map<String, Double> metrics = new LinkedHashMap<>();
                metrics.put(Metrics.THROUGHPUT, 1e6 * Math.exp(random.nextGaussian() * 0.2 + 0.1 * seed));
                metrics.put(Metrics.LATENCY + ".p99", cell == 3 ? repeat : Math.rint(1000 * random.nextDouble()) + 1);
                runs.add(new Measurement(
                        "figure-07",
                        new Cell(Map.of("load-factor", 0.1 * (cell + 1))),
                        repeat,
                        1,
                        "sim",
                        cell == 2 ? Kind.SIMULATED : Kind.MEASURED,
                        true,
                        null,
                        metrics));
            }
        }
        return runs;
    }

    private static String csv(double factor) {
        return "scheme,kind,load-factor,Throughput (million lookups/s),ci95,runs\nlinear-fixed,published,0.1,3,,\n"
                + "linear-fixed,measured,0.1," + factor + ",0.2,3\nlinear-fixed,measured,0.2," + 2 * factor
                + ",0.1,3\n\"other, one\",measured,0.1,1,0.1,3\n";
    }

    private static ResultsPage.Row row(String folder, String scenario, String started, int held, int judged) {
        return new ResultsPage.Row(
                folder,
                "./" + folder + "/report.html",
                "",
                scenario,
                "sim",
                "simulated",
                scenario.startsWith("figure") ? "linear-probing" : "",
                folder.equals("c") ? "connectx6" : "connectx5-edr",
                "2 cores",
                "0123456789ab",
                started,
                "complete",
                true,
                new ClaimCount(held, judged - held, judged),
                DATA.getOrDefault(folder, ""));
    }

    @BeforeAll
    static void start() throws Exception {
        DATA.put(
                "c",
                RunData.of(
                        new RunData.Result(NEW, Map.of("figure-07/f", csv(1.5)), _ -> Map.of("table.records", "8"))));
        DATA.put(
                "it's b",
                RunData.of(new RunData.Result(BASE, Map.of("figure-07/f", csv(1)), _ -> Map.of("table.records", "4"))));
        new ResultsPage(
                        "results",
                        List.of(
                                row("c", "figure-07", "2026-03-01", 9, 10),
                                row("it's b", "figure-07", "2026-02-01", 2, 2),
                                row("a", "<script>alert(1)</script>", "2026-01-01", 0, 0)))
                .write(directory.resolve("index.html"));
        browser = new Browser(Browser.find().orElseThrow());
    }

    @AfterAll
    static void stop() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    private static Browser opened(int width) throws Exception {
        Browser page = java.util.Objects.requireNonNull(browser);
        page.open(directory.resolve("index.html"), width, 800, false);
        return page;
    }

    private static String evaluated(Browser page, String script) throws Exception {
        return page.evaluate(script).asString();
    }

    @Test
    void itFitsAPhoneAndRunsNothingOfATitle() throws Exception {
        for (int width : new int[] {360, 1280}) {
            Browser page = opened(width);
            assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
                    .isLessThanOrEqualTo(width);
            assertThat(page.evaluate("document.querySelectorAll('script:not([type])').length")
                            .asInt())
                    .isOne();
            assertThat(page.complaints()).isEmpty();
        }
    }

    @Test
    void rowsAreFoundByWordsAndSortedByAnyColumn() throws Exception {
        Browser page = opened(1280);
        assertThat(evaluated(page, SHOWN)).isEqualTo("c,it's b,a");
        page.evaluate(TYPE.formatted("FIGURE 2026-02"));
        assertThat(evaluated(page, SHOWN)).isEqualTo("it's b");
        assertThat(evaluated(page, "document.getElementById('shown').textContent"))
                .isEqualTo("1 of 3");
        page.evaluate(TYPE.formatted(""));
        page.evaluate("document.querySelector('#results thead th:last-child button').click()");
        assertThat(evaluated(page, SHOWN)).as("by the share that holds").isEqualTo("it's b,c,a");
        page.evaluate("document.querySelector('#results thead th:last-child button').click()");
        assertThat(evaluated(page, SHOWN)).isEqualTo("a,c,it's b");
        assertThat(page.complaints()).isEmpty();
    }

    @Test
    void twoThatAreChosenGetTheCommandsThatCompareThemOlderFirst() throws Exception {
        Browser page = opened(1280);
        String commands =
                "[...document.querySelectorAll('#comparison .command')].filter(c => c.offsetParent !== null).map(c => c.textContent.replace('Copy', '')).join('\\n')";
        String choose = ROWS + ".forEach(row => row.dataset.folder === '%s' && row.querySelector('input').click())";
        page.evaluate(choose.formatted("c"));
        assertThat(evaluated(page, commands)).isEmpty();
        page.evaluate(choose.formatted("it\\'s b"));
        assertThat(evaluated(page, commands))
                .isEqualTo(
                        "./run.sh regress compare 'results/it'\\''s b' results/c\n./run.sh report 'results/it'\\''s b' results/c");
        // regress compares two, of the same scenario.
        page.evaluate(choose.formatted("a"));
        assertThat(evaluated(page, commands)).isEqualTo("./run.sh report results/a 'results/it'\\''s b' results/c");
        assertThat(evaluated(page, "document.querySelector('.cautions').textContent"))
                .contains("no data of a");
        assertThat(page.complaints()).isEmpty();
    }

    @Test
    void rowsAreFilteredByCardAndPaper() throws Exception {
        Browser page = opened(1280);
        String select =
                "{const facet = document.querySelector('[data-facet=%s]'); facet.value = '%s'; facet.dispatchEvent(new Event('change'))}";
        page.evaluate(select.formatted("card", "connectx5-edr"));
        assertThat(evaluated(page, SHOWN)).isEqualTo("it's b,a");
        page.evaluate(select.formatted("card", ""));
        assertThat(evaluated(page, SHOWN)).isEqualTo("c,it's b,a");
        assertThat(page.evaluate("document.querySelector('[data-facet=fabric]').offsetParent === null")
                        .asBoolean())
                .as("one fabric only")
                .isTrue();
    }

    private static Browser compared(int width) throws Exception {
        Browser page = opened(width);
        page.evaluate(ROWS + ".forEach(row => row.dataset.folder !== 'a' && row.querySelector('input').click())");
        return page;
    }

    /** The page's numbers are those of {@code regress compare}. */
    @Test
    void differencesAreThoseOfTheCommand() throws Exception {
        Browser page = compared(1280);
        JsonNode rows = page.evaluate(
                "JSON.stringify([...document.querySelectorAll('.differences tbody tr')].map(row => ({cell: row.cells[0].textContent, metric: row.cells[1].textContent, text: row.cells[2].textContent, ...row.cells[2].dataset})))");
        JsonNode shown = JsonMapper.shared().readTree(rows.asString());
        List<RegressionFinding> findings =
                ResultComparison.of(BASE, NEW, Criteria.DEFAULT, List.of()).findings();
        assertThat(findings).hasSize(8);
        assertThat(shown).hasSize(findings.size());
        for (JsonNode row : shown) {
            RegressionFinding finding = findings.stream()
                    .filter(one -> one.cell().equals(row.path("cell").asString())
                            && one.metric().equals(row.path("metric").asString()))
                    .findFirst()
                    .orElseThrow();
            if (Double.isNaN(finding.ratio())) {
                assertThat(row.path("text").asString()).contains("no ratio");
                continue;
            }
            assertThat(Double.parseDouble(row.path("ratio").asString()))
                    .isCloseTo(finding.ratio(), Percentage.withPercentage(1e-9));
            if (finding.exact()) {
                assertThat(row.path("low").asString()).isEqualTo("undefined");
                assertThat(row.path("text").asString()).contains(finding.reason());
            } else {
                assertThat(Double.parseDouble(row.path("low").asString()))
                        .isCloseTo(finding.low(), Percentage.withPercentage(1e-9));
                assertThat(Double.parseDouble(row.path("high").asString()))
                        .isCloseTo(finding.high(), Percentage.withPercentage(1e-9));
            }
        }
        assertThat(evaluated(page, "document.querySelector('.cautions').textContent"))
                .contains("other settings: table.records: 8");
        assertThat(page.complaints()).isEmpty();
    }

    @Test
    void figuresOfTheChosenAreDrawnOnEachOther() throws Exception {
        for (int width : new int[] {390, 1280}) {
            Browser page = compared(width);
            assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
                    .isLessThanOrEqualTo(width);
            assertThat(page.evaluate("document.querySelectorAll('.overlays .panel').length")
                            .asInt())
                    .isEqualTo(2);
            assertThat(page.evaluate("document.querySelectorAll('.overlays .p').length")
                            .asInt())
                    .as("points of both, without published ones")
                    .isEqualTo(6);
            assertThat(evaluated(page, "document.querySelector('.overlays figcaption').textContent"))
                    .contains("figure-07/f", "Throughput (million lookups/s)", "Log scale");
            assertThat(page.complaints()).isEmpty();
        }
    }
}
