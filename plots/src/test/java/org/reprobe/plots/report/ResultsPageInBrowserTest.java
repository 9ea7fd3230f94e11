package org.reprobe.plots.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.claims.ClaimCount;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;

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

    private static ResultsPage.Row row(String folder, String scenario, String started, int held, int judged) {
        return new ResultsPage.Row(
                folder,
                "./" + folder + "/report.html",
                "",
                scenario,
                "sim",
                "simulated",
                "0123456789ab",
                started,
                "complete",
                true,
                new ClaimCount(held, judged - held, judged));
    }

    @BeforeAll
    static void start() throws Exception {
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
            assertThat(page.evaluate("document.querySelectorAll('script').length")
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
        // A third replaces the first. Results of other scenarios cannot be compared.
        page.evaluate(choose.formatted("a"));
        assertThat(evaluated(page, commands)).isEqualTo("./run.sh report results/a 'results/it'\\''s b'");
        assertThat(page.complaints()).isEmpty();
    }
}
