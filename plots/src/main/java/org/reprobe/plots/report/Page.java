package org.reprobe.plots.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.cards.CardPoint;
import org.reprobe.analysis.cards.CardScore;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.ClaimResult.Status;
import org.reprobe.analysis.claims.EvidenceCount;
import org.reprobe.analysis.claims.Paper;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.plots.FigureSpec;
import org.reprobe.plots.FigureWriter;
import org.reprobe.plots.Labels;

/** Parameter of the report's template: formatted texts and unique anchors. The template makes no decisions. */
public record Page(
        String title,
        String command,
        String kinds,
        Headline headline,
        String failed,
        List<String> papers,
        List<Miss> misses,
        List<Section> sections,
        List<ClaimRow> overall,
        List<CardTable> cards,
        List<Entry> environment) {
    private static final String SOFTWARE_RDMA = "software RDMA";

    /**
     * Result in two lines and a table.
     *
     * @param verdict "97 of 112 claims hold", of those that could be judged
     * @param detail "12 missed, 3 undecided (can't tell). Distinct predicted numbers: 9 of 12 hold. Not judged: 0 not
     *     comparable, 1 not measured."
     * @param rows one for each kind of evidence
     */
    public record Headline(String verdict, String detail, List<Tally> rows) {}

    /** Errors of NIC profiles, with a number in each row. */
    public record CardTable(String title, boolean open, List<String> columns, List<List<String>> rows) {
        private static CardTable of(
                String title, boolean open, List<CardScore> scores, Predicate<CardScore> selection) {
            return new CardTable(
                    title,
                    open,
                    CardScore.titles(),
                    scores.stream().filter(selection).map(CardScore::fields).toList());
        }
    }

    /**
     * Verdicts on the claims that are evidence of one kind: {@code unjudged} are not comparable or not measured,
     * {@code error} is the median relative error, or "".
     */
    public record Tally(
            String kind, String meaning, long holds, long cantTell, long missed, long unjudged, String error) {}

    public record Entry(String name, String value) {}

    /** Miss, with the section where its claim is listed. */
    public record Miss(ClaimRow claim, String anchor, String where) {}

    /** Figure with its caption: inline SVG with unique ids, or a problem; a wide one does not fit beside a table. */
    public record Figure(String name, String caption, String svg, boolean wide, String problem) {}

    /** Cells by row, metrics by column. */
    public record Data(List<String> keys, List<String> metrics, List<List<String>> rows) {
        public boolean isEmpty() {
            return rows.isEmpty();
        }
    }

    public record Section(
            String anchor,
            String name,
            String title,
            String reproduces,
            String kind,
            String yaml,
            String command,
            String tally,
            boolean misses,
            String lost,
            List<Figure> figures,
            List<ClaimRow> claims,
            Data data,
            List<Entry> skipped,
            List<Entry> failed,
            List<Entry> warned) {

        /** Returns true for a single figure with space for its claims beside it. */
        public boolean beside() {
            return !claims.isEmpty() && !figures.isEmpty() && figures.stream().noneMatch(Figure::wide);
        }
    }

    static Page of(ReportInput input) throws IOException {
        Anchors anchors = new Anchors();
        List<Section> sections = new ArrayList<>();
        List<Miss> misses = new ArrayList<>();
        int figures = 0;
        for (ReportSection section : input.sections()) {
            String anchor = anchors.unique(section.name());
            sections.add(section(section, anchor, figures, input.environment()));
            figures += section.figures().size();
            addMisses(misses, section.claims(), anchor, section.title());
        }
        addMisses(misses, input.overallClaims(), "s-overall", "Overall claims");
        List<ClaimResult> all = Stream.concat(
                        input.sections().stream().flatMap(section -> section.claims().stream()),
                        input.overallClaims().stream())
                .toList();
        return new Page(
                input.title(),
                input.command(),
                kinds(input),
                headline(all),
                failed(input),
                input.papers().stream()
                        .filter(paper -> paper.title() != null)
                        .map(Paper::citation)
                        .toList(),
                misses,
                sections,
                input.overallClaims().stream().map(ClaimRow::new).toList(),
                cards(input.cards()),
                entries(input.environment()));
    }

    private static List<CardTable> cards(List<CardScore> scores) {
        List<CardScore> known =
                scores.stream().filter(score -> score.scored() > 0).toList();
        Predicate<CardScore> all = score -> score.profile().equals(CardScore.ALL);
        Predicate<CardScore> fitted = CardScore::fitted;
        return Stream.of(
                        CardTable.of("Errors against measurements of cards", true, known, all.and(fitted.negate())),
                        CardTable.of(
                                "The same by NIC profile",
                                false,
                                known,
                                all.or(fitted).negate()),
                        CardTable.of("Errors of rows that constants were fitted to", false, known, fitted))
                .filter(table -> !table.rows().isEmpty())
                .toList();
    }

    private static void addMisses(List<Miss> misses, List<ClaimResult> claims, String anchor, String where) {
        for (ClaimResult claim : claims) {
            // Those of cards are summed up in a table.
            if (claim.status() == Status.MISSED && !CardPoint.isOf(claim)) {
                misses.add(new Miss(new ClaimRow(claim), anchor, where));
            }
        }
    }

    private static List<Entry> entries(Map<String, String> map) {
        return map.entrySet().stream()
                .map(entry -> new Entry(entry.getKey(), entry.getValue()))
                .toList();
    }

    /** Returns the number of failed runs; empty for none. A section that compares others repeats their runs. */
    private static String failed(ReportInput input) {
        Set<Measurement> runs = input.sections().stream()
                .flatMap(section -> section.measurements().stream())
                .map(Page::withoutFabric)
                .collect(Collectors.toSet());
        return failed(List.copyOf(runs));
    }

    private static Measurement withoutFabric(Measurement run) {
        Map<String, Object> cell = new LinkedHashMap<>(run.cell().values());
        cell.remove("fabric");
        return run.in(new Cell(cell));
    }

    private static String failed(List<Measurement> runs) {
        List<Measurement> failed = runs.stream().filter(run -> !run.valid()).toList();
        if (failed.isEmpty()) {
            return "";
        }
        Set<Cell> measured = cells(runs.stream().filter(Measurement::valid));
        Set<Cell> lost = cells(failed.stream());
        long some = lost.stream().filter(measured::contains).count();
        long all = lost.size() - some;
        return failed.size() + " of " + Quantities.count(runs.size(), "run") + " failed."
                + (some == 0
                        ? ""
                        : " " + Quantities.count(some, "cell") + (some == 1 ? " has" : " have")
                                + " fewer repeats than planned.")
                + (all == 0
                        ? ""
                        : " All runs of " + Quantities.count(all, "cell") + " failed: no figure shows "
                                + (all == 1 ? "it." : "them."));
    }

    /** Returns the cells of runs, separately for each scenario and fabric. */
    private static Set<Cell> cells(Stream<Measurement> runs) {
        return runs.map(run -> {
                    Map<String, Object> values = new LinkedHashMap<>(run.cell().values());
                    values.put("", run.scenario() + " on " + run.fabric());
                    return new Cell(values);
                })
                .collect(Collectors.toSet());
    }

    private static Headline headline(List<ClaimResult> claims) {
        if (claims.isEmpty()) {
            return new Headline("No published numbers", "The papers publish no numbers for these cells.", List.of());
        }
        List<Tally> rows = EvidenceCount.of(claims).stream().map(Page::tally).toList();
        long holds = EvidenceCount.count(claims, Status.HOLDS);
        long missed = EvidenceCount.count(claims, Status.MISSED);
        long undecided = EvidenceCount.count(claims, Status.CANT_TELL);
        long judged = EvidenceCount.judged(claims);
        String verdict = judged == 0 ? "None of the claims could be judged" : holds + " of " + judged + " claims hold";
        String detail = missed + " missed, " + undecided + " undecided (can't tell).";
        for (EvidenceCount count : EvidenceCount.of(claims)) {
            long numbers = EvidenceCount.judged(count.claims());
            if (count.group() == EvidenceCount.Group.PREDICTED_NUMBERS && numbers > 0) {
                detail += " Distinct predicted numbers: " + count.count(Status.HOLDS) + " of " + numbers + " hold.";
            }
        }
        if (judged < claims.size()) {
            detail += " Not judged: " + EvidenceCount.count(claims, Status.NOT_COMPARABLE) + " not comparable, "
                    + EvidenceCount.count(claims, Status.NOT_MEASURED) + " not measured.";
        }
        return new Headline(verdict, detail, rows);
    }

    private static Tally tally(EvidenceCount count) {
        double error = count.medianRelativeError();
        return new Tally(
                count.group().title(),
                count.group().meaning(),
                count.count(Status.HOLDS),
                count.count(Status.CANT_TELL),
                count.count(Status.MISSED),
                count.count(Status.NOT_COMPARABLE) + count.count(Status.NOT_MEASURED),
                Double.isFinite(error) ? String.format(Locale.ROOT, "%.1f %%", 100 * error) : "");
    }

    private static String kinds(ReportInput input) {
        Set<Kind> kinds = input.sections().stream()
                .flatMap(section -> Stream.concat(
                        Stream.of(section.kind()),
                        section.measurements().stream().map(Measurement::kind)))
                .collect(Collectors.toCollection(TreeSet::new));
        boolean software = input.sections().stream().anyMatch(section -> onSoftwareRdma(section, input.environment()));
        List<Measurement> runs = input.sections().stream()
                .flatMap(section -> section.measurements().stream())
                .toList();
        if (!runs.isEmpty() && runs.stream().noneMatch(Measurement::valid)) {
            return "Nothing was measured: every run failed.";
        }
        if (kinds.size() == 1) {
            return "Every number here is " + meaning(kinds.iterator().next(), software) + ".";
        }
        return kinds.isEmpty()
                ? "Nothing was run."
                : "This report has numbers of several kinds; each is marked: "
                        + kinds.stream().map(kind -> meaning(kind, software)).collect(Collectors.joining("; ")) + ".";
    }

    /** Returns the kinds of a section's numbers: several if it compares fabrics. */
    private static String words(ReportSection section) {
        Set<Kind> kinds =
                section.measurements().stream().map(Measurement::kind).collect(Collectors.toCollection(TreeSet::new));
        return kinds.isEmpty()
                ? section.kind().word()
                : kinds.stream().map(Kind::word).collect(Collectors.joining(" and "));
    }

    /** Returns true for software RDMA, which does a card's work on the CPU and must be distinguished from a card. */
    private static boolean onSoftwareRdma(ReportSection section, Map<String, String> environment) {
        return section.kind() == Kind.MEASURED
                && environment.getOrDefault("rdma", "").contains(SOFTWARE_RDMA)
                && section.measurements().stream()
                        .anyMatch(measurement -> measurement.fabric().equals("verbs"));
    }

    private static String meaning(Kind kind, boolean software) {
        return switch (kind) {
            case SIMULATED -> "simulated: real tables and real lookups in virtual time, on a simulated network card";
            case MEASURED ->
                software
                        ? "measured, software RDMA: real verbs in real time, but the CPU does a card's work"
                        : "measured: real time on this machine's fabric";
            case PREDICTED -> "predicted: computed by a formula, no lookup was run";
        };
    }

    private static Section section(
            ReportSection section, String anchor, int figuresBefore, Map<String, String> environment)
            throws IOException {
        List<Figure> figures = new ArrayList<>();
        for (FigureSpec spec : section.figures()) {
            figures.add(figure(spec, section, "f" + (figuresBefore + figures.size() + 1) + "-"));
        }
        long holds = EvidenceCount.count(section.claims(), Status.HOLDS);
        return new Section(
                anchor,
                section.name(),
                section.title(),
                String.join(", ", section.reproduces()),
                words(section) + (onSoftwareRdma(section, environment) ? ", " + SOFTWARE_RDMA : ""),
                section.scenarioYaml(),
                section.command(),
                section.claims().isEmpty() ? "" : holds + "/" + section.claims().size(),
                EvidenceCount.count(section.claims(), Status.MISSED) > 0,
                failed(section.measurements()),
                figures,
                section.claims().stream().map(ClaimRow::new).toList(),
                DataTable.of(section.measurements(), section.drawn()),
                section.skipped().stream()
                        .map(skipped -> new Entry(skipped.cell(), skipped.reason()))
                        .toList(),
                section.measurements().stream()
                        .filter(measurement -> !measurement.valid())
                        .map(measurement -> new Entry(
                                measurement.cell().label() + ", repeat " + measurement.repeat(),
                                measurement.problem() == null ? "no reason was recorded" : measurement.problem()))
                        .toList(),
                section.measurements().stream()
                        .filter(measurement -> !measurement.warnings().isEmpty())
                        .map(measurement -> new Entry(
                                measurement.cell().label() + ", repeat " + measurement.repeat(),
                                String.join("; ", measurement.warnings())))
                        .toList());
    }

    private static Figure figure(FigureSpec spec, ReportSection section, String prefix) throws IOException {
        try {
            String svg = FigureWriter.svg(
                    spec, section.measurements(), section.drawn(), section.course(), section.published());
            int start = svg.indexOf("<svg ");
            String sizes = svg.substring(start, svg.indexOf('>', start));
            boolean wide = Integer.parseInt(sizes.replaceAll("(?s).*? width=\"(\\d+)\".*", "$1")) > 700;
            return new Figure(
                    spec.name(),
                    caption(spec) + reading(spec, svg),
                    FigureWriter.inline(svg, prefix, alternative(spec)),
                    wide,
                    "");
        } catch (InvalidInputException e) {
            return new Figure(spec.name(), caption(spec), "", false, String.valueOf(e.getMessage()));
        }
    }

    private static String alternative(FigureSpec spec) {
        String series = spec.series().isEmpty() ? "" : ", by " + String.join(" and ", spec.series());
        String panels = spec.panels().isEmpty() ? "" : ", one panel for each " + spec.panels();
        return spec.title() + ". " + (spec.shape() == FigureSpec.Shape.BAR ? "Bars: " : "Lines: ")
                + spec.y().axis() + " against " + Labels.axis(spec.x()).toLowerCase(Locale.ROOT) + series + panels
                + ". The numbers are in this section's data table.";
    }

    /** Returns a legend for the points. */
    private static String reading(FigureSpec spec, String svg) {
        return " Means over the repeats, with 95 % intervals "
                + (spec.isOverTime() ? "as bands." : "where they are wider than the marker.")
                + (svg.contains(">published<") ? " Hollow: published." : "")
                + (svg.contains(">" + FigureWriter.PARTIAL + "<")
                        ? " Grey: fewer repeats than planned, since runs failed."
                        : "");
    }

    private static String caption(FigureSpec spec) {
        String title = spec.title().strip();
        return title.isEmpty() || title.endsWith(".") ? title : title + ".";
    }

    /** Names as fragments of the page's address. */
    private static final class Anchors {
        private final Set<String> used = new HashSet<>(Set.of("s-summary", "s-misses", "s-overall", "s-environment"));

        private String unique(String name) {
            String slug = "s-" + name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
            @Nullable String free = null;
            for (int i = 1; free == null; i++) {
                String candidate = i == 1 ? slug : slug + "-" + i;
                free = used.add(candidate) ? candidate : null;
            }
            return free;
        }
    }
}
