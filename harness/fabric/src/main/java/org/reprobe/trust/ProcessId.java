package org.reprobe.trust;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Identity of a process, distinct from that of a later process with the same number.
 *
 * @param start start time: on Linux in ticks since boot, elsewhere in ms since 1970
 */
public record ProcessId(long pid, long start) {
    private static final Path PROC = Path.of("/proc");
    /** Fields of {@code /proc/PID/stat} after the name, which is in brackets and may contain any character. */
    private static final int STATE_FIELD = 0;

    private static final int START_FIELD = 19;
    private static final long UNKNOWN = -1;

    public static ProcessId current() {
        long pid = ProcessHandle.current().pid();
        return new ProcessId(pid, startOf(pid));
    }

    /** Returns an identifier of the PID namespace, which differs between containers. */
    static String numbering() {
        try {
            String name = Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString();
            return name.replaceAll("[^0-9]", "");
        } catch (IOException | UnsupportedOperationException _) {
            return "0";
        }
    }

    /** Returns false once the process has ended, even if it is a zombie. */
    public boolean alive() {
        return startOf(pid) == start;
    }

    /** Returns the start time; {@link #UNKNOWN} if there is no such process. */
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
