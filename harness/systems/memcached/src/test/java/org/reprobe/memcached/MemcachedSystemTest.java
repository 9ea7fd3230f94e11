package org.reprobe.memcached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.LocalFabric;
import org.reprobe.fabric.tcp.TcpClients;
import org.reprobe.fabric.tcp.TcpServer;
import org.reprobe.fabric.tcp.TcpSettings;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.system.DeployedRun;
import org.reprobe.system.InProcessDeployment;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Served;
import org.reprobe.system.Settings;
import org.reprobe.system.program.Executable;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.NightlyCases;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs against the program itself: correct requests, detection of wrong replies, and cleanup. */
@Needs(Need.MEMCACHED)
@Timeout(60)
class MemcachedSystemTest {
    private static final long SEED = 1;
    private static final JsonMapper JSON = new JsonMapper();
    private static final Map<String, Object> SMALL = Map.of(
            "scheme", "memcached",
            "fabric", "tcp",
            "clients.threads", 2,
            "table.records", 500,
            "table.record-bytes", 48,
            "measure.warm-up-ms", 5,
            "measure.duration-ms", 40);

    static List<Arguments> mixes() {
        return NightlyCases.of(
                "MemcachedSystemTest.everyAnswerIsWhatItMustBe",
                1,
                List.of(
                        Arguments.of(24, 0.3, "zipf", 8),
                        Arguments.of(1, 0, "uniform", 1),
                        Arguments.of(24, 0, "uniform", 8),
                        Arguments.of(1, 1, "uniform", 3)));
    }

    static List<Arguments> namedWorkloads() {
        return NightlyCases.of(
                "MemcachedSystemTest.operationsAreThoseOfTheWorkload",
                1,
                List.of(
                        Arguments.of("ycsb-f", 1),
                        Arguments.of("ycsb-a", 1),
                        Arguments.of("ycsb-c", 8),
                        Arguments.of("ycsb-f", 8)));
    }

    @ParameterizedTest
    @MethodSource("mixes")
    void everyAnswerIsWhatItMustBe(int getKeys, double writes, String keys, int inFlight) throws Exception {
        Settings settings = with(Map.of(
                "memcached.get-keys", getKeys,
                "memcached.in-flight", inFlight,
                "workload.writes", writes,
                "workload.keys", keys));

        RunOutcome outcome = run(settings, served -> {});

        assertThat(outcome.problem()).isNull();
        assertThat(outcome.metrics().get("throughput_ops_per_s")).isPositive();
    }

    /** Also where single records are written between multi-gets. */
    @ParameterizedTest
    @MethodSource("namedWorkloads")
    void operationsAreThoseOfTheWorkload(String name, int getKeys) throws Exception {
        Settings settings = with(Map.of("memcached.get-keys", getKeys, "workload.name", name));

        RunOutcome outcome = run(settings, served -> {});

        assertThat(outcome.problem()).isNull();
        Map<String, Double> metrics = outcome.metrics();
        assertThat(metrics.containsKey("latency_write_ns.mean")).isEqualTo(name.equals("ycsb-a"));
        assertThat(metrics.containsKey("latency_read_modify_write_ns.mean")).isEqualTo(name.equals("ycsb-f"));
        if (name.equals("ycsb-f") && getKeys == 1) {
            assertThat(metrics.get("round_trips_per_operation")).isBetween(1.3, 1.7);
        }
    }

    @Test
    void aWrongValueIsFound() throws Exception {
        Settings settings = with(Map.of("memcached.get-keys", 8));
        Records records = records(settings);

        RunOutcome outcome = run(
                settings,
                served -> withConnection(served, connection -> {
                    byte[] wrong = records.value(7);
                    wrong[wrong.length - 1] ^= 1;
                    connection.set(records.key(7), wrong).toCompletableFuture().join();
                }));

        assertThat(outcome.valid()).isFalse();
        assertThat(outcome.problem()).contains("got a wrong answer");
    }

    @Test
    void missingRecordsAreDetected() throws Exception {
        Settings settings = with(Map.of());

        RunOutcome outcome = run(
                settings,
                served -> withConnection(served, connection -> {
                    try {
                        connection.unload(new Records(1, ((RemoteDeployment) deployment(settings)).loadedKeys(), 32));
                    } catch (FabricException e) {
                        throw new AssertionError(e);
                    }
                }));

        assertThat(outcome.valid()).isFalse();
        assertThat(outcome.problem()).contains("got a wrong answer");
    }

    @Test
    void evictionsInvalidateARun() throws Exception {
        Settings settings = with(Map.of("table.records", 50_000, "memcached.memory-mib", 2));

        RunOutcome outcome = run(settings, served -> {});

        assertThat(outcome.valid()).isFalse();
        assertThat(outcome.problem()).contains("memcached has evicted");
    }

    @Test
    @Nightly(besides = "every answer is what it must be")
    void itsOwnMemoryHoldsRecordsOfAllSizes() throws Exception {
        for (int recordBytes : new int[] {24, 1000, 256 << 10}) {
            int count = Math.min(20_000, (8 << 20) / recordBytes);
            Settings settings = with(Map.of("table.records", count, "table.record-bytes", recordBytes));
            try (LoadedServer server = (LoadedServer) deployment(settings).serve(0, List.of(), null)) {
                assertThat(server.verificationFailure(deployment(settings).counts()))
                        .isNull();
            }
        }
    }

    @Test
    @Nightly(besides = "every answer is what it must be")
    void aServerThatIsGivenKeepsWhatIsNotOurs() throws Exception {
        try (ServerProcess given = ServerProcess.start(64, 1);
                Connection other = new Connection(given.address(), 8)) {
            other.set("theirs", new byte[] {1}).toCompletableFuture().join();
            Settings settings = with(Map.of("memcached.address", given.address().toString()));

            RunOutcome outcome = run(settings, served -> {});

            assertThat(outcome.problem()).isNull();
            assertThat(given.isAlive()).isTrue();
            assertThat(other.get("theirs").toCompletableFuture().join()).containsExactly(1);
            assertThat(other.statistic("curr_items")).isEqualTo(1);
        }
    }

    @Test
    void anAddressWithoutListenerIsReported() throws Exception {
        Settings settings = with(Map.of("memcached.address", "127.0.0.1:" + freePort()));

        assertThatThrownBy(() -> run(settings, served -> {}))
                .isInstanceOf(FabricException.class)
                .hasMessageMatching("memcached at 127.0.0.1:\\d+ can't be reached");
    }

    @Test
    void aPortInUseIsReported() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            taken.setSoTimeout(1);
            assertThatThrownBy(() -> ServerProcess.start(taken.getLocalPort(), 64, 1))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("memcached did not start at 127.0.0.1:" + taken.getLocalPort());
        }
        try (ServerProcess first = ServerProcess.start(64, 1)) {
            assertThatThrownBy(() -> ServerProcess.start(first.address().port(), 64, 1))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("memcached did not start at " + first.address());
            assertThat(first.isAlive()).isTrue();
        }
    }

    @Test
    void aKilledServerEndsTheRunWithAMessage() throws Exception {
        Settings settings = with(Map.of("measure.duration-ms", 30_000));

        assertThatThrownBy(() -> run(
                        settings,
                        served -> Thread.ofPlatform().start(() -> {
                            sleep(300);
                            ProcessHandle.of(pid(LoadedServer.startedAt(
                                            served.machines().getFirst())))
                                    .orElseThrow()
                                    .destroyForcibly();
                        })))
                .isInstanceOf(FabricException.class)
                .hasMessageMatching("(?s)memcached at 127.0.0.1:\\d+ (did not reply|can't be reached).*");
    }

    @Test
    @Nightly(besides = "a server that dies ends the run")
    void aServerEndsWithAProcessThatIsKilled() throws Exception {
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8))) {
            ServerAddress address = ServerAddress.local(Integer.parseInt(said.readLine()));
            ProcessHandle server = ProcessHandle.of(pid(address)).orElseThrow();
            assertThat(server.isAlive()).isTrue();

            holder.destroyForcibly(); // kill -9

            server.onExit().get(10, TimeUnit.SECONDS);
            assertThatThrownBy(() -> new Socket(address.host(), address.port()).close())
                    .isInstanceOf(IOException.class);
        } finally {
            holder.destroyForcibly();
        }
    }

    /** Process that starts a memcached, prints its port, and waits. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws Exception {
            ServerProcess server = ServerProcess.start(64, 1);
            System.out.println(server.address().port());
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    @Test
    void aProgramThatIsNotInstalledIsNotFound(@TempDir Path folder) throws IOException {
        assertThat(Executable.among(folder.toString(), "memcached")).isNull();
        Files.createFile(folder.resolve("memcached"));
        assertThat(Executable.among(folder.toString(), "memcached")).isNull(); // can't be executed
        assertThat(Executable.among(null, "memcached")).isNull();
        assertThat(folder.resolve("memcached").toFile().setExecutable(true)).isTrue();
        assertThat(Executable.among("/nowhere:" + folder, "memcached")).isEqualTo(folder.resolve("memcached"));
    }

    @Test
    void aStartedServerIsGoneWhenItsHalfIsClosed() throws Exception {
        Settings settings = with(Map.of());
        LoadedServer server = (LoadedServer) deployment(settings).serve(0, List.of(), null);
        long pid = pid(LoadedServer.startedAt(server.machines().getFirst()));
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();

        server.close();

        process.onExit().get(10, TimeUnit.SECONDS);
        assertThat(process.isAlive()).isFalse();
    }

    private static Settings with(Map<String, ?> values) {
        Map<String, Object> all = new HashMap<>(SMALL);
        all.putAll(values);
        Set<Class<? extends Record>> types = new LinkedHashSet<>(Settings.COMMON);
        types.add(MemcachedSettings.class);
        Map<Class<? extends Record>, Record> records = new HashMap<>();
        for (Class<? extends Record> type : types) {
            KeyedRecord<?> section = KeyedRecord.of(type);
            Map<String, JsonNode> nodes = new HashMap<>();
            for (KeyedRecord.Entry entry : section.entries()) {
                Object value = all.remove(entry.name());
                nodes.put(entry.name(), value == null ? entry.byDefault() : JSON.valueToTree(value));
            }
            records.put(type, section.bind(nodes::get));
        }
        assertThat(all).isEmpty();
        return new Settings(records);
    }

    private static MemcachedDeployment deployment(Settings settings) {
        return new MemcachedDeployment(settings, 0);
    }

    private static Records records(Settings settings) {
        return new Records(
                settings.table().records(),
                deployment(settings).loadedKeys(),
                settings.table().recordBytes() - Records.KEY_BYTES);
    }

    /** @param meanwhile called after the server is loaded, before the clients start */
    private static RunOutcome run(Settings settings, Consumer<Served> meanwhile) throws Exception {
        MemcachedDeployment deployment = deployment(settings);
        TcpServer server = new TcpServer(new InetSocketAddress("127.0.0.1", 0), TcpSettings.defaults());
        try (Fabric fabric =
                new LocalFabric("tcp", List.of(server), servers -> new TcpClients(servers, TcpSettings.defaults()))) {
            InProcessDeployment halves = new InProcessDeployment(fabric, settings, deployment, null, SEED);
            Served served = halves.serve();
            try (LoadedServer half = (LoadedServer) Objects.requireNonNull(served.local())) {
                assertThat(half.machines()).hasSize(1);
                meanwhile.accept(served);
                return DeployedRun.of(settings, deployment, halves, served);
            }
        }
    }

    private static void withConnection(Served served, Consumer<Connection> what) {
        try (Connection connection =
                new Connection(LoadedServer.startedAt(served.machines().getFirst()), Connection.LOADING)) {
            what.accept(connection);
        } catch (FabricException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static long pid(ServerAddress address) {
        try (Connection connection = new Connection(address, 1)) {
            return connection.statistic("pid");
        } catch (FabricException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
