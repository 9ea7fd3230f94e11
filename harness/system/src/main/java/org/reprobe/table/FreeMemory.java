package org.reprobe.table;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** Available memory of the machine or container. */
public final class FreeMemory {
    private FreeMemory() {}

    /** Available bytes, including reclaimable caches. */
    public static long bytes() {
        long total = Long.MAX_VALUE;
        long free = Long.MAX_VALUE;
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            total = system.getTotalMemorySize(); // a container's limit, where there is one
            free = system.getFreeMemorySize();
        }
        try {
            for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
                if (line.startsWith("MemAvailable:")) { // counts what caches would give back
                    free = Long.parseLong(line.replaceAll("\\D", "")) << 10;
                }
            }
        } catch (IOException | NumberFormatException e) {
            // Not Linux: the bean's value stands.
        }
        return Math.min(total, free);
    }
}
