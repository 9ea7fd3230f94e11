package org.reprobe.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.run.process.OwnJvm;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.testing.Project;

/** Scenario that runs in a fraction of a second, with methods for its results. */
public final class TinyScenario {
    public static final Path HOME = Project.folder();
    public static final Path NICS = HOME.resolve("scenarios/nics");

    private TinyScenario() {}

    /** Returns a command line of a JVM of the program that starts fast, with more arguments. */
    public static List<String> jvm(String... more) {
        List<String> command = OwnJvm.java();
        String flags = System.getProperty("reprobe.worker-flags", "-XX:TieredStopAtLevel=1");
        command.addAll(List.of(
                "-XX:-UsePerfData",
                flags,
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-Dreprobe.compiling-ms=100",
                "-Dreprobe.worker-flags=" + flags,
                "-Dreprobe.home=" + HOME));
        command.addAll(List.of(more));
        return command;
    }

    /** Returns true if a process runs; false for a zombie. */
    public static boolean runs(String pid) {
        try {
            String stat = Files.readString(Path.of("/proc", pid, "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return false;
        }
    }

    public static String yaml(int repeats) {
        return """
                title: Tiny
                clients: {machines: 1, threads: 4}
                connection: {send-queue: 64, outstanding-reads: 16}
                table: {records: 4096}
                sweep:
                  load-factor: [0.25, 0.50]
                  scheme: [cuckoo-parallel, linear-fixed, linear-variable]
                measure: {repeats: %d, warm-up-ms: 0.01, duration-ms: 0.05}
                figures:
                  - {name: figure-7, title: Lookup throughput, x: load-factor, y: throughput, series: scheme}
                """.formatted(repeats);
    }

    public static Path write(Path dir, String name, int repeats) throws IOException {
        return Files.writeString(dir.resolve(name + ".yaml"), yaml(repeats));
    }

    static RunPlan plan(Path dir, String... names) throws IOException, InvalidInputException {
        List<Scenario> scenarios = new ArrayList<>();
        for (String name : names) {
            scenarios.add(new ScenarioReader(NICS).read(write(dir, name, 2), ScenarioReader.Options.of(Scale.QUICK)));
        }
        return RunPlan.of(scenarios, NICS);
    }

    /** Returns the files, by name, that must not depend on time and way of their production. */
    public static TreeMap<String, String> results(Path dir) throws IOException {
        TreeMap<String, String> results = new TreeMap<>();
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = file.getFileName().toString();
                if (!List.of("environment.json", "status.json", "report.html").contains(name)) {
                    byte[] bytes = Files.readAllBytes(file);
                    boolean text = !name.endsWith(".png");
                    results.put(
                            dir.relativize(file).toString(),
                            text
                                    ? new String(bytes, java.nio.charset.StandardCharsets.UTF_8)
                                    : "" + Arrays.hashCode(bytes));
                }
            }
        }
        return results;
    }
}
