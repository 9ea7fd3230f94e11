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
        assertThat(page.evaluate("[...document.querySelectorAll('a[href^=\"#\"]')]"
                                + ".filter(a => !document.getElementById(a.hash.slice(1))).map(a => a.href).join()")
                        .asString())
                .as("links without a target")
                .isEmpty();
        assertThat(page.evaluate("document.querySelectorAll('figure svg.plot').length")
                        .asInt())
                .isPositive();
        assertThat(page.evaluate(
                                "[...document.querySelectorAll('figure svg.plot')].filter(svg => svg.clientWidth > 0).filter(svg => {"
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

        assertThat(page.evaluate("document.querySelectorAll('tr.claim').length").asInt())
                .isEqualTo(16);
        page.evaluate("document.querySelector('[data-show=missed]').click()");
        assertThat(page.evaluate(shown).asInt()).isEqualTo(2);
        assertThat(page.evaluate("document.getElementById('shown').textContent").asString())
                .isEqualTo("2 of 16");
        page.evaluate("document.querySelector('[data-show=unmeasured]').click()");
        assertThat(page.evaluate(shown).asInt()).isEqualTo(1);
        page.evaluate("document.querySelector('[data-show=all]').click()");
        page.evaluate("(() => { const find = document.getElementById('find'); find.value = 'sequential 1.7';"
                + " find.dispatchEvent(new Event('input')) })()");
        assertThat(page.evaluate(shown).asInt()).isEqualTo(1);
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
                        + "window.said = []; const button = document.querySelector('.command .copy');"
                        + "new MutationObserver(() => window.said.push(button.textContent))"
                        + ".observe(button, {childList: true});"
                        + "button.click()");
        assertThat(page.evaluate("window.copiedText").asString())
                .isEqualTo(SampleReport.full().sections().getFirst().command());
        // The recorded text, not the current one: a slow machine may read it only after it is "Copy" again.
        assertThat(page.evaluate("new Promise(done => {const look = () => window.said.length > 1"
                                + " ? done(window.said.join()) : setTimeout(look, 50); look()})")
                        .asString())
                .isEqualTo("Copied,Copy");
    }

    /** The first figures are on the first screen; nothing of them is cut on a phone. */
    @ParameterizedTest
    @CsvSource({"390, 844", "1280, 800"})
    void figuresAndClaimsAreWhole(int width, int height) throws Exception {
        Browser page = opened("report.html", width, height, false);
        assertThat(page.evaluate("document.querySelector('.wall svg').getBoundingClientRect().bottom")
                        .asDouble())
                .isLessThan(height);
        assertThat(page.evaluate("[...document.querySelectorAll('figure svg.plot')].filter(svg => svg.clientWidth > 0)"
                                + ".flatMap(svg => { const frame = svg.getBoundingClientRect();"
                                + "return [...svg.querySelectorAll('text')].filter(text => {"
                                + "const box = text.getBoundingClientRect();"
                                + "return box.left < frame.left - 1 || box.right > frame.right + 1"
                                + " || box.top < frame.top - 1 || box.bottom > frame.bottom + 1})"
                                + ".map(text => text.textContent)}).join()")
                        .asString())
                .as("texts cut by the edge of their figure")
                .isEmpty();
        assertThat(page.evaluate("[...document.querySelectorAll('table.rows td.n')].filter(cell => cell.offsetParent)"
                                + ".filter(cell => cell.getBoundingClientRect().right > innerWidth).length")
                        .asInt())
                .as("numbers beyond the edge")
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"1280, 800", "390, 844"})
    void aFigureShowsItsValuesHidesSeriesAndZooms(int width, int height) throws Exception {
        Browser page = opened("report.html", width, height, false);
        page.evaluate("window.card = document.querySelector('#f-figure-7 .card');"
                + "window.svg = [...card.querySelectorAll('svg')].find(svg => svg.clientWidth > 0);"
                + "window.mark = svg.querySelector('.p'); card.scrollIntoView({behavior: 'instant'});"
                + "window.go = (type, x, y) => card.dispatchEvent(new PointerEvent(type,"
                + " {bubbles: true, clientX: x, clientY: y, pointerType: 'mouse', button: 0}));"
                + "window.at = () => mark.getAttribute('transform'); window.home = at()");
        page.evaluate("(() => { const box = mark.getBoundingClientRect();"
                + "go('pointermove', box.left + box.width / 2, box.top + box.height / 2) })()");
        assertThat(page.evaluate("document.querySelector('.tip').textContent").asString())
                .matches("[A-Z].*, Load factor 0\\.25: [\\d.]+ \\([\\d.]+ to [\\d.]+\\), 5 runs");
        page.evaluate("card.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));"
                + "card.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}))");
        assertThat(page.evaluate("document.querySelector('.tip').textContent").asString())
                .contains("Load factor 0.5:");

        page.evaluate("svg.querySelector('.legend [data-s=\"0\"]')"
                + ".dispatchEvent(new MouseEvent('click', {bubbles: true}))");
        assertThat(page.evaluate("[...svg.querySelectorAll('.data')].filter(g => g.style.display === 'none')"
                                + ".every(g => g.dataset.s === '0')")
                        .asBoolean())
                .isTrue();
        assertThat(page.evaluate("svg.querySelector('.data[data-s=\"0\"]').style.display")
                        .asString())
                .isEqualTo("none");

        page.evaluate("(() => { const frame = svg.querySelector('.panel').getBoundingClientRect();"
                + "go('pointerdown', frame.left + frame.width * 0.4, frame.top + frame.height * 0.2);"
                + "go('pointermove', frame.left + frame.width * 0.6, frame.top + frame.height * 0.5);"
                + "go('pointerup', frame.left + frame.width * 0.6, frame.top + frame.height * 0.5) })()");
        assertThat(page.evaluate("at() !== home").asBoolean()).isTrue();
        String tool = "[...document.querySelectorAll('#f-figure-7 .tools button')].find(b => b.textContent === '%s')";
        page.evaluate(tool.formatted("Reset") + ".click()");
        assertThat(page.evaluate("at().match(/[\\d.]+/g).map(parseFloat).map(Math.round).join()")
                        .asString())
                .isEqualTo(page.evaluate("home.match(/[\\d.]+/g).map(parseFloat).map(Math.round).join()")
                        .asString());
        page.evaluate(tool.formatted("Log scale") + ".click()");
        assertThat(page.evaluate("svg.querySelectorAll('.moved text').length").asInt())
                .isGreaterThan(1);
        assertThat(page.evaluate("svg.outerHTML.includes('NaN')").asBoolean()).isFalse();
        assertThat(page.complaints()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1280, 800"})
    void aTableIsSortedByItsHeadings(int width, int height) throws Exception {
        Browser page = opened("report.html", width, height, false);
        page.evaluate("window.table = document.querySelector('#s-figure-7-lookup-throughput table.sorted');"
                + "window.column = [...table.tHead.rows[0].cells].findIndex(c => c.textContent.startsWith('Lookups'));"
                + "window.press = () => table.tHead.rows[0].cells[column].querySelector('button').click();"
                + "window.values = () => [...table.tBodies[0].rows].map(row => parseFloat(row.cells[column].textContent));"
                + "window.ordered = values().slice().sort((a, b) => a - b).join()");
        page.evaluate("press(); press()");
        assertThat(page.evaluate("values().join() === ordered").asBoolean()).isTrue();
        page.evaluate("press()");
        assertThat(page.evaluate("values().reverse().join() === ordered").asBoolean())
                .isTrue();
        page.evaluate("(() => { const box = table.parentNode.querySelector('input');"
                + " box.value = 'fixed 0.95'; box.dispatchEvent(new Event('input')) })()");
        assertThat(page.evaluate("[...table.tBodies[0].rows].filter(row => !row.hidden).length")
                        .asInt())
                .isEqualTo(1);
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
