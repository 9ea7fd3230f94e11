package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.LocalFabric;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.DeployedRun;
import org.reprobe.system.Deployment;
import org.reprobe.system.InProcessDeployment;
import org.reprobe.system.RunOutcome;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.Project;

/** Scheme verb from a scenario file to metrics. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class VerbRunTest {
    private static final Path NICS = Project.path("scenarios/nics");
    private static final String LATENCY = Metrics.LATENCY + ".mean";

    @TempDir
    Path dir;

    private RunPlan.Unit unit(String yaml) throws Exception {
        Path file = Files.writeString(dir.resolve("tiny.yaml"), "title: Tiny\n" + yaml.replace("; ", "\n") + "\n");
        ScenarioReader.Options options = ScenarioReader.Options.of(Scale.QUICK);
        return RunPlan.of(List.of(new ScenarioReader(NICS).read(file, options)), NICS)
                .units()
                .getFirst();
    }

    private RunOutcome simulated(String yaml) throws Exception {
        RunPlan.Unit unit = unit("scheme: verb\nmeasure: {repeats: 1, warm-up-ms: 0.5, duration-ms: 3}\n" + yaml);
        RunOutcome outcome = SimulatedRun.run(unit.settings(), unit.nic(), unit.deployment(), null, unit.runSeed());
        assertThat(outcome.problem()).isNull();
        return outcome;
    }

    /** Requests, each with the number of client machines; two machines send long payloads faster than the link. */
    private static final List<String> REQUESTS = List.of(
            "2; kind: read, bytes: 2",
            "2; kind: read, bytes: 100, in-flight: 16, queue-pairs: 2, addresses: random, region-bytes: 65536",
            "1; kind: write, bytes: 4096, in-flight: 128, signal-every: 100",
            "2; kind: write, in-flight: 32, batch: 8, signal-every: 4, addresses: random, region-bytes: 4096",
            "2; kind: read, in-flight: 8, batch: 3, refill: all, queue-pairs: 2",
            "1; kind: send, bytes: 65536, in-flight: 16, signal-every: 8",
            "2; kind: send, bytes: 70, exchange: ping-pong",
            "2; kind: send, exchange: reply",
            "2; kind: write, bytes: 3, exchange: ping-pong",
            "3; kind: write, bytes: 1000, exchange: ping-pong",
            "2; kind: compare-and-swap, bytes: 10, in-flight: 4",
            "2; kind: compare-and-swap, in-flight: 4, addresses: random, region-bytes: 64",
            "1; kind: compare-and-swap, in-flight: 4, addresses: random",
            "1; kind: fetch-and-add, in-flight: 4, batch: 4, signal-every: 4, queue-pairs: 2");

    private static String yaml(String request) {
        String[] parts = request.split("; ");
        return "clients: {machines: %s, threads: 2}\nverb: {%s}\n".formatted(parts[0], parts[1]);
    }

    static List<Arguments> requestsByFabric() {
        List<Arguments> all = new ArrayList<>();
        REQUESTS.forEach(request -> all.add(Arguments.of("sim", request)));
        for (String fabric : List.of("shm", "tcp")) {
            REQUESTS.forEach(request -> all.add(Arguments.of(fabric, request)));
        }
        return NightlyCases.of("VerbRunTest.requestsRunOnAnyFabric", 2 * REQUESTS.size(), all);
    }

    private static Fabric open(RunPlan.Unit unit, String name) throws Exception {
        List<FabricServer> servers = new ArrayList<>();
        int machines = unit.clientsServe() ? unit.settings().clients().machines() : 1;
        for (int i = 0; i < machines; i++) {
            servers.add(Fabrics.serve(name, "127.0.0.1"));
        }
        return new LocalFabric(name, servers, endpoints -> Fabrics.connect(name, endpoints));
    }

    @ParameterizedTest
    @MethodSource("requestsByFabric")
    void requestsRunOnAnyFabric(String name, String request) throws Exception {
        String yaml = yaml(request);
        RunOutcome outcome;
        if (name.equals("sim")) {
            outcome = simulated(yaml);
        } else {
            RunPlan.Unit unit = unit("scheme: verb\nfabric: " + name
                    + "\nmeasure: {repeats: 1, warm-up-ms: 5, duration-ms: 300, real-time-ms: 0}\n" + yaml);
            Deployment deployment = unit.deployment();
            try (Fabric fabric = open(unit, name)) {
                outcome = DeployedRun.of(
                        unit.settings(),
                        deployment,
                        new InProcessDeployment(fabric, unit.settings(), deployment, null, unit.runSeed()));
            }
        }
        assertThat(outcome.problem()).isNull();
        assertThat(outcome.metrics().get(Metrics.LOOKUPS)).isPositive();
        assertThat(outcome.metrics().get(LATENCY)).isPositive();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "clients: {machines: 1, threads: 1}; verb: {kind: read, in-flight: 1}",
                "clients: {machines: 2, threads: 8}; verb: {kind: read, in-flight: 16, addresses: random}",
                "clients: {machines: 1, threads: 4}; verb: {kind: write, queue-pairs: 2, in-flight: 8}",
                "clients: {machines: 1, threads: 1}; verb: {kind: write, bytes: 65536, in-flight: 128, signal-every: 100}",
                "clients: {machines: 1, threads: 4}; verb: {kind: send, in-flight: 4}",
                "clients: {machines: 1, threads: 8}; verb: {kind: fetch-and-add, in-flight: 8}"
            })
    void requestsInFlightAreRateTimesLatency(String settings) throws Exception {
        RunPlan.Unit unit = unit(settings + "\nscheme: verb\nmeasure: {repeats: 1, warm-up-ms: 0.5, duration-ms: 5}\n");
        RunOutcome outcome = SimulatedRun.run(unit.settings(), unit.nic(), unit.deployment(), null, unit.runSeed());
        assertThat(outcome.problem()).isNull();
        String verb = settings.substring(settings.indexOf("verb"));
        double inFlight = unit.settings().clients().total() * number(verb, "queue-pairs") * number(verb, "in-flight");
        double measured = outcome.metrics().get(Metrics.THROUGHPUT)
                * 1e-9
                * outcome.metrics().get(LATENCY);
        assertThat(measured / inFlight).isBetween(0.98, 1.02);
    }

    private static int number(String verb, String key) {
        int at = verb.indexOf(key);
        return at < 0
                ? 1
                : Integer.parseInt(verb.substring(at + key.length() + 2).split("[,}]")[0]);
    }

    /** Rate in M/s of 16 threads on ConnectX-6. */
    private double shared(String verb) throws Exception {
        return simulated("nic: connectx6-200g\nclients: {machines: 1, threads: 16}\n"
                                + "verb: {in-flight: 8, refill: all, " + verb + "}")
                        .metrics()
                        .get(Metrics.THROUGHPUT)
                * 1e-6;
    }

    @Test
    void threadsThatShareQueuePairsOrDoorbellsWaitForEachOther() throws Exception {
        double own = shared("sharing: 1");
        assertThat(shared("doorbells: 16")).isEqualTo(own);
        double fewDoorbells = shared("doorbells: 4");
        double pairs = shared("sharing: 2");
        double one = shared("sharing: 16");
        assertThat(fewDoorbells).isLessThan(0.7 * own);
        assertThat(pairs).isLessThan(0.6 * own);
        assertThat(one).isLessThan(0.1 * pairs);
        assertThat(shared("sharing: 16, queue-pairs: 2")).isGreaterThan(1.5 * one);
    }

    @Test
    void theSameSeedGivesTheSameRun() throws Exception {
        for (String request : REQUESTS) {
            String yaml = yaml(request);
            RunOutcome first = simulated(yaml);
            RunOutcome second = simulated(yaml);
            assertThat(second.metrics()).as(request).isEqualTo(first.metrics());
            assertThat(second.latencyNs()).as(request).isEqualTo(first.latencyNs());
        }
    }

    @Test
    void aPingPongTakesHalfARoundTrip() throws Exception {
        String alone = "clients: {machines: 1, threads: 1}\nverb: {kind: send, exchange: ";
        double replyNs = simulated(alone + "reply}").metrics().get(LATENCY);
        RunOutcome halves = simulated(alone + "ping-pong}");
        assertThat(halves.metrics().get(LATENCY)).isBetween(replyNs / 2 - 1, replyNs / 2 + 1);
        assertThat(halves.metrics().get(Metrics.THROUGHPUT)
                        * 2e-9
                        * halves.metrics().get(LATENCY))
                .isBetween(0.98, 1.02);
        double writeNs = simulated("clients: {machines: 2, threads: 1}\nverb: {kind: write, exchange: ping-pong}")
                .metrics()
                .get(LATENCY);
        double readNs = simulated("clients: {machines: 1, threads: 1}\nverb: {kind: read}")
                .metrics()
                .get(LATENCY);
        assertThat(writeNs).isBetween(0.4 * readNs, 0.8 * readNs);
    }

    /** The server once posted its next RECEIVE only after the completion of its reply, for which the client waited. */
    @Test
    void aPingPongBySendDoesNotWaitForTheServersCompletions() throws Exception {
        String one = "nic: connectx5\nclients: {machines: 1, threads: 1}\n";
        double sendNs = simulated(one + "verb: {kind: send, exchange: ping-pong}")
                .metrics()
                .get(LATENCY);
        double readNs = simulated(one + "verb: {kind: read}").metrics().get(LATENCY);
        // transfer.send-share is 0.55; the payload is not inline and takes payload-fetch-ns.
        assertThat(sendNs - 700).isBetween(0.54 * readNs, 0.58 * readNs);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            verb: {batch: 4}                                             | batch is 4, but a queue pair has at most 1 requests in flight
            verb: {signal-every: 100, in-flight: 64}                     | signal-every is 100, but a queue pair has at most 64 requests in flight: the client would wait for ever
            verb: {in-flight: 16, batch: 4, signal-every: 6}             | batch is 4 and signal-every is 6: one must be a multiple of the other, or use refill: all
            verb: {kind: send, exchange: ping-pong, in-flight: 2}        | in-flight is 2, but with exchange ping-pong a thread has one message at a time; use 1, or exchange: request
            verb: {kind: send, exchange: reply, queue-pairs: 2}          | queue-pairs is 2, but with exchange reply a thread has one message at a time; use 1, or exchange: request
            verb: {kind: read, exchange: ping-pong}                      | exchange has no effect: no program replies to READs and atomics; use kind: write or send
            verb: {kind: write, exchange: reply}                         | exchange has no effect: no program replies to a WRITE; use ping-pong, or kind: send
            verb: {kind: write, exchange: ping-pong}; clients: {machines: 1} | machines is 1, but in a ping-pong by WRITE the last client machine is the server; use 2 or more
            verb: {kind: read, inline-bytes: 64}                         | inline-bytes has no effect: READs and atomics carry no payload; use kind: write or send
            verb: {kind: write, inline-bytes: 64}; fabric: tcp           | inline-bytes has no effect on fabric tcp; only for sim, verbs
            verb: {kind: send, addresses: random}                        | addresses has no effect: the receiver has one buffer per sender; use kind: read
            verb: {region-bytes: 4096}                                   | region-bytes has no effect: all requests use one address; use addresses: random
            verb: {bytes: 4096, addresses: random, region-bytes: 64}     | region-bytes is 64, but one payload has 4096
            verb: {sharing: 2}; nic: efa                                 | sharing is 2, but the lock time of shared queue pairs is unknown for efa (card.lock-ns)
            verb: {doorbells: 2}; nic: efa                               | doorbells is 2, but the lock time of shared doorbells is unknown for efa (card.lock-ns)
            verb: {kind: send, sharing: 2}                               | sharing is 2, but with kind: send each thread has queue pairs of its own; use 1
            verb: {kind: write, exchange: ping-pong, sharing: 2}; clients: {machines: 2} | sharing is 2, but with a ping-pong each thread has queue pairs of its own; use 1
            verb: {kind: write, exchange: ping-pong, doorbells: 2}; clients: {machines: 2}; nic: connectx3 | doorbells has no effect: a thread of a ping-pong has one message at a time; use exchange: request
            verb: {sharing: 2}; fabric: shm                              | sharing has no effect on fabric shm; only for sim
            verb: {doorbells: 2}; fabric: verbs                          | doorbells has no effect on fabric verbs; only for sim
            verb: {kind: fetch-and-add}; nic: efa                        | verb needs atomics, which efa does not have
            verb: {in-flight: 9000}                                      | in-flight is 9000, but connectx5-edr allows at most 8192
            verb: {kind: write}; connection: {outstanding-reads: 4}      | outstanding-reads has no effect: it limits READs and atomics; use verb.in-flight
            connection: {outstanding-reads: 17}                          | outstanding-reads is 17, but connectx5-edr allows at most 16
            connection: {send-queue: 17}                                 | use verb.in-flight and verb.batch
            verb: {kind: receive}                                        | kind must be one of read, write, send, compare-and-swap, fetch-and-add, but is "receive"
            """)
    void badInputIsRefused(String yaml, String message) {
        assertThatThrownBy(() -> unit("scheme: verb; " + yaml))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(message);
    }

    /** Keys without effect in some cells of a sweep are no mistake. */
    @Test
    void aSweepOfKindsMayHaveAnExchange() throws Exception {
        assertThat(unit("scheme: verb; clients: {machines: 2}; verb: {exchange: ping-pong, inline-bytes: 64}; "
                                + "sweep: {verb.kind: [read, write, send]}")
                        .settings()
                        .clients()
                        .machines())
                .isEqualTo(2);
    }
}
