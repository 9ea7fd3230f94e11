package org.reprobe.command;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.foreign.OutputFormat;
import org.reprobe.analysis.foreign.Unit;

@Section(name = CommandSystem.SCHEME, meaning = """
        Scheme command: external programs, which measure themselves. fabric states which network they use: verbs, \
        tcp, or shm if they stay on this host. In texts, {NAME} is replaced by the value of a parameter or key, or \
        of port (a free one), folder (of this run), project, client (its number), repeat, run-seed, duration-s and \
        warm-up-s. {{NAME}} is replaced by {NAME}.""")
record CommandSettings(
        @Key(byDefault = "{}", family = true, example = "parameters: {message-bytes: 64}", meaning = """
                Settings of the programs, by name, for {NAME} in their arguments. Each one is a key, command.parameters.NAME, that can be \
                swept. A program receives a value as it is written: 3.10, 010 and 0x10 are different from 3.1, 10 and 16.""")
        Map<String, Object> parameters,

        @Key(
                byDefault = "[]",
                example = "start: [./server, --port, \"{port}\"]",
                meaning = "The server, started before each run. Empty for no server.")
        List<String> start,

        @Key(byDefault = PORT, meaning = """
                Sign that the server is ready: a regular expression for a line of its output, or port: a listener at \
                {port} of this host.""") String ready,

        @Key(
                byDefault = "[]",
                example = "run: [./client, --port, \"{port}\", --seconds, \"{duration-s}\"]",
                meaning = """
                The measuring program: run once, or clients.machines times at once. No shell is used; for shell syntax write [sh, -c, TEXT]. \
                The run fails if it ends with an exit code other than 0. The program itself must exclude warm-up.""")
        List<String> run,

        @Key(
                byDefault = "term",
                words = {"term", "int", "hup", "quit", "kill"},
                meaning = """
                The signal that stops the server after a run. Processes that still run after stop-limit-s are killed.""")
        String stop,

        @Key(
                byDefault = "30",
                above = 0,
                max = 86_400,
                identifies = false,
                meaning = "Seconds until the server must be ready.")
        double readyLimitS,

        @Key(byDefault = "600", above = 0, max = 864_000, identifies = false, meaning = """
                Seconds until the measuring programs must have ended; otherwise all are killed and the run fails.""")
        double timeLimitS,

        @Key(
                byDefault = "10",
                above = 0,
                max = 3_600,
                identifies = false,
                meaning = "Seconds within which the server must end after the signal.")
        double stopLimitS,

        @Key(byDefault = ".", identifies = false, meaning = """
                The folder in which programs are started, relative to the folder of --project, or to the current folder without a project.""")
        String workingFolder,

        @Key(
                byDefault = "{}",
                example = "environment: {LD_LIBRARY_PATH: \"{project}/lib\"}",
                meaning = "Environment variables of the programs, in addition to those of Reprobe.")
        Map<String, String> environment,

        @Key(
                byDefault = "[]",
                orOne = true,
                identifies = false,
                example = "version: [git, -C, \"{project}\", describe, --always, --dirty]",
                meaning = """
                Version of the programs, which results and histories record: a text, or a command whose first line of output is the version. \
                Without it, the git commit of the project's folder, or else the SHA-256 of the programs' files.""")
        List<String> version,

        @Key(
                byDefault = "",
                identifies = false,
                example = "install: \"on Debian, as root: apt-get install memcached\"",
                meaning = """
                Instruction for installing a missing program.""")
        String install,

        @Key(byDefault = "json-lines", meaning = """
                Format of the output. json-lines: one object per line; lines that begin otherwise are ignored. json: one document over \
                any number of lines. csv: a line of \
                names, then lines of values, between commas, semicolons or tabs; lines with # are ignored. text: any other text.""") OutputFormat format,

        @Key(byDefault = STDOUT, example = "output: \"{folder}/result.json\"", meaning = """
                The file with the numbers, written in this run; stdout for the program's output.""")
        String output,

        @Key(byDefault = "{}", example = """
                metrics:
                  throughput: {from: ops, unit: Mops/s}
                  latency-p99: {from: latency.p99, unit: us}""", meaning = """
                The numbers to read. Figures draw throughput, bandwidth, latency-mean, latency-p50, latency-p90, latency-p99, latency-p999 and \
                latency-max. Numbers with other names are called own.NAME, with the unit at the end.""") Map<String, Reading> metrics,

        @Key(byDefault = NONE, example = "histograms: \"{folder}/latencies.hlog\"", meaning = """
                A log in HdrHistogram's format, written in this run, from which percentiles are computed. All its intervals, and those of all \
                clients, are merged.""")
        String histograms,

        @Key(
                byDefault = "ns",
                words = {"ns", "us", "ms", "s"},
                meaning = "Unit of the values in histograms.")
        String histogramUnit) {

    static final String PORT = "port";
    static final String STDOUT = "stdout";
    static final String NONE = "none";

    CommandSettings {
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
        start = List.copyOf(start);
        run = List.copyOf(run);
        version = List.copyOf(version);
        environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    }

    boolean hasServer() {
        return !start.isEmpty();
    }

    boolean readsHistograms() {
        return !histograms.equals(NONE);
    }

    boolean readsFile() {
        return !output.equals(STDOUT);
    }

    @Section(meaning = "Location of a number in the output.")
    record Reading(
            @Key(example = "ops", meaning = """
                    json-lines and json: the field, with dots for nested ones; json: jobs[0].read.iops is a member of a list, publishRate[] \
                    each of its elements (with take). csv: the column. text: a regular expression with the number \
                    as its group, such as 'TPS: (\\d+)'.""") String from,

            @Key(
                    example = "Mops/s",
                    words = {
                        "ops/s", "kops/s", "Mops/s", "Gops/s", "ns", "us", "ms", "s", "B/s", "kB/s", "MB/s", "GB/s",
                        "KiB/s", "MiB/s", "GiB/s", "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "B", "kB", "MB", "GB", "KiB",
                        "MiB", "GiB", "1", "%", "count"
                    },
                    meaning = "Unit of the number; 1 and % for shares.")
            String unit,

            @Key(byDefault = "only", meaning = """
                    Choice if several lines have the number. only: exactly one line must have it. Percentiles are neither added nor averaged.""") @Nullable
            Take take) {

        Unit inUnit() {
            return Unit.of(unit);
        }

        Take taken() {
            return take == null ? Take.ONLY : take;
        }
    }

    enum Take {
        ONLY,
        FIRST,
        LAST,
        SUM,
        MEAN,
        MIN,
        MAX;

        double of(List<Double> numbers) {
            return switch (this) {
                case ONLY, FIRST -> numbers.getFirst();
                case LAST -> numbers.getLast();
                case SUM -> numbers.stream().mapToDouble(Double::doubleValue).sum();
                case MEAN ->
                    numbers.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
                case MIN -> Collections.min(numbers);
                case MAX -> Collections.max(numbers);
            };
        }
    }
}
