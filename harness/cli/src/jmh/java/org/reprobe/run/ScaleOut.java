package org.reprobe.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.Content;

/**
 * Benefit of shards: the speed-up of N shards by the estimates of all runs, and the overhead of a shard.
 *
 * <p>{@code ./run.sh bench ScaleOut [ROUNDS]} writes {@code results/benchmarks/scale-out.md}. Speed-ups are computed;
 * the overhead of a task is CPU time, which other load of the machine hardly changes.
 */
public final class ScaleOut {
    private static final int[] COUNTS = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    private static final List<String> PAPERS = List.of("linear-probing", "find-or-put", "nessie", "farm");
    private static final int TASKS = 4;
    private static final Pattern CPU = Pattern.compile("CPU (\\d+\\.\\d+) (\\d+\\.\\d+)");
    /** Start of the part of the page that is written by hand and kept. */
    private static final String NOTES = "\n## Notes\n";

    private ScaleOut() {}

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(System.getProperty("reprobe.home", ".")).toAbsolutePath();
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 3;
        String page = estimates(home) + cost(home, rounds);
        Path file = home.resolve("results/benchmarks/scale-out.md");
        String old = Files.exists(file) ? Files.readString(file) : "";
        Files.writeString(file, page + old.substring(old.contains(NOTES) ? old.indexOf(NOTES) : old.length()));
        System.out.println(page);
    }

    /** Returns the part of the page that is computed. */
    static String estimates(Path home) throws InvalidInputException, IOException {
        StringBuilder page = new StringBuilder("""
                # Speed-up by shards

                Written by `./run.sh bench ScaleOut`.

                ## Estimated speed-up

                Speed-up of N shards over one core, from the estimates of `--dry-run`: all simulated runs of a paper, divided as by `run --shard`. In
                brackets: runs dealt out one by one, so that each shard builds nearly all tables. At full scale the
                estimates of linear probing and Nessie are off by up to a half, those of find-or-put are three times too high.

                """);
        page.append("| scenarios | runs | tables | one core |");
        for (int count : COUNTS) {
            page.append(" N = ").append(count).append(" |");
        }
        page.append("\n|---|---|---|---|").append("---|".repeat(COUNTS.length)).append('\n');
        List<RunPlan> full = new ArrayList<>();
        for (Scale scale : Scale.values()) {
            for (String paper : PAPERS) {
                RunPlan plan = plan(home, List.of(paper), scale);
                page.append(row(paper + ", " + scale.key(), plan));
            }
            RunPlan all = plan(home, PAPERS, scale);
            full.add(all);
            page.append(row("all papers, " + scale.key(), all));
        }
        RunPlan all = full.getLast();
        double largest = RunPlan.groups(all.units()).stream()
                .mapToDouble(RunPlan::seconds)
                .max()
                .orElse(0);
        page.append("""

                The runs of one table are never divided. For all papers at full scale the costliest table takes %s, so no number of shards is \
                more than %.0f times as fast as one core.

                """.formatted(Quantities.duration(largest), RunPlan.seconds(all.units()) / largest));
        return page.toString();
    }

    private static RunPlan plan(Path home, List<String> folders, Scale scale)
            throws InvalidInputException, IOException {
        ScenarioReader reader = new ScenarioReader(home.resolve("scenarios/nics"));
        List<Scenario> scenarios = new ArrayList<>();
        List<RunPlan.Unit> units = new ArrayList<>();
        for (String folder : folders) {
            try (Stream<Path> files = Files.list(home.resolve("scenarios").resolve(folder))) {
                for (Path file : files.sorted().toList()) {
                    Scenario scenario = reader.read(file, ScenarioReader.Options.of(scale));
                    RunPlan plan = RunPlan.of(List.of(scenario), home.resolve("scenarios/nics"));
                    if (plan.units().stream().noneMatch(RunPlan.Unit::isReal)) {
                        scenarios.add(scenario);
                        for (RunPlan.Unit unit : plan.units()) {
                            units.add(new RunPlan.Unit(
                                    units.size(), scenario, unit.planned(), unit.repeat(), unit.nic(), unit.run()));
                        }
                    }
                }
            }
        }
        return new RunPlan(scenarios, units);
    }

    private static String row(String name, RunPlan plan) {
        double all = RunPlan.seconds(plan.units());
        long tables = plan.units().stream()
                .map(RunPlan.Unit::content)
                .filter(content -> content != null)
                .map(Content.class::cast)
                .distinct()
                .count();
        return "| " + name + " | " + plan.units().size() + " | " + tables + " | " + Quantities.duration(all) + " | "
                + Arrays.stream(COUNTS)
                        .mapToObj(count -> "%.1f [%.1f]"
                                .formatted(
                                        all / Shards.of(plan, count).seconds(),
                                        all / dealt(plan, count).seconds()))
                        .collect(Collectors.joining(" | "))
                + " |\n";
    }

    /** Shards with runs assigned round robin. */
    private static Shards dealt(RunPlan plan, int count) {
        List<List<RunPlan.Unit>> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(new ArrayList<>());
        }
        plan.units().forEach(unit -> parts.get(unit.index() % count).add(unit));
        return new Shards(parts);
    }

    private static String cost(Path home, int rounds) throws Exception {
        Path dir = Files.createTempDirectory("scale-out");
        Path scenario = Files.writeString(dir.resolve("small.yaml"), """
                title: Small
                clients: {machines: 1, threads: 4}
                connection: {send-queue: 64}
                table: {records: 4096}
                sweep: {load-factor: [0.25, 0.5], scheme: [cuckoo-parallel, linear-fixed, linear-variable]}
                measure: {repeats: 40, warm-up-ms: 0.1, duration-ms: 5}
                figures:
                  - {name: figure, x: load-factor, y: throughput, series: scheme}
                """);
        List<Double> whole = new ArrayList<>();
        List<Double> one = new ArrayList<>();
        List<Double> several = new ArrayList<>();
        List<Double> merges = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            String at = dir.resolve("round-" + round).toString();
            whole.add(cpuSeconds(home, "run", scenario.toString(), "--out", at + "-whole", "--jobs", "1", "-q"));
            one.add(shard(home, scenario, at + "-one", 1, 1));
            double sum = 0;
            for (int shard = 1; shard <= TASKS; shard++) {
                sum += shard(home, scenario, at + "-several", shard, TASKS);
            }
            several.add(sum);
            merges.add(cpuSeconds(home, "merge", at + "-several", "-q"));
        }
        double task = (median(several) - median(one)) / (TASKS - 1);
        Map<String, Double> rows = new LinkedHashMap<>();
        rows.put("a run without shards, report included", median(whole));
        rows.put("the same as 1 shard, without a report", median(one));
        rows.put("the same as %d shards, together".formatted(TASKS), median(several));
        rows.put("**one more task**", task);
        rows.put("merge, report included", median(merges));
        StringBuilder text = new StringBuilder("""
                ## CPU time of a task

                %s runs of a small scenario, CPU time of whole processes, median of %d rounds. One more task starts a JVM, reads scenario and plan and
                compiles the simulator; Slurm adds 0.13 s of waiting per task if there are many.

                | | CPU s |
                |---|---|
                """.formatted(240, rounds));
        rows.forEach((name, seconds) ->
                text.append("| %s | %s |\n".formatted(name, String.format(Locale.ROOT, "%.1f", seconds))));
        text.append("\nWith shards of one minute that is %.0f %%.\n".formatted(100 * task / 60));
        return text.toString();
    }

    private static double shard(Path home, Path scenario, String out, int shard, int count) throws Exception {
        return cpuSeconds(
                home,
                "run",
                scenario.toString(),
                "--out",
                out,
                "--shard",
                shard + "/" + count,
                "--jobs",
                "1",
                "--max-memory",
                "1Gi",
                "-q");
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /** CPU time of the program with some arguments, including its start. */
    private static double cpuSeconds(Path home, String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("bash", "-c", "TIMEFORMAT='CPU %U %S'; time \"$@\" > /dev/null", "bash"));
        command.add(home.resolve("run.sh").toString()); // which adds the cache of classes, as for Slurm's tasks
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        Matcher cpu = CPU.matcher(output);
        if (process.waitFor() != 0 || !cpu.find()) {
            throw new IOException(String.join(" ", arguments) + ": " + output);
        }
        return Double.parseDouble(cpu.group(1)) + Double.parseDouble(cpu.group(2));
    }
}
