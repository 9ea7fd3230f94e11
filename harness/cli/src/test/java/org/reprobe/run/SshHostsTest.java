package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.run.process.ShellWord;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;
import org.reprobe.testing.Nightly;

/**
 * Runs over several hosts, which are network namespaces with addresses and an ssh server of their own, on one switch.
 * The last one's clock (System.nanoTime) is a day ahead.
 */
@Needs(Need.SSH)
class SshHostsTest {
    private static final int HOSTS = 4;
    private static final String DAY_S = "86400";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path dir;

    private static final List<NetworkNamespace> NAMESPACES = new ArrayList<>();
    private static final List<Process> SERVERS = new ArrayList<>();

    private static String address(int host) {
        return "192.0.2." + (host + 1);
    }

    @BeforeAll
    static void connectHosts() throws Exception {
        Path keys = Files.createDirectory(dir.resolve("ssh"));
        script(
                "ssh.sh",
                "exec ssh -F /dev/null -i " + keys.resolve("id") + " -o StrictHostKeyChecking=no"
                        + " -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \"$@\"");
        makeHome();
        NetworkNamespace network = add(NetworkNamespace.create());
        network.run("ip", "link", "add", "bridge", "type", "bridge");
        network.run("ip", "link", "set", "bridge", "up");
        network.run(
                "ssh-keygen",
                "-q",
                "-t",
                "ed25519",
                "-N",
                "",
                "-f",
                keys.resolve("id").toString());
        network.run(
                "dropbearkey", "-t", "ed25519", "-f", dir.resolve("host-key").toString());
        Files.copy(keys.resolve("id.pub"), keys.resolve("authorized_keys"));
        Path ofUser = Path.of(System.getProperty("user.home"), ".ssh");
        Files.createDirectories(ofUser); // to be hidden: the user's own is not touched
        for (int host = 0; host < HOSTS; host++) {
            NetworkNamespace namespace = add(NetworkNamespace.create());
            String plug = "plug" + host;
            network.connect(plug, namespace);
            network.run("ip", "link", "set", plug, "master", "bridge", "up");
            namespace.up(address(host));
            namespace.run("mount", "--bind", keys.toString(), ofUser.toString());
            List<String> command = new ArrayList<>();
            if (host == HOSTS - 1) {
                command.addAll(List.of("unshare", "--time", "--monotonic", DAY_S, "--fork", "--kill-child"));
            }
            command.addAll(List.of(
                    "dropbear", "-F", "-E", "-s", "-r", dir.resolve("host-key").toString()));
            command.addAll(List.of(
                    "-p", address(host) + ":22", "-P", dir.resolve("pid" + host).toString()));
            SERVERS.add(namespace.start(dir.resolve("sshd" + host + ".out"), command));
        }
    }

    private static NetworkNamespace add(NetworkNamespace namespace) {
        NAMESPACES.add(namespace);
        return namespace;
    }

    /** Makes a folder in which other hosts find the program, which tests have not packaged. */
    private static void makeHome() throws IOException {
        Path home = Files.createDirectory(dir.resolve("home"));
        for (String folder : List.of("scenarios", "results")) {
            Files.createSymbolicLink(home.resolve(folder), TinyScenario.HOME.resolve(folder));
        }
        script(
                "home/run.sh",
                "exec "
                        + TinyScenario.jvm("-cp", System.getProperty("java.class.path"), "org.reprobe.cli.Reprobe")
                                .stream()
                                .map(ShellWord::quoted)
                                .collect(Collectors.joining(" "))
                        + " \"$@\"");
    }

    private static void script(String name, String text) throws IOException {
        Path file = Files.writeString(dir.resolve(name), "#!/bin/sh\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @AfterAll
    static void disconnectHosts() {
        SERVERS.forEach(Process::destroyForcibly);
        NAMESPACES.forEach(NetworkNamespace::close);
    }

    /** Runs on the first host. */
    private static DisturbedRun run(String name, String scenario, long silenceMs) throws IOException {
        Path file = Files.writeString(dir.resolve(name + ".yaml"), scenario);
        return run(name, silenceMs, List.of(file.toString()));
    }

    private static DisturbedRun run(String name, long silenceMs, List<String> arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of("run"));
        words.addAll(arguments);
        words.addAll(List.of("--out", dir.resolve(name).toString()));
        return DisturbedRun.start(
                dir,
                name,
                NAMESPACES.get(1).prefix(),
                List.of("-Dreprobe.home=" + dir.resolve("home"), "-Dreprobe.ssh=" + dir.resolve("ssh.sh")),
                silenceMs,
                words.toArray(String[]::new));
    }

    private static boolean isWorker(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"))
                    .contains("worker\0--connect\0ssh:");
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    private static void assertRight(String name, DisturbedRun run, int cells) throws Exception {
        DisturbedRun.Ending ending = run.end();
        assertThat(ending.exit()).as(run.said() + run.printed()).isZero();
        assertThat(ending.left()).isEmpty();
        List<String> lines = Files.readAllLines(dir.resolve(name + "/measurements.jsonl"));
        assertThat(lines).hasSize(cells).allMatch(line -> line.contains("\"valid\": true"));
    }

    @Test
    void writesThroughAServerOnAnotherHostAreRightThoughClocksDiffer() throws Exception {
        String scenario =
                "hosts: {server: %s, clients: [%s, %s]}\nfabric: tcp\n".formatted(address(1), address(2), address(3))
                        + DisturbedRun.scenario(2, 1, 1, 200);
        try (DisturbedRun run = run("nessie", scenario, DisturbedRun.USUAL_SILENCE_MS)) {
            assertRight("nessie", run, 1);
        }
    }

    @Nightly(besides = "clients on hosts of their own write through a server on another")
    @Test
    void machinesThatServeAndSendAreSeparateHosts() throws Exception {
        String scenario = """
                title: Lookups over hosts
                fabric: tcp
                scheme: farm
                hosts: {clients: [%s, %s, %s]}
                clients: {machines: 3, threads: 1}
                table: {records: 4096, record-bytes: 48}
                load-factor: 0.8
                farm: {in-flight: 2}
                measure: {repeats: 1, real-time-ms: 500}
                """.formatted(address(1), address(2), address(3));
        try (DisturbedRun run = run("farm", scenario, DisturbedRun.USUAL_SILENCE_MS)) {
            assertRight("farm", run, 1);
        }
    }

    /** They reach the coordinator's ZooKeeper at the coordinator's address. */
    @Nightly(besides = "machines that fail are processes of one host")
    @Test
    void machinesWithLeasesAreHostsOfTheirOwn() throws Exception {
        String scenario = """
                title: Transactions over hosts
                fabric: tcp
                scheme: farm-transactions
                hosts: {clients: [%s, %s, %s]}
                clients: {machines: 3, threads: 1}
                table: {records: 300, record-bytes: 48}
                workload: {writes: 0.5}
                farm: {in-flight: 2, replicas: 2, replication: prepare-commit, lease-ms: 3000}
                measure: {repeats: 1, real-time-ms: 500}
                """.formatted(address(1), address(2), address(3));
        try (DisturbedRun run = run("leases", scenario, DisturbedRun.USUAL_SILENCE_MS)) {
            assertRight("leases", run, 1);
        }
    }

    /** Scenarios reduced to a size for one machine that has all the hosts. */
    static Stream<Arguments> shippedScenarios() {
        String hosts = " --set hosts.server=%s --set hosts.clients=[%s,%s] --set clients.machines=2"
                .formatted(address(1), address(2), address(3));
        return Stream.of(
                arguments("figure-07 --set table.records=65536 --set sweep.load-factor=[0.5]" + hosts, 4),
                arguments(
                        "write-ratio --set sweep.workload.writes=[0,0.5] --set sweep.workload.keys=[zipf]" + hosts, 4),
                arguments(
                        "farm/lookups --filter nic=connectx3-farm --set table.records=65536 --set farm.in-flight=2"
                                + " --set sweep.clients.machines=[3] --set hosts.clients=[%s,%s,%s]"
                                        .formatted(address(1), address(2), address(3)),
                        3));
    }

    @ParameterizedTest
    @MethodSource("shippedScenarios")
    @Nightly(besides = "scenarios of the same systems with a cell each")
    void shippedScenariosRunOverHosts(String command, int cells) throws Exception {
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        String name = words.getFirst().replace('/', '-');
        for (String set : List.of("clients.threads=2", "measure.repeats=1", "measure.real-time-ms=500")) {
            words.addAll(List.of("--set", set));
        }
        words.addAll(List.of("--fabric", "tcp"));
        try (DisturbedRun run = run(name, DisturbedRun.USUAL_SILENCE_MS, words)) {
            assertRight(name, run, cells);
        }
    }

    @Test
    @Nightly(besides = "a host that does not exist is named")
    void aHostThatIsCutOffForGoodEndsTheRunInASentence() throws Exception {
        String scenario = "hosts: {server: %s, clients: %s}\nfabric: tcp\n".formatted(address(1), address(2))
                + DisturbedRun.scenario(1, 1, 1, 20_000);
        try (DisturbedRun run = run("cut", scenario, 6_000)) {
            while (DisturbedRun.clients(ProcessHandle.allProcesses().filter(SshHostsTest::isWorker)) == 0
                    && !run.waitFor(100)) {
                // Until it is under way.
            }
            NAMESPACES.get(3).cut();
            DisturbedRun.Ending ending = run.end();
            NAMESPACES.get(3).mend();
            assertThat(ending.exit()).isEqualTo(1);
            assertThat(ending.complaints())
                    .contains("client process 0 on " + address(2))
                    .doesNotContain("Exception");
        }
    }

    @Test
    void anUnreachableHostIsNamed() throws Exception {
        String scenario =
                "hosts: {server: %s}\nfabric: tcp\n".formatted(address(9)) + DisturbedRun.scenario(1, 1, 1, 50);
        try (DisturbedRun run = run("gone", scenario, DisturbedRun.USUAL_SILENCE_MS)) {
            DisturbedRun.Ending ending = run.end();
            assertThat(ending.exit()).isEqualTo(1);
            assertThat(ending.complaints())
                    .contains("the server process on " + address(9) + " did not start (ssh lost the connection")
                    .doesNotContain("Exception");
        }
    }
}
