package org.reprobe.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.trust.PrivateFolder;

/**
 * One of the two sides of a paired comparison: a checkout or build of Reprobe, started anew for every run by its own
 * {@code run.sh}, and the settings that are this side's alone.
 */
public final class PairSide {
    private final Path home;
    private final List<String> settings;
    private volatile @Nullable Process running;
    private volatile boolean stopped;

    /**
     * What one run gave.
     *
     * @param processMs from the start of the process to its end
     */
    public record Run(List<Measurement> measurements, double processMs) {
        public Run {
            measurements = List.copyOf(measurements);
        }
    }

    /**
     * @param home the folder with {@code run.sh}
     * @param settings {@code key=value}, as for {@code --set}
     */
    public PairSide(Path home, List<String> settings) {
        this.home = home;
        this.settings = List.copyOf(settings);
    }

    /**
     * Builds what must be built, so that no run does.
     *
     * @throws InvalidInputException when there is no program that can be built
     */
    public void prepare() throws InvalidInputException, IOException, InterruptedException {
        Path script = home.resolve("run.sh");
        if (!Files.isExecutable(script)) {
            throw new InvalidInputException(Problem.of(
                    home.toString(), "is no checkout or build of Reprobe: it has no run.sh that can be executed"));
        }
        Path log = Files.createTempFile("reprobe-pair", ".log");
        try {
            if (start(List.of("--version"), log) != 0 && !stopped) {
                throw new InvalidInputException(
                        Problem.of(home.toString(), "does not start; its last words:\n" + tail(log)));
            }
        } finally {
            Files.deleteIfExists(log);
        }
    }

    /**
     * Runs once.
     *
     * @param arguments what both sides are started with
     * @param work an existing folder for files that nobody needs afterwards
     * @throws IOException when the program fails without leaving a result
     */
    public Run run(List<String> arguments, Path work) throws InvalidInputException, IOException, InterruptedException {
        Path out = work.resolve("out");
        Path log = work.resolve("log");
        List<String> command = new ArrayList<>(arguments);
        settings.forEach(setting -> command.addAll(List.of("--set", setting)));
        command.addAll(List.of("--out", out.toAbsolutePath().toString()));
        try {
            long startNs = System.nanoTime();
            int exit = start(command, log);
            double processMs = (System.nanoTime() - startNs) / 1e6;
            if (stopped) {
                throw new InterruptedException();
            }
            if (exit == 2 || !Files.isDirectory(out)) {
                String words = home + "/run.sh failed; its last words:\n" + tail(log);
                if (exit == 2) {
                    throw new InvalidInputException(Problem.of("pair", words));
                }
                throw new IOException(words);
            }
            return new Run(StoredRuns.read(out).runs(), processMs);
        } finally {
            PrivateFolder.delete(out);
            Files.deleteIfExists(log);
        }
    }

    /** Ends the run in progress. From any thread. */
    public void stop() {
        stopped = true;
        Process process = running;
        if (process != null) {
            process.destroy();
        }
    }

    private int start(List<String> arguments, Path log) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("run.sh").toAbsolutePath().toString());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        running = process;
        try {
            return process.waitFor();
        } finally {
            process.destroy();
            running = null;
        }
    }

    private static String tail(Path log) throws IOException {
        List<String> lines = Files.exists(log) ? Files.readAllLines(log) : List.of();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 12), lines.size()));
    }
}
