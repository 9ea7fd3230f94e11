package org.reprobe.analysis.foreign;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;

/** Result formats of other benchmark programs, in the order in which a file is compared with them. */
@SuppressWarnings("ImmutableEnumChecker") // predicates and readers have no state
public enum ForeignFormat {
    HISTOGRAM_LOG("hdr-histogram", "a log of HdrHistogram", true, HistogramFile::isLog, HistogramResults::read),
    JMH(
            "jmh",
            "JMH's JSON (-rf json)",
            false,
            file -> file.begins('[') && file.names("benchmark", "primaryMetric"),
            ForeignReader.ofJson(JmhResults::read)),
    PYTEST(
            "pytest-benchmark",
            "pytest-benchmark's JSON (--benchmark-json)",
            false,
            file -> file.begins('{') && file.names("benchmarks", "machine_info"),
            ForeignReader.ofJson(ObjectResults::pytest)),
    GOOGLE_BENCHMARK(
            "google-benchmark",
            "Google Benchmark's JSON (--benchmark_format=json)",
            false,
            file -> file.begins('{') && file.names("benchmarks") && (file.names("context") || file.names("time_unit")),
            ForeignReader.ofJson(GoogleBenchmarkResults::read)),
    HYPERFINE(
            "hyperfine",
            "hyperfine's JSON (--export-json)",
            false,
            file -> file.begins('{') && file.names("results", "command", "times"),
            ForeignReader.ofJson(ObjectResults::hyperfine)),
    CRITERION(
            "criterion",
            "Criterion's JSON (cargo criterion --message-format=json, or an estimates.json)",
            false,
            file -> file.begins('{') && (file.names("reason", "id") || file.names("point_estimate", "median_abs_dev")),
            ObjectResults::criterion),
    MEMTIER(
            "memtier",
            "memtier_benchmark's JSON (--json-out-file)",
            true,
            file -> file.begins('{') && file.names("ALL STATS"),
            ForeignReader.ofJson(ObjectResults::memtier)),
    OPENMESSAGING(
            "openmessaging",
            "OpenMessaging Benchmark's JSON",
            false,
            file -> file.begins('{') && file.names("driver", "publishRate"),
            ForeignReader.ofJson(ObjectResults::openMessaging)),
    GITHUB_ACTION(
            "github-action-benchmark",
            "data.js of github-action-benchmark",
            false,
            file -> file.text().stripLeading().startsWith("window.BENCHMARK_DATA")
                    || (file.begins('{') && file.names("entries", "benches")),
            ObjectResults::githubAction),
    GO("go", "the text of go test -bench", false, file -> file.has(LineResults.GO), LineResults::go),
    YCSB("ycsb", "YCSB's text", true, file -> file.has(LineResults.YCSB), LineResults::ycsb),
    WRK("wrk", "the text of wrk or wrk2", true, file -> file.has(LineResults.WRK), LineResults::wrk),
    PERCENTILES(
            "hgrm",
            "HdrHistogram's percentiles (.hgrm)",
            true,
            file -> file.has(LineResults.PERCENTILE_TITLES),
            LineResults::percentiles),
    JMH_CSV(
            "jmh-csv",
            "JMH's CSV (-rf csv)",
            false,
            file -> file.has(Pattern.compile("\"?Benchmark\"?[,;]\"?Mode\"?[,;]\"?Threads\"?[,;].*")),
            LineResults::jmh),
    CSV(
            "csv",
            "CSV with the columns' names in its first line",
            true,
            file -> !file.begins('[') && !file.begins('{') && OutputFile.hasColumns(file.text()),
            ColumnResults::read);

    private final String word;
    private final String meaning;
    private final boolean namedByFile;
    private final Predicate<ForeignText> recognized;
    private final ForeignReader reader;

    ForeignFormat(
            String word, String meaning, boolean namedByFile, Predicate<ForeignText> recognized, ForeignReader reader) {
        this.word = word;
        this.meaning = meaning;
        this.namedByFile = namedByFile;
        this.recognized = recognized;
        this.reader = reader;
    }

    public String word() {
        return word;
    }

    public String meaning() {
        return meaning;
    }

    /** Returns true if a file does not state what it measured, so that its name may. */
    boolean isNamedByFile() {
        return namedByFile;
    }

    void read(ForeignText file, ForeignReading reading, ForeignRuns into) throws InvalidInputException {
        reader.read(file, reading, into);
    }

    /** Returns the format of a text; null for none. Measured columns are those of CSV. */
    static @Nullable ForeignFormat of(ForeignText file, ForeignReading reading) {
        return Arrays.stream(values())
                .filter(format -> format != JMH_CSV || reading.values().isEmpty())
                .filter(format -> format.recognized.test(file))
                .findFirst()
                .orElse(null);
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(ForeignFormat::word).toList();
    }
}
