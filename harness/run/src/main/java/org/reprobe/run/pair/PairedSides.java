package org.reprobe.run.pair;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.regress.PairedExperiment.Run;
import org.reprobe.analysis.regress.PairedExperiment.Side;
import org.reprobe.analysis.regress.ResultComparison;

/** Sides of a paired experiment as processes that are started anew for each run. */
public final class PairedSides implements PairSides {
    private final PairSide base;
    private final PairSide now;
    private final Sides sides;
    private final Path work;
    private final Set<String> differingKeys;
    private volatile boolean stopped;

    /** Builds and settings of both sides; {@code sets} and {@code options} are common to both. */
    public record Sides(
            Path baseHome,
            Path nowHome,
            List<String> baseSets,
            List<String> nowSets,
            List<String> sets,
            List<String> options,
            Path scenario) {
        public Sides {
            baseSets = List.copyOf(baseSets);
            nowSets = List.copyOf(nowSets);
            sets = List.copyOf(sets);
            options = List.copyOf(options);
        }

        public boolean twoBuilds() {
            return !baseHome.equals(nowHome);
        }

        /** Returns true if some setting determines the duration of the measured interval. */
        public boolean setsDuration() {
            return Stream.of(baseSets, nowSets, sets)
                    .flatMap(List::stream)
                    .anyMatch(set -> set.contains("real-time-ms") || set.contains("duration-ms"));
        }

        /** Returns the keys in which the sides differ, by full and by last name. */
        Set<String> differingKeys() {
            Set<String> differing = new LinkedHashSet<>();
            Stream.concat(baseSets.stream(), nowSets.stream()).forEach(set -> {
                String key = set.substring(0, Math.max(0, set.indexOf('='))).strip();
                String plain = key.startsWith("sweep.") ? key.substring("sweep.".length()) : key;
                differing.add(plain);
                differing.add(plain.substring(plain.lastIndexOf('.') + 1));
            });
            return differing;
        }

        /** Returns the settings of a run beside the user's: one repeat, and a longer time if it is above 0. */
        List<String> setsOfRun(long realTimeMs) {
            List<String> all = new ArrayList<>();
            if (sets.stream().noneMatch(set -> set.startsWith("measure.repeats") || set.startsWith("repeats"))) {
                all.add("measure.repeats=1");
            }
            if (realTimeMs > 0) {
                all.add("measure.real-time-ms=" + realTimeMs);
            }
            return all;
        }
    }

    /** @param work an existing folder for temporary files */
    public PairedSides(Sides processes, Path work) {
        this.sides = processes;
        this.work = work;
        this.base = new PairSide(processes.baseHome(), processes.baseSets());
        this.now = new PairSide(processes.nowHome(), processes.nowSets());
        this.differingKeys = processes.differingKeys();
    }

    @Override
    public void prepare() throws InvalidInputException, IOException, InterruptedException {
        base.prepare();
    }

    @Override
    public void stop() {
        stopped = true;
        base.stop();
        now.stop();
    }

    @Override
    public Set<String> artifacts(Side side) {
        return (side == Side.BASE ? base : now).artifacts();
    }

    @Override
    public Run run(Side side, long seed, long realTimeMs)
            throws InvalidInputException, IOException, InterruptedException {
        if (stopped) {
            throw new InterruptedException();
        }
        List<String> arguments =
                new ArrayList<>(List.of("run", sides.scenario().toAbsolutePath().toString()));
        Stream.concat(sides.sets().stream(), sides.setsOfRun(realTimeMs).stream())
                .forEach(set -> arguments.addAll(List.of("--set", set)));
        arguments.addAll(sides.options());
        // Versions may lay out tables differently: each build has its own cache.
        String cache = side == Side.BASE && sides.twoBuilds() ? "base" : "new";
        arguments.addAll(List.of(
                "--seed",
                String.valueOf(seed),
                "--table-cache",
                work.resolve(cache).toString()));
        PairSide.Run run = (side == Side.BASE ? base : now).run(arguments, work);
        return new Run(
                run.measurements().stream()
                        .map(measurement -> ResultComparison.without(measurement, differingKeys))
                        .toList(),
                run.processMs());
    }

    @Override
    public void close() {
        // Each run has ended its processes.
    }
}
