package org.reprobe.cli.run;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.cli.base.TextTable;
import org.reprobe.run.RunPlan;
import org.reprobe.run.Shards;
import org.reprobe.system.Content;

/** Preview of a run: cells, memory, time, and cells that can't run. */
final class RunPreview {
    private static final int MAX_REFUSALS = 8;

    private final Map<Integer, String> refusals;
    private final RunPlan plan;
    private final int maxJobs;
    private final long memoryBytes;

    /** A cell; values are null where they do not apply. {@code tableBytes} is shared by all runs of a table. */
    record CellJson(
            String scenario,
            String cell,
            int runs,
            String kind,
            @Nullable Long records,
            @Nullable Long tableBytes,
            long memoryBytes,
            @Nullable String refused) {}

    /** @param seconds an estimate, for this number of jobs */
    record Json(
            List<CellJson> cells,
            int runs,
            double seconds,
            int jobs,
            long memoryBytes,
            @Nullable List<ShardPreview.Json> shards) {}

    RunPreview(RunPlan plan, int maxJobs, long memoryBytes) {
        this.plan = plan;
        this.maxJobs = maxJobs;
        this.memoryBytes = memoryBytes;
        this.refusals = plan.refusals(memoryBytes);
    }

    boolean allRefused() {
        return plan.units().stream().allMatch(unit -> refusals.containsKey(unit.index()));
    }

    void printRefusals(PrintWriter err) {
        Map<String, String> cells = new LinkedHashMap<>();
        for (RunPlan.Unit unit : plan.units()) {
            String refusal = refusals.get(unit.index());
            if (refusal != null) {
                cells.putIfAbsent(unit.name(), refusal);
            }
        }
        cells.entrySet().stream()
                .limit(MAX_REFUSALS)
                .forEach(entry -> err.println("refused: " + entry.getKey() + ": " + entry.getValue()));
        if (cells.size() > MAX_REFUSALS) {
            err.println("and " + Quantities.count(cells.size() - MAX_REFUSALS, "other cell") + ": see --dry-run");
        }
    }

    Json json(List<RunPlan.Unit> units) {
        return json(units, null);
    }

    Json json(List<RunPlan.Unit> units, @Nullable Shards shards) {
        ToLongFunction<RunPlan.Unit> memory = RunPlan.memoryBytes();
        Map<String, List<RunPlan.Unit>> cells = units.stream()
                .collect(Collectors.groupingBy(RunPlan.Unit::name, LinkedHashMap::new, Collectors.toList()));
        int jobs = RunPlan.jobs(units, maxJobs);
        return new Json(
                cells.values().stream()
                        .map(runs -> {
                            RunPlan.Unit first = runs.getFirst();
                            Content content = first.content();
                            boolean predicted = first.kind() == Kind.PREDICTED;
                            return new CellJson(
                                    first.scenario().name(),
                                    first.planned().cell().label(),
                                    runs.size(),
                                    first.kind().word(),
                                    predicted
                                            ? null
                                            : (Long) first.settings().table().records(),
                                    content == null ? null : (Long) content.bytes(),
                                    memory.applyAsLong(first),
                                    runs.stream()
                                            .map(unit -> refusals.get(unit.index()))
                                            .filter(Objects::nonNull)
                                            .findFirst()
                                            .orElse(null));
                        })
                        .toList(),
                units.size(),
                RunPlan.seconds(units) / jobs,
                jobs,
                memoryBytes,
                shards == null ? null : ShardPreview.json(shards));
    }

    void print(PrintWriter out, List<RunPlan.Unit> units) {
        Json all = json(units);
        plan.scenarios().forEach(scenario -> {
            out.println(scenario.name() + ": " + scenario.title());
            TextTable table = new TextTable("lrrrrl", "cell", "runs", "records", "table", "memory", "");
            List<Cell> cells = units.stream()
                    .filter(unit -> unit.scenario().equals(scenario))
                    .map(unit -> unit.planned().cell())
                    .distinct()
                    .toList();
            Map<String, String> labels = cells.stream().collect(Collectors.toMap(Cell::label, Cell.shortLabels(cells)));
            all.cells().stream()
                    .filter(cell -> cell.scenario().equals(scenario.name()))
                    .forEach(cell -> table.add(
                            labels.getOrDefault(cell.cell(), cell.cell()),
                            "" + cell.runs(),
                            cell.records() == null ? "-" : "" + cell.records(),
                            cell.tableBytes() == null ? "-" : Quantities.bytes(cell.tableBytes()),
                            Quantities.bytes(cell.memoryBytes()),
                            cell.refused() != null
                                    ? "REFUSED"
                                    : cell.kind().equals(Kind.PREDICTED.word()) ? "predicted" : ""));
            out.println(table);
        });
        long largest =
                all.cells().stream().mapToLong(CellJson::memoryBytes).max().orElse(0);
        out.println(Quantities.count(all.runs(), "run") + "; memory: at least " + Quantities.bytes(largest)
                + ", at most " + Quantities.bytes(memoryBytes) + " is used; time: about "
                + Quantities.duration(Math.max(1, all.seconds())) + " with " + Quantities.count(all.jobs(), "job")
                + ". Nothing was run or written.");
    }
}
