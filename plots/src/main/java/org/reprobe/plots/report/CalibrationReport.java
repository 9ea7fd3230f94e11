package org.reprobe.plots.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.calibration.CardFit;
import org.reprobe.analysis.calibration.Curves;
import org.reprobe.analysis.calibration.Estimate;
import org.reprobe.analysis.calibration.Observation;
import org.reprobe.analysis.calibration.Probe;
import org.reprobe.analysis.calibration.ProfileText;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.plots.Course;
import org.reprobe.plots.FigureQuantity;
import org.reprobe.plots.FigureSpec;
import org.reprobe.plots.FigureWriter;
import org.reprobe.plots.PageFigure;
import org.reprobe.plots.PublishedPoints;
import org.reprobe.plots.Templates;

/** Writer of a calibration's report, one HTML file: the constants, their accuracy, and the fit beside the times. */
public final class CalibrationReport {
    private static final String TIMES = "times";

    private CalibrationReport() {}

    /**
     * Content of a report.
     *
     * @param profile name for {@code --nic}
     * @param command command that repeats the calibration
     * @param fitted the probes of {@code found} on the simulated card with the fitted constants
     * @param truth true constants of the timed card, by key; null if unknown
     */
    public record Input(
            String profile,
            String fabric,
            Kind kind,
            String command,
            Map<String, String> environment,
            CardFit.Result fit,
            List<Observation> found,
            List<Observation> fitted,
            @Nullable Map<String, Double> truth) {

        public Input {
            environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
            found = List.copyOf(found);
            fitted = List.copyOf(fitted);
        }
    }

    /** Row of the table of constants, formatted. */
    public record Row(
            String key, String value, String interval, String basis, String truth, String difference, String source) {}

    /** Figure of a probe. */
    public record Figure(String name, String title, PageFigure drawn) {}

    /** Row of the table of errors. */
    public record Miss(String title, String points, String median, String worst) {}

    /** Parameter of the template. */
    public record Page(
            Input input, String summary, boolean truthKnown, List<Row> rows, List<Figure> figures, List<Miss> misses) {}

    /** Writes the report to {@code html} and its figures, as SVG and PNG, beside it; throws if Java cannot draw. */
    public static void write(Input input, Path html) throws IOException {
        Path directory = html.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IOException(html + " has no folder");
        }
        List<Measurement> measurements = new ArrayList<>();
        add(measurements, input, input.found(), "timed on " + input.fabric(), input.kind());
        add(measurements, input, input.fitted(), "simulated with the fit", Kind.SIMULATED);
        List<Figure> figures = new ArrayList<>();
        Map<Probe, List<Curves.Point>> curves = Curves.of(input.found());
        for (Map.Entry<Probe, List<Curves.Point>> curve : curves.entrySet()) {
            Probe probe = curve.getKey();
            if (curve.getValue().size() < 2) {
                continue;
            }
            FigureSpec spec = spec(probe, curve.getValue());
            try {
                FigureWriter.write(spec, measurements, PublishedPoints.none(), directory);
                figures.add(new Figure(
                        spec.name(),
                        spec.title(),
                        FigureWriter.inPage(
                                spec,
                                measurements,
                                List.of(),
                                Course.NONE,
                                PublishedPoints.none(),
                                spec.name() + "-")));
            } catch (InvalidInputException e) {
                throw new IOException(e);
            }
        }
        WholeFile.write(html, Templates.render("calibration.jte", page(input, figures)));
    }

    private static Page page(Input input, List<Figure> figures) {
        List<Row> rows = new ArrayList<>();
        int notable = 0;
        for (Estimate estimate : input.fit().estimates().values()) {
            notable += estimate.identified() ? 1 : 0;
            Double truth = input.truth() == null ? null : input.truth().get(estimate.key());
            rows.add(new Row(
                    estimate.key(),
                    ProfileText.number(estimate.value()),
                    estimate.halfWidth95() > 0 ? "± " + ProfileText.number(rounded(estimate.halfWidth95())) : "",
                    estimate.basis().name().toLowerCase(Locale.ROOT),
                    truth == null ? "" : ProfileText.number(truth),
                    truth == null || !estimate.identified() ? "" : difference(estimate.value(), truth),
                    estimate.source()));
        }
        List<Miss> misses = Curves.errors(input.found(), input.fitted()).stream()
                .map(error -> new Miss(
                        error.probe().title(),
                        String.valueOf(error.points()),
                        percent(error.medianFraction()),
                        percent(error.worstFraction())))
                .toList();
        String summary = Quantities.share(notable, rows.size(), "constant", "were") + " identified from times on "
                + input.fabric() + " (" + input.kind().word()
                + "); the others are assumed, for the reasons in the table.";
        return new Page(input, summary, input.truth() != null, rows, figures, misses);
    }

    private static double rounded(double value) {
        return org.reprobe.analysis.measurement.JsonLine.rounded(value, 2);
    }

    private static String difference(double value, double truth) {
        return truth == 0
                ? ProfileText.number(rounded(value))
                : String.format(Locale.ROOT, "%+.2f %%", 100 * (value / truth - 1))
                        .replaceFirst("[+-](0\\.00)", "$1")
                        .replace('-', '−');
    }

    private static String percent(double fraction) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * fraction);
    }

    private static void add(
            List<Measurement> measurements, Input input, List<Observation> observations, String times, Kind kind) {
        Curves.of(observations)
                .forEach((probe, points) -> points.forEach(point -> {
                    Map<String, Object> cell = new LinkedHashMap<>();
                    cell.put("probe", probe.key());
                    cell.put(probe.x(), Math.rint(10 * point.x()) / 10);
                    cell.put(TIMES, times);
                    for (int repeat = 0; repeat < point.ns().size(); repeat++) {
                        measurements.add(new Measurement(
                                input.profile(),
                                new Cell(cell),
                                repeat,
                                0,
                                input.fabric(),
                                kind,
                                true,
                                null,
                                Map.of(Metrics.PROBE_TIME, point.ns().get(repeat))));
                    }
                }));
    }

    /** Sizes and lengths are on logarithmic axes; so are times if the largest is ten times the smallest. */
    private static FigureSpec spec(Probe probe, List<Curves.Point> points) {
        double low = points.stream().mapToDouble(Curves.Point::meanNs).min().orElse(0);
        double high = points.stream().mapToDouble(Curves.Point::meanNs).max().orElse(1);
        return new FigureSpec(
                probe.key(),
                probe.title(),
                probe.x(),
                FigureQuantity.PROBE_TIME,
                List.of(TIMES),
                "",
                FigureSpec.Shape.LINE,
                probe != Probe.LOOKUP && probe != Probe.BUSY_LOOKUP,
                low > 0 && high > 10 * low,
                Map.of("probe", probe.key()));
    }
}
