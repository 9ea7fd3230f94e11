package org.reprobe.command;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.foreign.HistogramFile;
import org.reprobe.analysis.foreign.OutputFile;
import org.reprobe.analysis.foreign.OutputPattern;
import org.reprobe.analysis.foreign.PercentileOrder;
import org.reprobe.analysis.foreign.Unit;
import org.reprobe.analysis.foreign.UnusableOutputException;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.command.CommandSettings.Reading;
import org.reprobe.command.CommandSettings.Take;
import org.reprobe.sample.LatencyMetrics;
import org.reprobe.system.ProgramRun;
import org.reprobe.system.Run;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Settings;
import org.reprobe.trust.Printable;

/** One run of external programs: server, measuring programs, end of the server, and their output. */
final class CommandRun implements ProgramRun {
    private static final String SERVER = "server";
    private static final String CLIENT = "client-";
    private static final String NOT_READY = "the server was not ready within command.ready-limit-s: ";

    private static final String STARTED = "started.txt";

    private static final long LOOK_MS = 20;
    private static final int CONNECT_MS = 200;
    private static final int DIGITS = 3;

    /** Latencies that are not drawn in figures, such as the minimum. */
    private static final Pattern OWN_LATENCY = Pattern.compile("^" + Metrics.OWN + "\\.latency_(.+)_ns$");

    /** Maximum output of a server before it is ready, in bytes. */
    private static final long MAX_BEFORE_READY = 128L << 20;

    private static final long MAX_OUTPUT = 1L << 30;
    private static final long KEPT_OF_FLOODS = 1L << 20;

    /** Tolerance for servers that end on their own, slightly before their client. */
    private static final double EARLY_S = 0.5;

    private final Settings settings;
    private final CommandSettings own;
    private final int repeat;
    private volatile @Nullable Running running;

    CommandRun(Settings settings, int repeat) {
        this.settings = settings;
        this.own = settings.section(CommandSettings.class);
        this.repeat = repeat;
    }

    @Override
    public RunOutcome run(Path folder, long runSeed) throws InterruptedException {
        try {
            Running begun = new Running(folder.toAbsolutePath(), runSeed);
            running = begun;
            return begun.run();
        } catch (CommandFailedException | UnusableOutputException | IOException e) {
            return RunOutcome.failed(Kind.MEASURED, Printable.line(String.valueOf(e.getMessage())));
        } finally {
            running = null;
        }
    }

    @Override
    public List<Run.ProcessState> processes() {
        Running current = running;
        return current == null ? List.of() : current.states();
    }

    /** File that the run must write, with its state before the run. */
    private record Before(Path file, String name, @Nullable FileTime writtenAt, long bytes) {
        static Before of(Path file, String name) throws IOException {
            try {
                return new Before(file, name, Files.getLastModifiedTime(file), Files.size(file));
            } catch (NoSuchFileException e) {
                return new Before(file, name, null, 0);
            }
        }

        void mustDiffer() throws UnusableOutputException, IOException {
            if (equals(of(file, name))) {
                throw new UnusableOutputException(
                        writtenAt == null
                                ? name + " was not written: there is no " + file
                                : name + " was not written in this run: " + file + " is as it was before");
            }
        }
    }

    private final class Running {
        private final Path folder;
        private final Placeholders values = new Placeholders(settings);
        private final List<Program> started = new CopyOnWriteArrayList<>();
        private final List<Program> clients = new ArrayList<>();
        private final List<String> warnings = new ArrayList<>();
        private final StringBuilder commands = new StringBuilder();
        private final int port;
        private @Nullable Program server;
        private volatile boolean serverIsReady;
        private long nextLookNs = System.nanoTime();

        Running(Path folder, long runSeed) throws IOException {
            this.folder = folder;
            this.port = freePort();
            values.set(Placeholders.PORT, "" + port);
            values.set(Placeholders.FOLDER, folder.toString());
            values.set(
                    Placeholders.PROJECT,
                    CommandSystem.project().toAbsolutePath().normalize() + "");
            values.set(Placeholders.REPEAT, "" + repeat);
            values.set(Placeholders.RUN_SEED, "" + (runSeed & Integer.MAX_VALUE));
        }

        RunOutcome run() throws CommandFailedException, UnusableOutputException, IOException, InterruptedException {
            clear();
            if (!CommandSystem.passesWarmUp(own)) {
                warnings.add("no {warm-up-s} on the command line: Reprobe does not exclude warm-up");
            }
            try {
                startServer();
                List<Before> outputs = before(own.readsFile(), own.output(), "command.output");
                List<Before> histograms = before(own.readsHistograms(), own.histograms(), "command.histograms");
                startClients();
                awaitClients();
                compareEnds();
                stopServer();
                for (Before file : outputs) {
                    file.mustDiffer();
                }
                for (Before file : histograms) {
                    file.mustDiffer();
                }
                return read(outputs, histograms);
            } finally {
                clients.forEach(Program::close);
                if (server != null) {
                    server.close();
                }
            }
        }

        private void clear() throws IOException {
            Files.createDirectories(folder);
            try (Stream<Path> old = Files.list(folder)) {
                for (Path file : old.filter(Files::isRegularFile).toList()) {
                    Files.delete(file);
                }
            }
        }

        private Program start(String name, List<String> command) throws CommandFailedException, IOException {
            List<String> filled = values.fill(command);
            Map<String, String> environment = new LinkedHashMap<>();
            own.environment().forEach((variable, value) -> environment.put(variable, values.fill(value)));
            Path workingFolder = CommandSystem.workingFolder(own);
            commands.append(name).append(":\n");
            environment.forEach((variable, value) -> commands.append("    ")
                    .append(variable)
                    .append('=')
                    .append(value)
                    .append('\n'));
            filled.forEach(argument -> commands.append("    ").append(argument).append('\n'));
            Files.writeString(folder.resolve(STARTED), commands);
            Program program = Program.start(name, filled, workingFolder, environment, folder);
            started.add(program);
            return program;
        }

        List<Run.ProcessState> states() {
            return started.stream()
                    .map(program ->
                            program.state(serverIsReady || !program.name().equals(SERVER)))
                    .toList();
        }

        private void startServer() throws CommandFailedException, IOException, InterruptedException {
            if (!own.hasServer()) {
                return;
            }
            Program starting = start(SERVER, own.start());
            server = starting;
            ReadyLine ready = own.ready().equals(CommandSettings.PORT)
                    ? null
                    : new ReadyLine(new OutputPattern(own.ready()), starting.out(), starting.err());
            long endNs = deadline(own.readyLimitS());
            String unseen = ready == null ? "nothing listens at port " + port : "no line of its matches " + own.ready();
            while (!isReady(starting, ready, endNs)) {
                if (starting.hasEnded()) {
                    throw new CommandFailedException("before it was ready, " + starting.end());
                }
                String flooded = starting.flooded(MAX_BEFORE_READY);
                if (flooded != null) {
                    throw flood(
                            starting,
                            NOT_READY + seconds(own.readyLimitS()) + "; " + unseen + ", and it wrote more than "
                                    + Quantities.bytes(MAX_BEFORE_READY) + " to " + flooded);
                }
                if (System.nanoTime() > endNs) {
                    throw new CommandFailedException(
                            NOT_READY + seconds(own.readyLimitS()) + "; " + unseen + starting.lastWords());
                }
                starting.waitFor(LOOK_MS);
            }
            serverIsReady = true;
        }

        private boolean isReady(Program starting, @Nullable ReadyLine ready, long endNs) throws CommandFailedException {
            if (ready != null) {
                try {
                    return ready.isWritten(endNs);
                } catch (UnusableOutputException e) {
                    throw new CommandFailedException(
                            NOT_READY + seconds(own.readyLimitS()) + "; " + e.getMessage() + starting.lastWords());
                }
            }
            if (starting.hasEnded()) {
                return false; // another program listens at the port
            }
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
                return true;
            } catch (IOException e) {
                return false;
            }
        }

        /** Stops a program that writes too much and truncates its files; returns the failure with its last lines. */
        private static CommandFailedException flood(Program program, String what) {
            String message = what + program.lastWords();
            program.close();
            program.cut(KEPT_OF_FLOODS);
            return new CommandFailedException(
                    message + "; the first " + Quantities.bytes(KEPT_OF_FLOODS) + " of the file are kept");
        }

        private void startClients() throws CommandFailedException, IOException {
            for (int i = 0; i < settings.clients().machines(); i++) {
                values.set(Placeholders.CLIENT, "" + i);
                clients.add(start(CLIENT + i, own.run()));
            }
        }

        private void awaitClients() throws CommandFailedException, InterruptedException {
            long endNs = deadline(own.timeLimitS());
            for (Program client : clients) {
                while (!client.waitFor(LOOK_MS)) {
                    stopOnFloods();
                    if (System.nanoTime() > endNs) {
                        throw new CommandFailedException(client.name() + " did not end within command.time-limit-s: "
                                + seconds(own.timeLimitS()) + client.lastWords());
                    }
                    stopOnFailures();
                }
                stopOnFailures();
            }
        }

        private void stopOnFailures() throws CommandFailedException {
            for (Program client : clients) {
                if (client.hasFailed()) {
                    throw new CommandFailedException(client.end());
                }
            }
            if (server != null && server.hasFailed()) {
                throw new CommandFailedException("while the clients ran, " + server.end());
            }
        }

        private void stopOnFloods() throws CommandFailedException {
            if (System.nanoTime() < nextLookNs) {
                return;
            }
            nextLookNs = deadline(1);
            List<Program> all = new ArrayList<>(clients);
            if (server != null) {
                all.add(server);
            }
            for (Program program : all) {
                String flooded = program.flooded(MAX_OUTPUT);
                if (flooded != null) {
                    throw flood(
                            program,
                            program.name() + " wrote more than " + Quantities.bytes(MAX_OUTPUT) + " to " + flooded);
                }
            }
        }

        /** Adds a warning if the server ended before its clients. */
        private void compareEnds() {
            Program ended = server;
            if (ended == null || !ended.hasEnded()) {
                return;
            }
            long lastNs = clients.stream().mapToLong(Program::endedNs).max().orElseThrow();
            double earlyS = (lastNs - ended.endedNs()) / (double) TimeUnit.SECONDS.toNanos(1);
            if (earlyS > EARLY_S) {
                warnings.add("%.1f s before the clients, %s".formatted(earlyS, ended.end()));
            }
        }

        private void stopServer() throws InterruptedException {
            Program running = server;
            if (running == null) {
                return;
            }
            running.signal(own.stop());
            if (!running.waitFor((long) (TimeUnit.SECONDS.toMillis(1) * own.stopLimitS()))) {
                warnings.add("the server did not end within command.stop-limit-s (" + seconds(own.stopLimitS())
                        + ") of signal " + own.stop() + " and was killed");
            }
        }

        private List<Before> before(boolean is, String text, String key) throws IOException {
            List<Before> files = new ArrayList<>();
            for (int i = 0; is && i < settings.clients().machines(); i++) {
                values.set(Placeholders.CLIENT, "" + i);
                Path file = CommandSystem.workingFolder(own).resolve(values.fill(text));
                if (files.stream().noneMatch(other -> other.file().equals(file))) {
                    files.add(Before.of(file, key));
                }
            }
            return files;
        }

        private RunOutcome read(List<Before> outputs, List<Before> histograms)
                throws UnusableOutputException, IOException {
            Map<String, Double> metrics = new LinkedHashMap<>();
            List<OutputFile> files = new ArrayList<>();
            if (!own.metrics().isEmpty()) {
                for (Before file : outputs) {
                    files.add(OutputFile.read(file.file(), shown(file.file()), own.format()));
                }
                for (Program client : own.readsFile() ? List.<Program>of() : clients) {
                    files.add(OutputFile.read(client.out(), shown(client.out()), own.format()));
                }
            }
            for (Map.Entry<String, Reading> entry : own.metrics().entrySet()) {
                Unit unit = entry.getValue().inUnit();
                double value = unit.toBase(number(entry.getKey(), entry.getValue(), files));
                if (!Double.isFinite(value)) {
                    throw new UnusableOutputException(entry.getKey() + " is too large a number of " + unit.word());
                }
                metrics.put(MetricNames.metric(entry.getKey(), unit), value);
            }
            Histogram latencyNs = null;
            for (Before file : histograms) {
                Histogram more = HistogramFile.latencyNs(file.file(), shown(file.file()), Unit.of(own.histogramUnit()));
                latencyNs = latencyNs == null ? new Histogram(DIGITS) : latencyNs;
                latencyNs.add(more);
            }
            if (latencyNs != null) {
                LatencyMetrics.put(metrics, Metrics.LATENCY, latencyNs);
            }
            requireOrder(metrics);
            return new RunOutcome(Kind.MEASURED, true, null, metrics, latencyNs, warnings);
        }

        private static void requireOrder(Map<String, Double> metrics) throws UnusableOutputException {
            Map<String, Double> numbers = new LinkedHashMap<>();
            metrics.forEach((metric, value) ->
                    numbers.put(OWN_LATENCY.matcher(metric).replaceFirst(Metrics.LATENCY + ".$1"), value));
            String violation = PercentileOrder.violation(numbers);
            if (violation != null) {
                throw new UnusableOutputException(violation);
            }
        }

        private double number(String name, Reading reading, List<OutputFile> files) throws UnusableOutputException {
            List<Double> numbers = new ArrayList<>();
            for (OutputFile file : files) {
                numbers.addAll(file.numbers(reading.from()));
            }
            if (reading.taken() == Take.ONLY && numbers.size() > 1) {
                throw new UnusableOutputException(numbers.size() + " lines have " + reading.from() + " ("
                        + first(numbers) + "); give in metrics." + name
                        + " which one is meant: take: first, last, sum, mean, min or max");
            }
            double number = reading.taken().of(numbers);
            if (number < 0 && MetricNames.measures(name) != null) {
                throw new UnusableOutputException(name + " is " + number + ", but must not be negative");
            }
            return number;
        }

        private static String first(List<Double> numbers) {
            String shown = String.join(
                    ", ", numbers.stream().limit(DIGITS).map(String::valueOf).toList());
            return numbers.size() > DIGITS ? shown + ", ..." : shown;
        }

        /** Returns the name of a file in the folder of the run, the path of any other file. */
        private String shown(Path file) {
            return file.startsWith(folder) ? folder.relativize(file).toString() : file.toString();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static long deadline(double seconds) {
        return System.nanoTime() + (long) (TimeUnit.SECONDS.toNanos(1) * seconds);
    }

    private static String seconds(double seconds) {
        return (seconds == Math.rint(seconds) ? "" + (long) seconds : "" + seconds) + " s";
    }
}
