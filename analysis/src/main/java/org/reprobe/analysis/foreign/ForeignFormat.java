package org.reprobe.analysis.foreign;

import java.util.Arrays;
import java.util.List;

/** Formats of results that other benchmark programs write. */
public enum ForeignFormat {
    /** The Java Microbenchmark Harness, {@code -rf json}. */
    JMH("jmh", "JMH's JSON (-rf json)"),
    /** {@code --benchmark_format=json}. */
    GOOGLE_BENCHMARK("google-benchmark", "Google Benchmark's JSON (--benchmark_format=json)"),
    /** Columns with names. */
    CSV("csv", "CSV with the columns' names in its first line"),
    /** HdrHistogram's log, version 1. */
    HISTOGRAM_LOG("hdr-histogram", "a log of HdrHistogram");

    private final String word;
    private final String meaning;

    ForeignFormat(String word, String meaning) {
        this.word = word;
        this.meaning = meaning;
    }

    /** The word on the command line and in histories. */
    public String word() {
        return word;
    }

    /** What people call it. */
    public String meaning() {
        return meaning;
    }

    /** All words. */
    public static List<String> words() {
        return Arrays.stream(values()).map(ForeignFormat::word).toList();
    }
}
