package org.reprobe.run;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Division of a plan's units into parts for different machines. Units that share a table stay together, so that no
 * table is built twice; the costliest tables are assigned first, each to the part with the least work (R. L. Graham,
 * "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17(2), 1969: at most 4/3 of the optimum). The same
 * plan gives the same parts anywhere.
 *
 * @param parts longest first; each in the plan's order; some may be empty
 */
public record Shards(List<List<RunPlan.Unit>> parts) {

    public Shards {
        parts = parts.stream().map(List::copyOf).toList();
    }

    private record Load(int part, double seconds) {}

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

    /** Returns a shard's units; the first shard is 1. */
    public List<RunPlan.Unit> units(int shard) {
        return parts.get(shard - 1);
    }

    /** Returns the estimated time of the longest shard, in seconds on one core. */
    public double seconds() {
        return parts.stream().mapToDouble(RunPlan::seconds).max().orElse(0);
    }
}
