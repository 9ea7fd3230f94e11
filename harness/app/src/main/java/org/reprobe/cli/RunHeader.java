package org.reprobe.cli;

import java.io.PrintWriter;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.run.Environment;
import org.reprobe.run.RunPlan;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;

/** What is about to be run, as results record it and as the terminal shows it. */
final class RunHeader {
    private static final DateTimeFormatter STARTED = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssXXX");

    private RunHeader() {}

    /** Facts that {@code environment.json} keeps beside those of the machine. */
    static Map<String, String> facts(RunPlan plan, boolean combined, String name, Scale scale) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("title", combined ? name + ", " + scale.key() + " scale" : name);
        facts.put("scale", scale.key());
        facts.put("seed", distinct(plan, unit -> String.valueOf(unit.settings().seed())));
        facts.put("fabric", distinct(plan, unit -> unit.settings().fabric()));
        facts.put("kind", distinct(plan, unit -> unit.kind().word()));
        if (plan.units().stream().anyMatch(unit -> unit.settings().fabric().equals("verbs"))) {
            facts.put("rdma", Environment.rdmaDevices());
        }
        facts.put(
                "nic",
                distinct(plan, unit -> unit.nic().name() + " (" + unit.nic().title() + ")"));
        facts.put(
                "started",
                OffsetDateTime.now(ZoneId.systemDefault())
                        .truncatedTo(ChronoUnit.SECONDS)
                        .format(STARTED));
        crowd(plan).ifPresent(crowd -> facts.put("threads", crowd));
        return facts;
    }

    private static String distinct(RunPlan plan, Function<RunPlan.Unit, String> fact) {
        return plan.units().stream().map(fact).distinct().collect(Collectors.joining(", "));
    }

    /** Says so when more client threads are measured than there are cores to run them. */
    private static Optional<String> crowd(RunPlan plan) {
        int cores = Runtime.getRuntime().availableProcessors();
        int max = plan.units().stream()
                .filter(unit ->
                        unit.kind() == Kind.MEASURED && unit.deployment().ownRun() == null)
                .mapToInt(unit -> unit.settings().clients().total())
                .max()
                .orElse(0);
        return max <= cores
                ? Optional.empty()
                : Optional.of(max + " client threads share " + Quantities.count(cores, "core")
                        + " of this machine with the server: they take turns, which shows in every latency");
    }

    static void print(PrintWriter out, RunPlan plan, Map<String, String> facts, int maxJobs, long memoryBytes) {
        int workers = RunPlan.jobs(plan.units(), maxJobs);
        out.println("# Reprobe " + Environment.version() + ", " + System.getProperty("java.vm.name") + " "
                + System.getProperty("java.vm.version"));
        for (Scenario scenario : plan.scenarios()) {
            long runs = plan.units().stream()
                    .filter(unit -> unit.scenario().name().equals(scenario.name()))
                    .count();
            out.println("# scenario: " + scenario.name() + ", " + scenario.title() + " ("
                    + Quantities.count(scenario.cells().size(), "cell") + ", " + Quantities.count(runs, "run") + ")");
        }
        out.println("# fabric: " + facts.get("fabric") + " (" + facts.get("kind") + "), NIC " + facts.get("nic"));
        crowd(plan).ifPresent(crowd -> out.println("# " + crowd));
        out.println("# seed: " + facts.get("seed") + ", scale: " + facts.get("scale") + ", jobs: " + workers
                + ", memory: at most " + Quantities.bytes(memoryBytes));
    }
}
