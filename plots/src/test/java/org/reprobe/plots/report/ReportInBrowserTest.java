package org.reprobe.plots.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;
import org.reprobe.testing.NightlyCases;

/** Display of the report in a browser, at phone and desktop size, in light and dark. */
@Needs(Need.BROWSER)
class ReportInBrowserTest {
    @TempDir
    static Path directory;

    private static @Nullable Browser browser;

    @BeforeAll
    static void start() throws Exception {
        Report.write(SampleReport.full(), directory.resolve("report.html"));
        Report.write(SampleReport.hostile(), directory.resolve("hostile.html"));
        browser = new Browser(Browser.find().orElseThrow());
    }

    @AfterAll
    static void stop() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    static List<Arguments> pages() {
        return NightlyCases.of(
                "ReportInBrowserTest.thePageFitsAndWorks",
                2,
                List.of(
                        Arguments.of("report.html", 360, 740, true),
                        Arguments.of("report.html", 1280, 800, false),
                        Arguments.of("report.html", 360, 740, false),
                        Arguments.of("report.html", 1280, 800, true),
                        Arguments.of("report.html", 1700, 900, false),
                        Arguments.of("hostile.html", 360, 740, false),
                        Arguments.of("hostile.html", 1280, 800, true)));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void thePageFitsAndWorks(String file, int width, int height, boolean dark) throws Exception {
        Browser page = opened(file, width, height, dark);

        assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
                .as("the page does not scroll sideways")
                .isLessThanOrEqualTo(width);
        assertThat(page.evaluate("[...document.querySelectorAll('nav a, main a')]"
                                + ".filter(a => !document.getElementById(a.hash.slice(1))).map(a => a.href).join()")
                        .asString())
                .as("links without a target")
                .isEmpty();
        assertThat(page.evaluate("document.querySelectorAll('figure svg').length")
                        .asInt())
                .isPositive();
        assertThat(page.evaluate("[...document.querySelectorAll('figure svg')].filter(svg => {"
                                + "const box = svg.getBoundingClientRect(); return box.width < 250 || box.height < 100})"
                                + ".length")
                        .asInt())
                .as("figures without a size")
                .isZero();
        assertThat(page.evaluate("document.querySelector('nav details').open").asBoolean())
                .as("the index is open where there is room")
                .isEqualTo(width > 1000);
        assertThat(page.evaluate("(() => {let last = 0, jumps = 0; for (const h of document.querySelectorAll("
                                + "'h1,h2,h3')) {const level = +h.tagName[1]; if (level > last + 1) jumps++; last = level}"
                                + "return jumps})()")
                        .asInt())
                .as("headings that skip a level")
                .isZero();
        assertThat(page.evaluate(LOW_CONTRAST).asString())
                .as("texts below WCAG AA")
                .isEmpty();
        assertThat(page.complaints()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"360, 740", "1280, 800"})
    void theFilterLeavesTheMissedClaims(int width, int height) throws Exception {
        Browser page = opened("report.html", width, height, false);
        String shown = "[...document.querySelectorAll('tr.claim')].filter(row => row.offsetParent !== null).length";

        assertThat(page.evaluate(shown).asInt()).isEqualTo(16);
        page.evaluate("document.querySelector('[data-show=missed]').click()");
        assertThat(page.evaluate(shown).asInt()).isEqualTo(2);
        assertThat(page.evaluate("document.getElementById('shown').textContent").asString())
                .isEqualTo("2 of 16");
        page.evaluate("document.querySelector('[data-show=unmeasured]').click()");
        assertThat(page.evaluate(shown).asInt()).isEqualTo(1);
        page.evaluate("document.querySelector('[data-show=all]').click()");
        assertThat(page.evaluate(shown).asInt()).isEqualTo(16);
        assertThat(page.evaluate("document.querySelector('[data-show=all]').getAttribute('aria-pressed')")
                        .asString())
                .isEqualTo("true");
        assertThat(page.complaints()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1280, 800"})
    void theCopyButtonConfirmsTheCopy(int width, int height) throws Exception {
        Browser page = opened("report.html", width, height, false);
        page.evaluate(
                "window.copiedText = ''; Object.defineProperty(navigator, 'clipboard', {value: {writeText: text => "
                        + "{window.copiedText = text; return Promise.resolve()}}});"
                        + "window.said = []; const button = document.querySelector('.copy');"
                        + "new MutationObserver(() => window.said.push(button.textContent))"
                        + ".observe(button, {childList: true});"
                        + "button.click()");
        assertThat(page.evaluate("window.copiedText").asString())
                .isEqualTo(SampleReport.full().command());
        // The recorded text, not the current one: a slow machine may read it only after it is "Copy" again.
        assertThat(page.evaluate("new Promise(done => {const look = () => window.said.length > 1"
                                + " ? done(window.said.join()) : setTimeout(look, 50); look()})")
                        .asString())
                .isEqualTo("Copied,Copy");
    }

    @ParameterizedTest
    @CsvSource({"1280, 800"})
    void aHostileTextRunsNothing(int width, int height) throws Exception {
        Browser page = opened("hostile.html", width, height, false);
        assertThat(page.evaluate("document.title").asString()).isEqualTo(SampleReport.HOSTILE);
        assertThat(page.evaluate("document.querySelectorAll('img').length").asInt())
                .isZero();
        assertThat(page.evaluate("document.querySelectorAll('script').length").asInt())
                .isEqualTo(1);
    }

    private static Browser opened(String file, int width, int height, boolean dark) throws Exception {
        Browser page = java.util.Objects.requireNonNull(browser);
        page.open(directory.resolve(file), width, height, dark);
        return page;
    }

    /** Texts outside figures whose contrast with the nearest painted background is below 4.5 to 1. */
    private static final String LOW_CONTRAST = """
            (() => {
              const channels = color => color.match(/[\\d.]+/g).map(Number);
              const linear = v => (v /= 255) <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
              const luminance = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
              const background = element => {
                for (let e = element; e; e = e.parentElement) {
                  const c = channels(getComputedStyle(e).backgroundColor);
                  if (c.length < 4 || c[3] > 0) { return c; }
                }
                return [255, 255, 255];
              };
              const low = new Set();
              for (const e of document.querySelectorAll('body *:not(svg *):not(script)')) {
                const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
                if (!own || e.offsetParent === null) { continue; }
                const a = luminance(channels(getComputedStyle(e).color)), b = luminance(background(e));
                if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) { low.add(e.tagName + '.' + e.className); }
              }
              return [...low].join();
            })()
            """;
}
