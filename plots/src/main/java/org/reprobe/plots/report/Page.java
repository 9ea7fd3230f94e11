package org.reprobe.plots.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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
import org.reprobe.plots.PageFigure;

/** Parameter of the report's template: formatted texts and unique anchors. The template makes no decisions. */
public record Page(
        String title,
        String heading,
        String command,
        String kinds,
        Headline headline,
        String failed,
        List<String> papers,
        List<Miss> misses,
        List<Section> sections,
        Claims overall,
        List<CardTable> cards,
        List<Entry> environment) {
    private static final String SOFTWARE_RDMA = "software RDMA";

    /**
     * Verdict in one line, and a table.
     *
     * @param verdict "97 of 112 claims hold", of those that could be judged
     * @param detail "12 missed, 3 can't tell, 1 not judged"
     * @param rows one for each kind of evidence with judged claims
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

    /** Miss, with the place where its claim is listed. */
    public record Miss(ClaimRow claim, String where) {}

    /**
     * Claims of a figure: those always shown, and those in a fold, with its title. The score is that of
     * {@link EvidenceCount#score}.
     */
    public record Claims(List<ClaimRow> shown, String foldTitle, List<ClaimRow> folded, String score, boolean misses) {
        /** Claims that are shown at least; those that are missed or undecided always are, before the others. */
        private static final int MIN_SHOWN = 5;

        static Claims of(List<ClaimResult> claims, Anchors anchors) {
            List<ClaimRow> rows = new ArrayList<>();
            for (ClaimResult claim : claims) {
                rows.add(new ClaimRow(claim, anchors.unique("c-", claim.id())));
            }
            rows.sort(Comparator.comparing(row -> !row.isOpen()));
            long open = rows.stream().filter(ClaimRow::isOpen).count();
            int count = rows.size() <= MIN_SHOWN + 1 ? rows.size() : (int) Math.max(MIN_SHOWN, open);
            List<ClaimRow> shown = List.copyOf(rows.subList(0, count));
            List<ClaimRow> folded = List.copyOf(rows.subList(count, rows.size()));
            long hold = folded.stream()
                    .filter(row -> row.result().status() == Status.HOLDS)
                    .count();
            String title = Stream.of(
                            hold == 0 ? "" : hold + " more hold",
                            hold == folded.size() ? "" : (folded.size() - hold) + " not judged")
                    .filter(part -> !part.isEmpty())
                    .collect(Collectors.joining(", "));
            return new Claims(shown, title, folded, tally(claims), EvidenceCount.count(claims, Status.MISSED) > 0);
        }

        public boolean isEmpty() {
            return shown.isEmpty() && folded.isEmpty();
        }

        private Stream<ClaimRow> missed() {
            return shown.stream().filter(row -> row.result().status() == Status.MISSED);
        }
    }

    /**
     * Figure with its claims; null with a problem.
     *
     * @param label "Figure 7", or "" for a figure that the paper does not have
     * @param files address of its files without their extensions; empty if it has none
     */
    public record Figure(
            String anchor,
            String label,
            String title,
            @Nullable PageFigure drawn,
            String problem,
            String files,
            Claims claims) {
        public boolean isBeside() {
            return !claims.isEmpty() && (drawn == null || !drawn.wide());
        }

        private boolean isAlone() {
            return claims.isEmpty() && drawn != null && !drawn.wide();
        }

        /** Returns "Figure 7: Lookup throughput". */
        public String name() {
            return label.isEmpty() ? title : label + ": " + title;
        }
    }

    /** Cells by row, metrics by column. */
    public record Data(List<String> keys, List<String> metrics, List<List<String>> rows) {
        public boolean isEmpty() {
            return rows.isEmpty();
        }
    }

    /** Scenario; {@code claims} are only those of a scenario without figures. */
    public record Section(
            String anchor,
            String name,
            String heading,
            String shortName,
            String kind,
            String yaml,
            String command,
            String tally,
            boolean misses,
            String lost,
            List<Figure> figures,
            Claims claims,
            Data data,
            List<Entry> skipped,
            List<Entry> failed,
            List<Entry> warned) {

        /** Returns true for one figure alone, which leaves space for another section beside it. */
        public boolean isSmall() {
            return figures.size() == 1 && figures.getFirst().isAlone() && claims.isEmpty();
        }

        private Stream<ClaimRow> missed() {
            return Stream.concat(figures.stream().map(Figure::claims), Stream.of(claims))
                    .flatMap(Claims::missed);
        }
    }

    static Page of(ReportInput input) throws IOException {
        Anchors anchors = new Anchors();
        List<Section> sections = new ArrayList<>();
        List<Miss> misses = new ArrayList<>();
        for (ReportSection section : PaperPlace.sorted(input)) {
            Section shown = section(section, anchors, input.environment());
            sections.add(shown);
            addMisses(misses, shown.missed(), shown.heading());
        }
        Claims overall = Claims.of(input.overallClaims(), anchors);
        addMisses(misses, overall.missed(), "Claims about the whole paper");
        List<ClaimResult> all = Stream.concat(
                        input.sections().stream().flatMap(section -> section.claims().stream()),
                        input.overallClaims().stream())
                .toList();
        return new Page(
                input.title(),
                heading(input),
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
                overall,
                cards(input.cards()),
                entries(input.environment()));
    }

    /** Returns the title of the only paper that is reproduced, or else that of the report. */
    private static String heading(ReportInput input) {
        List<String> titles = input.papers().stream()
                .filter(paper -> input.sections().stream()
                        .flatMap(section -> section.reproduces().stream())
                        .anyMatch(part -> part.startsWith(paper.name() + "/")))
                .map(Paper::title)
                .filter(Objects::nonNull)
                .toList();
        return titles.size() == 1 ? titles.getFirst() : input.title();
    }

    /** Returns true for the figures that a reader looks through first: all of the page, in order. */
    public List<Figure> figures() {
        return sections.stream().flatMap(section -> section.figures().stream()).toList();
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

    private static void addMisses(List<Miss> misses, Stream<ClaimRow> missed, String where) {
        // Those of cards are summed up in a table.
        missed.filter(claim -> !CardPoint.isOf(claim.result())).forEach(claim -> misses.add(new Miss(claim, where)));
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
                        : " " + Quantities.count(some, "cell") + " " + Quantities.verb(some, "have")
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
        List<Tally> rows = EvidenceCount.of(claims).stream()
                .filter(count -> EvidenceCount.judged(count.claims()) > 0)
                .map(Page::tally)
                .toList();
        String verdict = EvidenceCount.judged(claims) == 0
                ? "None of the claims could be judged"
                : EvidenceCount.score(claims) + " claims hold";
        long unjudged = claims.size() - EvidenceCount.judged(claims);
        String detail = EvidenceCount.count(claims, Status.MISSED) + " missed, "
                + EvidenceCount.count(claims, Status.CANT_TELL) + " can't tell"
                + (unjudged == 0 ? "" : ", " + unjudged + " not judged");
        return new Headline(verdict, detail, rows);
    }

    private static String tally(List<ClaimResult> claims) {
        return EvidenceCount.judged(claims) == 0 ? "not judged" : EvidenceCount.score(claims);
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

    private static Section section(ReportSection section, Anchors anchors, Map<String, String> environment)
            throws IOException {
        String anchor = anchors.unique("s-", section.name());
        Map<FigureSpec, List<ClaimResult>> claims = PaperPlace.claims(section);
        List<Figure> figures = new ArrayList<>();
        for (FigureSpec spec : section.figures()) {
            figures.add(figure(spec, section, claims.getOrDefault(spec, List.of()), anchors));
        }
        return new Section(
                anchor,
                section.name(),
                PaperPlace.heading(section),
                PaperPlace.shortName(section),
                words(section) + (onSoftwareRdma(section, environment) ? ", " + SOFTWARE_RDMA : ""),
                section.scenarioYaml(),
                section.command(),
                section.claims().isEmpty() ? "" : tally(section.claims()),
                EvidenceCount.count(section.claims(), Status.MISSED) > 0,
                failed(section.measurements()),
                figures,
                Claims.of(figures.isEmpty() ? section.claims() : List.of(), anchors),
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

    private static Figure figure(FigureSpec spec, ReportSection section, List<ClaimResult> claims, Anchors anchors)
            throws IOException {
        String anchor = anchors.unique("f-", spec.name());
        String label = PaperPlace.label(spec, section);
        String title = PaperPlace.withoutPlace(spec.title().isBlank() ? section.title() : spec.title());
        PageFigure drawn = null;
        String problem = "";
        try {
            drawn = FigureWriter.inPage(
                    spec, section.measurements(), section.drawn(), section.course(), section.published(), anchor + "-");
        } catch (InvalidInputException e) {
            problem = String.valueOf(e.getMessage());
        }
        String files = section.files();
        return new Figure(
                anchor,
                label,
                title,
                drawn,
                problem,
                files == null || drawn == null ? "" : files + spec.name(),
                Claims.of(claims, anchors));
    }

    /** Names as fragments of the page's address. */
    static final class Anchors {
        private final Set<String> used = new HashSet<>(Set.of("s-misses", "s-evidence", "s-overall", "s-environment"));

        private String unique(String prefix, String name) {
            String slug = prefix + name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.]+", "-");
            String candidate = slug;
            for (int i = 2; !used.add(candidate); i++) {
                candidate = slug + "-" + i;
            }
            return candidate;
        }
    }
}
