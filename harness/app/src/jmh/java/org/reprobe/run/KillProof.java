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
 * Any process of a run in several processes is killed, stopped for a moment or stopped for good, at any moment: one sentence, exit
 * code 1, nothing left behind, and the next run is right.
 *
 * <p>{@code ./run.sh bench KillProof [ROUNDS [SEED [kill|pause|stop [FABRIC...]]]]} takes some seconds a round and fails when one was
 * otherwise. With {@code verbs} it runs in the virtual machine, where a round takes a minute or more; what is left behind is looked for
 * among the kernel's objects of RDMA devices as well.
 */
public final class KillProof {
    private static final int CONTROL_EVERY = 5;

    /** Where one is stopped for good, so that a round does not take a minute. */
    private static final long SHORT_SILENCE_MS = 10_000;

    private static final long MAX_PAUSE_MS = 5_000;

    /** As many as a run that fails needs to give the device's objects back, which the kernel does when their process has ended. */
    private static final int LOOKS_AT_DEVICES = 50;

    private static final long LOOK_AT_DEVICES_MS = 200;

    private static final String NOBODY = "too late";
    private static final String COORDINATOR = "coordinator";
    private static final String VERBS = "verbs";

    /**
     * In the virtual machine starting a process takes a minute, and a system without content, which rehearses, several more: three
     * processes, and lookups in an interval as long as all else takes: otherwise nobody is met at work.
     */
    private static final String IN_GUEST = """
            title: Disturbed
            scheme: linear-variable
            clients: {machines: 1, threads: 2}
            connection: {send-queue: 8, outstanding-reads: 4}
            table: {records: 4096, record-bytes: 16}
            measure: {repeats: 1, real-time-ms: 60000}
            """;

    /** What is done to a process. */
    private enum Deed {
        KILL,
        PAUSE,
        STOP
    }

    private final Path dir;
    private final String fabric;
    private final Deed deed;
    private final PrintStream out;
    /** What RDMA devices hold while nobody runs; empty where that is not looked at. */
    private final String deviceObjects;

    private final List<String> wrong = new ArrayList<>();
    private final Map<String, Integer> endings = new TreeMap<>();

    private KillProof(Path dir, String fabric, Deed deed, PrintStream out) throws IOException, InterruptedException {
        this.dir = dir;
        this.fabric = fabric;
        this.deed = deed;
        this.out = out;
        this.deviceObjects = deviceObjects();
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 200;
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        Deed deed = arguments.length > 2 ? Deed.valueOf(arguments[2].toUpperCase(Locale.ROOT)) : Deed.KILL;
        List<String> fabrics =
                arguments.length > 3 ? List.of(arguments).subList(3, arguments.length) : List.of("shm", "tcp");
        boolean right = true;
        for (String fabric : fabrics) {
            Path dir = Files.createTempDirectory("kill-proof-");
            Files.writeString(
                    dir.resolve("kills.yaml"), fabric.equals(VERBS) ? IN_GUEST : DisturbedRun.scenario(2, 2, 2, 300));
            KillProof proof = new KillProof(dir, fabric, deed, System.out);
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
        out.println("# " + fabric + ": " + rounds + " times " + deed + ", " + endings + ", wrong: " + wrong.size());
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
                deed == Deed.STOP ? SHORT_SILENCE_MS : DisturbedRun.USUAL_SILENCE_MS,
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
        switch (deed) {
            case KILL -> victim.destroyForcibly();
            case PAUSE -> {
                DisturbedRun.signal(victim, "STOP");
                Thread.sleep(random.nextLong(MAX_PAUSE_MS));
                DisturbedRun.signal(victim, "CONT");
            }
            case STOP -> {
                DisturbedRun.signal(victim, "STOP");
                if (victim.equals(run.coordinator())) { // the others end without it; then it tells so
                    run.awaitEndOfWorkers(3 * SHORT_SILENCE_MS);
                    DisturbedRun.signal(victim, "CONT");
                }
            }
        }
    }

    /** What the run has left, of a device's queue pairs and memory regions too. */
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

    /** How many protection domains, completion queues, queue pairs, connections and regions devices have, as the kernel counts them. */
    private String deviceObjects() throws IOException, InterruptedException {
        if (!fabric.equals(VERBS)) {
            return "";
        }
        Process process = new ProcessBuilder("rdma", "resource", "show")
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("rdma resource show: " + said);
        }
        return said.replaceAll("\\s+", " ").strip();
    }

    /** Who meets its end, or a stop, when all runs are stored ends nobody's run. */
    private void judge(int round, String victim, DisturbedRun.Ending ending) throws IOException, InterruptedException {
        endings.merge(victim + " exit " + ending.exit(), 1, Integer::sum);
        boolean killed = deed == Deed.KILL && victim.startsWith(COORDINATOR);
        boolean failed = ending.exit() == 1 && !ending.complaints().isBlank() && !victim.equals(NOBODY);
        boolean fine = ending.exit() == 0 && ending.complaints().isBlank();
        boolean right = killed ? ending.exit() == 128 + 9 : fine || (failed && deed != Deed.PAUSE);
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
