package org.reprobe.run.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How this program is started once more on this host, by the JVM that runs it. */
public final class OwnJvm {
    /** Virtual machines whose instructions are emulated need more time for everything. */
    private static final int SLOWNESS = Integer.getInteger("reprobe.slowness", 1);

    /**
     * How long another process may say nothing before it counts as hanging: with many more threads than cores, or other work on the
     * machine, a healthy one may take long to answer.
     */
    static final int SILENCE_MS = Integer.getInteger("reprobe.silence-ms", (int) patienceMs(60_000));

    /** Options that every JVM of this program has; run.sh and the build name the same, which a test checks. */
    public static final List<String> FLAGS = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-Djava.awt.headless=true",
            // Warnings of the JVM are no part of a program's output. The program reports a lack of threads.
            "-Xlog:disable",
            "-Xlog:all=warning,os+thread=off:stderr");

    private OwnJvm() {}

    /** How long something may take that takes {@code ms} at most on a real machine. */
    public static long patienceMs(long ms) {
        return ms * SLOWNESS;
    }

    /** A command line, up to the program's own arguments. */
    public static List<String> command(Path home) {
        List<String> command = java();
        // More options of those that this one starts, separated by spaces: tests' are to start fast.
        String more = System.getProperty("reprobe.worker-flags", "");
        if (!more.isEmpty()) {
            command.addAll(List.of(more.split(" ")));
            command.add("-Dreprobe.worker-flags=" + more);
        }
        command.addAll(List.of(
                "-Dreprobe.home=" + home,
                "-Dreprobe.slowness=" + SLOWNESS,
                "-Dreprobe.silence-ms=" + SILENCE_MS,
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                "org.reprobe.cli.Reprobe"));
        return command;
    }

    /** The same, with a place for what Flight Recorder has not written yet: what a killed process leaves is deleted with it. */
    static List<String> recorded(Path home, Path unwritten) {
        List<String> command = command(home);
        command.add(1, "-XX:FlightRecorderOptions:repository=" + unwritten);
        return command;
    }

    /** This JVM's program with {@link #FLAGS}, to which more may be added. */
    public static List<String> java() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        return command;
    }
}
