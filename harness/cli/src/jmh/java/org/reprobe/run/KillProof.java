package org.reprobe.run;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Kills, pauses or stops any process of a run in several processes at any moment, and checks the result: one sentence,
 * exit code 1, no leftovers, and a correct next run.
 *
 * <p>{@code ./run.sh bench KillProof [ROUNDS [SEED [kill|pause|stop [FABRIC...]]]]} takes some seconds per round and
 * fails if one had another result. With {@code verbs} it runs in the virtual machine, where a round takes a minute or
 * more; leftovers are then also searched among the kernel's objects of RDMA devices.
 */
public final class KillProof {
    private static final int CONTROL_EVERY = 5;

    /** Timeout for a stopped process, so that a round does not take a minute. */
    private static final long SHORT_SILENCE_MS = 10_000;

    private static final long MAX_PAUSE_MS = 5_000;

    /** Polls until the kernel has freed the device's objects after the end of their process. */
    private static final int LOOKS_AT_DEVICES = 50;

    private static final long LOOK_AT_DEVICES_MS = 200;

    private static final String NOBODY = "too late";
    private static final String COORDINATOR = "coordinator";
    private static final String VERBS = "verbs";

    /**
     * Scenario in the virtual machine, where starting a process takes a minute, and a system that rehearses takes
     * several more: three processes, and lookups in an interval as long as everything else, so that faults hit running
     * clients.
     */
    private static final String IN_GUEST = """
            title: Disturbed
            scheme: linear-variable
            clients: {machines: 1, threads: 2}
            connection: {send-queue: 8, outstanding-reads: 4}
            table: {records: 4096, record-bytes: 16}
            measure: {repeats: 1, real-time-ms: 60000}
            """;

    private enum Fault {
        KILL,
        PAUSE,
        STOP
    }

    private final Path dir;
    private final String fabric;
    private final Fault fault;
    private final PrintStream out;
    /** Objects of RDMA devices without a run; empty if they are not checked. */
    private final String deviceObjects;

    private final List<String> wrong = new ArrayList<>();
    private final Map<String, Integer> endings = new TreeMap<>();

    private KillProof(Path dir, String fabric, Fault fault, PrintStream out) throws IOException, InterruptedException {
        this.dir = dir;
        this.fabric = fabric;
        this.fault = fault;
        this.out = out;
        this.deviceObjects = deviceObjects();
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 200;
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        Fault fault = arguments.length > 2 ? Fault.valueOf(arguments[2].toUpperCase(Locale.ROOT)) : Fault.KILL;
        List<String> fabrics =
                arguments.length > 3 ? List.of(arguments).subList(3, arguments.length) : List.of("shm", "tcp");
        boolean right = true;
        for (String fabric : fabrics) {
            Path dir = Files.createTempDirectory("kill-proof-");
            Files.writeString(
                    dir.resolve("kills.yaml"), fabric.equals(VERBS) ? IN_GUEST : DisturbedRun.scenario(2, 2, 2, 300));
            KillProof proof = new KillProof(dir, fabric, fault, System.out);
            proof.run(rounds, new SplittableRandom(seed));
            right &= proof.wrong.isEmpty();
        }
        System.exit(right ? 0 : 1);
    }

    private void run(int rounds, SplittableRandom random) throws IOException, InterruptedException {
        long startNs = System.nanoTime();
        undisturbed(-1, "usual");
        long usualMs = (System.nanoTime() - startNs) / 1_000_000;
        out.println("# " + fabric + ": a run takes " + usualMs / 1000 + " s; devices hold: " + deviceObjects);
        for (int round = 0; round < rounds; round++) {
            disturbed(round, random.nextLong(usualMs), random);
            if (round % CONTROL_EVERY == CONTROL_EVERY - 1) {
                undisturbed(round, "control-" + round);
            }
        }
        undisturbed(rounds, "last");
        out.println("# " + fabric + ": " + rounds + " times " + fault + ", " + endings + ", wrong: " + wrong.size());
    }

    private void undisturbed(int round, String name) throws IOException, InterruptedException {
        try (DisturbedRun run = start(name)) {
            DisturbedRun.Ending ending = run.end();
            List<String> left = left(ending);
            if (ending.exit() != 0 || !left.isEmpty()) {
                wrong(round, "an undisturbed run: " + ending + ", left: " + left);
            }
        }
    }

    private DisturbedRun start(String name) throws IOException {
        return DisturbedRun.start(
                dir,
                name,
                List.of(),
                fault == Fault.STOP ? SHORT_SILENCE_MS : DisturbedRun.USUAL_SILENCE_MS,
                "run",
                dir.resolve("kills.yaml").toString(),
                "--fabric",
                fabric,
                "--out",
                dir.resolve(name).toString());
    }

    private void disturbed(int round, long afterMs, SplittableRandom random) throws IOException, InterruptedException {
        try (DisturbedRun run = start("round-" + round)) {
            String victim = NOBODY;
            if (!run.waitFor(afterMs)) {
                List<ProcessHandle> workers = run.workers();
                int chosen = random.nextInt(workers.size() + 1);
                victim = (chosen == workers.size() ? COORDINATOR : "worker")
                        + (DisturbedRun.clients(workers.stream()) > 0 ? " while clients ran" : "");
                disturb(run, chosen == workers.size() ? run.coordinator() : workers.get(chosen), random);
            }
            judge(round, victim, run.end());
        }
    }

    private void disturb(DisturbedRun run, ProcessHandle victim, SplittableRandom random)
            throws IOException, InterruptedException {
        switch (fault) {
            case KILL -> victim.destroyForcibly();
            case PAUSE -> {
                DisturbedRun.signal(victim, "STOP");
                Thread.sleep(random.nextLong(MAX_PAUSE_MS));
                DisturbedRun.signal(victim, "CONT");
            }
            case STOP -> {
                DisturbedRun.signal(victim, "STOP");
                if (victim.equals(run.coordinator())) { // the others end without it; then it reports that
                    run.awaitEndOfWorkers(3 * SHORT_SILENCE_MS);
                    DisturbedRun.signal(victim, "CONT");
                }
            }
        }
    }

    /** Leftovers of the run, including a device's queue pairs and memory regions. */
    private List<String> left(DisturbedRun.Ending ending) throws IOException, InterruptedException {
        List<String> left = new ArrayList<>(ending.left());
        String now = deviceObjects();
        for (int look = 0; look < LOOKS_AT_DEVICES && !now.equals(deviceObjects); look++) {
            Thread.sleep(LOOK_AT_DEVICES_MS);
            now = deviceObjects();
        }
        if (!now.equals(deviceObjects)) {
            left.add("of RDMA devices " + now + " instead of " + deviceObjects);
        }
        return left;
    }

    /**
     * Numbers of protection domains, completion queues, queue pairs, connections and regions of devices, as the kernel
     * counts them.
     */
    private String deviceObjects() throws IOException, InterruptedException {
        if (!fabric.equals(VERBS)) {
            return "";
        }
        Process process = new ProcessBuilder("rdma", "resource", "show")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("rdma resource show: " + output);
        }
        return output.replaceAll("\\s+", " ").strip();
    }

    /** Judges an ending: a fault after all runs are stored fails no run. */
    private void judge(int round, String victim, DisturbedRun.Ending ending) throws IOException, InterruptedException {
        endings.merge(victim + " exit " + ending.exit(), 1, Integer::sum);
        boolean killed = fault == Fault.KILL && victim.startsWith(COORDINATOR);
        boolean failed = ending.exit() == 1 && !ending.complaints().isBlank() && !victim.equals(NOBODY);
        boolean fine = ending.exit() == 0 && ending.complaints().isBlank();
        boolean right = killed ? ending.exit() == 128 + 9 : fine || (failed && fault != Fault.PAUSE);
        List<String> left = left(ending);
        if (!right || ending.complaints().matches("(?s).*(Exception|\tat ).*") || !left.isEmpty()) {
            wrong(round, victim + ": " + ending + ", left: " + left);
        }
        if (fabric.equals(VERBS)) { // rounds take long there
            out.println("# round " + round + ": " + victim + ", exit " + ending.exit() + ": "
                    + ending.complaints().replaceAll("\\s+", " "));
        }
    }

    private void wrong(int round, String what) {
        wrong.add(what);
        out.println("WRONG, " + fabric + " round " + round + ": " + what);
    }
}
