package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.cli.regress.Webhook;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code regress} with other programs' results. The files are made here, in the formats of JMH 1.37 and CSV. */
@ShippedHome
class RegressForeignTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    /** Result of JMH with 1 % of noise; lookups take {@code factor} times as long. */
    private Path jmh(String name, int forks, double factor, String warmup) throws IOException {
        StringJoiner results = new StringJoiner(",\n", "[\n", "\n]\n");
        for (String method : List.of("get", "put")) {
            for (int size : new int[] {64, 1024}) {
                for (String mode : List.of("thrpt", "avgt")) {
                    double slower = method.equals("get") ? factor : 1;
                    StringJoiner raw = new StringJoiner(", ", "[", "]");
                    for (int fork = 0; fork < forks; fork++) {
                        double noise = 1 + 0.01 * (((fork * 7 + size + name.length()) % 5) - 2) / 2;
                        double value = (mode.equals("thrpt") ? 20 / slower : 3 * slower) * noise;
                        raw.add(String.format(Locale.ROOT, "[%.6f, %.6f]", value, value * 1.001));
                    }
                    results.add("""
                            {"jmhVersion": "1.37", "benchmark": "org.example.MapBench.%s", "mode": "%s", "threads": 1,
                             "forks": %d, "warmupIterations": 3, "warmupTime": "%s", "params": {"size": "%d"},
                             "primaryMetric": {"score": 1.0, "scoreError": "NaN", "scoreUnit": "%s", "rawData": %s},
                             "secondaryMetrics": {}}""".formatted(
                                    method, mode, forks, warmup, size, mode.equals("thrpt") ? "ops/us" : "us/op", raw));
                }
            }
        }
        return Files.writeString(dir.resolve(name), results.toString());
    }

    private Path csv(String name, double factor) throws IOException {
        StringBuilder csv = new StringBuilder("scheme,size,repeat,latency\n");
        for (String scheme : List.of("cuckoo", "linear")) {
            for (int repeat = 0; repeat < 8; repeat++) {
                double noise = 1 + 0.01 * ((repeat * 3 + scheme.length()) % 5 - 2);
                double latency = 10 * noise * (scheme.equals("linear") ? factor : 1);
                csv.append(String.format(Locale.ROOT, "%s,64,%d,%.4f%n", scheme, repeat, latency));
            }
        }
        return Files.writeString(dir.resolve(name), csv);
    }

    private static CommandResult words(String command, Object... paths) {
        return CommandResult.of((Object[]) String.format(command, paths).split(" "));
    }

    @Test
    void aSlowerBenchmarkIsWorseInBothModesAndEveryOutputHasTheTables() throws Exception {
        Path html = dir.resolve("page.html");
        Path json = dir.resolve("x.json");
        CommandResult ended = words(
                "regress compare %s %s --rows benchmark --columns size --geometric-mean --html %s --json %s --webhook"
                        + " https://localhost:1/s3cret",
                jmh("a.json", 6, 1, "10 s"), jmh("b.json", 6, 1.2, "10 s"), html, json);
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(1);
        assertThat(ended.out())
                .contains("verdict: worse (4 worse, 4 same)")
                .containsPattern("(?m)^benchmark +size=64 +size=1024$")
                .containsPattern("(?m)^MapBench.get +-16.\\d % worse +-16.\\d % worse$")
                .containsPattern("(?m)^MapBench.get +\\+[12]\\d.\\d % worse +\\+[12]\\d.\\d % worse$")
                .contains("geometric mean of throughput_ops_per_s: -8.7 % (")
                .contains("there is no geometric mean over all metrics: some are better if higher, others if lower")
                .contains("do not name the machine");
        assertThat(ended.err()).contains("The webhook at localhost:1 was not notified");
        assertThat(Files.readString(html)).doesNotContain("s3cret");
        assertThat(Files.readString(html)).contains("<h2 id=\"h-tables\">By benchmark and size</h2>");
        JsonNode means = JsonMapper.shared().readTree(Files.readString(json)).path("geometric_means");
        assertThat(means.size()).isEqualTo(2);
        assertThat(means.get(0).path("rows").intValue()).isEqualTo(4);
        assertThat(CommandResult.of("regress", "compare", dir.resolve("a.json"), jmh("again.json", 6, 1, "10 s"))
                        .exitCode())
                .isZero();
    }

    @Test
    void aCopyOfAResultWithAnotherDateIsNotAnotherResult() throws Exception {
        Path history = dir.resolve("h.jsonl");
        Path result = csv("one.csv", 1);
        for (int day = 1; day <= 2; day++) {
            Files.setLastModifiedTime(
                    result,
                    java.nio.file.attribute.FileTime.from(java.time.Instant.parse("2026-11-0" + day + "T00:00:00Z")));
            CommandResult ended = words(
                    "regress history %s --result %s --value latency=us --machine m --commit abc", history, result);
            assertThat(ended.out()).contains((day == 1 ? "added" : "already present") + ": abc, 2026-11-01");
        }
        assertThat(Files.readAllLines(history)).hasSize(1);
    }

    @Test
    void aSingleForkIsUndecided() throws Exception {
        CommandResult ended =
                CommandResult.of("regress", "compare", jmh("a.json", 1, 1, "10 s"), jmh("b.json", 1, 2, "10 s"));
        assertThat(ended.exitCode()).isEqualTo(3);
        assertThat(ended.out())
                .contains("one run per side does not show the noise", "JMH ran one fork", "verdict: can't tell");
    }

    @Test
    void otherWarmupsAreOtherSettings() throws Exception {
        Path a = jmh("a.json", 6, 1, "10 s");
        Path b = jmh("b.json", 6, 1, "1 s");
        CommandResult refused = CommandResult.of("regress", "compare", a, b);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("was run with settings other than those of", "warmupTime 10 s and 1 s");
        CommandResult compared = CommandResult.of("regress", "compare", a, b, "--across-settings");
        assertThat(compared.exitCode()).isZero();
        assertThat(compared.out()).contains("COMPARED ACROSS SETTINGS");
    }

    @Test
    void errorsAreReportedAtOnce() throws Exception {
        Path a = csv("a.csv", 1);
        CommandResult ended = words(
                "regress compare %s %s --value latency=us --format jhm --unit minutes --value latency",
                a, jmh("b.json", 2, 1, "1 s"));
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains("--format jhm: must be one of hdr-histogram, jmh, pytest-benchmark,", "did you mean \"jmh\"?")
                .contains("--unit minutes: the unit must be one of ns, us, ms, s")
                .contains("--value latency: unit missing, like latency=us");
        assertThat(CommandResult.of("regress", "compare", a, dir.resolve("b.json"), "--value", "latency=us")
                        .err())
                .contains("b.json: is JMH's JSON (-rf json), but ");
        assertThat(CommandResult.of("regress", "compare", a, dir.resolve("none"), "--value", "latency=us")
                        .err())
                .contains("none: no such file or folder");
        assertThat(CommandResult.of(
                                "regress", "compare", a, a, "--value", "latency=us", "--rows", "siz", "--metric", "x")
                        .err())
                .contains("--rows siz: no cell has this key; did you mean \"size\"?")
                .contains("--metric x: no run reports this metric; there are latency_ns");
    }

    /** Regression: the folder of a run was taken for JSON of Google Benchmark, because of its environment.json. */
    @Test
    void aDamagedResultFolderIsStillOurs() throws Exception {
        Path folder = Files.createDirectories(dir.resolve("r"));
        Files.writeString(folder.resolve("measurements.jsonl"), "");
        Files.writeString(folder.resolve("other.csv"), "a,b\n1,2\n");
        CommandResult ended = CommandResult.of("regress", "compare", folder, folder, "--unit", "us");
        assertThat(ended.err())
                .contains("is not a result folder: it has no status.json")
                .contains("--unit: only for files of other programs");
    }

    @Test
    void branchesOfATimeSeriesAreHistoriesOfTheirOwnAndOtavaGetsThem() throws Exception {
        StringBuilder csv = new StringBuilder("time,commit,branch,scheme,latency\n");
        for (int night = 20; night > 0; night--) {
            double factor = (night < 11 ? 1 : 1.3) * (1 + 0.001 * (night * 7 % 5));
            String line = "2026-11-%02d 0%d:00:00 +0000,%s,linear,%.4f%n";
            csv.append(String.format(Locale.ROOT, line, night, 0, "c" + night + ",main", 10 * factor));
            csv.append(String.format(Locale.ROOT, line, night, 1, "d" + night + ",dev", 20 / factor));
        }
        Path nights = Files.writeString(dir.resolve("n.csv"), csv);
        Path otava = dir.resolve("otava");
        List<String> add = List.of("--result", nights.toString(), "--value", "latency=us", "--time", "time");
        assertThat(history(add).err()).contains("does not record its machine: name it with --machine NAME");

        CommandResult newest = history(add, "--machine", "lab1");
        assertThat(newest.exitCode()).as(newest.err()).isZero();
        assertThat(newest.out())
                .contains("added: 40 results", "h.jsonl: 40 results", "verdict: better (1 better)")
                .contains("20 results of branches other than that of the newest result (dev) left out");
        CommandResult main = history(add, "--machine", "lab1", "--branch", "main", "--otava", otava.toString());
        assertThat(main.exitCode()).as(main.err()).isEqualTo(1);
        assertThat(main.out())
                .contains("already present: 40 results")
                .containsPattern("worse +csv linear +latency_ns .* since c11, 2026-11-11");
        assertThat(Files.readAllLines(otava.resolve("csv.linear.csv")))
                .hasSize(21)
                .startsWith("time,commit,latency_ns")
                .element(1)
                .asString()
                .startsWith("2026-11-01T00:00:00Z,c1,");
        assertThat(Files.readString(otava.resolve("otava.yaml"))).contains("\"latency_ns\": {direction: -1, scale: 1}");
        for (String name : new String[] {"latency_ns", "linear"}) { // a metric and a cell
            assertThat(history(List.of("--no-add", "--branch", "main"), "--min-effect", name + "=40%")
                            .out())
                    .contains("verdict: same");
        }
        Files.writeString(nights, "time,latency\n2026-11-01,\n");
        assertThat(history(add, "--machine", "m").err()).contains("n.csv: has no run that succeeded");
        Files.writeString(nights, csv);
        assertThat(history(add, "--branch", "mian", "--machine", "lab1").err()).contains("did you mean \"main\"?");
    }

    private CommandResult history(List<String> words, String... more) {
        return CommandResult.of(Stream.of(List.of("regress", "history", dir.resolve("h.jsonl")), words, List.of(more))
                .flatMap(List::stream)
                .toArray());
    }

    private Path google(String name, String host, double time) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, """
                {"context": {"host_name": "%s", "num_cpus": 8},
                 "benchmarks": [{"name": "BM", "run_type": "iteration", "real_time": %s, "cpu_time": 1, "time_unit": "us"}]}
                """.formatted(host, time));
    }

    /**
     * Regression: seven files of one machine and one of another counted as repeats, and the machines' difference as a
     * regression.
     */
    @Test
    void machinesOfAFolderAreNotMixedUnlessRequested() throws Exception {
        for (int i = 0; i < 8; i++) {
            google("old/" + i + ".json", i == 0 ? "g" : "h", 100 + i);
            google("new/" + i + ".json", i == 0 ? "h" : "g", 100.5 + i);
        }
        CommandResult refused = CommandResult.of("regress", "compare", dir.resolve("old"), dir.resolve("new"));
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("old: was measured on several machines, g, 8 CPUs (", "0.json), h, 8 CPUs (");
        CommandResult requested =
                CommandResult.of("regress", "compare", dir.resolve("old"), dir.resolve("new"), "--across-machines");
        assertThat(requested.exitCode()).as(requested.err()).isNotEqualTo(2);
        assertThat(requested.out()).contains("COMPARED ACROSS MACHINES");
        CommandResult history =
                CommandResult.of("regress", "history", dir.resolve("h.jsonl"), "--result", dir.resolve("old"));
        assertThat(history.exitCode()).isEqualTo(2);
        assertThat(history.err()).contains("--machine NAME gives all of them one name");
    }

    @Test
    void machinesWithoutANameAreNotMixedEither() throws Exception {
        Path eight = Files.writeString(
                dir.resolve("8.json"),
                Files.readString(google("8.json", "h", 100)).replace("\"host_name\": \"h\", ", ""));
        Path sixteen = Files.writeString(
                dir.resolve("16.json"),
                Files.readString(eight).replace("8}", "16}").replace("100.0", "160.0"));
        CommandResult ended = CommandResult.of("regress", "compare", eight, sixteen);
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err()).contains("was measured on another machine (a machine without a name, 16 CPUs) than ");
        Path same = Files.writeString(dir.resolve("same.json"), Files.readString(eight) + "\n");
        assertThat(CommandResult.of("regress", "compare", eight, same).out()).contains("do not name the machine");
        assertThat(CommandResult.of("regress", "history", dir.resolve("h.jsonl"), "--result", eight)
                        .err())
                .contains("name it with --machine NAME");
    }

    @Test
    void settingsOfAFolderAreNotMixed() throws Exception {
        Path folder = Files.createDirectories(dir.resolve("mixed"));
        jmh("mixed/1.json", 3, 1, "10 s");
        jmh("mixed/2.json", 3, 1, "1 s");
        CommandResult refused = CommandResult.of("regress", "compare", folder, folder);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("has repeats of a cell with different settings: warmupTime 1 s (", "2.json) and 10 s");
        assertThat(CommandResult.of("regress", "compare", folder, folder, "--across-settings")
                        .out())
                .contains("COMPARED ACROSS SETTINGS: repeats of ");
    }

    /** Regression: ten of fifteen lines without a number were "same", exit 0. */
    @Test
    void linesWithoutANumberAreInAllOutputsAndNotTheSame() throws Exception {
        Path base = csv("a.csv", 1);
        Path now = dir.resolve("b.csv");
        Files.writeString(now, Files.readString(base) + "cuckoo,64,8,\n");
        Path html = dir.resolve("x.html");
        Path json = dir.resolve("x.json");
        Path junit = dir.resolve("x.xml");
        CommandResult ended = CommandResult.of(
                "regress",
                "compare",
                base,
                now,
                "--value",
                "latency=us",
                "--html",
                html,
                "--json",
                json,
                "--junit",
                junit);
        String lost = "1 of 9 runs of NEW and 0 of 8 of BASE have no value: line 18 of ";
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(3);
        assertThat(ended.out()).contains(lost, "verdict: can't tell (1 can't tell, 1 same)");
        for (Path file : List.of(html, json, junit)) {
            assertThat(Files.readString(file)).as(file.toString()).contains(lost);
        }
        CommandResult history = CommandResult.of(
                "regress",
                "history",
                dir.resolve("h.jsonl"),
                "--result",
                now,
                "--value",
                "latency=us",
                "--machine",
                "m");
        assertThat(history.exitCode()).isEqualTo(3);
        assertThat(history.out())
                .contains("note: runs of the newest result that failed or have no value are left out")
                .contains("csv cuckoo,size=64 (1 of 9 runs: line 18 of ");
    }

    @Test
    void aFolderOfUnknownFilesIsReportedLikeAFile() throws Exception {
        Path folder = Files.createDirectories(dir.resolve("unknown"));
        Files.writeString(folder.resolve("p.hgrm"), "Value Percentile\n1 0.5\n");
        CommandResult ended = CommandResult.of("regress", "compare", folder, folder, "--unit", "us");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains("p.hgrm:1:1: is in an unknown format; expected is a log of HdrHistogram, or JMH's JSON")
                .doesNotContain("--unit: only for files of other programs");
    }

    /** Server on this host with one reply to everything. */
    private record Listener(HttpServer server, List<String> bodies) implements AutoCloseable {
        static Listener answering(int status) throws IOException {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            List<String> bodies = Collections.synchronizedList(new ArrayList<>());
            server.createContext("/", exchange -> {
                bodies.add(exchange.getRequestURI() + " "
                        + exchange.getRequestHeaders().getFirst("Content-Type") + " "
                        + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                exchange.getResponseHeaders().add("Location", "/elsewhere");
                exchange.sendResponseHeaders(status, -1);
                exchange.close();
            });
            server.start();
            return new Listener(server, bodies);
        }

        String address() {
            return "http://localhost:" + server.getAddress().getPort() + "/hook/s3cret";
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    @Test
    void aWebhookReceivesOnlyWhatIsWorse() throws Exception {
        Path a = csv("a.csv", 1);
        Path b = csv("b.csv", 1.3);
        try (Listener listener = Listener.answering(204)) {
            CommandResult same = CommandResult.of(
                    "regress", "compare", a, a, "--value", "latency=us", "--webhook", listener.address());
            assertThat(same.exitCode()).isZero();
            assertThat(listener.bodies).isEmpty();
            CommandResult worse = CommandResult.of(
                    "regress", "compare", a, b, "--value", "latency=us", "--webhook", listener.address());
            assertThat(worse.exitCode()).isEqualTo(1);
            assertThat(worse.err()).isEmpty();
            assertThat(worse.out()).contains("notified: localhost:").doesNotContain("s3cret");
            assertThat(listener.bodies).hasSize(1);
            String[] request = listener.bodies.getFirst().split(" ", 3);
            assertThat(request[0]).isEqualTo("/hook/s3cret");
            assertThat(request[1]).isEqualTo("application/json");
            JsonNode posted = JsonMapper.shared().readTree(request[2]);
            assertThat(posted.path("text").stringValue()).contains("worse (1 worse, 1 same)");
            assertThat(posted.path("worse").intValue()).isEqualTo(1);
            assertThat(posted.path("findings").size()).isEqualTo(1);
            assertThat(posted.path("findings").get(0).path("cell").stringValue())
                    .isEqualTo("linear,size=64");
        }
    }

    @ParameterizedTest
    @CsvSource({"500", "302", "0"})
    void aFailedWebhookIsReportedInALineAndChangesNothing(int status) throws Exception {
        Path a = csv("a.csv", 1);
        Path b = csv("b.csv", 1.3);
        Listener listener = Listener.answering(status == 0 ? 200 : status);
        try (listener) {
            if (status == 0) {
                listener.server.stop(0); // no server listens there any more
            }
            CommandResult ended = CommandResult.of(
                    "regress", "compare", a, b, "--value", "latency=us", "--webhook", listener.address());
            assertThat(ended.exitCode()).isEqualTo(1);
            assertThat(ended.out()).contains("verdict: worse");
            assertThat(ended.err().lines()).hasSize(1);
            assertThat(ended.err())
                    .contains("was not notified: " + (status == 0 ? "unreachable" : "status " + status))
                    .doesNotContain("s3cret");
            assertThat(listener.bodies).as("no redirection is followed").hasSize(status == 0 ? 0 : 1);
        }
    }

    @Test
    void aWebhookThatDoesNotAnswerIsLeft() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Webhook webhook = new Webhook(URI.create("http://127.0.0.1:" + silent.getLocalPort() + "/s3cret"));
            assertThat(webhook.post("{}", Duration.ofMillis(200))).isEqualTo("no reply within 0.2 s");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http://example.com/s3cret, must be https",
        "ftp://localhost/s3cret, must be an address like https://host/path",
        "s3cret, must be an address like https://host/path",
        "https:// s3cret, must be an address like https://host/path",
        "https://me:s3cret@host/x, must not contain a user name or password",
        "http://localhost.example.com/s3cret, must be https",
    })
    void aSecretAddressIsRefusedAndNotRepeated(String address, String message) {
        CommandResult ended = CommandResult.of("regress", "compare", "a", "b", "--webhook", address);
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err()).contains("--webhook URL: " + message).doesNotContain("s3cret");
    }

    @Test
    void aThresholdMayBeOfAMetricOrOfCellsWithAWord() throws Exception {
        Path base = hyperfine("base.json", 1.0);
        Path slower = hyperfine("slower.json", 1.15);
        assertThat(CommandResult.of("regress", "compare", base, slower).exitCode())
                .isEqualTo(1);
        for (String name : new String[] {"time_per_op_ns", "./probe"}) {
            CommandResult ended = CommandResult.of("regress", "compare", base, slower, "--min-effect", name + "=30%");
            assertThat(ended.out()).contains("verdict: same");
            assertThat(ended.exitCode()).isZero();
        }
        assertThat(CommandResult.of("regress", "compare", base, slower, "--min-effect", "time_per_op=30%")
                        .err())
                .isEqualTo(
                        "--min-effect time_per_op: is neither a metric of these results nor a part of a cell's label;"
                                + " did you mean \"time_per_op_ns\"?\n");
        Path data = Files.writeString(
                dir.resolve("data.js"),
                "window.BENCHMARK_DATA = {\"entries\": {\"s\": [{\"date\":"
                        + " 1790000000000, \"commit\": {\"id\": \"a\"}, \"benches\": [{\"value\": 1, \"unit\": \"ns\"}]}]}}");
        assertThat(CommandResult.of("regress", "compare", data, data).err())
                .contains("data.js: has results of many times: regress history reads it");
    }

    private Path hyperfine(String name, double factor) throws Exception {
        StringBuilder times = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            times.append(i == 0 ? "" : ", ").append(factor * (0.01 + i * 1e-5));
        }
        return Files.writeString(
                dir.resolve(name), "{\"results\": [{\"command\": \"./probe\", \"times\": [" + times + "]}]}");
    }
}
