package org.reprobe.memory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** Messages for exhausted resources of the machine or the process. */
public final class Shortage {
    /** Free file descriptors up to which all count as used: the JVM may close some between failure and report. */
    private static final long NEARLY_ALL = 4;

    private static final String THREADS = "no more threads or processes can be started: a limit is reached (ulimit -u,"
            + " or a container's); raise it, or use fewer clients";

    private Shortage() {}

    /** Returns the exhausted resource and a remedy in one clause; null if the failure has another cause. */
    public static @Nullable String text(Throwable failure, String lessHeap) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            // If a class's initialization failed before, only the message contains the error.
            if (cause instanceof OutOfMemoryError || message.contains("java.lang.OutOfMemoryError: ")) {
                return ofMemory(message, lessHeap);
            }
            if (message.contains("Too many open files")) {
                return openFiles();
            }
            if (cause instanceof IOException
                    && (message.contains("error=11,") || message.contains("Resource temporarily unavailable"))) {
                return THREADS;
            }
            if (message.contains("Cannot allocate memory")) {
                return "the system has no more memory";
            }
            // The JVM skips jars that it can't open, so that their classes seem to be missing.
            if (cause instanceof LinkageError && openFilesAreUsedUp()) {
                return openFiles();
            }
        }
        return null;
    }

    private static String ofMemory(String message, String lessHeap) {
        if (message.contains("native thread")) {
            return THREADS;
        }
        if (message.contains("direct buffer memory")) {
            return "no memory is left for buffers of connections (" + message + "): use fewer clients";
        }
        if (message.contains("Metaspace") || message.contains("class space")) {
            return "no memory is left for classes (" + message + "): raise the JVM's limit for them";
        }
        if (message.contains("heap space") || message.contains("GC overhead") || message.contains("array ")) {
            return "Java's heap of " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB is full: " + lessHeap;
        }
        return "the system has no more memory (" + message + ")";
    }

    private static String openFiles() {
        return "all open files that a process may have are in use (ulimit -Hn): raise the limit, or use fewer clients";
    }

    private static boolean openFilesAreUsedUp() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.UnixOperatingSystemMXBean unix
                && unix.getOpenFileDescriptorCount() >= unix.getMaxFileDescriptorCount() - NEARLY_ALL;
    }
}
