package org.reprobe.run;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * A plan's units in parts that may run on different machines. Units that share a table stay together, so that no table is built
 * twice; the costliest tables are given away first, each to the part with the least to do (R. L. Graham, "Bounds on multiprocessing
 * timing anomalies", SIAM J. Appl. Math. 17(2), 1969: at most 4/3 of the best possible). The same plan gives the same parts anywhere.
 *
 * @param parts the one that takes longest first; each in the plan's order; some may be empty
 */
public record Shards(List<List<RunPlan.Unit>> parts) {

    public Shards {
        parts = parts.stream().map(List::copyOf).toList();
    }

    private record Load(int part, double seconds) {}

    /** Divides a plan. */
    public static Shards of(RunPlan plan, int count) {
        List<List<RunPlan.Unit>> parts = new ArrayList<>();
        PriorityQueue<Load> loads =
                new PriorityQueue<>(Comparator.comparingDouble(Load::seconds).thenComparingInt(Load::part));
        for (int i = 0; i < count; i++) {
            parts.add(new ArrayList<>());
            loads.add(new Load(i, 0));
        }
        for (List<RunPlan.Unit> group : RunPlan.groups(plan.units())) {
            Load least = loads.remove();
            parts.get(least.part).addAll(group);
            loads.add(new Load(least.part, least.seconds + RunPlan.seconds(group)));
        }
        parts.forEach(part -> part.sort(Comparator.comparingInt(RunPlan.Unit::index)));
        parts.sort(Comparator.comparingDouble((List<RunPlan.Unit> part) -> -RunPlan.seconds(part)));
        return new Shards(parts);
    }

    public int count() {
        return parts.size();
    }

    /**
     * Returns what a shard runs.
     *
     * @param shard from 1
     */
    public List<RunPlan.Unit> units(int shard) {
        return parts.get(shard - 1);
    }

    /** About how long the longest takes, in seconds of one core. */
    public double seconds() {
        return parts.stream().mapToDouble(RunPlan::seconds).max().orElse(0);
    }
}
