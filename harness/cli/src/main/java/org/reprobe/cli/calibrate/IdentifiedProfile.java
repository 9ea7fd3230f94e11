package org.reprobe.cli.calibrate;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.reprobe.analysis.calibration.ProfileText;
import org.reprobe.analysis.calibration.ProfileText.Constant;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.perftest.CardIdentification;
import org.reprobe.analysis.perftest.CardOutputs;
import org.reprobe.analysis.perftest.NearestCard;
import org.reprobe.analysis.perftest.Recipe;
import org.reprobe.cli.base.TextTable;
import org.reprobe.run.CalibrationRun;

/** Profile from outputs of other programs, as text for the terminal, JSON and a file. */
record IdentifiedProfile(NicProfile base, String baseReason, CardIdentification.Result result, List<String> warnings) {

    record ConstantJson(String key, double value, List<Double> interval, String basis, String source) {}

    record StepJson(String command, List<String> constants) {}

    record Json(
            String profile,
            String base,
            List<ConstantJson> constants,
            List<ConstantJson> besideConstants,
            List<StepJson> missing,
            List<String> warnings) {}

    static final String JSON_FIELDS =
            "profile, base, constants and beside_constants (key, value, interval, basis, source), missing (command,"
                    + " constants), warnings.";

    static IdentifiedProfile of(CardOutputs outputs, List<CardOutputs> together, NicProfile base, NearestCard nearest) {
        List<String> warnings = new ArrayList<>(outputs.warnings());
        together.forEach(client -> warnings.addAll(client.warnings()));
        return new IdentifiedProfile(
                base,
                base.name().equals(nearest.profile()) ? nearest.reason() : "--base",
                CardIdentification.identify(outputs, together, base),
                List.copyOf(warnings));
    }

    String file(String command) {
        List<String> comments = new ArrayList<>();
        comments.add(CalibrationRun.MARK + " from outputs of perftest.");
        comments.add("    " + command);
        comments.add("All constants that these outputs do not identify are those of " + base.name() + ".");
        comments.add(
                "measured: direct observation. bound: a limit that a measurement sets. derived: from other constants, or"
                        + " the rate of a port or slot. assumed: as in " + base.name() + ".");
        warnings.forEach(warning -> comments.add("Warning: " + warning));
        return ProfileText.of(
                base.title() + ", measured by perftest",
                comments,
                result.constants(),
                NicProfiles.lists(base),
                "as in " + base.name());
    }

    Json json(Path file) {
        return new Json(
                file.toString(),
                base.name(),
                result.constants().stream().map(IdentifiedProfile::json).toList(),
                result.beside().stream().map(IdentifiedProfile::json).toList(),
                missing().stream()
                        .map(step -> new StepJson(step.recipe().command(), step.keys()))
                        .toList(),
                warnings);
    }

    private static ConstantJson json(Constant constant) {
        return new ConstantJson(
                constant.key(), constant.value(), constant.interval(), basis(constant), constant.source());
    }

    private static String basis(Constant constant) {
        return constant.basis().name().toLowerCase(Locale.ROOT);
    }

    private List<Recipe.Step> missing() {
        return Recipe.missing(result.constants());
    }

    void print(PrintWriter out) {
        out.println("# base: " + base.name() + " (" + baseReason + ")");
        TextTable table = new TextTable("lrlll", "Constant", "Value", "Interval", "Basis", "From");
        List<String> asInBase = new ArrayList<>();
        for (Constant constant : result.constants()) {
            if (result.identified().contains(constant.key())) {
                add(table, constant);
            } else {
                asInBase.add(constant.key());
            }
        }
        result.beside().forEach(constant -> add(table, constant));
        out.print(table);
        out.println();
        out.println("As in " + base.name() + ": " + String.join(", ", asInBase));
        warnings.forEach(warning -> out.println("WARNING: " + warning));
        printSteps(out, missing());
    }

    private static void add(TextTable table, Constant constant) {
        List<Double> interval = constant.interval();
        table.add(
                constant.key(),
                ProfileText.number(constant.value()),
                interval.isEmpty()
                        ? ""
                        : ProfileText.number(interval.getFirst()) + " to " + ProfileText.number(interval.getLast()),
                basis(constant),
                constant.source());
    }

    void printMissing(PrintWriter out) {
        printSteps(out, missing());
    }

    static void printRecipe(PrintWriter out, NicProfile any) {
        printSteps(out, Recipe.all(NicProfiles.constants(any).keySet()));
    }

    private static void printSteps(PrintWriter out, List<Recipe.Step> steps) {
        if (steps.isEmpty()) {
            out.println("Nothing is missing that these programs identify.");
            return;
        }
        out.println("Commands that identify what is missing; the server of perftest runs the same without SERVER:");
        for (Recipe.Step step : steps) {
            out.println("    " + step.recipe().command());
            out.println(
                    "        " + String.join(", ", step.keys()) + step.recipe().remark());
        }
        out.println("Fix the CPU frequency, and put each output into a file for calibrate --from.");
    }

    /** Reads a written profile, which must be valid. */
    static void check(Path file) throws InvalidInputException {
        NicProfiles.read(file, String.valueOf(file.getFileName()));
    }
}
