package org.reprobe.run.crew;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.run.CellRun;
import org.reprobe.run.Plan;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;

/** Real processes on real fabrics, with few threads. */
@Timeout(120)
class CrewTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final Path NICS = HOME.resolve("scenarios/nics");

    @TempDir
    Path dir;

    private final List<String> notices = new ArrayList<>();
    private @Nullable Crew crew;

    @AfterEach
    void everyProcessHasEnded() throws Exception {
        if (crew != null) {
            crew.close();
        }
        for (int i = 0; i < 100 && !peers().isEmpty(); i++) {
            Thread.sleep(50);
        }
        assertThat(peers()).isEmpty();
    }

    private Crew crew(@Nullable InetSocketAddress listen) {
        Crew made = new Crew(new Crew.Options(HOME, NICS, null, 0, listen, notices::add));
        crew = made;
        return made;
    }

    private Plan plan(String fabric, int durationMs, String schemes) throws Exception {
        Path file = dir.resolve("tiny.yaml");
        Files.writeString(file, """
                title: tiny
                fabric: %s
                table: {records: 20000, record-bytes: 16}
                clients: {machines: 2, threads: 2}
                connection: {send-queue: 16}
                workload: {writes: %s}
                nessie: {growth: 1}
                verb: {kind: send}
                measure: {repeats: 1, warm-up-ms: 20, duration-ms: %d, real-time-ms: 0}
                sweep: {scheme: [%s]}
                """.formatted(fabric, schemes.contains("linear") ? "0" : "0.5", durationMs, schemes));
        return Plan.of(List.of(new ScenarioReader(NICS).read(file, ScenarioReader.Options.of(Scale.QUICK))), NICS);
    }

    private Plan lookups(String fabric, int durationMs) throws Exception {
        return plan(fabric, durationMs, "linear-variable, cuckoo-parallel");
    }

    private static CompletableFuture<CellRun.Outcome> start(Crew crew, Plan.Unit unit) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return crew.run(unit, 1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void assertMeasured(CellRun.Outcome outcome, String name) {
        assertThat(outcome.problem()).as(name).isNull();
        assertThat(outcome.valid()).isTrue();
        assertThat(outcome.kind()).isEqualTo(Kind.MEASURED);
        assertThat(outcome.metrics().get(Metrics.LOOKUPS)).isPositive();
        assertThat(outcome.metrics().get(Metrics.THROUGHPUT)).isPositive();
        assertThat(outcome.metrics()).containsKeys(Metrics.STALL, Metrics.STALL_SHARE, Metrics.GC);
    }

    /** The processes that this one has started, server first. */
    private static List<ProcessHandle> peers() {
        return ProcessHandle.current()
                .children()
                .filter(ProcessHandle::isAlive)
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void everyLookupIsAnsweredByTheServersProcess(String fabric) throws Exception {
        Crew here = crew(null);
        for (Plan.Unit unit : lookups(fabric, 50).units()) {
            assertMeasured(here.run(unit, 1), unit.name());
        }
        assertThat(peers()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void whatClientsWriteIsInOtherProcesses(String fabric) throws Exception {
        Crew here = crew(null);
        Map<String, CellRun.Outcome> outcomes = new HashMap<>();
        for (Plan.Unit unit : plan(fabric, 100, "find-or-put, nessie, pilaf, compare-and-swap, verb")
                .units()) {
            CellRun.Outcome outcome = here.run(unit, 1);
            assertMeasured(outcome, unit.name());
            outcomes.put(unit.settings().scheme().key(), outcome);
            // Find-or-put's are servers and clients at once.
            assertThat(peers()).hasSize(outcomes.size() == 1 ? 2 : 3);
        }
        // Half of the table is on each machine; a process' own half needs no round trip.
        assertThat(metric(outcomes, "find-or-put", Metrics.ROUND_TRIPS)).isBetween(0.3, 0.7);
        assertThat(metric(outcomes, "nessie", Metrics.ROUND_TRIPS_READ)).isBetween(2.0, 4.0);
        assertThat(metric(outcomes, "nessie", Metrics.PLACED)).isOne();
        assertThat(metric(outcomes, "pilaf", Metrics.SERVER_CALLS)).isOne();
    }

    private static double metric(Map<String, CellRun.Outcome> outcomes, String scheme, String metric) {
        return Objects.requireNonNull(outcomes.get(scheme)).metrics().getOrDefault(metric, Double.NaN);
    }

    /** A part's last cluster runs over into the next machine's. */
    @Test
    void aNearlyFullTableOfTwoMachinesIsLoadedAndFoundAcrossTheirBorders() throws Exception {
        Path file = Files.writeString(dir.resolve("full.yaml"), """
                title: full
                fabric: tcp
                scheme: find-or-put
                load-factor: 0.97
                table: {records: 3000}
                clients: {machines: 3, threads: 1}
                measure: {repeats: 1, warm-up-ms: 20, duration-ms: 50, real-time-ms: 0}
                """);
        Plan.Unit unit = Plan.of(
                        List.of(new ScenarioReader(NICS).read(file, ScenarioReader.Options.of(Scale.QUICK))), NICS)
                .units()
                .getFirst();
        assertMeasured(crew(null).run(unit, 1), "full");
    }

    @ParameterizedTest
    @CsvSource({"shm, linear-variable, 3", "tcp, find-or-put, 2"})
    void aKilledProcessEndsItsRunAloneAndLeavesNothing(String fabric, String scheme, int processes) throws Exception {
        Crew here = crew(null);
        Plan.Unit unit = plan(fabric, 30_000, scheme).units().getFirst();
        for (int victim : new int[] {0, 1}) {
            CompletableFuture<CellRun.Outcome> run = start(here, unit);
            for (int i = 0; i < 600 && peers().size() < processes; i++) {
                Thread.sleep(50);
            }
            Thread.sleep(1_000);
            peers().get(victim).destroyForcibly();
            CellRun.Outcome outcome = run.get(60, TimeUnit.SECONDS);
            assertThat(outcome.valid()).isFalse();
            // Whoever notices first tells: this process, or a client that lost its server.
            assertThat(outcome.problem())
                    .doesNotContain("Exception")
                    .containsAnyOf("killed by signal 9", "server", "client process");
        }
        assertThat(here.run(lookups(fabric, 20).units().getFirst(), 1).valid()).isTrue();
    }

    @Test
    void clientsStartedByHandNeedTheTokenAndStrangersHarmNobody() throws Exception {
        Crew here = crew(new InetSocketAddress("127.0.0.2", 0));
        List<Plan.Unit> units = plan("tcp", 50, "find-or-put, nessie").units();
        CompletableFuture<CellRun.Outcome> run = start(here, units.getFirst());
        for (int i = 0; i < 600 && notices.isEmpty(); i++) {
            Thread.sleep(50);
        }
        String address = notices.getFirst().replaceFirst(".*--server ", "tcp://");
        URI uri = URI.create(address);
        try (Socket stranger = new Socket(uri.getHost(), uri.getPort())) {
            stranger.getOutputStream().write("GET / HTTP/1.0\n".getBytes(StandardCharsets.UTF_8));
            Thread wrong = Thread.ofPlatform().start(() -> assertRefused(uri));
            List<Thread> drivers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                drivers.add(Thread.ofPlatform().start(() -> {
                    try (Peer peer = Peer.connect(uri.getHost(), uri.getPort(), uri.getFragment(), List.of("tiny"))) {
                        peer.work();
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                }));
            }
            assertThat(run.get(60, TimeUnit.SECONDS).problem()).isNull();
            for (Plan.Unit unit : units) {
                assertMeasured(here.run(unit, 1), unit.name());
            }
            wrong.join();
            here.close();
            for (Thread driver : drivers) {
                driver.join();
            }
        }
    }

    private static void assertRefused(URI uri) {
        try (Peer peer = Peer.connect(uri.getHost(), uri.getPort(), "guess", List.of())) {
            assertThat(peer.work()).isFalse();
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("wrong token");
        }
    }
}
