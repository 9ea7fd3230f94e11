package org.reprobe.cli.run;

import java.io.PrintWriter;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.doctor.Diagnosis;
import org.reprobe.doctor.MachineNoise;
import org.reprobe.run.ArtifactVersion;
import org.reprobe.run.Environment;
import org.reprobe.run.RunPlan;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.system.ProgramRun;
import org.reprobe.system.Settings;

/** Header of a run, for the results and for the terminal. */
public final class RunHeader {
    private static final DateTimeFormatter STARTED = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssXXX");

    private static final String NOISE = "noise";

    private RunHeader() {}

    /** Facts for {@code environment.json} beside those of the machine. */
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
        pinned(plan).ifPresent(pinned -> facts.put("pinned", pinned));
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

    /** Examines this machine for noise in a run of some threads; 0 for simulated runs, which nothing disturbs. */
    public static Map<String, String> noise(int threads) throws InterruptedException {
        Map<String, String> facts = new LinkedHashMap<>();
        if (threads == 0) {
            return facts;
        }
        for (Diagnosis found : MachineNoise.ofThisMachine(threads)) {
            if (found.weight() != Diagnosis.Weight.FINE) {
                facts.put(NOISE + "-" + found.subject().replace(' ', '-').toLowerCase(Locale.ROOT), found.words());
            }
        }
        if (facts.isEmpty()) {
            facts.put(NOISE, "none found");
        }
        return facts;
    }

    public static List<String> noiseLines(Map<String, String> noise) {
        return noise.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(NOISE + "-"))
                .map(entry -> entry.getKey().substring(NOISE.length() + 1).replace('-', ' ') + ": " + entry.getValue())
                .toList();
    }

    public static Map<String, String> noise(PrintWriter out, RunPlan plan) throws InterruptedException {
        Map<String, String> noise = noise(plan.units().stream()
                .filter(unit -> unit.kind() == Kind.MEASURED)
                .mapToInt(unit -> threads(unit.settings()))
                .max()
                .orElse(0));
        noiseLines(noise).forEach(line -> out.println("# noise: " + line));
        return noise;
    }

    /** Returns the maximum number of busy threads of a measured run; 0 if all are simulated. */
    public static int threads(Scenario scenario) {
        return scenario.cells().stream()
                .map(Scenario.PlannedCell::settings)
                .filter(Settings::isReal)
                .mapToInt(RunHeader::threads)
                .max()
                .orElse(0);
    }

    private static int threads(Settings settings) {
        return settings.clients().total() + 1;
    }

    private static String distinct(RunPlan plan, Function<RunPlan.Unit, String> fact) {
        return plan.units().stream().map(fact).distinct().collect(Collectors.joining(", "));
    }

    /** Returns the cores of the processes of measured runs, if some are pinned. */
    private static Optional<String> pinned(RunPlan plan) {
        String pinned = plan.units().stream()
                .filter(unit -> unit.kind() == Kind.MEASURED && !(unit.run() instanceof ProgramRun))
                .map(unit -> unit.settings().hosts())
                .filter(Settings.Hosts::arePinned)
                .map(hosts -> "server to cores " + hosts.serverCores() + ", clients to cores "
                        + String.join(" ", hosts.clientCores()))
                .distinct()
                .collect(Collectors.joining("; "));
        return pinned.isEmpty() ? Optional.empty() : Optional.of(pinned);
    }

    /** Returns a warning if measured client threads outnumber the cores. */
    private static Optional<String> crowd(RunPlan plan) {
        int cores = Runtime.getRuntime().availableProcessors();
        int max = plan.units().stream()
                .filter(unit -> unit.kind() == Kind.MEASURED && !(unit.run() instanceof ProgramRun))
                .mapToInt(unit -> unit.settings().clients().total())
                .max()
                .orElse(0);
        return max <= cores
                ? Optional.empty()
                : Optional.of(max + " client threads share " + Quantities.count(cores, "core")
                        + " of this machine with the server: scheduling delays increase every latency");
    }

    static void print(PrintWriter out, RunPlan plan, Map<String, String> facts, int maxJobs, long memoryBytes) {
        int workers = RunPlan.jobs(plan.units(), maxJobs);
        out.println("# Reprobe " + Environment.version() + ", " + System.getProperty("java.vm.name") + " "
                + System.getProperty("java.vm.version"));
        String cells = ", "
                + Quantities.count(
                        plan.scenarios().stream()
                                .mapToInt(scenario -> scenario.cells().size())
                                .sum(),
                        "cell")
                + ", " + Quantities.count(plan.units().size(), "run");
        if (plan.scenarios().size() == 1) {
            Scenario scenario = plan.scenarios().getFirst();
            out.println("# scenario: " + scenario.name() + ", " + scenario.title() + cells);
        } else {
            out.println("# " + plan.scenarios().size() + " scenarios" + cells);
        }
        String artifact = ArtifactVersion.words(facts);
        if (!artifact.isEmpty()) {
            out.println("# artifact: " + artifact);
        }
        out.println("# fabric: " + facts.get("fabric") + " (" + facts.get("kind") + "), NIC " + facts.get("nic"));
        pinned(plan).ifPresent(pinned -> out.println("# pinned: " + pinned));
        crowd(plan).ifPresent(crowd -> out.println("# " + crowd));
        out.println("# seed: " + facts.get("seed") + ", scale: " + facts.get("scale") + ", jobs: " + workers
                + ", memory: at most " + Quantities.bytes(memoryBytes));
    }
}
