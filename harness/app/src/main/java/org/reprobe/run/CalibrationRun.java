package org.reprobe.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.calibration.CardFit;
import org.reprobe.analysis.calibration.Curves;
import org.reprobe.analysis.calibration.Estimate;
import org.reprobe.analysis.calibration.Observation;
import org.reprobe.analysis.calibration.ProfileText;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.calibrate.Procedure;
import org.reprobe.fabric.FabricException;
import org.reprobe.plots.FiguresUnavailableException;
import org.reprobe.plots.report.CalibrationReport;

/**
 * A calibration from beginning to end: times, fit, profile, the same probes again on the simulated card with the fitted
 * constants, report.
 */
public final class CalibrationRun {
    /** The first words of a profile that a calibration wrote, and may write again. */
    public static final String MARK = "Calibrated by ./run.sh calibrate";

    private static final long SIMULATED_DURATION_NS = 400_000;
    private static final long SIMULATED_LOOKUP_NS = 20_000_000;
    private static final int SIMULATED_LISTS = 2000;
    private static final long SIMULATED_REGION_BYTES = 16 << 20;

    private CalibrationRun() {}

    /**
     * What to calibrate.
     *
     * @param profile name of the profile to write
     * @param fabric which is timed
     * @param server where its server is, {@code host:port}; null for one in this process
     * @param nic what {@code sim} simulates; for other fabrics it does not matter
     * @param plan how much is done
     * @param command that was typed
     */
    public record Order(
            String profile,
            String fabric,
            @Nullable String server,
            NicProfile nic,
            Procedure.Plan plan,
            String command) {}

    /**
     * What came of it.
     *
     * @param dir the folder with everything
     * @param profile the fitted profile, as {@code --nic} takes it: a name, or a file where the folder of profiles has no copy
     * @param truth the timed card's own constants, where they are known
     * @param errors how far the fitted card's times are from those found
     * @param unreported why there is no report; null when there is one
     */
    public record Outcome(
            Path dir,
            String profile,
            CardFit.Result fit,
            @Nullable Map<String, Double> truth,
            List<Curves.Miss> errors,
            @Nullable String unreported) {}

    /** How much to do on a simulated card, where time costs nothing but the simulator's. */
    public static Procedure.Plan simulatedPlan(int clients, int outstandingReads, int repeats, long seed) {
        return new Procedure.Plan(
                clients,
                outstandingReads,
                SIMULATED_REGION_BYTES,
                SIMULATED_DURATION_NS,
                SIMULATED_LOOKUP_NS,
                SIMULATED_LISTS,
                repeats,
                0,
                seed);
    }

    /** Where a calibration's files go. */
    @FunctionalInterface
    public interface Results {
        /** Takes an empty folder. */
        FolderLock take() throws IOException, InvalidInputException;
    }

    /** Opens the fabric in this process alone. */
    public static Procedure.Opener here(Order order) {
        return seed -> Fabrics.open(order.fabric(), order.nic(), seed);
    }

    /**
     * Calibrates.
     *
     * @param opener of the fabric that is timed
     * @param results takes an empty folder for everything; called when all times are there, so that none is made in vain
     * @param nics the folder of profiles, where {@code --nic} finds a copy of the new one by name; null for no copy
     * @param home the program's folder
     */
    public static Outcome run(
            Order order,
            Procedure.Opener opener,
            Results results,
            @Nullable Path nics,
            Path home,
            Procedure.Listener listener)
            throws IOException, FabricException, InvalidInputException, InterruptedException {
        Procedure.Plan plan = order.plan();
        Kind kind = order.fabric().equals("sim") ? Kind.SIMULATED : Kind.MEASURED;
        Procedure.Findings findings = Procedure.run(opener, plan, listener);
        try (FolderLock lock = results.take()) {
            return write(order, kind, findings, lock.dir(), nics, home, listener);
        }
    }

    private static Outcome write(
            Order order,
            Kind kind,
            Procedure.Findings findings,
            Path dir,
            @Nullable Path nics,
            Path home,
            Procedure.Listener listener)
            throws IOException, FabricException, InterruptedException {
        Procedure.Plan plan = order.plan();
        write(dir.resolve("observations.jsonl"), findings.observations(), order, kind);
        CardFit.Result fit = CardFit.fit(findings.observations(), findings.limits(), findings.clients());
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("fabric", order.fabric() + " (" + kind.word() + ")");
        if (kind == Kind.SIMULATED) {
            environment.put("nic", order.nic().name() + " (" + order.nic().title() + ")");
        }
        if (order.server() != null) {
            environment.put("server", order.server());
        }
        environment.put("clients", String.valueOf(plan.clients()));
        environment.put("repeats", String.valueOf(plan.repeats()));
        environment.put("seed", String.valueOf(plan.seed()));
        environment.putAll(Environment.here(home));
        Environment.write(dir, environment);
        String text = ProfileText.of(title(order), comments(order, kind, fit, environment), fit.estimates());
        WholeFile.write(dir.resolve(order.profile() + ".yaml"), text);
        NicProfile fitted = load(dir, order.profile());
        String named = copy(text, order.profile(), nics)
                ? order.profile()
                : dir.resolve(order.profile() + ".yaml").toString();

        Procedure.Plan again = simulatedPlan(plan.clients(), plan.outstandingReads(), 1, plan.seed() + 1);
        List<Observation> simulated = Procedure.run(seed -> Fabrics.open("sim", fitted, seed), again, listener)
                .observations();
        Map<String, Double> truth = kind == Kind.SIMULATED ? told(order.nic(), fit) : null;
        String unreported = null;
        try {
            CalibrationReport.write(
                    new CalibrationReport.Input(
                            order.profile(),
                            order.fabric(),
                            kind,
                            order.command(),
                            environment,
                            fit,
                            findings.observations(),
                            simulated,
                            truth),
                    dir.resolve("report.html"));
        } catch (FiguresUnavailableException e) {
            unreported = e.getMessage();
        }
        return new Outcome(dir, named, fit, truth, Curves.errors(findings.observations(), simulated), unreported);
    }

    /** A known card's constants, as far as times tell them. */
    private static Map<String, Double> told(NicProfile nic, CardFit.Result fit) {
        Map<String, Double> constants = NicProfiles.constants(nic);
        constants.keySet().removeIf(key -> {
            Estimate estimate = fit.estimates().get(key);
            return estimate == null || !estimate.identified();
        });
        return constants;
    }

    /** Writes the copy that is found by name; false where there is none, as in a checkout that can't be written. */
    private static boolean copy(String text, String profile, @Nullable Path nics) {
        if (nics == null) {
            return false;
        }
        try {
            WholeFile.write(nics.resolve(profile + ".yaml"), text);
            return true;
        } catch (IOException e) {
            return false; // what was measured is safe in the results
        }
    }

    private static NicProfile load(Path dir, String profile) throws IOException {
        try {
            return NicProfiles.load(dir, profile);
        } catch (InvalidInputException e) {
            throw new IOException("the fit gives no usable profile: " + e.getMessage(), e);
        }
    }

    /** True when a profile may be written under a name: there is none, or a calibration wrote it. */
    public static boolean writable(Path nics, String profile) throws IOException {
        Path file = nics.resolve(profile + ".yaml");
        return !Files.exists(file) || Files.readString(file).startsWith("# " + MARK);
    }

    private static String title(Order order) {
        return order.fabric().equals("sim") ? order.nic().title() + ", calibrated" : order.fabric() + ", calibrated";
    }

    private static List<String> comments(Order order, Kind kind, CardFit.Result fit, Map<String, String> environment) {
        List<String> comments = new ArrayList<>();
        comments.add(MARK + " from times that were " + kind.word() + " on fabric " + order.fabric() + ".");
        comments.add("    " + order.command());
        comments.add("on " + environment.getOrDefault("cpu", "unknown") + ", "
                + environment.getOrDefault("cores", "?") + " cores, " + environment.getOrDefault("kernel", "unknown")
                + ", " + environment.getOrDefault("jdk", "unknown") + ".");
        comments.add(
                "measured: read off directly. fitted: from several probes. derived: from others. assumed: the times do not"
                        + " tell.");
        fit.warnings().forEach(warning -> comments.add("Warning: " + warning));
        return comments;
    }

    private static void write(Path file, List<Observation> observations, Order order, Kind kind) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (Observation observation : observations) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("probe", observation.probe().key());
            line.put(observation.probe().x(), observation.x());
            line.put("repeat", observation.repeat());
            line.put("fabric", order.fabric());
            line.put("kind", kind.word());
            line.put("time_ns", observation.ns());
            lines.append(JsonLine.write(line)).append('\n');
        }
        WholeFile.write(file, lines.toString());
    }
}
