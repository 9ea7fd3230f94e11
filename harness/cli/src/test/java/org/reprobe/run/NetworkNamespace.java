package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Host of its own as far as network and mounts go, with a cable: it exists as long as a process in it waits for the end
 * of its input, which is also this process' end. Needs root.
 */
record NetworkNamespace(Process keeper) implements AutoCloseable {
    private static final String CABLE = "cable";

    static NetworkNamespace create() throws IOException, InterruptedException {
        Process keeper = new ProcessBuilder("unshare", "--net", "--mount", "sh", "-c", "echo here; exec cat").start();
        assertThat(keeper.inputReader().readLine()).isEqualTo("here");
        return new NetworkNamespace(keeper);
    }

    /** Prefix of commands to run here; with the same root, since entering mounts would leave a changed one. */
    List<String> prefix() {
        String of = "/proc/" + keeper.pid();
        return List.of(
                "nsenter",
                "--net=" + of + "/ns/net",
                "--mount=" + of + "/ns/mnt",
                "--root=" + of + "/root",
                "--wd=" + of + "/cwd");
    }

    void run(String... words) throws IOException, InterruptedException {
        List<String> command =
                Stream.concat(prefix().stream(), Stream.of(words)).toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
    }

    Process start(Path output, List<String> words) throws IOException {
        List<String> command = new ArrayList<>(prefix());
        command.addAll(words);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    /** Connects a plug of this host with the cable of another. */
    void connect(String plug, NetworkNamespace other) throws IOException, InterruptedException {
        run("ip", "link", "add", plug, "type", "veth", "peer", CABLE, "netns", "" + other.keeper.pid());
    }

    void up(String address) throws IOException, InterruptedException {
        run("ip", "address", "add", address + "/24", "dev", CABLE);
        run("ip", "link", "set", "lo", "up");
        mend();
    }

    void cut() throws IOException, InterruptedException {
        run("ip", "link", "set", CABLE, "down");
    }

    void mend() throws IOException, InterruptedException {
        run("ip", "link", "set", CABLE, "up");
    }

    @Override
    public void close() {
        keeper.destroyForcibly();
    }
}
