package org.reprobe.plots.plan;

import java.io.IOException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.plan.Advice;
import org.reprobe.analysis.plan.CardAnswer;
import org.reprobe.analysis.plan.Influence;
import org.reprobe.analysis.plan.Interval;
import org.reprobe.analysis.plan.Latency;
import org.reprobe.analysis.plan.PlanInput;
import org.reprobe.analysis.plan.PlanJson;
import org.reprobe.analysis.plan.PlanOption;
import org.reprobe.analysis.plan.Planner;
import org.reprobe.analysis.plan.Prediction;
import org.reprobe.plots.Course;
import org.reprobe.plots.FigureQuantity;
import org.reprobe.plots.FigureSpec;
import org.reprobe.plots.FigureWriter;
import org.reprobe.plots.FiguresUnavailableException;
import org.reprobe.plots.PageFigure;
import org.reprobe.plots.PublishedPoints;
import org.reprobe.plots.Templates;

/** Renderer of a plan, or the proof of its model, as one self-contained HTML file. */
public final class PlanPage {
    private static final int SHOWN = 12;
    private static final int INFLUENCES = 2;
    private static final int LINES = 4;

    private PlanPage() {}

    /** Figure of the page, null if it could not be drawn. */
    public record Figure(@Nullable PageFigure drawn, String caption) {}

    /** Table with a heading; cells of a row are in the order of the columns. */
    public record Table(String title, String caption, List<String> columns, List<List<String>> rows) {}

    /** Texts of the template. */
    public record Content(
            String title,
            String lead,
            List<Table> tables,
            List<Figure> figures,
            List<String> why,
            List<Advice.Change> changes,
            List<String> assumptions,
            List<String> warnings,
            List<List<String>> verified) {}

    public static String render(
            PlanInput input, CardAnswer.All answers, Advice advice, List<PlanJson.Verified> verified, LocalDate today)
            throws IOException {
        Planner.Result result = answers.result();
        List<List<String>> checks = new ArrayList<>();
        for (PlanJson.Verified each : verified) {
            checks.add(List.of(
                    each.label(),
                    text("%.2f", each.predictedPerSecond() / 1e6),
                    text("%.2f", each.simulatedPerSecond() / 1e6),
                    text("%.2f", each.predictedIdleNs() / 1e3),
                    text("%.2f", each.simulatedIdleNs() / 1e3),
                    text("%.2f", each.predictedPeakNs() / 1e3),
                    text("%.2f", each.simulatedPeakNs() / 1e3)));
        }
        List<String> warnings = new ArrayList<>();
        String undecided = answers.undecided(input);
        if (!undecided.isEmpty()) {
            warnings.add("Can't tell: " + undecided);
        }
        warnings.addAll(advice.warnings());
        List<Table> tables = new ArrayList<>(List.of(cards(input, answers, today)));
        if (!answers.others(SHOWN).isEmpty()) {
            tables.add(others(input, answers.others(SHOWN), today));
        }
        if (answers.cards().stream().anyMatch(card -> !card.influences().isEmpty())) {
            tables.add(constants(input, answers));
        }
        return page(new Content(
                title(answers),
                text(
                        "%,d records of %.0f bytes, %,.0f operations per second and %,.0f at the peak; %,d configurations. Nothing was measured here; each number is simulated or predicted in closed form. Clients: %s",
                        input.file().records(),
                        input.meanRecordBytes(),
                        input.file().lookupsPerSecond(),
                        input.peakPerSecond(),
                        result.tried(),
                        Advice.clients(input)),
                tables,
                result.options().isEmpty() ? List.of() : figures(input, result),
                advice.why(),
                advice.changes(),
                advice.assumptions(),
                warnings,
                checks));
    }

    private static String title(CardAnswer.All answers) {
        PlanOption best = answers.result().options().stream().findFirst().orElse(null);
        return best == null
                ? "Plan: no configuration is sure"
                : "Plan: " + best.servers() + " server" + (best.servers() == 1 ? "" : "s") + ", "
                        + best.shape().scheme().title() + " at load "
                        + text("%.2f", best.shape().loadFactor())
                        + " on " + best.nic().title();
    }

    private static Table cards(PlanInput input, CardAnswer.All answers, LocalDate today) {
        String percentile = "p" + input.percentileWords() + " µs";
        List<List<String>> rows = new ArrayList<>();
        for (CardAnswer card : answers.cards()) {
            PlanOption option = card.option();
            Prediction prediction = card.prediction();
            if (option == null || prediction == null) {
                List<String> row = new ArrayList<>(List.of(card.nic().title(), card.words()));
                row.addAll(Collections.nCopies(9, "–"));
                rows.add(row);
                continue;
            }
            rows.add(List.of(
                    card.nic().title(),
                    card.words(),
                    option.servers() + " (" + prediction.servers() + ")",
                    option.shape().title(),
                    within(card.perServerPerSecond(), prediction.perServerPerSecond(), 1e6),
                    within(card.medianNs(), prediction.medianNs(), 1e3),
                    within(card.percentileNs(), prediction.percentileNs(), 1e3),
                    card.simulated() == null ? "predicted" : "simulated",
                    card.basis(input),
                    text(
                            "%s: %.0f %%",
                            option.binding().name(), 100 * option.binding().down()),
                    cost(option, today)));
        }
        return new Table(
                "Best configuration of each card",
                "In parentheses: 5 % to 95 % of the ranges of the card's constants. Latencies are at the peak with the tolerated number of failed servers. Known constants: part of the rate, and of the latency, that rests on constants with a source; cards below 75 % rank last"
                        + (input.allowsAssumed() ? ", unless --allow-assumed is given, as here." : "."),
                List.of(
                        "NIC",
                        "Limits kept",
                        "Servers",
                        "Configuration",
                        "M/s per server",
                        "p50 µs",
                        percentile,
                        "Numbers",
                        "Known constants",
                        "Bottleneck, predicted",
                        costTitle(input)),
                rows);
    }

    private static String within(double value, Interval interval, double unit) {
        return text("%.1f (%.1f to %.1f)", value / unit, interval.low() / unit, interval.high() / unit);
    }

    private static String costTitle(PlanInput input) {
        return input.file().pricePerServer().isPresent() ? "Cost" : "Full by";
    }

    private static String cost(PlanOption option, LocalDate today) {
        return option.cost().isPresent() ? text("%,.0f", option.cost().getAsDouble()) : PlanJson.fullBy(option, today);
    }

    private static Table others(PlanInput input, List<PlanOption> others, LocalDate today) {
        List<List<String>> rows = new ArrayList<>();
        for (PlanOption option : others) {
            PlanOption.Resource binding = option.binding();
            rows.add(List.of(
                    option.nic().title(),
                    option.shape().title(),
                    option.servers() + " (" + option.because() + ")",
                    text("%.1f", option.tableBytes() / 0x1p30),
                    text("%.0f %%", 100 * option.overhead(input)),
                    text(
                            "%.1f ± %.1f",
                            option.perServerPerSecond() / 1e6,
                            option.relativeError() * option.perServerPerSecond() / 1e6),
                    text("%.1f / %.1f", option.downNs()[0] / 1e3, option.downNs()[1] / 1e3),
                    text(
                            "%s: %.0f / %.0f / %.0f %%",
                            binding.name(), 100 * binding.mean(), 100 * binding.peak(), 100 * binding.down()),
                    text("%.2f", option.headroom()),
                    cost(option, today)));
        }
        return new Table(
                "Other configurations",
                "All numbers are predicted.",
                List.of(
                        "NIC",
                        "Configuration",
                        "Servers",
                        "GiB per server",
                        "Overhead",
                        "M/s per server",
                        "p50 / p" + input.percentileWords() + " µs",
                        "Bottleneck, used at: mean / peak / servers down",
                        "Headroom",
                        costTitle(input)),
                rows);
    }

    private static Table constants(PlanInput input, CardAnswer.All answers) {
        List<List<String>> rows = new ArrayList<>();
        for (CardAnswer card : answers.cards()) {
            for (Influence influence :
                    card.influences().stream().limit(INFLUENCES).toList()) {
                rows.add(List.of(
                        card.nic().title(),
                        influence.constant() + " (" + influence.basis().name().toLowerCase(Locale.ROOT) + ")",
                        text(
                                "%.4g (%.4g to %.4g)",
                                influence.range().value(),
                                influence.range().low(),
                                influence.range().high()),
                        influence.servers(),
                        ends(influence.perServerPerSecond(), 1e6),
                        ends(influence.latencyNs(), 1e3),
                        influence.command()));
            }
        }
        return new Table(
                "Constants that move the answer most",
                "Each alone, from one end of its range to the other.",
                List.of(
                        "NIC",
                        "Constant",
                        "Value (range)",
                        "Servers",
                        "M/s per server",
                        "p" + input.percentileWords() + " µs",
                        "Command that identifies it"),
                rows);
    }

    private static String ends(Interval ends, double unit) {
        return text("%.1f to %.1f", ends.low() / unit, ends.high() / unit);
    }

    private static List<Figure> figures(PlanInput input, Planner.Result result) throws IOException {
        return List.of(
                figure(
                        frontier(result),
                        "frontier",
                        "Throughput against memory overhead",
                        "overhead-percent",
                        FigureQuantity.THROUGHPUT,
                        FigureSpec.Shape.LINE,
                        text(
                                "Lookups per second of one server's card against the memory that a scheme needs beyond the records, over all load factors, %s.",
                                result.options().getFirst().nic().title())),
                figure(
                        utilisation(result),
                        "utilisation",
                        "Utilisation",
                        "resource",
                        FigureQuantity.UTILISATION,
                        FigureSpec.Shape.BAR,
                        "Utilization of each resource in the best configuration: at the mean load, at the peak, and at the peak with the tolerated number of failed servers."),
                figure(
                        latency(result, input),
                        "latency",
                        "Latency against load",
                        "load-percent",
                        FigureQuantity.LATENCY_P99,
                        FigureSpec.Shape.LINE,
                        "The 99th latency percentile of one server's lookups against its load, in percent of its capacity, for the best configuration of each scheme."));
    }

    /** Returns the proof's page; entries are relative errors of throughput, idle and loaded latency. */
    public static String proof(List<double[]> errors, String summary) throws IOException {
        List<Measurement> counts = new ArrayList<>();
        String[] names = {"throughput", "idle p99", "p99 under load"};
        for (int which = 0; which < names.length; which++) {
            TreeMap<Double, Integer> bins = new TreeMap<>();
            for (int bin = -20; bin <= 20; bin += 2) {
                bins.put((double) bin, 0);
            }
            for (double[] each : errors) {
                double percent = Double.isFinite(each[which]) ? 100 * each[which] : 20;
                bins.merge(2.0 * Math.round(Math.clamp(percent, -20, 20) / 2), 1, Integer::sum);
            }
            for (Map.Entry<Double, Integer> bin : bins.entrySet()) {
                counts.add(point(Map.of("error-percent", bin.getKey(), "of", names[which]), "count", bin.getValue()));
            }
        }
        FigureSpec spec = new FigureSpec(
                "errors",
                "Errors of the closed form",
                "error-percent",
                FigureQuantity.COUNT,
                List.of("of"),
                "of",
                FigureSpec.Shape.LINE,
                false,
                false,
                Map.of());
        return page(new Content(
                "The planner's closed form against the simulator",
                errors.size() + " random configurations; difference predicted - simulated, in percent of simulated.",
                List.of(),
                List.of(new Figure(
                        draw(spec, counts),
                        "Number of configurations by error; errors beyond 20 % are shown at 20 %.")),
                List.of(summary.split("\n")),
                List.of(),
                List.of(),
                List.of(),
                List.of()));
    }

    private static String page(Content content) {
        return Templates.render("plan.jte", content);
    }

    @SuppressWarnings("AnnotateFormatMethod") // no library here has that annotation
    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static Figure figure(
            List<Measurement> points,
            String name,
            String title,
            String x,
            FigureQuantity y,
            FigureSpec.Shape shape,
            String caption)
            throws IOException {
        List<String> series = name.equals("utilisation") ? List.of("at") : List.of("scheme", "table.storage");
        return new Figure(
                draw(new FigureSpec(name, title, x, y, series, "", shape, false, false, Map.of()), points), caption);
    }

    private static @Nullable PageFigure draw(FigureSpec spec, List<Measurement> points) throws IOException {
        try {
            return FigureWriter.inPage(spec, points, List.of(), Course.NONE, PublishedPoints.none(), spec.name() + "-");
        } catch (InvalidInputException | FiguresUnavailableException e) {
            return null;
        }
    }

    /** Returns one line per scheme and storage: the best throughput at each overhead, for the best option's card. */
    private static List<Measurement> frontier(Planner.Result result) {
        Map<String, Planner.FrontierPoint> best = new LinkedHashMap<>();
        String card = result.options().getFirst().nic().name();
        for (Planner.FrontierPoint point : result.frontier()) {
            if (point.nic().name().equals(card) && point.overhead() < 3) {
                String place = point.shape().scheme().key() + " "
                        + point.shape().inline() + text(" %.0f", 100 * point.overhead());
                best.merge(place, point, (a, b) -> a.perServerPerSecond() >= b.perServerPerSecond() ? a : b);
            }
        }
        Map<String, Double> reached = new LinkedHashMap<>();
        for (Planner.FrontierPoint point : best.values()) {
            reached.merge(
                    series(point.shape().scheme().key(), point.shape().inline()),
                    point.perServerPerSecond(),
                    Math::max);
        }
        List<String> fastest = reached.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .limit(7)
                .map(Map.Entry::getKey)
                .toList();
        return best.values().stream()
                .filter(point -> fastest.contains(
                        series(point.shape().scheme().key(), point.shape().inline())))
                .map(point -> point(
                        Map.of(
                                "scheme",
                                point.shape().scheme().key(),
                                "table.storage",
                                point.shape().inline() ? "inline" : "heap",
                                "overhead-percent",
                                (double) Math.round(100 * point.overhead())),
                        Metrics.THROUGHPUT,
                        point.perServerPerSecond()))
                .toList();
    }

    private static String series(String scheme, boolean inline) {
        return scheme + " " + inline;
    }

    private static List<Measurement> utilisation(Planner.Result result) {
        List<Measurement> points = new ArrayList<>();
        for (PlanOption.Resource resource : result.options().getFirst().resources()) {
            points.add(
                    point(Map.of("resource", resource.name(), "at", "mean"), "utilisation_fraction", resource.mean()));
            points.add(
                    point(Map.of("resource", resource.name(), "at", "peak"), "utilisation_fraction", resource.peak()));
            points.add(point(
                    Map.of("resource", resource.name(), "at", "servers down"),
                    "utilisation_fraction",
                    resource.down()));
        }
        return points;
    }

    private static List<Measurement> latency(Planner.Result result, PlanInput input) {
        List<Measurement> points = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        for (PlanOption option : result.options()) {
            String name = series(option.shape().scheme().key(), option.shape().inline());
            if (seen.size() >= LINES || seen.contains(name)) {
                continue;
            }
            seen.add(name);
            for (int percent = 5; percent <= 90; percent += 5) {
                double ns = Latency.underLoadNs(
                        option.load(), percent / 100.0 * option.perServerPerSecond(), input.percentile())[0];
                if (Double.isFinite(ns)) {
                    points.add(point(
                            Map.of(
                                    "scheme",
                                    option.shape().scheme().key(),
                                    "table.storage",
                                    option.shape().inline() ? "inline" : "heap",
                                    "load-percent",
                                    (double) percent),
                            Metrics.LATENCY + ".p99",
                            ns));
                }
            }
        }
        return points;
    }

    private static Measurement point(Map<String, Object> cell, String metric, double value) {
        Map<String, Object> ordered = new TreeMap<>(cell);
        return new Measurement(
                "plan", new Cell(ordered), 0, 0, "sim", Kind.PREDICTED, true, null, Map.of(metric, value));
    }
}
