package org.reprobe.run.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines for further processes of this program on this host, with the JVM of this one. */
public final class OwnJvm {
    /** Factor for timeouts in virtual machines whose instructions are emulated. */
    private static final int SLOWNESS = Integer.getInteger("reprobe.slowness", 1);

    /** Silence in ms after which another process counts as hung; a healthy one may be slow under load. */
    static final int SILENCE_MS = Integer.getInteger("reprobe.silence-ms", (int) patienceMs(60_000));

    /** Options of every JVM of this program; run.sh and the build have the same, which a test checks. */
    public static final List<String> FLAGS = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-Djava.awt.headless=true",
            // Warnings of the JVM are not part of a program's output. The program reports a lack of threads.
            "-Xlog:disable",
            "-Xlog:all=warning,os+thread=off:stderr");

    private OwnJvm() {}

    /** Returns the timeout for an operation that takes at most {@code ms} on a real machine. */
    public static long patienceMs(long ms) {
        return ms * SLOWNESS;
    }

    /** Returns a command line up to the program's own arguments. */
    public static List<String> command(Path home) {
        List<String> command = java();
        // Additional options separated by spaces: processes of tests start fast.
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

    /**
     * Returns the options with which run.sh started this JVM from a cache of classes; none if it did without. Processes
     * that measure real time start without.
     */
    public static List<String> cacheFlags() {
        String cache = System.getProperty("reprobe.startup-cache", "");
        return cache.isEmpty() ? List.of() : List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off,cds*=off:stderr");
    }

    /** Returns {@link #command} with a folder for Flight Recorder's temporary files, so that they can be deleted. */
    static List<String> recorded(Path home, Path unwritten) {
        List<String> command = command(home);
        command.add(1, "-XX:FlightRecorderOptions:repository=" + unwritten);
        return command;
    }

    /** Returns the command of this JVM and program with {@link #FLAGS}, to which more may be added. */
    public static List<String> java() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        return command;
    }
}
