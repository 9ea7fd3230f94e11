package org.reprobe.command;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Parameter;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.foreign.OutputFormat;
import org.reprobe.analysis.foreign.OutputPattern;
import org.reprobe.analysis.foreign.Unit;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.command.CommandSettings.Reading;
import org.reprobe.command.CommandSettings.Take;
import org.reprobe.system.CellCheck;
import org.reprobe.system.ProgramRun;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.system.program.Artifact;
import org.reprobe.system.program.Executable;
import org.reprobe.system.program.ExternalProgram;

/** Scheme {@code command}: external programs that measure themselves. */
public final class CommandSystem implements ExternalProgram {
    static final String SCHEME = "command";
    static final String PARAMETERS = Parameter.FAMILY;
    private static final String START = SCHEME + ".start";
    private static final String READY = SCHEME + ".ready";
    private static final String RUN = SCHEME + ".run";
    private static final String OUTPUT = SCHEME + ".output";
    private static final String METRICS = SCHEME + ".metrics";
    private static final String HISTOGRAMS = SCHEME + ".histograms";
    private static final String ENVIRONMENT = SCHEME + ".environment";
    private static final String VERSION = SCHEME + ".version";

    /** Programs that start other programs; their files do not identify the version of the measured program. */
    private static final Pattern LAUNCHERS = Pattern.compile(
            "sh|bash|dash|zsh|ksh|env|awk|perl|python[0-9.]*|ruby|node|java|ssh|srun|mpirun|mpiexec|numactl|taskset|timeout"
                    + "|nice|time|sudo|stdbuf|setsid");

    private static final Pattern CODE = Pattern.compile(".*\\.(jar|war|class|py|sh|pl|rb|js|lua|so|wasm)");

    private static final String WARM_UP = "measure.warm-up-ms";

    private static final Pattern OWN_NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");

    /** Keys and sections that have an effect only through placeholders in the texts of section {@code command}. */
    private static final Set<String> FOR_PROGRAMS =
            Set.of("connection", "load", "table", "workload", "load-factor", "nic");

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme(SCHEME, "command"));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(CommandSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        Set<String> reads = new LinkedHashSet<>(FOR_PROGRAMS);
        reads.add(SCHEME);
        return reads;
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        CommandSettings own = settings.section(CommandSettings.class);
        if (!settings.isReal()) {
            cell.reportProblem(
                    "external programs are measured, not simulated: set fabric to verbs, tcp or shm, whichever they use",
                    "fabric",
                    "scheme");
        }
        String localOnly =
                "programs are started on this host; let them start programs on other hosts, for instance by ssh";
        cell.reportNoEffect("hosts.server", localOnly);
        cell.reportNoEffect("hosts.clients", localOnly);
        String ownPins = "programs pin themselves: use taskset or numactl in their commands";
        cell.reportNoEffect("hosts.server-cores", ownPins);
        cell.reportNoEffect("hosts.client-cores", ownPins);
        if (own.run().isEmpty()) {
            cell.reportProblem(
                    "command.run must be the measuring program: run: [program, argument, ...]", RUN, "scheme");
        }
        checkWords(cell, own.start(), START);
        checkWords(cell, own.run(), RUN);
        checkPlaceholders(cell, own, settings);
        checkServer(cell, own);
        checkReadings(cell, own);
    }

    private static void checkWords(CellCheck cell, List<String> command, String key) {
        if (command.size() == 1 && command.getFirst().strip().contains(" ")) {
            cell.reportProblem(
                    key
                            + " is one word with spaces in it: write the program and its arguments as a list, or [sh, -c, \""
                            + command.getFirst() + "\"]",
                    key);
        }
    }

    private static void checkServer(CellCheck cell, CommandSettings own) {
        if (!own.hasServer()) {
            String none = "no server is started without command.start";
            for (String key : List.of("ready", "stop", "ready-limit-s", "stop-limit-s")) {
                cell.reportNoEffect(SCHEME + "." + key, none);
            }
            return;
        }
        if (!own.ready().equals(CommandSettings.PORT)) {
            pattern(cell, own.ready(), READY);
        } else if (!Placeholders.in(own.start()).contains(Placeholders.PORT)) {
            cell.reportProblem(
                    "command.start has no {port} to wait for: give it {port}, or set command.ready to the line that the server prints when it is ready",
                    START);
        }
    }

    private static @Nullable OutputPattern pattern(CellCheck cell, String expression, String key) {
        try {
            return new OutputPattern(expression);
        } catch (PatternSyntaxException e) {
            cell.reportProblem(
                    "\"" + expression + "\" is not a regular expression: "
                            + e.getDescription().toLowerCase(java.util.Locale.ROOT),
                    key);
            return null;
        }
    }

    /** Returns true if the length of the warm-up is passed to the program as an argument. */
    static boolean passesWarmUp(CommandSettings own) {
        Set<String> used = Placeholders.in(own.run());
        return used.contains(Placeholders.WARM_UP_S) || used.contains(WARM_UP) || used.contains("warm-up-ms");
    }

    private static void checkPlaceholders(CellCheck cell, CommandSettings own, Settings settings) {
        Placeholders values = new Placeholders(settings);
        Set<String> used = new LinkedHashSet<>();
        check(cell, values, own.start(), START, Set.of(Placeholders.CLIENT), used);
        check(cell, values, own.run(), RUN, Set.of(), used);
        check(cell, values, List.copyOf(own.environment().values()), ENVIRONMENT, Set.of(), used);
        Set<String> inVersion = new LinkedHashSet<>();
        check(
                cell,
                values,
                own.version(),
                VERSION,
                Set.of(
                        Placeholders.PORT,
                        Placeholders.FOLDER,
                        Placeholders.CLIENT,
                        Placeholders.REPEAT,
                        Placeholders.RUN_SEED),
                inVersion);
        check(cell, values, List.of(own.output()), OUTPUT, Set.of(), used);
        check(cell, values, List.of(own.histograms()), HISTOGRAMS, Set.of(), used);
        Set<String> keys = new LinkedHashSet<>();
        used.stream().map(values::key).filter(Objects::nonNull).forEach(keys::add);
        for (String name : values.names()) {
            String key = values.key(name);
            if (key == null || keys.contains(key) || !key.equals(name) || !isForPrograms(key)) {
                continue;
            }
            String shown = key.startsWith(PARAMETERS) ? key.substring(PARAMETERS.length() + 1) : key;
            cell.reportNoEffect(
                    key,
                    "no argument of command.start or command.run has {" + shown
                            + "}; add it where the program expects it");
        }
        for (String parameter : own.parameters().keySet()) {
            if (!Placeholders.isName(parameter)) {
                cell.reportProblem(
                        "{" + parameter
                                + "} is not a valid placeholder: the name of a parameter is small letters and digits, with"
                                + " single hyphens between",
                        PARAMETERS + "." + parameter,
                        PARAMETERS);
            }
            if (Placeholders.OF_RUN.contains(parameter)) {
                cell.reportProblem(
                        "{" + parameter + "} is a placeholder for a value of the run: rename the parameter",
                        PARAMETERS + "." + parameter,
                        PARAMETERS);
            }
        }
    }

    private static boolean isForPrograms(String key) {
        int dot = key.indexOf('.');
        return key.startsWith(PARAMETERS + ".")
                || key.equals("clients.threads")
                || key.equals("measure.duration-ms")
                || key.equals(WARM_UP)
                || FOR_PROGRAMS.contains(dot < 0 ? key : key.substring(0, dot));
    }

    private static void check(
            CellCheck cell,
            Placeholders values,
            List<String> texts,
            String key,
            Set<String> without,
            Set<String> used) {
        for (String name : Placeholders.in(texts)) {
            used.add(name);
            if (without.contains(name)) {
                cell.reportProblem(
                        key + " has {" + name + "}, which only "
                                + (key.equals(VERSION) ? "a run has" : "command.run has, and what it writes"),
                        key);
            } else if (!values.names().contains(name)) {
                String hint = Spelling.hint(name, values.names());
                cell.reportProblem(
                        key + " has {" + name + "}, which is neither a parameter nor a key"
                                + (hint.isEmpty()
                                        ? ": write command.parameters." + name + ", or {{" + name + "}} for itself"
                                        : hint),
                        key);
            }
        }
    }

    private static void checkReadings(CellCheck cell, CommandSettings own) {
        if (own.metrics().isEmpty()) {
            String none = "no number is read without command.metrics";
            cell.reportNoEffect(SCHEME + ".format", none);
            cell.reportNoEffect(OUTPUT, none);
        }
        if (!own.readsHistograms()) {
            cell.reportNoEffect(SCHEME + ".histogram-unit", "no histogram is read without command.histograms");
            if (own.metrics().isEmpty()) {
                cell.reportProblem(
                        "no number is read: set command.metrics, or command.histograms, to the programs' results",
                        RUN,
                        "scheme");
            }
        }
        for (Map.Entry<String, Reading> entry : own.metrics().entrySet()) {
            checkReading(cell, own, entry.getKey(), entry.getValue());
        }
    }

    private static void checkReading(CellCheck cell, CommandSettings own, String name, Reading reading) {
        String where = "command.metrics." + name;
        Unit.Measures measures = MetricNames.measures(name);
        if (!OWN_NAME.matcher(name).matches()) {
            cell.reportProblem(where + " must be small letters, digits and single hyphens", METRICS);
        } else if (measures == null) {
            List<String> known = new ArrayList<>();
            MetricNames.all().forEach(known::add);
            String near = Spelling.nearest(name, known);
            if (near != null) {
                cell.reportProblem(
                        where + ": did you mean \"" + near + "\"? Another number needs another name", METRICS);
            }
        } else if (reading.inUnit().measures() != measures) {
            cell.reportProblem(
                    where + ".unit must be one of " + String.join(", ", Unit.words(measures)) + ", but is "
                            + reading.unit(),
                    METRICS);
        }
        if (own.readsHistograms() && MetricNames.isLatency(name)) {
            cell.reportProblem(where + " comes from command.histograms: leave one of them out", METRICS, HISTOGRAMS);
        }
        if (MetricNames.isPercentile(name) && (reading.taken() == Take.SUM || reading.taken() == Take.MEAN)) {
            cell.reportProblem(
                    where + ": percentiles are neither added nor averaged; use a log of histograms, command.histograms",
                    METRICS);
        }
        if (own.format() == OutputFormat.TEXT) {
            OutputPattern pattern = pattern(cell, reading.from(), METRICS);
            if (pattern != null && pattern.groups() < 1) {
                cell.reportProblem(
                        where + ".from must have the number in parentheses, such as 'TPS: (\\d+)', but is "
                                + reading.from(),
                        METRICS);
            }
        }
    }

    /** Returns the folder of the project; the current folder without a project. */
    static Path project() {
        return Path.of(System.getProperty("reprobe.project", ""));
    }

    static Path workingFolder(CommandSettings own) {
        return project().resolve(own.workingFolder()).toAbsolutePath().normalize();
    }

    @Override
    public Optional<String> missingRequirement(Settings settings) {
        return Optional.ofNullable(missing(settings));
    }

    private static @Nullable String missing(Settings settings) {
        CommandSettings own = settings.section(CommandSettings.class);
        Placeholders values = new Placeholders(settings);
        values.set(Placeholders.PROJECT, project().toAbsolutePath().normalize() + "");
        Path folder = workingFolder(own);
        if (!Files.isDirectory(folder)) {
            return "its folder " + folder + " does not exist";
        }
        if (Executable.find(Program.LEADER, folder) == null) {
            return "it needs the program " + Program.LEADER
                    + ", which is not installed here; on Debian, as root: apt-get install util-linux";
        }
        for (List<String> command : List.of(own.start(), own.run())) {
            if (command.isEmpty()) {
                continue;
            }
            String program = values.fill(command.getFirst());
            if (Executable.find(program, folder) == null) {
                return "it needs the program " + program + ", which "
                        + (program.contains("/")
                                ? "is not in " + folder + ", or can't be executed"
                                : "is not installed here")
                        + (own.install().isEmpty() ? "" : "; " + own.install());
            }
        }
        return null;
    }

    @Override
    public Optional<Artifact> artifact(Settings settings) {
        CommandSettings own = settings.section(CommandSettings.class);
        Placeholders values = new Placeholders(settings);
        Path project = project().toAbsolutePath().normalize();
        values.set(Placeholders.PROJECT, project + "");
        Path folder = workingFolder(own);
        boolean isProject = !System.getProperty("reprobe.project", "").isEmpty();
        Set<Path> files = new LinkedHashSet<>();
        Path home = isProject ? project : null;
        for (List<String> command : List.of(own.run(), own.start())) {
            for (int i = 0; i < command.size(); i++) {
                String word = values.fill(command.get(i));
                Path file = i == 0 ? Executable.find(word, folder) : code(word, folder);
                if (file != null && !LAUNCHERS.matcher(file.getFileName() + "").matches()) {
                    files.add(file.toAbsolutePath().normalize());
                    home = home == null && word.contains("/")
                            ? file.toAbsolutePath().normalize().getParent()
                            : home;
                }
            }
        }
        return Optional.of(new Artifact(home, List.copyOf(files), values.fill(own.version()), folder));
    }

    /** Returns the code file that an argument names, such as a jar or a script; null if it names none. */
    private static @Nullable Path code(String word, Path folder) {
        try {
            Path file = folder.resolve(word);
            boolean isCode = Files.isRegularFile(file)
                    && (Files.isExecutable(file) || CODE.matcher(word).matches());
            return isCode ? file : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    @Override
    public ProgramRun deployment(Settings settings, NicProfile nic, int repeat) {
        return new CommandRun(settings, repeat);
    }
}
