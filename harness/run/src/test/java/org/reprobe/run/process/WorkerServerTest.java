package org.reprobe.run.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.run.TinyScenario;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.trust.Secret;

/** A worker's server keeps content between runs, and nothing else. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class WorkerServerTest {
    private static final String FABRIC = "shm";

    /** Memory for locks beside the table: two registrations at least, of which the last can fail. */
    private static final String LOOKUPS_THAT_WRITE = """
            title: Lookups that write
            fabric: shm
            scheme: linear-variable
            clients: {machines: 1, threads: 1}
            table: {records: 4096}
            workload: {writes: 0.5}
            """;

    private static final String WRITERS_ALONE = """
            title: Without content
            fabric: shm
            scheme: nessie
            clients: {machines: 1, threads: 1}
            table: {records: 4096, record-bytes: 16}
            workload: {writes: 0.5}
            nessie: {growth: 1}
            """;

    @TempDir
    Path dir;

    private final List<CountingServer> opened = new ArrayList<>();

    /** Number of registrations that the next opened server can make. */
    private int registrations = Integer.MAX_VALUE;

    /** Request to a worker's server. */
    private interface Asked {
        void of(WorkerServer server) throws Exception;
    }

    private void serving(Asked asked, String... scenarios) throws Exception {
        Secret secret = Secret.random();
        KnownScenarios known = new KnownScenarios(dir);
        for (String yaml : scenarios) {
            Scenario scenario = new ScenarioReader(TinyScenario.NICS)
                    .read(
                            Files.writeString(dir.resolve(name(yaml) + ".yaml"), yaml),
                            ScenarioReader.Options.of(Scale.QUICK));
            String nic = scenario.cells().getFirst().settings().nic();
            known.add(new Message.KnowScenario(
                    name(yaml),
                    scenario.resolvedYaml(),
                    Map.of(nic, Files.readString(TinyScenario.NICS.resolve(nic + ".yaml")))));
        }
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Acceptor acceptor = new Acceptor(Acceptor.listen(any), () -> List.of(secret))) {
            int port = acceptor.socket().getLocalPort();
            CompletableFuture<MessageConnection.Authenticated> coordinator = CompletableFuture.supplyAsync(() -> {
                try {
                    return Objects.requireNonNull(acceptor.next(600_000));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            try (MessageConnection connection = MessageConnection.connect("127.0.0.1", port, secret, List.of());
                    MessageConnection other = coordinator.get().connection();
                    WorkerServer server = new WorkerServer(connection, known, Worker.Folders.NONE, (fabric, _) -> {
                        assertThat(fabric).isEqualTo(FABRIC);
                        opened.add(new CountingServer(registrations));
                        return opened.getLast();
                    })) {
                assertThat(other.isLoopback()).isTrue();
                asked.of(server);
            }
        }
        assertThat(opened).isNotEmpty().noneMatch(CountingServer::isOpen);
    }

    private static String name(String yaml) {
        return "scenario-" + Integer.toHexString(yaml.hashCode());
    }

    private static Message.Prepare prepare(String yaml) {
        return new Message.Prepare(new Message.Cell(name(yaml), 0, 1), "", 0, 1);
    }

    /** It had no half yet with its registrations: the next run found memory still open to clients. */
    @Test
    void aRunThatFailsWhileItIsPreparedLeavesNothingToTheNext() throws Exception {
        serving(
                server -> {
                    server.prepare(prepare(LOOKUPS_THAT_WRITE));
                    CountingServer here = opened.getFirst();
                    int regions = here.regions().size();
                    int memories = here.memories().size();
                    assertThat(regions).isGreaterThan(1);
                    here.allow(regions - 1);
                    assertThatThrownBy(() -> server.prepare(prepare(LOOKUPS_THAT_WRITE)))
                            .hasMessageContaining("no room for a region");
                    here.allow(Integer.MAX_VALUE);
                    server.prepare(prepare(LOOKUPS_THAT_WRITE));
                    assertThat(opened).hasSize(1);
                    assertThat(here.regions()).hasSize(regions);
                    assertThat(here.memories()).hasSize(memories);
                },
                LOOKUPS_THAT_WRITE);
    }

    /** Without content a server belongs to one run, even if that was never fully prepared. */
    @Test
    void aServerWithoutContentEndsWithARunThatFailed() throws Exception {
        serving(
                server -> {
                    registrations = 0;
                    assertThatThrownBy(() -> server.prepare(prepare(WRITERS_ALONE)))
                            .hasMessageContaining("no room for a region");
                    registrations = Integer.MAX_VALUE;
                    server.prepare(prepare(LOOKUPS_THAT_WRITE));
                    assertThat(opened).extracting(CountingServer::isOpen).containsExactly(false, true);
                },
                WRITERS_ALONE,
                LOOKUPS_THAT_WRITE);
    }
}
