package org.reprobe.analysis.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Measurement;

/** Completeness: different results are different cells, and unusable results are counted and named. */
class ForeignCompletenessTest {
    private static final ForeignReading PLAIN = new ForeignReading(null, List.of(), List.of(), null);
    private static final ForeignReading US = new ForeignReading(null, List.of(), List.of(), Unit.of("us"));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private Path file(String name, String text) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        return Files.writeString(file, text);
    }

    private static ForeignReading latency(String... keys) {
        return new ForeignReading(
                null, List.of(new ForeignReading.Column("latency", Unit.of("us"))), List.of(keys), null);
    }

    private static List<String> cells(ForeignResults results) {
        return results.runs().stream().map(run -> run.cell().label()).distinct().toList();
    }

    private String problems(Path path, ForeignReading reading) throws IOException {
        try {
            return "read: " + ForeignResults.read(path, reading);
        } catch (InvalidInputException e) {
            return String.valueOf(e.getMessage()).replace(dir + "/", "");
        }
    }

    private static String jmh(String name, String params, String raw, String more) {
        return """
                {"benchmark": "org.example.Bench.%s", "mode": "avgt", "threads": 1, "params": {%s}, %s
                 "primaryMetric": {"scoreUnit": "us/op", "rawData": %s}, "secondaryMetrics": {}}""".formatted(name, params, more, raw);
    }

    private static String google(String name, String more) {
        return "{\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", %s\"real_time\": 1, \"cpu_time\": 1, \"time_unit\": \"us\"}"
                .formatted(name, name, more);
    }

    private static String googles(String host, String... lines) {
        return "{\"context\": {\"host_name\": \"%s\", \"num_cpus\": 8},\n\"benchmarks\": [\n%s\n]}\n"
                .formatted(host, String.join(",\n", lines));
    }

    /** Each text was read as a number once, so that 3.10 was 3.1. */
    @Test
    void textsThatDifferAreDifferentValues() throws Exception {
        List<String> texts =
                List.of("3.1", "3.10", "010", "10", "1e3", "1000", "1000.0", "12345e2", "1234500", "v", "V");
        StringBuilder csv = new StringBuilder("version,latency\n");
        texts.forEach(text -> csv.append(text).append(",1\n"));
        assertThat(cells(ForeignResults.read(file("v.csv", csv.toString()), latency())))
                .containsExactlyElementsOf(
                        texts.stream().map(text -> "version=" + text).toList());
        List<String> results = texts.stream()
                .map(text -> jmh("get", "\"version\": \"" + text + "\"", "[[1]]", ""))
                .toList();
        assertThat(cells(ForeignResults.read(file("v.json", results.toString()), PLAIN)))
                .hasSameSizeAs(texts);
        String[] lines =
                texts.stream().map(text -> google("BM/version:" + text, "")).toArray(String[]::new);
        assertThat(cells(ForeignResults.read(file("g.json", googles("h", lines)), PLAIN)))
                .hasSameSizeAs(texts);
        assertThat(cells(
                        ForeignResults.read(file("n.json", "[" + jmh("get", "\"v\": 3.10", "[[1]]", "") + "]"), PLAIN)))
                .containsExactly("benchmark=Bench.get,mode=avgt,threads=1,v=3.10");
    }

    @Test
    void namesWithDotsAreShownWhole() throws Exception {
        Path csv = file("d.csv", "server.threads,Score Error (99.9%),latency\n4,0.1,1\n");
        assertThat(cells(ForeignResults.read(csv, latency())))
                .containsExactly("server.threads=4,Score Error (99.9%)=0.1");
    }

    /**
     * An argument that has the name of a field of Google's was dropped; a part behind the arguments moved before them.
     */
    @Test
    void partsOfGoogleNamesAreNotDropped() throws Exception {
        String text = googles(
                "h",
                google("BM/threads:8", "\"threads\": 1, "),
                google("BM/threads:16", "\"threads\": 1, "),
                google("BM/8/foo", ""),
                google("BM/foo/8", ""),
                google("BM/a:1/a:2", ""),
                google("BM/a:3/a:2", ""),
                google("BM/process_time/real_time", ""));
        assertThat(cells(ForeignResults.read(file("g.json", text), PLAIN)))
                .containsExactly(
                        "benchmark=BM,threads=1,arg.threads=8",
                        "benchmark=BM,threads=1,arg.threads=16",
                        "benchmark=BM/8/foo",
                        "benchmark=BM/foo,arg1=8",
                        "benchmark=BM/a:1/a:2",
                        "benchmark=BM/a:3/a:2",
                        "benchmark=BM,clock=process_time/real_time");
    }

    @Test
    void aDuplicateBenchmarkIsRefused() throws Exception {
        String twice = "[" + jmh("get", "", "[[1], [2]]", "") + ",\n" + jmh("get", "", "[[3], [4]]", "") + "]";
        assertThat(problems(file("j.json", twice), PLAIN))
                .contains(
                        "j.json:3:1: benchmark=Bench.get,mode=avgt,threads=1 is twice in this file (first in line 1)");
        String families =
                googles("h", google("BM/8", "\"family_index\": 0, "), google("BM/8", "\"family_index\": 1, "));
        assertThat(problems(file("g.json", families), PLAIN))
                .contains("g.json:4:1: BM/8 is the name of two benchmarks (first in line 3)");
        String again =
                googles("h", google("BM", "\"repetition_index\": 0, "), google("BM", "\"repetition_index\": 0, "));
        assertThat(problems(file("r.json", again), PLAIN)).contains("r.json:4:1: BM has this repetition twice");
        assertThat(problems(file("k.json", googles("h", google("BM/8/x:1", ""), google("BM/x:1/8", ""))), PLAIN))
                .contains("BM/x:1/8 and BM/8/x:1 have the same keys");
        assertThat(problems(file("m.json", googles("h", google("BM", "\"real_time\": 5, "))), PLAIN))
                .contains("m.json:3:", "\"real_time\" is twice in this object");
    }

    private static String log(String comment) {
        // 10 values of 100, from the library's own writer
        return "#[Histogram log format version 1.3]\n" + comment
                + "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
                + INTERVAL + "\n";
    }

    private static final String INTERVAL = interval();

    private static String interval() {
        org.HdrHistogram.Histogram histogram = new org.HdrHistogram.Histogram(3);
        histogram.recordValueWithCount(100, 10);
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        new org.HdrHistogram.HistogramLogWriter(out).outputIntervalHistogram(histogram);
        return out.toString(java.nio.charset.StandardCharsets.UTF_8).strip();
    }

    @Test
    void logsOfOperationsAreCells() throws Exception {
        for (String operation : List.of("READ", "UPDATE")) {
            for (int run = 1; run <= 2; run++) {
                file("said/" + operation + run + ".hdr", log("#[Logging for: " + operation + "]\n#" + run + "\n"));
                file("named/" + operation + "-" + run + ".hdr", log("# " + operation + run + "\n"));
                file(
                        "repeats/2026-11-0" + run + operation.replaceAll(".", "1") + ".hdr",
                        log("#" + operation + run + "\n"));
            }
        }
        assertThat(cells((ForeignResults.read(dir.resolve("said"), US))))
                .containsExactly("operation=READ,tag=none", "operation=UPDATE,tag=none");
        ForeignResults named = ForeignResults.read(dir.resolve("named"), US);
        assertThat(cells((named))).containsExactly("file-name=READ,tag=none", "file-name=UPDATE,tag=none");
        assertThat((named).notes())
                .anyMatch(note -> note.contains("names of repeats differ in numbers, days or commits only"));
        ForeignResults one = ForeignResults.read(dir.resolve("named/READ-1.hdr"), US);
        assertThat(cells((one))).containsExactly("tag=none");
        assertThat(cells(one.withNamesAs(named)))
                .as("compared with several")
                .containsExactly("file-name=READ,tag=none");
        assertThat(cells((ForeignResults.read(dir.resolve("repeats"), US)))).containsExactly("tag=none");
        file("csv/read.csv", "threads,latency\n1,5\n");
        file("csv/update.csv", "threads,latency\n1,9\n");
        assertThat(cells(ForeignResults.read(dir.resolve("csv"), latency())))
                .containsExactly("file-name=read,threads=1", "file-name=update,threads=1");
    }

    @Test
    void daysAndCommitsCountRepeats() throws Exception {
        for (String name : List.of("mon", "Tuesday", "wed", "a1b2c3d", "2026-Nov-30", "run-3")) {
            file("days/" + name + ".csv", "threads,latency\n1," + name.length() + ".25\n");
        }
        assertThat(cells(ForeignResults.read(dir.resolve("days"), latency())))
                .containsExactlyInAnyOrder("file-name=,threads=1", "file-name=run,threads=1");
        Files.delete(dir.resolve("days/run-3.csv"));
        assertThat(cells(ForeignResults.read(dir.resolve("days"), latency()))).containsExactly("threads=1");
        for (String workload : List.of("a", "b")) {
            file("letters/workload-" + workload + ".csv", "threads,latency\n1,5\n# " + workload + "\n");
        }
        assertThat(cells(ForeignResults.read(dir.resolve("letters"), latency())))
                .hasSize(2);
    }

    @Test
    void aTagNamedNoneIsNotNoTag() throws Exception {
        Path log = file("t.hdr", log("") + "Tag=none," + INTERVAL + "\n");
        assertThat(cells((ForeignResults.read(log, US)))).containsExactly("tag=none", "tag=\"\"\"none\"\"\"");
    }

    @Test
    void machinesOfAFolderAreReported() throws Exception {
        file("two/1.json", googles("h", google("BM", "")));
        file("two/2.json", googles("g", google("BM", "")));
        ForeignResults two = ForeignResults.read(dir.resolve("two"), PLAIN);
        assertThat(two.machines().keySet()).containsExactly("h, 8 CPUs", "g, 8 CPUs");
        Path csv = file("h.csv", "Host,size,latency\nh,8,1\ng,8,2\n");
        assertThat(ForeignResults.read(csv, latency("size")).machines().keySet())
                .containsExactly("h", "g");
        assertThat(ForeignResults.read(csv, latency()).machines())
                .as("a key already")
                .isEmpty();
    }

    @Test
    void machinesWithoutANameAreIdentifiedByTheirCpus() throws Exception {
        String plain = googles("h", google("BM", "")).replace("\"host_name\": \"h\", ", "");
        file("cpus/1.json", plain);
        file("cpus/2.json", plain.replace("8}", "16}"));
        ForeignResults two = ForeignResults.read(dir.resolve("cpus"), PLAIN);
        assertThat(two.machines()).hasSize(2);
        assertThat(two.machine()).as("no name").isEmpty();
        assertThat(two.environment()).doesNotContainKey("host_name");
    }

    /** A complexity is computed from several benchmarks, so it is not one that lost its repetitions. */
    @Test
    void complexitiesAreNoBenchmarks() throws Exception {
        String fit = "{\"name\": \"BM_%s\", %s\"real_coefficient\": 1, \"rms\": 1}";
        String more = "\"run_name\": \"BM\", \"run_type\": \"aggregate\", \"aggregate_name\": \"x\", ";
        for (String fields : List.of("", more)) {
            Path file = file(
                    "fit.json",
                    googles("h", google("BM/8", ""), fit.formatted("BigO", fields), fit.formatted("RMS", fields)));
            assertThat(cells(ForeignResults.read(file, PLAIN))).containsExactly("benchmark=BM,arg1=8");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"warmupTime\": \"%d s\",", "\"jdkVersion\": \"2%d\",", "\"jvmArgs\": [\"-Xmx%dg\"],"})
    void settingsOfRepeatsAreCompared(String setting) throws Exception {
        file("s/1.json", "[" + jmh("get", "", "[[1]]", setting.formatted(1)) + "]");
        file("s/2.json", "[" + jmh("get", "", "[[1]]", setting.formatted(2)) + "]");
        assertThat(ForeignResults.read(dir.resolve("s"), PLAIN).mixedSettings()).hasSize(1);
        Path differ = file(
                "d.json",
                "[" + jmh("get", "", "[[1]]", setting.formatted(1)) + ","
                        + jmh("put", "", "[[1]]", setting.formatted(2)) + "]");
        assertThat(ForeignResults.read(differ, PLAIN).mixedSettings())
                .as("of different benchmarks")
                .isEmpty();
    }

    @Test
    void portsOfADevelopmentEnvironmentAreNoSettings() throws Exception {
        String agent = "\"jvmArgs\": [\"-Xmx1g\", \"-javaagent:/idea/lib/idea_rt.jar=%d:/idea/bin\"],";
        file("idea/1.json", "[" + jmh("get", "", "[[1]]", agent.formatted(40_001)) + "]");
        file("idea/2.json", "[" + jmh("get", "", "[[1]]", agent.formatted(40_002)) + "]");
        ForeignResults idea = ForeignResults.read(dir.resolve("idea"), PLAIN);
        assertThat(idea.mixedSettings()).isEmpty();
        assertThat(idea.environment()).containsEntry("jvmArgs", "-Xmx1g");
    }

    @Test
    void methodsOfAGroupAreNotLeftOutSilently() throws Exception {
        String group = jmh("group", "", "[[2]]", "")
                .replace("Metrics\": {", "Metrics\": {\"put\": {\"scoreUnit\": \"us/op\", \"rawData\": [[1]]}");
        assertThat(ForeignResults.read(file("g.json", "[" + group + "]"), PLAIN).notes())
                .contains("methods of a group and counters are judged only if --metric names them: own.put_ns");
    }

    /**
     * Tables of pandas and R have a column of row numbers without a name, and some exports end each line with a
     * separator.
     */
    @Test
    void rowNumbersAreNoKeys() throws Exception {
        for (String table : List.of(
                ",n,latency\n0,1,5\n1,1,6\n",
                "\"\",\"n\",\"latency\"\n\"1\",1,5\n\"2\",1,6\n",
                "n,latency,\n1,5,\n1,6,\n")) {
            ForeignResults read = ForeignResults.read(file("rows.csv", table), latency());
            assertThat(cells(read)).containsExactly("n=1");
            assertThat(read.runs()).hasSize(2);
        }
        for (String table : List.of(",n,latency\nget,1,5\nput,1,6\n", ",n,latency\n8,1,5\n8,1,6\n")) {
            assertThat(problems(file("names.csv", table), latency())).contains("names.csv: column 1 has no name");
        }
    }

    /** Such lines were mistaken for comments. */
    @Test
    void linesWithoutAFirstValueAreRead() throws Exception {
        ForeignResults read = ForeignResults.read(file("first.csv", "latency,n\n5,1\n,1\n# none\n"), latency());
        assertThat(read.runs()).hasSize(2).last().matches(run -> run.metrics().isEmpty());
        assertThat(cells(ForeignResults.read(file("key.csv", "n,latency\n,5\n1,6\n"), latency())))
                .containsExactly("n=", "n=1");
    }

    @Test
    void aCopyIsNoRepeat() throws Exception {
        file("c/1.json", googles("h", google("BM", "")));
        file("c/2.json", googles("h", google("BM", "")));
        assertThat(problems(dir.resolve("c"), PLAIN)).contains("c/2.json: is a copy of ", "which is not a repeat");
        for (int run = 1; run <= 2; run++) {
            file("few/" + run + ".csv", "threads,latency\n1,12\n2,1200\n");
            file("many/" + run + ".csv", "threads,latency\n1,12.347\n2,119.62\n");
        }
        ForeignResults few = ForeignResults.read(dir.resolve("few"), latency());
        assertThat(few.runs()).as("few digits are the same by chance").hasSize(4);
        assertThat(few.notes()).anyMatch(note -> note.contains("have the same content, and count as repeats"));
        assertThat(problems(dir.resolve("many"), latency())).contains("many/2.csv: is a copy of ");
    }

    @Test
    void filesThatAreNotReadAndCellsThatSomeFilesLackAreNoted() throws Exception {
        file("f/1.json", googles("h", google("BM", ""), google("Rare", "")));
        file("f/2.json", googles("h", google("BM", "")));
        file("f/.old.json", "x");
        file("f/sub/3.json", "x");
        assertThat(ForeignResults.read(dir.resolve("f"), PLAIN).notes())
                .anyMatch(note -> note.endsWith("(folders and hidden files): .old.json, sub"))
                .contains("not every file has all cells: some are in 2 files, others in fewer: benchmark=Rare (1)");
    }

    private static List<String> outcomes(ForeignResults results) {
        return results.runs().stream()
                .map(run -> !run.valid()
                        ? "failed: " + run.problem()
                        : run.metrics().isEmpty() ? "without: " + run.problem() : "fine")
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[[1, 2], [1, \"NaN\"]]  | failed: fork 2 of 2 has an iteration whose score is not a number",
                "[[1, 2], [1, \"+INF\"]] | failed: fork 2 of 2 has an iteration whose score is not a number",
                "[[1, 2], [1, 1e400]]    | failed: fork 2 of 2 has an iteration whose score is not a number",
                "[[1, 2], [NaN, 1]]      | failed: fork 2 of 2 has an iteration whose score is not a number",
                "[[1, 2], []]            | failed: fork 2 of 2 has no iterations",
                "[[1, 2]]                | without: JMH was configured for 2 forks, but reports 1",
            })
    void aForkThatCannotBeUsedCounts(String raw, String outcome) throws Exception {
        Path file = file("j.json", "[" + jmh("get", "", raw, "\"forks\": 2,") + "]");
        assertThat(outcomes(ForeignResults.read(file, PLAIN))).containsExactly("fine", outcome);
    }

    @Test
    void aForkWithFewerIterationsIsNoted() throws Exception {
        Path file = file("j.json", "[" + jmh("get", "", "[[1, 2, 3], [1]]", "") + "]");
        assertThat(ForeignResults.read(file, PLAIN).notes())
                .anyMatch(note -> note.contains("1 fork of ")
                        && note.endsWith("fewer iterations than others: fork 2 of 2 of benchmark=Bench.get,mode=avgt,"
                                + "threads=1 (1 of 3)"));
    }

    /** gc.time has no number in a fork without collections; the whole file was refused. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"[[], [3.0]] | 0", "[[3.0]] | 1", "[[3.0], [\"x\"]] | 1", "3 | 1", "[[3.0], [NaN]] | 0"})
    void aBrokenSecondaryMetricCostsNothingElse(String raw, int notes) throws Exception {
        String text = "[" + jmh("get", "", "[[1], [2]]", "") + "]";
        Path file = file(
                "j.json",
                text.replace(
                        "\"secondaryMetrics\": {}",
                        "\"secondaryMetrics\": {\"gc.time\": {\"scoreUnit\": \"ms\", \"rawData\": " + raw + "}}"));
        ForeignResults results = ForeignResults.read(file, PLAIN);
        assertThat(outcomes(results)).containsExactly("fine", "fine");
        assertThat(results.notes().stream().filter(note -> note.contains("gc.time (1 benchmark)")))
                .hasSize(notes);
    }

    @Test
    void benchmarksWithAggregatesOnlyAndMissingRepetitionsCount() throws Exception {
        String mean = google("A", "").replace("iteration", "aggregate");
        String text = googles(
                "h",
                mean,
                google("B", "\"repetitions\": 2, \"skipped\": false, "),
                google("C", "").replace("\"real_time\": 1", "\"real_time\": NaN"));
        ForeignResults results = ForeignResults.read(file("g.json", text), PLAIN);
        assertThat(outcomes(results))
                .containsExactlyInAnyOrder(
                        "fine",
                        "without: 2 repetitions are expected, not 1",
                        "failed: real_time is not a number",
                        "without: only aggregates are there, which do not show the repetitions: run it without"
                                + " --benchmark_report_aggregates_only");
    }

    @Test
    void rowsWithoutNumbersCount() throws Exception {
        Path csv = file("n.csv", "s,latency\na,1\na,NaN\na,\na,-inf\n,\n");
        ForeignResults results = ForeignResults.read(csv, latency());
        assertThat(outcomes(results).stream().map(text -> text.replace(dir + "/", "")))
                .containsExactly(
                        "fine",
                        "failed: line 3 of n.csv: latency is NaN",
                        "without: line 4 of n.csv has no latency",
                        "failed: line 5 of n.csv: latency is -inf");
        assertThat(results.notes()).anyMatch(note -> note.startsWith("1 line of "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"12d", "0x1p4", "1e400", "1,5", "-", "1_000", "１２"})
    void numbersAreDecimal(String number) throws Exception {
        Path csv = file("n.csv", "s;latency\na;" + number + "\n");
        assertThat(problems(csv, latency())).contains("n.csv:2:3: latency must be a number (us), but is \"" + number);
    }

    @Test
    void percentilesOutOfOrderAreRefused() throws Exception {
        ForeignReading both = new ForeignReading(
                null,
                List.of(
                        new ForeignReading.Column("p50", Unit.of("ms")),
                        new ForeignReading.Column("p999", Unit.of("us")),
                        new ForeignReading.Column("max", Unit.of("us"))),
                List.of(),
                null);
        assertThat(problems(file("p.csv", "s,p50,p999,max\na,1,2000,2000\nb,1,200,2000\n"), both))
                .contains("p.csv:3:1: p999 is below p50, which is impossible")
                .doesNotContain("p.csv:2");
    }

    @Test
    void oneNumberHasOneMeaning() throws Exception {
        ForeignReading twice = new ForeignReading(
                null,
                List.of(
                        new ForeignReading.Column("latency", Unit.of("us")),
                        new ForeignReading.Column("latency", Unit.of("ms"))),
                List.of("latency"),
                null);
        assertThat(problems(file("o.csv", "s,latency\na,1\n"), twice))
                .contains("--value latency=ms: has the same metric as --value latency=us: latency_ns")
                .contains("--key latency: is already a measured column, by --value latency=us");
    }

    @Test
    void repeatsThatDifferInOtherColumnsAreNoted() throws Exception {
        Path csv = file("k.csv", "s,build,seed,latency\na,x,1,1\na,y,2,1\n");
        assertThat(ForeignResults.read(csv, latency("s")).notes())
                .anyMatch(note -> note.endsWith("count as repeats differ in columns that are no keys: build"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"benchmarks\": [{\"name\": \"test_x\", \"stats\": {\"data\": [1]}}]}",
                "[{\"benchmark\": \"x\", \"value\": 1}]",
                "{\"results\": [{\"command\": \"sleep 1\"}]}",
            })
    void jsonOfOthersIsOfNoKnownFormat(String text) throws Exception {
        assertThat(problems(file("x.json", text), PLAIN)).contains("x.json:1:1: is in an unknown format");
    }

    @Test
    void aColumnOfJmhsCsvIsReadAsOfAnyCsv() throws Exception {
        String header = "\"Benchmark\",\"Mode\",\"Threads\",\"Samples\",\"Score\",\"Score Error (99.9%)\",\"Unit\"\n";
        Path csv = file("j.csv", header + "\"a.b\",\"avgt\",1,5,1.0,0.1,\"us/op\"\n");
        ForeignReading score =
                new ForeignReading(null, List.of(new ForeignReading.Column("Score", Unit.of("us"))), List.of(), null);
        assertThat(ForeignResults.read(csv, score).format()).isEqualTo(ForeignFormat.CSV);
    }

    @Test
    void damagedJsonIsReportedWithoutTheParsersTerms() throws Exception {
        assertThat(problems(file("t.json", "[{\"benchmark\": \"primaryMetric\", \"params\": {"), PLAIN))
                .contains("damaged JSON", "expected close marker for Object")
                .doesNotContain("Source");
        ForeignReading told = new ForeignReading(ForeignFormat.JMH, List.of(), List.of(), null);
        assertThat(problems(file("e.json", " "), told)).contains("e.json:1:1: is empty; a JSON value is expected");
    }

    /** Only the mean is left in sampling mode without samples, and it had no verdict. */
    @Test
    void meansAreJudgedWithoutAMedian() throws Exception {
        Path file = file("s.json", "[" + jmh("get", "", "[[1], [2]]", "").replace("avgt", "sample") + "]");
        List<Measurement> runs = ForeignResults.read(file, PLAIN).runs();
        assertThat(ForeignResults.judged(runs.stream().map(Measurement::metrics).toList()))
                .containsExactly("time_per_op_ns.mean");
    }
}
