package org.reprobe.cli.calibrate;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.calibration.Probe;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.perftest.CardOutputs;
import org.reprobe.analysis.perftest.NearestCard;
import org.reprobe.calibrate.Procedure;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.cli.options.Address;
import org.reprobe.cli.options.Choice;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.options.MemorySize;
import org.reprobe.cli.options.NicOption;
import org.reprobe.cli.options.QuietOption;
import org.reprobe.cli.options.Range;
import org.reprobe.cli.options.SeedOption;
import org.reprobe.cli.options.TokenOption;
import org.reprobe.cli.options.WritableFile;
import org.reprobe.fabric.FabricException;
import org.reprobe.run.CalibrationRun;
import org.reprobe.run.Fabrics;
import org.reprobe.run.FolderLock;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.process.DistantFabric;
import org.reprobe.run.process.MemoryServer;
import org.reprobe.run.process.ShellWord;
import org.reprobe.trust.Secret;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** {@code calibrate}: times a fabric and writes a NIC profile. Nothing is written before all input is checked. */
@Command(
        name = "calibrate",
        description = {
            "Times one-sided operations on a fabric, fits the constants of a network card to them and writes a NIC profile"
                    + " for --nic.",
            "On sim it prints the fitted constants beside the true ones.",
            "With --from it makes the profile from outputs of perftest."
        },
        footer = {"", "JSON: " + CalibrationText.JSON_FIELDS, "With --from: " + IdentifiedProfile.JSON_FIELDS})
public final class CalibrateCommand extends CheckedCommand {
    private static final int SIMULATED_CLIENTS = 28;
    private static final long MIN_MEMORY_BYTES = 1 << 20;
    private static final int REAL_LISTS = 2000;
    private static final long NS_PER_MS = 1_000_000;
    /** Factor by which lookups are timed longer: their cost is a small difference of large times. */
    private static final long LOOKUPS_LONGER = 4;

    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
    private static final String NAME_RULE = "must consist of letters, digits, dots and dashes";

    private static final List<String> OF_OUTPUTS = List.of("--from", "--together", "--base", "--recipe", "--overwrite");

    private static final List<String> ONLY_WITH_FABRIC = List.of(
            "--fabric",
            "--nic",
            "--clients",
            "--outstanding",
            "--repeats",
            "--duration-ms",
            "--memory",
            "--seed",
            "--listen",
            "--server",
            "--token-file");

    private static final List<String> ONLY_OF_TIMING = List.of(
            "--nic",
            "--name",
            "--clients",
            "--outstanding",
            "--repeats",
            "--duration-ms",
            "--memory",
            "--seed",
            "--out",
            "--json");

    @Option(
            names = "--fabric",
            paramLabel = "F",
            converter = Choice.OfFabric.class,
            completionCandidates = Choice.OfFabric.class,
            description = "Fabric to time: ${COMPLETION-CANDIDATES}.")
    private String fabric = "sim";

    @Option(
            names = "--nic",
            paramLabel = "N",
            completionCandidates = NicOption.Names.class,
            description = "NIC profile to simulate on sim (default: connectx5-edr).")
    private String nic = "connectx5-edr";

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name of the profile (default: FABRIC-calibrated; with --from, BASE-measured).")
    private @Nullable String name;

    @Range(min = 1, max = 1024)
    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "Clients that load the server (default: 28 on sim, else the number of cores).")
    private @Nullable Integer clients;

    @Range(min = 1, max = 1024)
    @Option(names = "--outstanding", paramLabel = "N", description = "READs in flight per queue pair (default: 16).")
    private int outstanding = 16;

    @Range(min = 1, max = 1000)
    @Option(names = "--repeats", paramLabel = "N", description = "Repetitions of all measurements (default: 5).")
    private int repeats = 5;

    @Range(min = 1, max = 600_000)
    @Option(
            names = "--duration-ms",
            paramLabel = "MS",
            description = "Duration of each rate measurement in ms; not for sim (default: 50).")
    private int durationMs = 50;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = MemorySize.class,
            description = "Size of the target memory; not for sim (default: 64Mi).")
    private long memoryBytes = 64 << 20;

    @Mixin
    private SeedOption seed = new SeedOption();

    @Option(
            names = "--listen",
            paramLabel = "ADDR",
            converter = Address.ToListen.class,
            description =
                    "Act as the server of another calibrate with --server: listen at this address, as 10.0.0.7:7000.")
    private @Nullable InetSocketAddress listen;

    @Option(
            names = "--server",
            paramLabel = "ADDR",
            converter = Address.Converter.class,
            description =
                    "Time the server that \"calibrate --listen\" printed: host:port (default: one in this process).")
    private @Nullable Address server;

    @Mixin
    private TokenOption token = new TokenOption();

    @Option(
            names = "--from",
            arity = "1..*",
            paramLabel = "FILE",
            description =
                    "Make the profile from outputs of perftest, ibv_devinfo, ibstat and lspci instead of timing a fabric.")
    private List<Path> from = List.of();

    @Option(
            names = "--together",
            arity = "1..*",
            paramLabel = "FILE",
            description =
                    "Outputs of ib_read_bw on several clients at the same time against one server, a file for each.")
    private List<Path> together = List.of();

    @Option(
            names = "--base",
            paramLabel = "PROFILE",
            completionCandidates = NicOption.Names.class,
            description =
                    "Profile with the values that the outputs do not identify (default: by the card's name or speed).")
    private @Nullable String base;

    @Option(
            names = "--recipe",
            description = "Print the commands that identify a card; with --from, only those that are still needed.")
    private boolean recipe;

    @Option(names = "--overwrite", description = "Replace an existing profile.")
    private boolean overwrite;

    @Option(
            names = "--out",
            paramLabel = "PATH",
            description =
                    "Folder for results, including the profile (default: a new folder in results/, and the profile in"
                            + " scenarios/nics/ as well); with --from, the profile's file (default: in scenarios/nics/).")
    private @Nullable Path out;

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private QuietOption quiet = new QuietOption();

    private final Library library = Library.current();

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        if (OF_OUTPUTS.stream().anyMatch(this::isGiven)) {
            return identify();
        }
        if (!isGiven("--fabric")) {
            addProblem("calibrate", "--fabric is missing: one of " + String.join(", ", Fabrics.NAMES));
        }
        return isGiven("--listen") ? serve() : time();
    }

    private Integer time() throws InvalidInputException, IOException, InterruptedException {
        boolean simulated = !Fabrics.isReal(fabric);
        NicProfile card = card(simulated);
        int cores = Runtime.getRuntime().availableProcessors();
        int workers = clients != null ? clients : simulated ? SIMULATED_CLIENTS : cores;
        if (memoryBytes < MIN_MEMORY_BYTES) {
            refuse("--memory", "must be at least 1Mi");
        }
        if (simulated) {
            refuse("--duration-ms", "only for fabrics in real time");
            refuse("--memory", "has no effect on a simulated card");
            refuse("--server", "a simulated server needs no process");
        }
        if (server == null && token.given()) {
            addProblem("--token-file", "only with --server");
        }
        String profile = profile();
        library.checkOut(out, problems());
        Secret secret = server != null && problems().isEmpty() ? token.read(problems()) : null;
        stopOnProblems();
        if (card == null) {
            return ExitCode.BAD_INPUT;
        }
        Procedure.Parameters plan = simulated
                ? CalibrationRun.simulatedPlan(workers, outstanding, repeats, seed.orOne())
                : new Procedure.Parameters(
                        workers,
                        outstanding,
                        memoryBytes,
                        durationMs * NS_PER_MS,
                        durationMs * NS_PER_MS * LOOKUPS_LONGER,
                        REAL_LISTS,
                        repeats,
                        1,
                        seed.orOne());
        quiet.header(json.text())
                .println("# fabric: " + fabric + (simulated ? ", " + card.title() : "") + ", "
                        + Quantities.count(workers, "client") + ", " + Quantities.count(repeats, "repeat"));
        if (!simulated && workers > cores) {
            quiet.header(json.text())
                    .println("# " + workers + " clients share " + Quantities.count(cores, "core")
                            + " of this machine: times include scheduling of threads, not the fabric alone");
        }
        CalibrationRun.Order order = new CalibrationRun.Order(
                profile, fabric, server == null ? null : server.toString(), card, plan, TypedCommand.of(parsed()));
        CalibrationText text;
        try (ProgressLine line = quiet.progress();
                DistantFabric.Server distant = server == null || secret == null
                        ? null
                        : new DistantFabric.Server(fabric, server.host(), server.port(), secret)) {
            Procedure.Opener opener = distant == null ? CalibrationRun.inProcess(order) : _ -> distant.open();
            text = new CalibrationText(CalibrationRun.run(
                    order,
                    opener,
                    () -> results(profile),
                    out == null ? library.newNics() : null,
                    library.home(),
                    new Turns(line, plan)));
        } catch (FabricException e) {
            err().println("Calibration failed: " + e.getMessage());
            return ExitCode.FAILED;
        }
        text.print(json.text());
        json.write(text.json());
        String unreported = text.outcome().unreported();
        if (unreported != null) {
            err().println("No report: " + unreported);
            return ExitCode.FAILED;
        }
        return ExitCode.FINE;
    }

    private Integer identify() throws InvalidInputException, IOException {
        parsed().matchedOptions().stream()
                .map(OptionSpec::longestName)
                .filter(ONLY_WITH_FABRIC::contains)
                .distinct()
                .forEach(option -> refuse(option, "only for timing a fabric, not with --from or --recipe"));
        if (!isGiven("--from")) {
            List.of("--together", "--base", "--overwrite", "--name", "--out", "--json")
                    .forEach(option -> refuse(option, "only with --from"));
            NicProfile card = profile("--nic", nic);
            stopOnProblems();
            IdentifiedProfile.printRecipe(out(), Objects.requireNonNull(card));
            return ExitCode.FINE;
        }
        CardOutputs measured = read(() -> CardOutputs.read(from));
        List<CardOutputs> clientOutputs = new ArrayList<>();
        for (Path file : together) {
            CardOutputs client = read(() -> CardOutputs.read(List.of(file)));
            if (client != null) {
                clientOutputs.add(client);
            }
        }
        if (together.size() == 1) {
            addProblem("--together", "needs the outputs of two or more clients, a file for each");
        }
        NearestCard nearest = measured == null ? null : NearestCard.of(measured);
        String of = base != null ? base : nearest == null ? null : nearest.profile();
        NicProfile profileOfBase = of == null ? null : profile("--base", of);
        Path file = profileFile(of);
        stopOnProblems();
        if (measured == null || nearest == null || profileOfBase == null || file == null) {
            return ExitCode.BAD_INPUT;
        }
        IdentifiedProfile profile = IdentifiedProfile.of(measured, clientOutputs, profileOfBase, nearest);
        if (recipe) {
            profile.printMissing(json.text());
        } else {
            WritableFile.write(file, profile.file(TypedCommand.of(parsed())));
            IdentifiedProfile.check(file);
            profile.print(json.text());
            json.text()
                    .println("Profile: " + file + "; use it with --nic "
                            + ShellWord.typed(out == null ? Library.name(file) : file.toString()));
        }
        json.write(profile.json(file));
        return ExitCode.FINE;
    }

    private @Nullable NicProfile profile(String option, String profile) throws IOException, InvalidInputException {
        String missing = NicProfiles.missing(library.nics(), profile);
        if (missing != null) {
            addProblem(option + " " + profile, missing);
            return null;
        }
        return read(() -> NicProfiles.load(library.nics(), profile));
    }

    /** Returns the file for the profile; null if there is a problem with it. */
    private @Nullable Path profileFile(@Nullable String of) throws IOException {
        Path file = out;
        if (file != null) {
            refuse("--name", "not with --out, which names the file");
        } else {
            String given = name == null && of != null ? of.replace('+', '-') + "-measured" : name;
            if (given == null) {
                return null;
            }
            if (!given.matches(NAME)) {
                addProblem("--name " + given, NAME_RULE);
                return null;
            }
            file = library.newNics().resolve(given + ".yaml");
        }
        String place = out == null ? file.toString() : "--out " + file;
        if (Files.isDirectory(file)) {
            addProblem(place, "is a folder; with --from it must be the profile's file");
        } else if (out != null && !file.toString().endsWith(".yaml")) {
            addProblem(place, "must end in .yaml, as all profiles");
        } else if (Files.exists(file) && !overwrite && !recipe) {
            addProblem(place, "exists; choose another --name or --out, or replace it with --overwrite");
        } else {
            Path folder = file.toAbsolutePath().getParent();
            String refusal = folder == null ? null : ResultFolder.unwritable(folder);
            if (refusal != null) {
                addProblem(place, refusal);
            }
        }
        return file;
    }

    private Integer serve() throws InvalidInputException, IOException, InterruptedException {
        if (!Fabrics.isReal(fabric)) {
            refuse("--listen", "a simulated server needs no process");
        }
        refuse("--server", "not with --listen");
        ONLY_OF_TIMING.forEach(option -> refuse(option, "only for the process with --server"));
        stopOnProblems();
        if (listen == null) {
            return ExitCode.BAD_INPUT;
        }
        try (MemoryServer memoryServer = new MemoryServer(fabric, listen)) {
            out().println("# waiting for: ./run.sh calibrate --fabric " + fabric + " --server "
                    + memoryServer.address());
            out().println("# token, for its prompt or in a file for --token-file: "
                    + memoryServer.token().text());
            memoryServer.serve();
            out().println("# done");
            return ExitCode.FINE;
        } catch (FabricException e) {
            err().println("Serving failed: " + e.getMessage());
            return ExitCode.FAILED;
        }
    }

    private static final class Turns implements Procedure.Listener {
        private final ProgressLine line;
        private final int turns;
        private int last = Integer.MIN_VALUE;
        private int turn;
        private int probes;

        Turns(ProgressLine line, Procedure.Parameters plan) {
            this.line = line;
            this.turns = plan.repeats() + plan.warmUps();
        }

        @Override
        public void probing(int repeat, Probe probe) {
            if (repeat != last || probe == Probe.POST) {
                last = repeat;
                turn++;
                line.info(repeat < 0 ? "warming up" : "repeat " + repeat + " (turn " + turn + " of " + turns + ")");
            }
            double all = Math.max(turns, turn) * (double) Probe.values().length;
            line.show(Math.min(1, probes++ / all), "turn " + turn + " of " + turns, probe.title());
        }
    }

    private FolderLock results(String profile) throws IOException, InvalidInputException {
        return out == null
                ? FolderLock.takeNew(
                        library.results(), "calibrate-" + profile, LocalDateTime.now(ZoneId.systemDefault()))
                : FolderLock.takeEmpty(out);
    }

    private @Nullable NicProfile card(boolean simulated) throws IOException, InvalidInputException {
        if (!simulated) {
            refuse("--nic", "only with --fabric sim");
        }
        return profile("--nic", nic);
    }

    private String profile() throws IOException {
        String profile = name == null ? fabric + "-calibrated" : name;
        if (!profile.matches(NAME)) {
            addProblem("--name " + profile, NAME_RULE);
        } else if (out == null && !CalibrationRun.writable(library.newNics(), profile)) {
            addProblem("--name " + profile, "is a profile not written by calibrate: choose another name");
        }
        return profile;
    }
}
