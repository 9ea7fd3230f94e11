package org.reprobe.trust;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A process, told apart from a later one that was given the same number.
 *
 * @param pid its number
 * @param start when it started: on Linux in ticks since the machine started, elsewhere in ms since 1970
 */
public record ProcessId(long pid, long start) {
    private static final Path PROC = Path.of("/proc");
    /** Fields of {@code /proc/PID/stat} behind the name, which is in brackets and may hold anything. */
    private static final int STATE_FIELD = 0;

    private static final int START_FIELD = 19;
    private static final long UNKNOWN = -1;

    /** This process. */
    public static ProcessId current() {
        long pid = ProcessHandle.current().pid();
        return new ProcessId(pid, startOf(pid));
    }

    /** Tells the process numbers of different containers apart. */
    static String numbering() {
        try {
            String name = Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString();
            return name.replaceAll("[^0-9]", "");
        } catch (IOException | UnsupportedOperationException _) {
            return "0";
        }
    }

    /** False once it has ended, even when nobody has taken note of its end yet. */
    public boolean alive() {
        return startOf(pid) == start;
    }

    /** {@link #UNKNOWN} for a process that is not there. */
    private static long startOf(long pid) {
        String[] fields = stat(pid);
        if (fields != null) {
            boolean ended = "ZX".contains(fields[STATE_FIELD]);
            return ended ? UNKNOWN : Long.parseLong(fields[START_FIELD]);
        }
        Optional<ProcessHandle> process = ProcessHandle.of(pid);
        if (process.isEmpty() || !process.get().isAlive()) {
            return UNKNOWN;
        }
        return process.get().info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    private static String @Nullable [] stat(long pid) {
        try {
            String stat = Files.readString(PROC.resolve(pid + "/stat"));
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        } catch (IOException _) {
            return null;
        }
    }
}
