package org.reprobe.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.reprobe.analysis.cards.CardPoint;
import org.reprobe.analysis.cards.CardScore;
import org.reprobe.analysis.cards.ModelErrors;
import org.reprobe.analysis.claims.Claim;
import org.reprobe.analysis.claims.ClaimCheck;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.ClaimResults;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.PredictedInterval;
import org.reprobe.analysis.measurement.SummaryCsv;
import org.reprobe.plots.Course;
import org.reprobe.plots.FigureLayout;
import org.reprobe.plots.FigureSpec;
import org.reprobe.plots.FigureWriter;
import org.reprobe.plots.PublishedPoints;
import org.reprobe.plots.report.Report;
import org.reprobe.plots.report.ReportInput;
import org.reprobe.plots.report.ReportSection;
import org.reprobe.scenario.Scenario;

/** Findings from stored measurements: {@code summary.csv}, {@code claims.jsonl}, the figures, {@code report.html}. */
public record Findings(List<ClaimResult> claims, List<CardScore> cards, Path report, List<String> problems) {

    public Findings {
        claims = List.copyOf(claims);
        cards = List.copyOf(cards);
        problems = List.copyOf(problems);
    }

    static Findings write(ResultFolder folder, Published published) throws IOException {
        return write(folder, published, FigureLayout.FREE);
    }

    static Findings write(ResultFolder folder, Published published, FigureLayout layout) throws IOException {
        List<String> problems = new ArrayList<>();
        if (!folder.status().combined()) {
            ScenarioFolder part = folder.parts().getFirst();
            return single(folder, part, published, layout, problems);
        }
        problems.addAll(onAllCores(
                folder.parts(),
                part -> single(folder, part, published, layout, new ArrayList<>())
                        .problems()));
        return combined(List.of(folder), folder.dir(), published, problems);
    }

    @FunctionalInterface
    private interface Drawing<T> {
        List<String> problems(T drawn) throws IOException;
    }

    /** Returns the problems in order. Drawing on one core took a tenth of the time of a run of many scenarios. */
    private static <T> List<String> onAllCores(List<T> all, Drawing<T> drawing) throws IOException {
        try {
            return all.parallelStream()
                    .map(each -> {
                        try {
                            return drawing.problems(each);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .toList()
                    .stream()
                    .flatMap(List::stream)
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    static Findings combine(List<ResultFolder> folders, Path dir, Published published) throws IOException {
        return combined(folders, dir, published, new ArrayList<>());
    }

    private static Findings single(
            ResultFolder folder, ScenarioFolder part, Published published, FigureLayout layout, List<String> problems)
            throws IOException {
        Scenario scenario = part.scenario();
        SummaryCsv.write(part.dir().resolve(SummaryCsv.NAME), part.shownMeasurements(), part.shownDrawn());
        List<ClaimResult> claims = judged(part, published);
        PublishedPoints points = published.pointsOf(scenario.name(), claims);
        problems.addAll(onAllCores(figures(part), figure -> {
            try {
                FigureWriter.write(
                        figure,
                        part.measurements(),
                        part.drawnMeasurements(),
                        part.course(),
                        points,
                        layout,
                        part.dir());
                return List.of();
            } catch (InvalidInputException e) {
                return List.of("figure " + figure.name() + " of " + scenario.name() + " can't be drawn: "
                        + e.problems().getFirst().message());
            }
        }));
        List<CardScore> cards = scores(claims, List.of(part), published, part.dir());
        ClaimResults.write(part.dir().resolve(ClaimResults.NAME), claims);
        Path report = part.dir().resolve("report.html");
        String title = (part.missing().isEmpty() && !part.hasValidRuns()
                        ? "FAILED: "
                        : part.missing().isEmpty() ? "" : incomplete(part))
                + scenario.title();
        Report.write(
                new ReportInput(
                        title,
                        folder.status().command(),
                        environment(folder),
                        published.papers(),
                        List.of(section(part, points, "", claims, commandOf(folder, part))),
                        List.of(),
                        cards),
                report);
        return new Findings(claims, cards, report, problems);
    }

    private static List<ClaimResult> judged(ScenarioFolder part, Published published) {
        return ClaimCheck.evaluate(
                published.claimsOf(part.scenario().name()),
                part.measurementsAndGaps(),
                published.comparability(List.of(part.scenario())));
    }

    /**
     * Returns the scores of cards. With runs by drawn profiles, their measured values are compared with intervals, and
     * the model's errors are estimated into a file.
     */
    private static List<CardScore> scores(
            List<ClaimResult> results, List<ScenarioFolder> parts, Published published, Path dir) throws IOException {
        Map<String, PredictedInterval> intervals = new HashMap<>();
        for (ScenarioFolder part : parts) {
            intervals.putAll(intervals(part, published));
        }
        if (!intervals.isEmpty()) {
            ModelErrors.of(published.points(), intervals).write(dir);
        }
        return CardScore.of(published.points(), results, intervals, published.modelErrors());
    }

    /** Returns the intervals over drawn profiles of the values that claims on cards compare, by the claims' ids. */
    private static Map<String, PredictedInterval> intervals(ScenarioFolder part, Published published) {
        List<Claim> claims = published.claimsOf(part.scenario().name()).stream()
                .filter(claim -> claim.id().startsWith(CardPoint.CLAIMS + "/"))
                .toList();
        Map<String, List<Double>> values = new HashMap<>();
        Map<Integer, List<Measurement>> byProfile =
                part.drawnMeasurements().stream().collect(Collectors.groupingBy(Measurement::repeat));
        for (List<Measurement> drawn : byProfile.values()) {
            ClaimCheck.evaluate(claims, drawn, published.comparability(List.of(part.scenario())))
                    .forEach(result -> values.computeIfAbsent(result.id(), _ -> new ArrayList<>())
                            .add(result.reproduced()));
        }
        Map<String, PredictedInterval> intervals = new HashMap<>();
        values.forEach((id, ofClaim) -> {
            List<Double> finite = ofClaim.stream().filter(Double::isFinite).toList();
            if (!finite.isEmpty()) {
                intervals.put(id, PredictedInterval.of(finite));
            }
        });
        return intervals;
    }

    private static boolean hasCard(ScenarioFolder part) {
        return part.scenario().cells().stream()
                .anyMatch(cell ->
                        !PresumedSettings.isOfThisMachine(cell.settings().fabric()));
    }

    private static Findings combined(List<ResultFolder> folders, Path dir, Published published, List<String> problems)
            throws IOException {
        // Claims are checked against results on network cards, simulated or real, if a scenario has any.
        List<ScenarioFolder> parts =
                folders.stream().flatMap(folder -> folder.parts().stream()).toList();
        Set<String> onCards = parts.stream()
                .filter(Findings::hasCard)
                .map(part -> part.scenario().name())
                .collect(Collectors.toSet());
        List<ScenarioFolder> claimed = parts.stream()
                .filter(part ->
                        hasCard(part) || !onCards.contains(part.scenario().name()))
                .toList();
        List<Measurement> all = new ArrayList<>();
        claimed.forEach(part -> all.addAll(part.measurementsAndGaps()));
        List<ClaimResult> results = ClaimCheck.evaluate(
                published.claims(),
                all,
                published.comparability(
                        claimed.stream().map(ScenarioFolder::scenario).toList()));
        Map<String, ClaimResult> byId = new HashMap<>();
        results.forEach(result -> byId.put(result.id(), result));
        Map<String, ClaimResult> left = new LinkedHashMap<>();
        results.forEach(result -> left.put(result.id(), result));

        List<ReportSection> sections = new ArrayList<>();
        int done = 0;
        int planned = 0;
        Map<String, List<ReportSection>> sameScenario = new LinkedHashMap<>();
        for (ResultFolder folder : folders) {
            for (ScenarioFolder part : folder.parts()) {
                String name = part.scenario().name();
                List<ClaimResult> own = new ArrayList<>();
                for (Claim claim : claimed.contains(part) ? published.claimsOf(name) : List.<Claim>of()) {
                    ClaimResult result = byId.get(claim.id());
                    if (result != null && left.remove(claim.id()) != null) {
                        own.add(result);
                    }
                }
                ReportSection section = section(
                        part,
                        published.pointsOf(name, judged(part, published)),
                        address(dir, part.dir()),
                        own,
                        commandOf(folder, part));
                sections.add(section);
                sameScenario.computeIfAbsent(name, _ -> new ArrayList<>()).add(section);
            }
            done += folder.done();
            planned += folder.plan().units().size();
        }
        sideBySide(sameScenario.values(), sections);
        List<CardScore> cards = scores(results, claimed, published, dir);
        ClaimResults.write(dir.resolve(ClaimResults.NAME), results);
        Path report = dir.resolve("report.html");
        ResultFolder first = folders.getFirst();
        String title = folders.size() == 1 ? title(first) : "Combined report";
        Report.write(
                new ReportInput(
                        (folders.stream().noneMatch(ResultFolder::hasValidRuns)
                                        ? "FAILED: "
                                        : done == planned ? "" : incomplete(done, planned))
                                + title,
                        commandOf(folders),
                        environment(first),
                        published.papers(),
                        sections,
                        List.copyOf(left.values()),
                        cards),
                report);
        return new Findings(results, cards, report, problems);
    }

    /** Returns the address of a folder relative to another: empty, or ending with "/". */
    private static String address(Path from, Path folder) {
        String relative =
                from.toAbsolutePath().relativize(folder.toAbsolutePath()).toString();
        return relative.isEmpty()
                ? ""
                : Path.of("/", relative, "f").toUri().getRawPath().replaceFirst("^/(.*)f$", "$1");
    }

    /** Returns the commands that made the folders and, for several, the one that combined them. */
    private static String commandOf(List<ResultFolder> folders) {
        Stream<String> made = folders.stream().map(folder -> folder.status().command());
        if (folders.size() == 1) {
            return made.findFirst().orElseThrow();
        }
        String together = folders.stream()
                .map(folder -> folder.dir().toString())
                .collect(Collectors.joining(" ", "./run.sh report ", ""));
        return Stream.concat(made, Stream.of(together)).collect(Collectors.joining("\n"));
    }

    /** Combines results of one scenario on several fabrics in a first section; the others get the fabric's name. */
    private static void sideBySide(Collection<List<ReportSection>> scenarios, List<ReportSection> sections) {
        List<ReportSection> together = new ArrayList<>();
        for (List<ReportSection> same : scenarios) {
            if (same.size() == 1) {
                continue;
            }
            List<Measurement> all = new ArrayList<>();
            for (ReportSection section : same) {
                section.measurements().forEach(run -> all.add(onFabric(run)));
                sections.set(sections.indexOf(section), named(section));
            }
            ReportSection first = same.getFirst();
            together.add(new ReportSection(
                    first.name() + " side by side",
                    first.title() + ": " + String.join(" and ", fabrics(same)) + " side by side",
                    first.reproduces(),
                    first.kind(),
                    first.scenarioYaml(),
                    same.stream().map(ReportSection::command).collect(Collectors.joining("\n")),
                    all,
                    List.of(),
                    Course.NONE,
                    first.figures().stream()
                            .filter(figure -> !figure.isOverTime())
                            .map(Findings::byFabric)
                            .toList(),
                    PublishedPoints.none(),
                    null,
                    List.of(),
                    List.of()));
        }
        sections.addAll(0, together);
    }

    private static List<String> fabrics(List<ReportSection> sections) {
        return sections.stream()
                .flatMap(section ->
                        section.measurements().stream().map(Measurement::fabric).distinct())
                .distinct()
                .toList();
    }

    private static ReportSection named(ReportSection section) {
        String fabric = String.join(", ", fabrics(List.of(section)));
        return new ReportSection(
                section.name() + " on " + fabric,
                section.title() + " (" + fabric + ")",
                section.reproduces(),
                section.kind(),
                section.scenarioYaml(),
                section.command(),
                section.measurements(),
                section.drawn(),
                section.course(),
                section.figures(),
                section.published(),
                section.files(),
                section.skipped(),
                section.claims());
    }

    private static Measurement onFabric(Measurement run) {
        Map<String, Object> cell = new LinkedHashMap<>(run.cell().values());
        cell.put("fabric", run.fabric());
        return run.in(new Cell(cell));
    }

    private static FigureSpec byFabric(FigureSpec figure) {
        boolean panels = figure.panels().isEmpty();
        List<String> series = new ArrayList<>(figure.series());
        if (!panels) {
            series.add("fabric");
        }
        return new FigureSpec(
                figure.name() + "-side-by-side",
                figure.title(),
                figure.x(),
                figure.y(),
                series,
                panels ? "fabric" : figure.panels(),
                figure.shape(),
                figure.logX(),
                figure.logY(),
                figure.where(),
                figure.titles());
    }

    private static String title(ResultFolder folder) {
        return folder.orderedEnvironment().getOrDefault("title", "Reproduction");
    }

    private static String commandOf(ResultFolder folder, ScenarioFolder part) {
        return folder.status().combined()
                ? folder.orderedEnvironment()
                        .getOrDefault(
                                "command-of-" + part.scenario().name(),
                                folder.status().command())
                : folder.status().command();
    }

    private static Map<String, String> environment(ResultFolder folder) {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put(
                "status",
                folder.status().state().word() + ", "
                        + Quantities.count(folder.plan().units().size(), "run") + " planned, " + folder.done()
                        + " done"
                        + (folder.failures().isEmpty()
                                ? ""
                                : ", " + folder.failures().size() + " failed"));
        folder.orderedEnvironment().forEach((key, value) -> {
            if (!key.startsWith("command-of-") && !key.equals("title")) {
                environment.put(key, value);
            }
        });
        return environment;
    }

    private static String incomplete(ScenarioFolder part) {
        return incomplete(part.done(), part.units().size());
    }

    private static String incomplete(int done, int planned) {
        return "INCOMPLETE (" + done + " of " + Quantities.count(planned, "run") + "): ";
    }

    /** Returns the figures, with the titles of the NIC profiles. */
    private static List<FigureSpec> figures(ScenarioFolder part) {
        return part.scenario().figures().stream()
                .map(figure -> figure.withTitles(nicTitles(part)))
                .toList();
    }

    private static Map<String, String> nicTitles(ScenarioFolder part) {
        Map<String, String> titles = new HashMap<>();
        part.units().forEach(unit -> titles.put(unit.nic().name(), unit.nic().title()));
        return titles;
    }

    /** Returns a figure of the stored runs as an SVG document. */
    static String svg(ScenarioFolder part, FigureSpec figure, Published published)
            throws IOException, InvalidInputException {
        return FigureWriter.svg(
                figure.withTitles(nicTitles(part)),
                part.measurements(),
                part.drawnMeasurements(),
                part.course(),
                published.pointsOf(part.scenario().name(), judged(part, published)));
    }

    private static ReportSection section(
            ScenarioFolder part, PublishedPoints published, String files, List<ClaimResult> claims, String command) {
        Scenario scenario = part.scenario();
        Kind kind = part.units().isEmpty()
                ? Kind.SIMULATED
                : part.units().getFirst().kind();
        return new ReportSection(
                scenario.name(),
                scenario.title(),
                scenario.reproduces(),
                kind,
                scenario.resolvedYaml(),
                command,
                part.measurementsAndGaps(),
                part.drawnMeasurements(),
                part.course(),
                figures(part),
                published,
                files,
                scenario.skipped().stream()
                        .map(cell -> new ReportSection.SkippedCell(cell.label(), "excluded by the scenario (skip)"))
                        .toList(),
                claims);
    }
}
