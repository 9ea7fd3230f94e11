package org.reprobe.cli.run;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.cli.base.TextTable;
import org.reprobe.run.RunPlan;
import org.reprobe.run.Shards;
import org.reprobe.system.Content;

final class ShardPreview {
    private ShardPreview() {}

    /** A shard with an estimate for one core, and the memory of its largest run. */
    record Json(int shard, int runs, int tables, double seconds, long memoryBytes) {}

    static List<Json> json(Shards shards) {
        ToLongFunction<RunPlan.Unit> memory = RunPlan.memoryBytes();
        List<Json> all = new ArrayList<>();
        for (int shard = 1; shard <= shards.count(); shard++) {
            List<RunPlan.Unit> units = shards.units(shard);
            Set<Content> tables = new HashSet<>();
            for (RunPlan.Unit unit : units) {
                if (unit.content() != null) {
                    tables.add(unit.content());
                }
            }
            all.add(new Json(
                    shard,
                    units.size(),
                    tables.size(),
                    RunPlan.seconds(units),
                    units.stream().mapToLong(memory).max().orElse(0)));
        }
        return all;
    }

    static void print(PrintWriter out, RunPlan plan, Shards shards) {
        TextTable table = new TextTable("rrrrr", "shard", "runs", "tables", "time", "memory");
        for (Json shard : json(shards)) {
            table.add(
                    shard.shard + "/" + shards.count(),
                    "" + shard.runs,
                    "" + shard.tables,
                    shard.runs == 0 ? "-" : Quantities.duration(Math.max(1, shard.seconds)),
                    Quantities.bytes(shard.memoryBytes));
        }
        out.println(table);
        double all = RunPlan.seconds(plan.units());
        out.printf(
                Locale.ROOT,
                "Times on one core: %s in total, %s for the longest shard (speed-up %.1f).%n",
                Quantities.duration(Math.max(1, all)),
                Quantities.duration(Math.max(1, shards.seconds())),
                shards.seconds() > 0 ? all / shards.seconds() : 1);
    }
}
