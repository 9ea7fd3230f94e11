package org.reprobe.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.sample.TimeSeries;
import org.reprobe.system.Content;

/** Execution of a plan whose measurements are not stored. Processes that it needs are left running. */
public final class Trial {
    private final RunPlan plan;
    private final Map<Integer, Measurement> measurements = new TreeMap<>();
    private final Runner runner;

    /** Prepares a plan; programs write into folders in {@code own}. */
    public Trial(RunPlan plan, Experiment.Options options, Path own) {
        this.plan = plan;
        Map<Integer, String> refusals = plan.refusals(options.memoryBytes());
        List<RunPlan.Unit> units = new ArrayList<>();
        for (RunPlan.Unit unit : plan.units()) {
            String refusal = refusals.get(unit.index());
            if (refusal == null) {
                units.add(unit);
            } else {
                measurements.put(unit.index(), unit.failed(refusal));
            }
        }
        this.runner = new Runner(
                units,
                (content, threads) -> content.build(new Content.Builder(threads, null, options.tables(), _ -> {})),
                options.real(),
                unit -> own.resolve(String.valueOf(unit.index())),
                options.memoryBytes(),
                RunPlan.jobs(units, options.jobs()),
                new Unobserved());
    }

    /** Returns the measurements in the plan's order. */
    public List<Measurement> run() throws IOException, InterruptedException {
        if (!runner.run(this::store)) {
            throw new InterruptedException(plan.scenarios().getFirst().name() + " was stopped");
        }
        return List.copyOf(measurements.values());
    }

    private void store(RunPlan.Unit unit, Measurement measurement, @Nullable Histogram latencyNs, TimeSeries series) {
        measurements.put(unit.index(), measurement);
    }

    /** Stops all runs soon. Thread-safe. */
    public void stop() {
        runner.stop();
    }

    private record Unobserved() implements Progress {
        @Override
        public void started(RunPlan.Unit unit) {}

        @Override
        public void finished(RunPlan.Unit unit, Measurement measurement) {}

        @Override
        public void note(String text) {}
    }
}
