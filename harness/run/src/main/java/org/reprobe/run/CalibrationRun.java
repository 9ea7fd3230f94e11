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

/** A complete calibration: times, fit, profile, the same probes on the simulated card as fitted, report. */
public final class CalibrationRun {
    /** Start of a profile that a calibration wrote and may overwrite. */
    public static final String MARK = "Calibrated by ./run.sh calibrate";

    private static final long SIMULATED_DURATION_NS = 400_000;
    private static final long SIMULATED_LOOKUP_NS = 20_000_000;
    private static final int SIMULATED_LISTS = 2000;
    private static final long SIMULATED_REGION_BYTES = 16 << 20;

    private CalibrationRun() {}

    /**
     * Parameters of a calibration. {@code nic} is for the fabric {@code sim} only; {@code server} is {@code host:port},
     * or null for a server in this process.
     */
    public record Order(
            String profile,
            String fabric,
            @Nullable String server,
            NicProfile nic,
            Procedure.Parameters plan,
            String command) {}

    /**
     * Result of a calibration. {@code profile} is for {@code --nic}: a name, or a file if the folder of profiles has no
     * copy. {@code truth} has the timed card's own constants, if known; {@code unreported} is the reason for a missing
     * report, or null.
     */
    public record Outcome(
            Path dir,
            String profile,
            CardFit.Result fit,
            @Nullable Map<String, Double> truth,
            List<Curves.Miss> errors,
            @Nullable String unreported) {}

    public static Procedure.Parameters simulatedPlan(int clients, int outstandingReads, int repeats, long seed) {
        return new Procedure.Parameters(
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

    @FunctionalInterface
    public interface Results {
        FolderLock take() throws IOException, InvalidInputException;
    }

    public static Procedure.Opener inProcess(Order order) {
        return seed -> Fabrics.open(order.fabric(), order.nic(), seed);
    }

    /**
     * Calibrates. {@code results} locks an empty folder after all measurements, so that none is created in vain;
     * {@code nics} is the folder of profiles for a copy that {@code --nic} finds by name, or null for no copy.
     */
    public static Outcome run(
            Order order,
            Procedure.Opener opener,
            Results results,
            @Nullable Path nics,
            Path home,
            Procedure.Listener listener)
            throws IOException, FabricException, InvalidInputException, InterruptedException {
        Procedure.Parameters plan = order.plan();
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
        Procedure.Parameters plan = order.plan();
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
        environment.putAll(Environment.current(home));
        Environment.write(dir, environment);
        String text = ProfileText.of(title(order), comments(order, kind, fit, environment), fit.estimates());
        WholeFile.write(dir.resolve(order.profile() + ".yaml"), text);
        NicProfile fitted = load(dir, order.profile());
        String named = copy(text, order.profile(), nics)
                ? order.profile()
                : dir.resolve(order.profile() + ".yaml").toString();

        Procedure.Parameters again = simulatedPlan(plan.clients(), plan.outstandingReads(), 1, plan.seed() + 1);
        List<Observation> simulated = Procedure.run(seed -> Fabrics.open("sim", fitted, seed), again, listener)
                .observations();
        Map<String, Double> truth = kind == Kind.SIMULATED ? identifiable(order.nic(), fit) : null;
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

    /** Returns a known card's constants that times can identify. */
    private static Map<String, Double> identifiable(NicProfile nic, CardFit.Result fit) {
        Map<String, Double> constants = NicProfiles.constants(nic);
        constants.keySet().removeIf(key -> {
            Estimate estimate = fit.estimates().get(key);
            return estimate == null || !estimate.identified();
        });
        return constants;
    }

    private static boolean copy(String text, String profile, @Nullable Path nics) {
        if (nics == null) {
            return false;
        }
        try {
            WholeFile.write(nics.resolve(profile + ".yaml"), text);
            return true;
        } catch (IOException e) {
            return false; // the measurements are safe in the results
        }
    }

    private static NicProfile load(Path dir, String profile) throws IOException {
        try {
            return NicProfiles.load(dir, profile);
        } catch (InvalidInputException e) {
            throw new IOException("the fitted profile is invalid: " + e.getMessage(), e);
        }
    }

    /** Returns true if a profile may be written under a name: there is none, or a calibration wrote it. */
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
                "measured: direct observation. fitted: from several probes. derived: from other constants. assumed: not"
                        + " determined by the times.");
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
