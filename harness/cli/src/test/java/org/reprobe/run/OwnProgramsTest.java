package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.scenario.CellSettings;
import org.reprobe.system.ProgramRun;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Settings;
import org.reprobe.system.Systems;
import org.reprobe.testing.Background;
import org.reprobe.testing.Nightly;

/** A user's programs, here shell scripts: they get the cell's settings, their output is read, and none survives. */
@Timeout(120)
class OwnProgramsTest {
    private static final String SAYS_OPS = "echo '{\"ops\": 2.5}'";
    private static final Map<String, Object> OPS = Map.of("throughput", Map.of("from", "ops", "unit", "Mops/s"));

    /** Prints its process id, then sleeps with a child. */
    private static final String HANGS = "sleep 600 & echo $$ $! >pids; echo going; wait";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @AfterEach
    void nothingIsLeft() throws Exception {
        if (Files.exists(dir.resolve("pids"))) {
            for (String pid : Files.readString(dir.resolve("pids")).strip().split("\\s+")) {
                for (int tries = 0; tries < 200 && TinyScenario.runs(pid); tries++) {
                    Thread.sleep(50); // what was killed may take a moment to be gone
                }
                assertThat(TinyScenario.runs(pid))
                        .as("process " + pid + " runs")
                        .isFalse();
            }
        }
    }

    @Test
    void aProgramsOutputIsReadInItsUnits() throws Exception {
        String says = "echo warming up; echo '{\"ops\": 2.5, \"lat\": {\"p99\": 30}, \"hits\": 90}'";
        RunOutcome outcome = run(Map.of(
                "command.run", sh(says),
                "command.metrics",
                        Map.of(
                                "throughput", Map.of("from", "ops", "unit", "Mops/s"),
                                "latency-p99", Map.of("from", "lat.p99", "unit", "us"),
                                "hit-rate", Map.of("from", "hits", "unit", "%"))));

        assertThat(outcome.problem()).isNull();
        assertThat(outcome.kind().word()).isEqualTo("measured");
        assertThat(outcome.metrics())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("throughput_ops_per_s", 2.5e6, "latency_ns.p99", 30e3, "own.hit_rate_fraction", 0.9));
        assertThat(outcome.warnings()).singleElement().asString().contains("Reprobe does not exclude warm-up");
        assertThat(folder().resolve("client-0.out")).content().startsWith("warming up\n");
        assertThat(folder().resolve("started.txt")).content().contains("    -c\n    " + says);
    }

    @Test
    void argumentsVariablesAndFilesHaveTheCellsValues() throws Exception {
        RunOutcome outcome = run(Map.of(
                "table.records",
                4096,
                "load-factor",
                0.75,
                "measure.real-time-ms",
                1500,
                "command.parameters",
                Map.of("message-bytes", 64),
                "command.environment",
                Map.of("MINE", "{clients.threads} {{literal}}"),
                "command.output",
                "{folder}/{client}.csv",
                "command.format",
                "csv",
                "command.run",
                List.of(
                        "sh",
                        "-c",
                        "printf 'a,b,c,d,e\\n%s,%s,%s,%s,%s\\n' $1 $2 $3 $4 ${MINE%% *} >$5; echo \"$MINE\"",
                        "sh",
                        "{table.records}",
                        "{load-factor}",
                        "{duration-s}",
                        "{message-bytes}",
                        "{folder}/{client}.csv"),
                "command.metrics",
                Map.of(
                        "records", Map.of("from", "a", "unit", "count"),
                        "load", Map.of("from", "b", "unit", "1"),
                        "duration", Map.of("from", "c", "unit", "s"),
                        "message", Map.of("from", "d", "unit", "B"),
                        "threads", Map.of("from", "e", "unit", "count"))));

        assertThat(outcome.problem()).isNull();
        assertThat(outcome.metrics())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "own.records_count", 4096.0,
                        "own.load_fraction", 0.75,
                        "own.duration_ns", 1.5e9,
                        "own.message_bytes", 64.0,
                        "own.threads_count", 28.0));
        assertThat(folder().resolve("client-0.out")).hasContent("28 {literal}\n");
    }

    @Test
    void aServerIsStartedQueriedAndEnded() throws Exception {
        RunOutcome outcome = run(Map.of(
                "command.start",
                sh("trap 'echo ended >ended; exit 3' TERM; sleep 0.3; touch up; echo 'ready: yes';"
                        + " while :; do sleep 0.05; done"),
                "command.ready",
                "^ready: ",
                "command.run",
                sh("test -f up && " + SAYS_OPS),
                "command.metrics",
                OPS));

        assertThat(outcome.problem()).isNull();
        assertThat(dir.resolve("ended")).exists();
        assertThat(outcome.warnings()).hasSize(1); // of the warm-up
    }

    @Test
    void clientsThatRunAtOnceAreTakenTogether() throws Exception {
        Map<String, Object> cell = Map.of(
                "clients.machines", 3,
                "command.run", sh("echo \"{\\\"ops\\\": 1{client}}\"", "{client}"),
                "command.metrics", Map.of("throughput", Map.of("from", "ops", "unit", "ops/s", "take", "sum")));
        RunOutcome outcome = run(cell);
        Map<String, Object> undecided = new HashMap<>(cell);
        undecided.put("command.metrics", Map.of("throughput", Map.of("from", "ops", "unit", "ops/s")));

        assertThat(outcome.metrics()).containsEntry("throughput_ops_per_s", 33.0);
        assertThat(run(undecided).problem())
                .isEqualTo("3 lines have ops (10.0, 11.0, 12.0); give in metrics.throughput which one is meant:"
                        + " take: first, last, sum, mean, min or max");
    }

    @Test
    void percentilesAreThoseOfAllClientsHistograms() throws Exception {
        for (int client = 0; client < 2; client++) {
            Histogram us = new Histogram(3);
            us.recordValueWithCount(client == 0 ? 10 : 500, client == 0 ? 98 : 2);
            try (PrintStream out = new PrintStream(dir.resolve(client + ".hlog").toFile(), "UTF-8")) {
                new HistogramLogWriter(out).outputIntervalHistogram(0, 1, us, 1);
            }
        }
        RunOutcome outcome = run(Map.of(
                "clients.machines",
                2,
                "command.run",
                List.of("cp", "{client}.hlog", "{folder}/copy-{client}.hlog"),
                "command.histograms",
                "{folder}/copy-{client}.hlog",
                "command.histogram-unit",
                "us"));

        assertThat(outcome.problem()).isNull();
        assertThat(Objects.requireNonNull(outcome.metrics().get("latency_ns.p50")))
                .isBetween(9_990.0, 10_010.0);
        assertThat(Objects.requireNonNull(outcome.metrics().get("latency_ns.p99")))
                .isBetween(499e3, 501e3);
        assertThat(Objects.requireNonNull(outcome.latencyNs()).getTotalCount()).isEqualTo(100);
    }

    /** The text that wrk2 prints, around the document that a script writes in its {@code done} function. */
    @Test
    void wrk2IsReadAsADocumentAndAsText() throws Exception {
        String script = """
                echo 'Running 10s test @ http://127.0.0.1:8080/get'
                echo '  2 threads and 16 connections'
                echo ' 50.000%    1.50ms'
                echo ' 99.000%   12.50ms'
                echo 'Requests/sec:   2000.28'
                echo '{'
                echo '  "latency": {"mean": 1620.5, "percentiles": [{"percent": 50, "us": 1501}, {"percent": 99, "us": 12511}]},'
                echo '  "requests": {"count": 20003, "rate": 2000.28}'
                echo '}'
                """;
        Map<String, Object> json = Map.of(
                "throughput", Map.of("from", "requests.rate", "unit", "ops/s"),
                "latency-p50", Map.of("from", "latency.percentiles[0].us", "unit", "us"),
                "latency-p99", Map.of("from", "latency.percentiles[1].us", "unit", "us"));
        Map<String, Object> text = Map.of(
                "throughput", Map.of("from", "Requests/sec: *([0-9.]+)", "unit", "ops/s"),
                "latency-p50", Map.of("from", "50[.]000% +([0-9.]+)ms", "unit", "ms"),
                "latency-p99", Map.of("from", "99[.]000% +([0-9.]+)ms", "unit", "ms"));

        assertThat(run(Map.of("command.run", sh(script), "command.format", "json", "command.metrics", json))
                        .metrics())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("throughput_ops_per_s", 2000.28, "latency_ns.p50", 1.501e6, "latency_ns.p99", 12.511e6));
        assertThat(run(Map.of("command.run", sh(script), "command.format", "text", "command.metrics", text))
                        .metrics())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("throughput_ops_per_s", 2000.28, "latency_ns.p50", 1.5e6, "latency_ns.p99", 12.5e6));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            echo half; echo bad luck >&2; exit 3 | client-0 ended with exit code 3; its last lines, in client-0.err: bad luck
            echo half; kill -9 $$                | client-0 ended with exit code 137, as after signal 9; its last lines, in client-0.out: half
            exit 1                               | client-0 ended with exit code 1; it has written nothing
            echo '{"ops": 1'                     | client-0.out:1: one whole JSON object is expected, but the line is "{"ops": 1"
            echo '{"op": 1}'                     | client-0.out has no field "ops"; did you mean "op"?; there are op
            echo '{"ops": -1}'                   | throughput is -1.0, but must not be negative
            """)
    void aFailedRunReportsTheFailure(String script, String problem) throws Exception {
        RunOutcome outcome = run(Map.of("command.run", sh(script), "command.metrics", OPS));

        assertThat(outcome.valid()).isFalse();
        assertThat(outcome.metrics()).isEmpty();
        assertThat(outcome.problem()).isEqualTo(problem);
    }

    @Test
    void aProgramThatHangsIsKilledWithAllThatItStarted() throws Exception {
        RunOutcome outcome = run(Map.of("command.run", sh(HANGS), "command.metrics", OPS, "command.time-limit-s", 0.5));

        assertThat(outcome.problem())
                .isEqualTo(
                        "client-0 did not end within command.time-limit-s: 0.5 s; its last lines, in client-0.out: going");
        assertThat(dir.resolve("pids")).exists();
    }

    @Test
    void aProgramsChildrenAreKilled() throws Exception {
        RunOutcome outcome = run(Map.of(
                "command.run", sh("sleep 600 >/dev/null 2>&1 & echo $! >pids; " + SAYS_OPS), "command.metrics", OPS));

        assertThat(outcome.problem()).isNull();
        assertThat(dir.resolve("pids")).exists();
    }

    @Test
    void anEndedRunLeavesNothing() throws Exception {
        Settings settings = settings(Map.of("command.run", sh(HANGS), "command.metrics", OPS));
        Thread test = Thread.currentThread();
        Background interrupter = Background.start(() -> {
            while (!Files.exists(folder().resolve("client-0.out"))
                    || Files.size(folder().resolve("client-0.out")) == 0) {
                Thread.sleep(5);
            }
            test.interrupt();
        });

        assertThatThrownBy(() -> run(settings)).isInstanceOf(InterruptedException.class);
        interrupter.join();
        assertThat(dir.resolve("pids")).exists();
    }

    @Test
    void aKilledServerEndsTheRun() throws Exception {
        RunOutcome outcome = run(Map.of(
                "command.start",
                sh("echo $$ >pids; echo ready; while :; do sleep 0.05; done"),
                "command.ready",
                "ready",
                "command.run",
                sh("read -r server <pids; kill -9 $server; sleep 600"),
                "command.metrics",
                OPS));

        assertThat(outcome.problem())
                .isEqualTo("while the clients ran, server ended with exit code 137, as after signal 9;"
                        + " its last lines, in server.out: ready");
    }

    @Test
    void aServerThatIsNeverReadyIsReported() throws Exception {
        Map<String, Object> cell = Map.of(
                "command.start",
                sh("echo no room >&2; sleep 600"),
                "command.ready",
                "ready",
                "command.ready-limit-s",
                0.3,
                "command.run",
                sh(SAYS_OPS),
                "command.metrics",
                OPS);
        Map<String, Object> ends = new HashMap<>(cell);
        ends.put("command.start", sh("echo no room >&2; exit 4"));

        assertThat(run(cell).problem())
                .isEqualTo("the server was not ready within command.ready-limit-s: 0.3 s; no line of its matches ready;"
                        + " its last lines, in server.err: no room");
        assertThat(run(ends).problem())
                .isEqualTo(
                        "before it was ready, server ended with exit code 4; its last lines, in server.err: no room");
    }

    @Test
    @Nightly(besides = "a ready line is found in pieces and after much else")
    void aServerThatFloodsIsNotReadyAndItsFilesAreCut() throws Exception {
        Map<String, Object> cell = Map.of(
                "command.start",
                sh("echo first; echo half a li; yes 'not yet, and not for a long time'"),
                "command.ready",
                "^ready",
                "command.ready-limit-s",
                60,
                "command.run",
                sh(SAYS_OPS),
                "command.metrics",
                OPS);
        Map<String, Object> expensive = new HashMap<>(cell);
        expensive.put(
                "command.start", sh("echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; sleep 600"));
        expensive.put("command.ready", "(?:(a|aa)+)+$b");
        expensive.put("command.ready-limit-s", 1);

        assertThat(run(cell).problem())
                .startsWith(
                        "the server was not ready within command.ready-limit-s: 60 s; no line of its matches ^ready,"
                                + " and it wrote more than 128 MiB to server.out");
        assertThat(Files.size(folder().resolve("server.out"))).isEqualTo(1 << 20);
        assertThat(folder().resolve("server.out")).content().startsWith("first\n");
        assertThat(run(expensive).problem())
                .startsWith("the server was not ready within command.ready-limit-s: 1 s; the search for")
                .contains("takes too long");
    }

    @Test
    void aReadyLineIsFoundInPiecesAndAfterMuchElse() throws Exception {
        String many = "i=0; while [ $i -lt 3000 ]; do echo loading $i; i=$((i+1)); done; ";
        RunOutcome outcome = run(Map.of(
                "command.start",
                sh(many + "printf 'rea'; sleep 0.2; printf 'dy, indeed'; sleep 600"),
                "command.ready",
                "^ready, indeed$",
                "command.run",
                sh(SAYS_OPS),
                "command.metrics",
                OPS));

        assertThat(outcome.problem()).isNull();
    }

    @Test
    void aServerThatEndsBeforeItsClientsIsReported() throws Exception {
        Map<String, Object> cell = Map.of(
                "command.start",
                sh("echo ready; sleep 0.3; echo bye"),
                "command.ready",
                "ready",
                "command.run",
                sh("sleep 1.5; " + SAYS_OPS),
                "command.metrics",
                OPS);
        Map<String, Object> together = new HashMap<>(cell);
        together.put("command.run", sh("sleep 0.5; " + SAYS_OPS));

        RunOutcome early = run(cell);
        assertThat(early.problem()).isNull();
        assertThat(early.warnings())
                .anySatisfy(warning -> assertThat(warning)
                        .matches("[0-9.]+ s before the clients, server ended with exit code 0;"
                                + " its last lines, in server.out: ready \\| bye"));
        assertThat(run(together).warnings()).noneMatch(warning -> warning.contains("server"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            text       | p50=9 p99=3                            | latency_ns.p99 is below latency_ns.p50
            json-lines | {"p50": 9, "p99": 3}                   | latency_ns.p99 is below latency_ns.p50
            csv        | p50,p99\\n9,3                          | latency_ns.p99 is below latency_ns.p50
            json-lines | {"p50": 9, "p99": 30, "max": 20}       | latency_ns.max is below latency_ns.p99
            json-lines | {"p50": 9, "p99": 30, "mean": 90, "max": 50} | latency_ns.max is below latency_ns.mean
            json-lines | {"min": 10, "p50": 9, "p99": 30}       | latency_ns.p50 is below latency_ns.min
            json-lines | {"min": 10, "mean": 9, "p50": 11}      | latency_ns.mean is below latency_ns.min
            json-lines | {"p50": 9, "p95": 8}                   | latency_ns.p95 is below latency_ns.p50
            json-lines | {"min": 1, "p50": 9, "p95": 9, "p99": 30, "mean": 40, "max": 99} | ``
            """)
    void percentilesOutOfOrderAreRefused(String format, String says, String problem) throws Exception {
        Map<String, Object> metrics = new HashMap<>();
        for (String part : List.of("min", "mean", "p50", "p95", "p99", "max")) {
            if (says.contains(part)) {
                metrics.put(
                        "latency-" + part,
                        Map.of("from", format.equals("text") ? part + "=(\\d+)" : part, "unit", "us"));
            }
        }
        RunOutcome outcome = run(Map.of(
                "command.run", sh("printf '" + says + "\\n'"), "command.format", format, "command.metrics", metrics));

        if (problem.isEmpty()) {
            assertThat(outcome.problem()).isNull();
        } else {
            assertThat(outcome.problem()).isEqualTo(problem + ", which is impossible: check columns and units");
        }
    }

    @Test
    void aSmallestValueAboveAHistogramsMedianIsRefused() throws Exception {
        Histogram us = new Histogram(3);
        us.recordValueWithCount(10, 98);
        try (PrintStream out = new PrintStream(dir.resolve("a.hlog").toFile(), "UTF-8")) {
            new HistogramLogWriter(out).outputIntervalHistogram(0, 1, us, 1);
        }
        RunOutcome outcome = run(Map.of(
                "command.run",
                sh("cp a.hlog run/a.hlog; echo '{\"min\": 20}'"),
                "command.histograms",
                "{folder}/a.hlog",
                "command.histogram-unit",
                "us",
                "command.metrics",
                Map.of("latency-min", Map.of("from", "min", "unit", "us"))));

        assertThat(outcome.problem()).contains(" is below latency_ns.min, which is impossible");
    }

    @Test
    void problemsHoldNoControlCharactersAndStayShort() throws Exception {
        String escapes = "printf '{\"ops\": \"\\033[31m\\007x\"}\\n'";
        String wide = "printf '{\"'; head -c 3000000 /dev/zero | tr '\\0' x; printf '\": 1}\\n'";

        assertThat(run(Map.of("command.run", sh(escapes), "command.metrics", OPS))
                        .problem())
                .contains("\\u001b[31m")
                .doesNotContain("\033");
        assertThat(run(Map.of("command.run", sh(wide), "command.metrics", OPS)).problem())
                .hasSizeLessThan(1_000);
    }

    @Test
    void aServerThatDoesNotEndIsKilledAndReported() throws Exception {
        RunOutcome outcome = run(Map.of(
                "command.start",
                sh("trap '' TERM; echo $$ >pids; echo ready; while :; do sleep 0.05; done"),
                "command.ready",
                "ready",
                "command.stop-limit-s",
                0.3,
                "command.run",
                sh(SAYS_OPS),
                "command.metrics",
                OPS));

        assertThat(outcome.problem()).isNull();
        assertThat(outcome.warnings())
                .contains("the server did not end within command.stop-limit-s (0.3 s) of signal term and was killed");
    }

    @Test
    void aFileOfAnEarlierRunIsNotRead() throws Exception {
        Files.writeString(dir.resolve("result.json"), "{\"ops\": 7}\n");
        Map<String, Object> cell =
                Map.of("command.run", sh("true"), "command.output", "result.json", "command.metrics", OPS);
        Map<String, Object> other = new HashMap<>(cell);
        other.put("command.output", "other.json");

        assertThat(run(cell).problem())
                .startsWith("command.output was not written in this run: ")
                .endsWith("result.json is as it was before");
        assertThat(run(other).problem()).startsWith("command.output was not written: there is no ");
    }

    private static List<String> sh(String script, String... arguments) {
        return arguments.length == 0
                ? List.of("sh", "-c", script)
                : List.of("sh", "-c", script, "sh", String.join(" ", arguments));
    }

    private Path folder() {
        return dir.resolve("run");
    }

    private Settings settings(Map<String, ?> values) {
        Map<String, Object> cell = new HashMap<>(values);
        cell.put("scheme", "command");
        cell.put("fabric", "shm");
        cell.put("command.working-folder", dir.toString());
        return CellSettings.of(cell);
    }

    private RunOutcome run(Map<String, ?> values) throws Exception {
        return run(settings(values));
    }

    private RunOutcome run(Settings settings) throws Exception {
        NicProfile nic = NicProfiles.load(TinyScenario.NICS, settings.nic());
        return ((ProgramRun) Systems.of("command").deployment(settings, nic, 0)).run(folder(), 1);
    }
}
