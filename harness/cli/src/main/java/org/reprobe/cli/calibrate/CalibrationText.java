package org.reprobe.cli.calibrate;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.calibration.Curves;
import org.reprobe.analysis.calibration.Estimate;
import org.reprobe.analysis.calibration.ProfileText;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.cli.base.TextTable;
import org.reprobe.run.CalibrationRun;
import org.reprobe.run.process.ShellWord;

record CalibrationText(CalibrationRun.Outcome outcome) {
    static final String JSON_FIELDS =
            "dir, profile, constants (key, value, half_width95, basis, truth), fit (probe, points, median_error,"
                    + " worst_error), warnings.";

    /**
     * Constant of the profile, in the unit at the end of its key. {@code halfWidth95} is half of the 95 % interval, or
     * null; {@code truth} is the timed card's own value, or null if unknown.
     */
    record ConstantJson(
            String key,
            double value,
            @Nullable Double halfWidth95,
            String basis,
            @Nullable Double truth) {}

    /** Deviation of the fitted card's times from the measured ones, as fractions. */
    record FitJson(String probe, int points, double medianError, double worstError) {}

    record Json(String dir, String profile, List<ConstantJson> constants, List<FitJson> fit, List<String> warnings) {}

    Json json() {
        Map<String, Double> truth = outcome.truth();
        return new Json(
                outcome.dir().toString(),
                outcome.profile(),
                outcome.fit().estimates().values().stream()
                        .map(estimate -> new ConstantJson(
                                estimate.key(),
                                estimate.value(),
                                estimate.halfWidth95() > 0 ? (Double) estimate.halfWidth95() : null,
                                estimate.basis().name().toLowerCase(Locale.ROOT),
                                truth == null ? null : truth.get(estimate.key())))
                        .toList(),
                outcome.errors().stream()
                        .map(error -> new FitJson(
                                error.probe().title(), error.points(), error.medianFraction(), error.worstFraction()))
                        .toList(),
                outcome.fit().warnings());
    }

    void print(PrintWriter out) {
        Map<String, Double> truth = outcome.truth();
        TextTable table = truth == null
                ? new TextTable("lrrl", "Constant", "Value", "95 %", "Basis")
                : new TextTable("lrrlrr", "Constant", "Value", "95 %", "Basis", "True value", "Difference");
        for (Estimate estimate : outcome.fit().estimates().values()) {
            String value = ProfileText.number(estimate.value());
            String interval = estimate.halfWidth95() > 0
                    ? "± " + ProfileText.number(JsonLine.rounded(estimate.halfWidth95(), 2))
                    : "";
            String basis = estimate.basis().name().toLowerCase(Locale.ROOT);
            if (truth == null) {
                table.add(estimate.key(), value, interval, basis);
            } else {
                Double own = truth.get(estimate.key());
                boolean comparable = own != null && own != 0 && estimate.identified();
                table.add(
                        estimate.key(),
                        value,
                        interval,
                        basis,
                        own == null ? "" : ProfileText.number(own),
                        own != null && comparable
                                ? String.format(Locale.ROOT, "%+.2f %%", 100 * (estimate.value() / own - 1))
                                : "");
            }
        }
        out.println();
        out.print(table);
        out.println();
        TextTable errors = new TextTable("lrrr", "Fit against measured times", "Points", "Median", "Worst");
        for (Curves.Miss error : outcome.errors()) {
            errors.add(
                    error.probe().title(),
                    String.valueOf(error.points()),
                    String.format(Locale.ROOT, "%.1f %%", 100 * error.medianFraction()),
                    String.format(Locale.ROOT, "%.1f %%", 100 * error.worstFraction()));
        }
        out.print(errors);
        out.println();
        outcome.fit().warnings().forEach(warning -> out.println("WARNING: " + warning));
        out.println("Results: " + outcome.dir());
        out.println("Profile: use it with --nic " + ShellWord.typed(outcome.profile()));
        if (outcome.unreported() == null) {
            out.println("Report:  " + outcome.dir().resolve("report.html"));
        }
    }
}
