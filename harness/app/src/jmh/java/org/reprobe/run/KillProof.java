package org.reprobe.run;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * {@code kill -9} of any process of a run in several processes, at any moment: one sentence, exit code 1, nothing left behind, and the next run
 * is right.
 *
 * <p>{@code ./run.sh bench KillProof [ROUNDS [SEED [FABRIC...]]]} takes some seconds a round and fails when one was otherwise.
 */
public final class KillProof {
    private static final int CONTROL_EVERY = 5;
    private static final long PATIENCE_S = 120;
    private static final long ENDING_MS = 20_000;

    private static final String SCENARIO = """
            title: Kills
            scheme: nessie
            clients: {machines: 2, threads: 2}
            table: {records: 4096, record-bytes: 16}
            workload: {writes: 0.5}
            nessie: {growth: 1}
            measure: {repeats: 2, real-time-ms: 300}
            """;

    private final Path dir;
    private final String fabric;
    private final PrintStream out;
    private final List<String> wrong = new ArrayList<>();
    private final Map<String, Integer> endings = new TreeMap<>();

    private KillProof(Path dir, String fabric, PrintStream out) {
        this.dir = dir;
        this.fabric = fabric;
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 200;
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        List<String> fabrics =
                arguments.length > 2 ? List.of(arguments).subList(2, arguments.length) : List.of("shm", "tcp");
        boolean right = true;
        for (String fabric : fabrics) {
            Path dir = Files.createTempDirectory("kill-proof-");
            Files.writeString(dir.resolve("kills.yaml"), SCENARIO);
            KillProof proof = new KillProof(dir, fabric, System.out);
            proof.run(rounds, new SplittableRandom(seed));
            right &= proof.wrong.isEmpty();
        }
        System.exit(right ? 0 : 1);
    }

    /** How a run ended. */
    private record Ending(int exit, long tookMs, String victim, String said) {}

    private void run(int rounds, SplittableRandom random) throws IOException, InterruptedException {
        Ending usual = round("usual", Long.MAX_VALUE, random);
        if (usual.exit != 0) {
            throw new IOException("an undisturbed run fails: " + usual.said);
        }
        for (int round = 0; round < rounds; round++) {
            Ending ending = round("round-" + round, random.nextLong(usual.tookMs), random);
            judge(round, ending);
            if (round % CONTROL_EVERY == CONTROL_EVERY - 1) {
                Ending control = round("control-" + round, Long.MAX_VALUE, random);
                if (control.exit != 0) {
                    wrong(round, "the next run fails: " + control.said);
                }
            }
        }
        Ending last = round("last", Long.MAX_VALUE, random);
        if (last.exit != 0) {
            wrong(rounds, "the last run fails: " + last.said);
        }
        List<String> left = left();
        if (!left.isEmpty()) {
            wrong(rounds, "left behind: " + left);
        }
        out.println("# " + fabric + ": " + rounds + " kills, " + endings + ", wrong: " + wrong.size());
    }

    private void judge(int round, Ending ending) {
        endings.merge(ending.victim.isEmpty() ? "too late" : ending.victim, 1, Integer::sum);
        long sentences = ending.said
                .lines()
                .filter(line -> !line.startsWith("#"))
                .filter(line -> !line.isBlank())
                .count();
        if (ending.said.contains("Exception") || ending.said.contains("\tat ")) {
            wrong(round, ending.victim + ": a stack trace: " + ending.said);
        } else if (ending.victim.isEmpty() || ending.victim.equals("coordinator")) {
            if (ending.exit != (ending.victim.isEmpty() ? 0 : 137)) {
                wrong(round, ending.victim + ": exit " + ending.exit + ": " + ending.said);
            }
        } else if (ending.exit != 1 && !(ending.exit == 0 && sentences == 0)) {
            // Who is killed when all runs are stored ends nobody's run.
            wrong(round, ending.victim + ": exit " + ending.exit + ": " + ending.said);
        }
    }

    private void wrong(int round, String what) {
        wrong.add(what);
        out.println("WRONG, " + fabric + " round " + round + ": " + what);
    }

    /** A run of which a process is killed after a time. */
    private Ending round(String name, long killAfterMs, SplittableRandom random)
            throws IOException, InterruptedException {
        Path said = dir.resolve(name + ".txt");
        long startNs = System.nanoTime();
        Process run = new ProcessBuilder(command(name))
                .redirectOutput(dir.resolve(name + ".out").toFile())
                .redirectError(said.toFile())
                .start();
        String victim = "";
        List<ProcessHandle> all = List.of();
        if (!run.waitFor(Math.min(killAfterMs, PATIENCE_S * 1000), TimeUnit.MILLISECONDS)) {
            all = new ArrayList<>(run.descendants().toList());
            int chosen = random.nextInt(all.size() + 1);
            ProcessHandle handle = chosen == all.size() ? run.toHandle() : all.get(chosen);
            victim = chosen == all.size() ? "coordinator" : role(handle);
            handle.destroyForcibly();
        }
        if (!run.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
            run.destroyForcibly();
            wrong(-1, name + ", " + victim + " killed: still runs after " + PATIENCE_S + " s");
        }
        for (long waitedMs = 0; all.stream().anyMatch(ProcessHandle::isAlive); waitedMs += 100) {
            if (waitedMs > ENDING_MS) {
                wrong(-1, name + ", " + victim + " killed: processes are left");
                all.forEach(ProcessHandle::destroyForcibly);
                break;
            }
            Thread.sleep(100);
        }
        long tookMs = (System.nanoTime() - startNs) / 1_000_000;
        return new Ending(run.exitValue(), tookMs, victim, Files.readString(said, StandardCharsets.UTF_8));
    }

    private static String role(ProcessHandle handle) {
        return handle.info()
                .arguments()
                .map(arguments -> Stream.of(arguments).anyMatch("worker"::equals) ? "worker" : "other")
                .orElse("other");
    }

    private List<String> command(String name) {
        String home = System.getProperty("reprobe.home", ".");
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.awt.headless=true",
                "-Dreprobe.home=" + home,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                "org.reprobe.cli.Reprobe",
                "run",
                dir.resolve("kills.yaml").toString(),
                "--fabric",
                fabric,
                "--out",
                dir.resolve(name).toString());
    }

    /** Folders of shared memory that nobody uses any more. */
    private static List<String> left() throws IOException {
        Path shm = Path.of("/dev/shm");
        if (!Files.isDirectory(shm)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(shm)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.startsWith("reprobe"))
                    .toList();
        }
    }
}
