package org.reprobe.plots.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.Evidence;
import org.reprobe.analysis.claims.Relation;
import org.reprobe.analysis.measurement.Kind;

class ReportTest {
    private static String full = "";

    @BeforeAll
    static void write() throws Exception {
        full = Report.html(SampleReport.full());
    }

    @Test
    void theHeadlineCountsTheClaimsThatWereJudged() throws Exception {
        Page page = Page.of(SampleReport.full());
        assertThat(page.headline().verdict()).isEqualTo("13 of 15 claims hold");
        assertThat(page.headline().detail()).isEqualTo("2 missed, 0 can't tell, 1 not judged");
        assertThat(page.headline().rows())
                .extracting(Page.Tally::kind, Page.Tally::holds, Page.Tally::missed, Page.Tally::unjudged)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("Predicted performance: distinct numbers", 12L, 2L, 1L),
                        org.assertj.core.groups.Tuple.tuple("Calibration", 1L, 0L, 0L));
        assertThat(page.headline().rows().getFirst().error()).matches("\\d+\\.\\d %");
    }

    @Test
    void thePapersAreCited() {
        assertThat(full).contains("A. One, B. Two: On tables, Proc. X, 2020");
    }

    @Test
    void theMissesComeBeforeTheSectionsWithTheirCauses() throws Exception {
        int at = 0;
        for (String part : List.of(
                "13 of 15 claims hold",
                "Misses and known causes",
                "at full scale the value is 9.98",
                "The cause is unknown.",
                "<h2 id=\"s-figure-6-cuckoo-variants-h\">",
                "<h2 id=\"h-overall\">",
                "<h2 id=\"h-evidence\">",
                "<h2 id=\"h-environment\">")) {
            at = full.indexOf(part, at);
            assertThat(at).as(part).isNotNegative();
        }
        assertThat(full).contains("Every number here is simulated");
    }

    @Test
    void aClaimIsShownWithOneDigitMoreThanItsTolerance() throws Exception {
        ClaimRow claim = Page.of(SampleReport.full()).figures().get(1).claims().shown().stream()
                .filter(each -> each.result().id().equals("t1/var/0.95"))
                .findFirst()
                .orElseThrow();
        assertThat(List.of(
                        claim.published(), claim.reproduced(), claim.interval(), claim.difference(), claim.tolerance()))
                .containsExactly("10.05", "9.61", "± 0.31", "−0.44", "± 0.27");
        assertThat(claim.result().status().words()).isEqualTo("missed");
        assertThat(claim.symbol()).isEqualTo("✗");
    }

    @Test
    void aRelationIsShownAsOne() {
        ClaimRow bound = row(Relation.AT_LEAST, 1, 0.88, Double.NaN, 1, Evidence.PERFORMANCE, null);
        assertThat(bound.published()).isEqualTo("at least 1");
        assertThat(bound.difference()).isEqualTo("–");
        assertThat(bound.interval()).isEqualTo("one run");
        assertThat(bound.numbers()).isEqualTo("published at least 1, reproduced 0.880 (one run) times");
        ClaimRow same = row(Relation.EQUIVALENT, 1, 1.11, 0.01, 3, Evidence.PERFORMANCE, null);
        assertThat(same.published()).isEqualTo("equivalent to 1");
        assertThat(same.difference()).isEqualTo("+0.110");
        ClaimRow repeated = row(Relation.EQUALS, 2, 2.02, 0.01, 3, Evidence.REPEATED, "p/a");
        assertThat(repeated.published()).isEqualTo("2");
        assertThat(repeated.role()).isEqualTo("repeats a");
    }

    private static ClaimRow row(
            Relation relation,
            double published,
            double reproduced,
            double interval,
            int runs,
            Evidence evidence,
            @Nullable String repeats) {
        return new ClaimRow(
                new ClaimResult(
                        "p/c",
                        "Figure 1",
                        "is so",
                        published,
                        reproduced,
                        "times",
                        0,
                        ClaimResult.Status.MISSED,
                        ClaimResult.Role.PREDICTION,
                        null,
                        interval,
                        relation,
                        Set.of(Kind.SIMULATED),
                        evidence,
                        false,
                        repeats,
                        runs),
                "c-1");
    }

    /** A cell with failed runs was drawn as any other point, and the head named only claims. */
    @Test
    void failedRunsAreInTheHeadTheContentsAndTheFigure() throws Exception {
        Page page = Page.of(SampleReport.hostile());
        assertThat(page.failed()).isEqualTo("1 of 2 runs failed. 1 cell has fewer repeats than planned.");
        assertThat(page.sections().getFirst().lost()).isEqualTo(page.failed());
        assertThat(page.figures().getFirst().drawn().reading())
                .contains("Grey: fewer runs than planned, since some failed.");
        String html = Report.html(SampleReport.hostile());
        assertThat(html).contains("<span class=\"count misses\">1 failed</span>");
        assertThat(html.indexOf(page.failed()))
                .isBetween(html.indexOf("<main"), html.indexOf("<h2", html.indexOf("<main")));
    }

    /** The order was alphabetical, and no heading named a figure. */
    @Test
    void sectionsAreInThePapersOrderWithItsNumbersAndThePageHasItsTitle() throws Exception {
        List<ReportSection> sections =
                new java.util.ArrayList<>(SampleReport.full().sections());
        java.util.Collections.reverse(sections);
        Page page = Page.of(new ReportInput(
                "quick",
                "c",
                Map.of(),
                List.of(new org.reprobe.analysis.claims.Paper(
                        "linear-probing", "On tables", List.of(), null, 2020, null)),
                sections,
                List.of(),
                List.of()));
        assertThat(page.heading()).isEqualTo("On tables");
        assertThat(page.sections().stream().map(Page.Section::heading))
                .first()
                .isEqualTo("Figure 6: Cuckoo hashing with and without set-associativity");
        assertThat(page.sections().stream().map(section -> section.heading().replaceFirst(":.*", "")))
                .containsExactly("Figure 6", "Figure 7", "Figure 9", "Figure 11", "Figure 12");
        assertThat(page.figures().get(1).name()).startsWith("Figure 7: ");
    }

    /** A figure has the claims whose source names it; the scenario's first figure has the others. */
    @Test
    void aFigureHasItsClaims() throws Exception {
        ReportSection section = SampleReport.full().sections().get(1);
        ClaimRow claim =
                Page.of(SampleReport.full()).figures().get(1).claims().shown().getFirst();
        ReportSection named = new ReportSection(
                section.name(),
                section.title(),
                List.of("p/figure-7", "p/figure-8"),
                section.kind(),
                "",
                "",
                section.measurements(),
                List.of(),
                section.course(),
                section.figures(),
                section.published(),
                "",
                List.of(),
                List.of(
                        claim.result(),
                        sourced(claim.result(), "Section 5; Figure 8"),
                        sourced(claim.result(), "Figure 88")));
        List<Page.Figure> figures = Page.of(
                        new ReportInput("t", "c", Map.of(), List.of(), List.of(named), List.of(), List.of()))
                .figures();
        assertThat(figures.stream().map(Page.Figure::label)).containsExactly("Figure 7", "Figure 8");
        assertThat(figures.stream().map(figure -> figure.claims().shown().size()))
                .containsExactly(2, 1);
        assertThat(figures.get(1).files()).isEqualTo("figure-8");
    }

    private static ClaimResult sourced(ClaimResult claim, String source) {
        return new ClaimResult(
                claim.id(),
                source,
                claim.text(),
                claim.published(),
                claim.reproduced(),
                claim.unit(),
                claim.tolerance(),
                claim.status(),
                claim.role(),
                claim.cause(),
                claim.interval(),
                claim.relation(),
                claim.kinds(),
                claim.evidence(),
                claim.derived(),
                claim.repeats(),
                claim.runs());
    }

    @Test
    void failedRunsAndSkippedCellsAreListed() throws Exception {
        assertThat(full).contains("12.4 GiB needed", "repeat 5", "can't be filled beyond 0.9179");
    }

    @Test
    void noExternalFileIsLoaded() throws Exception {
        String html = full;
        String withoutNames =
                html.replace("http://www.w3.org/2000/svg", "").replace("http://www.w3.org/1999/xlink", "");
        assertThat(withoutNames)
                .doesNotContain("http:")
                .doesNotContain("https:")
                .doesNotContain("@import");
        assertThat(withoutNames).doesNotContain(" src=");
    }

    @Test
    void everyIdIsUniqueAndEveryReferenceHasItsId() throws Exception {
        String html = full;
        List<String> ids = all(html, " id=\"([^\"]*)\"");
        assertThat(ids).doesNotHaveDuplicates();
        assertThat(ids).containsAll(all(html, "href=\"#([^\"]*)\""));
        html = html.substring(0, html.indexOf("<script>"));
        assertThat(ids).containsAll(all(html, "url\\(#([^)]*)\\)"));
        assertThat(all(html, "aria-labelledby=\"([^\"]*)\"")).isSubsetOf(ids);
    }

    @Test
    void textsOfUsersAreEscapedEverywhere() throws Exception {
        String html = Report.html(SampleReport.hostile());
        assertThat(html).doesNotContain("<script>document.title").doesNotContain("<img src=x");
        assertThat(html).contains("script-src &#39;sha256-");
        assertThat(html.split("<script>", -1)).as("our own script and no other").hasSize(2);
        assertThat(html).contains("&lt;script&gt;document.title");
    }

    @Test
    void scenariosOfOneNameGetAnchorsOfTheirOwn() throws Exception {
        ReportSection section = SampleReport.full().sections().getFirst();
        ReportInput twice =
                new ReportInput("t", "c", Map.of(), List.of(), List.of(section, section), List.of(), List.of());
        assertThat(Page.of(twice).sections().stream().map(Page.Section::anchor)).doesNotHaveDuplicates();
    }

    @Test
    void aFigureThatCannotBeDrawnIsExplainedInItsPlace() throws Exception {
        ReportSection good = SampleReport.full().sections().get(3);
        org.reprobe.plots.FigureSpec spec = good.figures().getFirst();
        ReportSection bad = new ReportSection(
                good.name(),
                good.title(),
                good.reproduces(),
                good.kind(),
                good.scenarioYaml(),
                good.command(),
                good.measurements(),
                good.drawn(),
                good.course(),
                List.of(new org.reprobe.plots.FigureSpec(
                        spec.name(),
                        spec.title(),
                        spec.x(),
                        spec.y(),
                        List.of(),
                        "",
                        spec.shape(),
                        false,
                        false,
                        Map.of())),
                good.published(),
                good.files(),
                good.skipped(),
                good.claims());
        assertThat(Report.html(new ReportInput("t", "c", Map.of(), List.of(), List.of(bad), List.of(), List.of())))
                .contains("Not drawn: figure figure-11: the cells");
    }

    @Test
    void anEmptyReportIsAReport(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("report.html");
        Report.write(
                new ReportInput("Nothing", "./run.sh", Map.of(), List.of(), List.of(), List.of(), List.of()), file);
        assertThat(Files.readString(file)).contains("No published numbers", "Nothing was run.");
    }

    @Test
    void theSameInputGivesTheSameBytes() throws Exception {
        assertThat(Report.html(SampleReport.full())).isEqualTo(full);
    }

    private static List<String> all(String html, String pattern) {
        return Pattern.compile(pattern)
                .matcher(html)
                .results()
                .map(result -> result.group(1))
                .toList();
    }
}
