package org.reprobe.analysis.foreign;

import java.util.Arrays;
import java.util.List;

/** Result formats of other benchmark programs. */
public enum ForeignFormat {
    JMH("jmh", "JMH's JSON (-rf json)"),
    GOOGLE_BENCHMARK("google-benchmark", "Google Benchmark's JSON (--benchmark_format=json)"),
    CSV("csv", "CSV with the columns' names in its first line"),
    HISTOGRAM_LOG("hdr-histogram", "a log of HdrHistogram");

    private final String word;
    private final String meaning;

    ForeignFormat(String word, String meaning) {
        this.word = word;
        this.meaning = meaning;
    }

    public String word() {
        return word;
    }

    public String meaning() {
        return meaning;
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(ForeignFormat::word).toList();
    }
}
