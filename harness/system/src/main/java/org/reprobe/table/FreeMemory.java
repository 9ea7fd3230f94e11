package org.reprobe.table;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** Available memory of the machine or the container. */
public final class FreeMemory {
    private FreeMemory() {}

    /** Returns the available bytes, including reclaimable caches. */
    public static long bytes() {
        long total = Long.MAX_VALUE;
        long free = Long.MAX_VALUE;
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            total = system.getTotalMemorySize(); // in a container its limit, if it has one
            free = system.getFreeMemorySize();
        }
        try {
            for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
                if (line.startsWith("MemAvailable:")) { // includes reclaimable caches
                    free = Long.parseLong(line.replaceAll("\\D", "")) << 10;
                }
            }
        } catch (IOException | NumberFormatException e) {
            // Not Linux: the bean's value is used.
        }
        return Math.min(total, free);
    }
}
