package org.reprobe.run.pair;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.regress.PairedExperiment.Run;
import org.reprobe.analysis.regress.PairedExperiment.Side;
import org.reprobe.analysis.regress.ResultComparison;
import org.reprobe.run.ArtifactVersion;
import org.reprobe.run.Experiment;
import org.reprobe.run.RunPlan;
import org.reprobe.run.Trial;
import org.reprobe.run.process.SlurmNodes;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.StoredSettings;
import org.reprobe.trust.PrivateFolder;

/** Sides of one build in this process; servers and clients are started once and run both sides' settings in turn. */
public final class KeptSides implements PairSides {
    private final PairedSides.Sides sides;
    private final Reader reader;
    private final Path nics;
    private final Experiment.Options options;
    private final Path work;
    private final Set<String> differingKeys;
    private final Map<Side, Set<String>> artifacts = new EnumMap<>(Side.class);
    private @Nullable Trial running;
    private boolean stopped;

    @FunctionalInterface
    public interface Reader {
        /** Reads the scenario with some settings. */
        Scenario read(List<String> sets) throws InvalidInputException;
    }

    /** @param work an existing folder for temporary files */
    public KeptSides(PairedSides.Sides sides, Reader reader, Path nics, Experiment.Options options, Path work) {
        this.sides = sides;
        this.reader = reader;
        this.nics = nics;
        this.options = options;
        this.work = work;
        this.differingKeys = sides.differingKeys();
    }

    @Override
    public void prepare() {
        // This build runs.
    }

    @Override
    public Run run(Side side, long seed, long realTimeMs)
            throws InvalidInputException, IOException, InterruptedException {
        List<String> sets = new ArrayList<>(sides.setsOfRun(realTimeMs));
        sets.add("seed=" + seed);
        sets.addAll(side == Side.BASE ? sides.baseSets() : sides.nowSets());
        RunPlan plan = RunPlan.of(List.of(reader.read(sets)), nics);
        for (Map.Entry<String, String> lacking :
                plan.lacking(SlurmNodes.areAvailable()).entrySet()) {
            throw new InvalidInputException(lacking.getKey(), lacking.getValue());
        }
        String artifact = ArtifactVersion.words(ArtifactVersion.facts(plan));
        if (!artifact.isEmpty()) {
            artifacts.computeIfAbsent(side, _ -> new LinkedHashSet<>()).add(artifact);
        }
        Path own = work.resolve("runs");
        Trial trial = new Trial(plan, options, own);
        begin(trial);
        try {
            long startNs = System.nanoTime();
            List<Measurement> runs = trial.run();
            double tookMs = (System.nanoTime() - startNs) / 1e6;
            return new Run(
                    runs.stream()
                            .map(run ->
                                    ResultComparison.without(run.in(StoredSettings.full(run.cell())), differingKeys))
                            .toList(),
                    tookMs);
        } finally {
            PrivateFolder.delete(own);
        }
    }

    private synchronized void begin(Trial trial) throws InterruptedException {
        if (stopped) {
            throw new InterruptedException();
        }
        running = trial;
    }

    @Override
    public synchronized void stop() {
        stopped = true;
        if (running != null) {
            running.stop();
        }
    }

    @Override
    public Set<String> artifacts(Side side) {
        return Set.copyOf(artifacts.getOrDefault(side, Set.of()));
    }

    @Override
    public void close() {
        options.real().close();
    }
}
