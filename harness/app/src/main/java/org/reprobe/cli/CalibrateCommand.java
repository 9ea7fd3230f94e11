package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.calibration.Curves;
import org.reprobe.analysis.calibration.Estimate;
import org.reprobe.analysis.calibration.ProfileText;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.calibrate.Procedure;
import org.reprobe.fabric.FabricException;
import org.reprobe.run.CalibrationRun;
import org.reprobe.run.Fabrics;
import org.reprobe.run.FolderLock;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.crew.DistantFabric;
import org.reprobe.run.crew.MemoryServer;
import org.reprobe.trust.Secret;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code calibrate}: times a fabric and writes a NIC profile. Nothing is written before all input is found good. */
@Command(
        name = "calibrate",
        description = {
            "Times one-sided operations on a fabric, fits the constants of a network card to them and writes a NIC"
                    + " profile that --nic takes.",
            "On sim it shows how well that works: the constants that come out stand beside those that went in."
        })
final class CalibrateCommand implements Callable<Integer> {
    private static final int SIMULATED_CLIENTS = 28;
    private static final int MOST_CLIENTS = 1024;
    private static final int MOST_OUTSTANDING_READS = 1024;
    private static final long LEAST_MEMORY_BYTES = 1 << 20;
    private static final int REAL_LISTS = 2000;
    private static final double NS_PER_MS = 1e6;
    /** Lookups are timed so many times longer: their cost is a small difference of large times. */
    private static final long LOOKUPS_LONGER = 4;

    @Option(names = "--fabric", paramLabel = "F", description = "What to time: sim, shm, tcp or verbs.")
    private @Nullable String fabric;

    @Option(names = "--nic", paramLabel = "N", description = "For sim: the card to simulate (default: connectx5-edr).")
    private @Nullable String nic;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name of the profile (default: the fabric's, -calibrated).")
    private @Nullable String name;

    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "Clients that keep the server busy (default: 28 for sim, else the number of cores).")
    private @Nullable String clients;

    @Option(names = "--outstanding", paramLabel = "N", description = "READs in flight on a queue pair (default: 16).")
    private @Nullable String outstanding;

    @Option(names = "--repeats", paramLabel = "N", description = "How often all is timed (default: 5).")
    private @Nullable String repeats;

    @Option(
            names = "--duration-ms",
            paramLabel = "MS",
            description = "Time of each measurement of a rate; not for sim (default: 50).")
    private @Nullable String duration;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "Memory that operations go to; not for sim (default: 64m).")
    private @Nullable String memory;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of all randomness (default: 1).")
    private @Nullable String seed;

    @Option(
            names = "--listen",
            paramLabel = "ADDR",
            description = "Be the server that another calibrate, with --server, times: wait at 10.0.0.7:7000 for it.")
    private @Nullable String listen;

    @Option(
            names = "--server",
            paramLabel = "ADDR",
            description = "Time the server that \"calibrate --listen\" printed: host:port (default: one in this"
                    + " process).")
    private @Nullable String server;

    @Mixin
    private TokenOption token = new TokenOption();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Where results go, the profile with them (default: a new folder in results/, and the profile in"
                            + " scenarios/nics/ as well).")
    private @Nullable Path out;

    private final Shipped shipped = Shipped.here();
    private final List<Problem> problems = new ArrayList<>();
    private final PrintStream console = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        String chosen = fabric();
        boolean simulated = chosen.equals("sim");
        if (listen != null) {
            return serve(chosen, listen);
        }
        Address served = server(simulated);
        NicProfile card = card(simulated);
        int cores = Runtime.getRuntime().availableProcessors();
        int workers = number("--clients", clients, simulated ? SIMULATED_CLIENTS : cores, MOST_CLIENTS);
        int inFlight = number("--outstanding", outstanding, 16, MOST_OUTSTANDING_READS);
        int times = number("--repeats", repeats, 5, 1000);
        int durationMs = number("--duration-ms", duration, 50, 600_000);
        long bytes = memory == null ? 64 << 20 : Sizes.bytes("--memory", memory, problems);
        if (memory != null && bytes > 0 && bytes < LEAST_MEMORY_BYTES) {
            problems.add(Problem.of("--memory " + memory, "must be at least 1m"));
        }
        if (simulated) {
            refuse("--duration-ms", duration, "is for fabrics that take real time");
            refuse("--memory", memory, "makes no difference to a simulated card");
        }
        long number = seed();
        String profile = profile(chosen);
        Path dir = out == null ? shipped.results() : out;
        String refusal = ResultFolder.unwritable(dir);
        if (refusal == null && out != null) {
            refusal = FolderLock.refusal(dir);
        }
        if (refusal != null) {
            problems.add(Problem.of(out == null ? dir.toString() : "--out " + out, refusal));
        }
        Secret secret = served != null && problems.isEmpty() ? token.read(problems) : null;
        if (!problems.isEmpty() || card == null) {
            throw new InvalidInputException(problems);
        }
        Procedure.Plan plan = simulated
                ? CalibrationRun.simulatedPlan(workers, inFlight, times, number)
                : new Procedure.Plan(
                        workers,
                        inFlight,
                        bytes,
                        (long) (durationMs * NS_PER_MS),
                        (long) (durationMs * NS_PER_MS * LOOKUPS_LONGER),
                        REAL_LISTS,
                        times,
                        1,
                        number);
        console.println("# fabric: " + chosen + (simulated ? ", " + card.title() : "") + ", " + workers + " clients, "
                + times + " repeats");
        if (!simulated && workers > cores) {
            console.println("# " + workers + " clients share " + cores
                    + " cores: what is timed is their turns, as much as the fabric");
        }
        String where = served == null ? null : served.host() + ":" + served.port();
        CalibrationRun.Order order =
                new CalibrationRun.Order(profile, chosen, where, card, plan, command(chosen, profile));
        CalibrationRun.Outcome outcome;
        try (DistantFabric.Server distant = served == null || secret == null
                ? null
                : new DistantFabric.Server(chosen, served.host(), served.port(), secret)) {
            Procedure.Opener opener = distant == null ? CalibrationRun.here(order) : _ -> distant.open();
            outcome = CalibrationRun.run(
                    order,
                    opener,
                    () -> results(profile),
                    out == null ? shipped.newNics() : null,
                    shipped.home(),
                    new Turns());
        } catch (FabricException e) {
            System.err.println("The calibration failed: " + e.getMessage());
            return Reprobe.FAILED;
        }
        print(outcome);
        return outcome.unreported() == null ? Reprobe.FINE : Reprobe.FAILED;
    }

    /** The server's half: memory for another process' calibration. */
    private Integer serve(String chosen, String at) throws InvalidInputException, IOException, InterruptedException {
        InetSocketAddress address = Address.toListen("--listen", at, problems);
        if (chosen.equals("sim")) {
            problems.add(Problem.of("--listen " + at, "a simulated server needs no process"));
        }
        String other = "is for the process with --server, which times";
        refuse("--server", server, "a calibrate is either the server, with --listen, or times one");
        refuse("--nic", nic, other);
        refuse("--name", name, other);
        refuse("--clients", clients, other);
        refuse("--outstanding", outstanding, other);
        refuse("--repeats", repeats, other);
        refuse("--duration-ms", duration, other);
        refuse("--memory", memory, other);
        refuse("--seed", seed, other);
        refuse("--out", out == null ? null : out.toString(), other);
        if (!problems.isEmpty() || address == null) {
            throw new InvalidInputException(problems);
        }
        try (MemoryServer here = new MemoryServer(chosen, address)) {
            console.println("# waiting for: ./run.sh calibrate --fabric " + chosen + " --server " + here.address());
            console.println("# which asks for this token, or takes it from a file by --token-file: "
                    + here.token().text());
            here.serve();
            console.println("# done");
            return Reprobe.FINE;
        } catch (FabricException e) {
            System.err.println("Serving failed: " + e.getMessage());
            return Reprobe.FAILED;
        }
    }

    private @Nullable Address server(boolean simulated) {
        if (server == null) {
            if (token.given()) {
                problems.add(Problem.of("--token-file", "goes with --server"));
            }
            return null;
        }
        Address address = Address.of("--server", server, problems);
        if (simulated) {
            problems.add(Problem.of("--server " + server, "a simulated server needs no process"));
        }
        return address;
    }

    /** Says which repeat is being timed. */
    private final class Turns implements Procedure.Listener {
        private int last = Integer.MIN_VALUE;
        private int turn;

        @Override
        public void probing(int repeat, org.reprobe.analysis.calibration.Probe probe) {
            if (repeat != last || probe == org.reprobe.analysis.calibration.Probe.POST) {
                last = repeat;
                turn++;
                console.println(repeat < 0 ? "# warming up" : "# turn " + turn + ": repeat " + repeat);
            }
        }
    }

    private FolderLock results(String profile) throws IOException, InvalidInputException {
        return out == null
                ? FolderLock.takeNew(
                        shipped.results(), "calibrate-" + profile, LocalDateTime.now(ZoneId.systemDefault()))
                : FolderLock.takeEmpty(out);
    }

    private void print(CalibrationRun.Outcome outcome) {
        Map<String, Double> truth = outcome.truth();
        TextTable table = truth == null
                ? new TextTable("lrrl", "Constant", "Value", "95 %", "Basis")
                : new TextTable("lrrlrr", "Constant", "Value", "95 %", "Basis", "The card's", "Difference");
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
        console.println();
        console.print(table);
        console.println();
        TextTable errors = new TextTable("lrrr", "The fit against the times", "Points", "Median", "Worst");
        for (Curves.Miss error : outcome.errors()) {
            errors.add(
                    error.probe().title(),
                    String.valueOf(error.points()),
                    String.format(Locale.ROOT, "%.1f %%", 100 * error.medianFraction()),
                    String.format(Locale.ROOT, "%.1f %%", 100 * error.worstFraction()));
        }
        console.print(errors);
        console.println();
        outcome.fit().warnings().forEach(warning -> console.println("WARNING: " + warning));
        console.println("Results: " + outcome.dir());
        console.println("Profile: use it with --nic " + Reprobe.quoted(outcome.profile()));
        String unreported = outcome.unreported();
        if (unreported == null) {
            console.println("Report:  " + outcome.dir().resolve("report.html"));
        } else {
            System.err.println("There is no report: " + unreported);
        }
    }

    private String fabric() {
        if (fabric == null) {
            problems.add(
                    Problem.of("calibrate", "which fabric? --fabric is one of " + String.join(", ", Fabrics.NAMES)));
            return "sim";
        }
        if (!Fabrics.NAMES.contains(fabric)) {
            problems.add(Problem.of(
                    "--fabric " + fabric,
                    "must be one of " + String.join(", ", Fabrics.NAMES) + Spelling.hint(fabric, Fabrics.NAMES)));
            return "sim";
        }
        return fabric;
    }

    private @Nullable NicProfile card(boolean simulated) {
        if (!simulated) {
            refuse("--nic", nic, "is what sim simulates; another fabric is what it is");
        }
        try {
            return NicProfiles.load(shipped.nics(), nic == null ? "connectx5-edr" : nic);
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
            return null;
        }
    }

    private String profile(String chosen) throws IOException {
        String profile = name == null ? chosen + "-calibrated" : name;
        if (!profile.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
            problems.add(Problem.of("--name " + profile, "must be of letters, digits, dots and dashes"));
        } else if (out == null && !CalibrationRun.writable(shipped.newNics(), profile)) {
            problems.add(
                    Problem.of("--name " + profile, "is a profile that no calibration wrote: choose another name"));
        }
        return profile;
    }

    private long seed() {
        if (seed == null) {
            return 1;
        }
        if (!seed.matches("-?\\d{1,18}")) {
            problems.add(Problem.of("--seed " + seed, "must be a whole number"));
            return 1;
        }
        return Long.parseLong(seed);
    }

    private int number(String option, @Nullable String text, int otherwise, int most) {
        if (text == null) {
            return otherwise;
        }
        if (!text.matches("\\d{1,9}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > most) {
            problems.add(Problem.of(option + " " + text, "must be a whole number from 1 to " + most));
            return otherwise;
        }
        return Integer.parseInt(text);
    }

    private void refuse(String option, @Nullable String given, String why) {
        if (given != null) {
            problems.add(Problem.of(option + " " + given, why));
        }
    }

    private String command(String chosen, String profile) {
        List<String> arguments = new ArrayList<>(List.of("calibrate", "--fabric", chosen));
        add(arguments, "--nic", nic);
        add(arguments, "--name", name == null ? null : profile);
        add(arguments, "--clients", clients);
        add(arguments, "--outstanding", outstanding);
        add(arguments, "--repeats", repeats);
        add(arguments, "--duration-ms", duration);
        add(arguments, "--memory", memory);
        add(arguments, "--seed", seed);
        add(arguments, "--server", server);
        return Reprobe.typed(arguments);
    }

    private static void add(List<String> arguments, String option, @Nullable String value) {
        if (value != null) {
            arguments.addAll(List.of(option, value));
        }
    }
}
