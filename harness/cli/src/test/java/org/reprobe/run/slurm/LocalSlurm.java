package org.reprobe.run.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A Slurm of several nodes on this machine, by {@code slurm.sh}: each test class has its own. */
final class LocalSlurm {
    private final Path dir;
    private final Path script;

    private LocalSlurm(Path dir, Path script) {
        this.dir = dir;
        this.script = script;
    }

    static LocalSlurm up(Path parent, int nodes) throws IOException, InterruptedException {
        return up(parent, nodes, "1");
    }

    /** Returns one that limits jobs to their requested memory. */
    static LocalSlurm withLimits(Path parent, int nodes) throws IOException, InterruptedException {
        return up(parent, nodes, "1", "cgroup");
    }

    private static LocalSlurm up(Path parent, int nodes, String... more) throws IOException, InterruptedException {
        Path script = parent.resolve("slurm.sh");
        try (InputStream in = Objects.requireNonNull(LocalSlurm.class.getResourceAsStream("slurm.sh"))) {
            Files.write(script, in.readAllBytes());
        }
        LocalSlurm slurm = new LocalSlurm(parent.resolve("slurm"), script);
        List<String> options = new ArrayList<>(List.of(String.valueOf(nodes)));
        options.addAll(List.of(more));
        slurm.script("up", options.toArray(String[]::new));
        return slurm;
    }

    Path conf() {
        return dir.resolve("slurm.conf");
    }

    /** Runs a command of the script. */
    void script(String what, String... more) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", script.toString(), what, dir.toString()));
        command.addAll(List.of(more));
        run(command);
    }

    /** Runs a command with this Slurm; returns its output. */
    String run(List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(dir.getParent(), "said", ".txt"); // a daemon may hold a pipe open
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("SLURM_CONF", conf().toString());
        int code = builder.start().waitFor();
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(code).as("%s: %s", command, text).isZero();
        return text;
    }

    /** Declares a node down that the controller would detect after its timeout. */
    void declareDown(String node) throws IOException, InterruptedException {
        run(List.of("scontrol", "update", "nodename=" + node, "state=down", "reason=test"));
    }

    /** Makes a node that is down accept tasks again. */
    void bringBack(String node) throws IOException, InterruptedException {
        script("revive", node);
        awaitBack(node);
    }

    /**
     * Waits until a node whose slurmd was started accepts tasks. Slurm detects that eventually; it is requested, which
     * Slurm refuses from then on.
     */
    void awaitBack(String node) throws IOException, InterruptedException {
        String tell = "sinfo -h -N -p main -n " + node + " -o %t | grep -qx idle" + " || { scontrol update nodename="
                + node + " state=resume 2> /dev/null; false; }";
        run(List.of("bash", "-c", "for i in {1..600}; do { " + tell + "; } && exit; sleep 0.1; done; exit 1"));
    }

    void down() throws IOException, InterruptedException {
        script("down");
    }
}
