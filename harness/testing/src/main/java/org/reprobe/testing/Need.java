package org.reprobe.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Requirements of some tests beyond a JDK and Maven. {@code needs.sh} installs their packages and checks for them;
 * {@code -Dreprobe.NAME.skip=true} skips the tests.
 */
public enum Need {
    RDMA_CORE("rdma-core"),
    C_COMPILER("c-compiler"),
    BROWSER("browser"),
    NETWORK_NAMESPACES("network-namespaces"),
    MEMCACHED("memcached"),
    MEMCASLAP("memcaslap"),
    PERFTEST("perftest"),
    SLURM("slurm"),
    SSH("ssh"),
    VIRTUAL_MACHINE("vm");

    private static final ConcurrentMap<Need, Optional<String>> MISSING = new ConcurrentHashMap<>();

    private final String key;

    Need(String key) {
        this.key = key;
    }

    public String key() {
        return key;
    }

    /** Returns the missing tests and the packages to install; empty if present. */
    public Optional<String> missing() {
        return MISSING.computeIfAbsent(this, Need::look);
    }

    private Optional<String> look() {
        if (Boolean.getBoolean("reprobe." + key + ".skip")) {
            return Optional.of(key + ": excluded by -Dreprobe." + key + ".skip=true");
        }
        try {
            Process process = new ProcessBuilder("bash", script().toString(), "check", key)
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return switch (process.waitFor()) {
                case 0 -> Optional.empty();
                case 3 -> Optional.of(output.strip());
                default -> throw new IllegalStateException(script() + " check " + key + " failed: " + output);
            };
        } catch (IOException e) {
            return Optional.of(key + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static Path script() {
        return Project.path("harness/needs.sh");
    }
}
