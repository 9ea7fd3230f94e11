package org.reprobe.run.pair;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.run.ArtifactVersion;
import org.reprobe.run.StoredRuns;
import org.reprobe.run.process.ChildProcess;
import org.reprobe.trust.PrivateFolder;

/** One side of a paired comparison: a build of Reprobe, started anew for every run, with this side's settings. */
public final class PairSide {
    private final Path home;
    private final List<String> settings;
    private volatile @Nullable ChildProcess running;
    private volatile boolean stopped;

    /** Result of one run, with the time from start to end of the process. */
    public record Run(List<Measurement> measurements, double processMs) {
        public Run {
            measurements = List.copyOf(measurements);
        }
    }

    private final Set<String> artifacts = new LinkedHashSet<>();

    /** @param settings {@code key=value}, as for {@code --set} */
    public PairSide(Path home, List<String> settings) {
        this.home = home;
        this.settings = List.copyOf(settings);
    }

    /** Builds the program if necessary, so that no run does. */
    public void prepare() throws InvalidInputException, IOException, InterruptedException {
        Path script = home.resolve("run.sh");
        if (!Files.isExecutable(script)) {
            throw new InvalidInputException(
                    Problem.of(home.toString(), "is not a checkout or build of Reprobe: it has no executable run.sh"));
        }
        ProcessResult ended = start(List.of("--version"));
        if (ended.code() != 0 && !stopped) {
            throw new InvalidInputException(
                    Problem.of(home.toString(), "does not start; end of its output:\n" + ended.lastLines()));
        }
    }

    /** Runs once, with temporary files in {@code work}; fails if the program has no result. */
    public Run run(List<String> arguments, Path work) throws InvalidInputException, IOException, InterruptedException {
        Path out = work.resolve("out");
        List<String> command = new ArrayList<>(arguments);
        settings.forEach(setting -> command.addAll(List.of("--set", setting)));
        command.addAll(List.of("--out", out.toAbsolutePath().toString()));
        try {
            long startNs = System.nanoTime();
            ProcessResult ended = start(command);
            double processMs = (System.nanoTime() - startNs) / 1e6;
            if (stopped) {
                throw new InterruptedException();
            }
            if (ended.code() == 2 || !Files.isDirectory(out)) {
                String words = home + "/run.sh failed; end of its output:\n" + ended.lastLines();
                if (ended.code() == 2) {
                    throw new InvalidInputException("pair", words);
                }
                throw new IOException(words);
            }
            StoredRuns stored = StoredRuns.read(out);
            String artifact = ArtifactVersion.words(stored.environment());
            if (!artifact.isEmpty()) {
                artifacts.add(artifact);
            }
            return new Run(stored.runs(), processMs);
        } finally {
            PrivateFolder.delete(out);
        }
    }

    /** Returns the versions of the artifact in this side's runs: one, unless it was rebuilt meanwhile. */
    Set<String> artifacts() {
        return Set.copyOf(artifacts);
    }

    /** Ends the run in progress. Thread-safe. */
    public void stop() {
        stopped = true;
        ChildProcess process = running;
        if (process != null) {
            process.terminate();
        }
    }

    /** Returns the user's project folder as an environment for run.sh; the same for both sides. */
    private static Map<String, String> project() {
        String project = System.getProperty("reprobe.project", "");
        return project.isEmpty() ? Map.of() : Map.of("REPROBE_PROJECT", project);
    }

    private record ProcessResult(int code, String lastLines) {}

    private ProcessResult start(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("run.sh").toAbsolutePath().toString());
        command.addAll(arguments);
        ChildProcess process = ChildProcess.start(command, "", project());
        running = process;
        try {
            int code = process.waitFor();
            return new ProcessResult(code, String.join("\n", process.lastLines()));
        } finally {
            process.terminate();
            running = null;
        }
    }
}
