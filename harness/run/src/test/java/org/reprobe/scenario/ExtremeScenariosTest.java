package org.reprobe.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.analysis.document.Problem;
import org.reprobe.run.RunPlan;
import org.reprobe.run.SimulatedRun;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.RefusedException;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Scheme;
import org.reprobe.system.Systems;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.Project;
import org.reprobe.testing.Seeds;
import tools.jackson.databind.JsonNode;

/**
 * Tiny scenarios with values at the ends of their keys' ranges. Each is refused with a position in the file, fails with
 * a message, or gives numbers; none ends in an unexpected exception, or never. {@code -Dreprobe.extremes=N} tries N of
 * each scheme.
 */
class ExtremeScenariosTest {
    private static final int EACH = Integer.getInteger("reprobe.extremes", NightlyCases.areRun() ? 15 : 3);
    private static final long BUDGET_BYTES = 64L << 20;
    private static final double MAX_SECONDS = 2;
    private static final int HANGS_AFTER_S = 120;
    private static final String RUNS = "runs";
    private static final List<String> CARDS = List.of("connectx5-edr", "connectx3-farm-4k", "rhtm-40g");

    /** Keys that the test chooses itself, or that do not affect a simulated run. */
    private static final Set<String> CHOSEN =
            Set.of("fabric", "nic", "scheme", "seed", "measure.repeats", "measure.warm-up-ms", "measure.duration-ms");

    private static final double[] NUMBERS = {
        0,
        1,
        2,
        3,
        7,
        8,
        16,
        100,
        1e-300,
        1e-9,
        1e-3,
        0.02,
        0.5,
        0.97,
        0.998,
        0.9985,
        0.999999,
        1 - 0x1p-53,
        1e6,
        1e9,
        1e15,
        1e300
    };

    private static final Map<String, Integer> RUNS_BY_SCHEME = new ConcurrentHashMap<>();

    @TempDir
    Path dir;

    static Stream<String> schemes() {
        return Systems.schemes().stream()
                .map(Scheme::name)
                .filter(scheme -> !Set.of("command", "memcached").contains(scheme));
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void extremeValuesGiveNumbersOrClearErrors(String scheme) throws Exception {
        Random random = new Random(Seeds.seed() + scheme.hashCode());
        int runs = 0;
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
            String yaml = scenario(scheme, random, i);
            FutureTask<String> task = new FutureTask<>(() -> outcome(yaml));
            Thread.ofPlatform().daemon().start(task);
            String problem;
            try {
                String found = task.get(HANGS_AFTER_S, TimeUnit.SECONDS);
                runs += found.equals(RUNS) ? 1 : 0;
                problem = found.equals(RUNS) ? "" : found;
            } catch (TimeoutException e) {
                task.cancel(true);
                problem = "does not end";
            }
            if (!problem.isEmpty()) {
                wrong.add(problem + "\n" + yaml);
            }
        }
        assertThat(wrong).as(Seeds::replay).isEmpty();
        RUNS_BY_SCHEME.put(scheme, runs);
    }

    /** A single scheme may happen to have none that runs. */
    @AfterAll
    static void someScenariosRun() {
        if (RUNS_BY_SCHEME.size() > 1) {
            assertThat(RUNS_BY_SCHEME.values().stream().mapToInt(runs -> runs).sum())
                    .as("scenarios that run, by scheme: %s; %s", RUNS_BY_SCHEME, Seeds.replay())
                    .isGreaterThan(EACH * RUNS_BY_SCHEME.size() / 8);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "load-factor: 0.999 ~ 3:14: load factor 0.999: the read-size model takes at most 0.998",
                "sweep: {load-factor: [0.5, 0.9999]} ~ 3:28: load factor 0.9999: the read-size model takes at most 0.998",
                "linear-probing: {assumed-load-factor: 0.999} ~ 3:39: load factor 0.999: the read-size model",
                "table: {represents-records: 1} ~ 3:29: a table of 1048576 records cannot represent a smaller one of 1",
                "connection: {represents-send-queue: 1} ~ 3:37: represents-send-queue is 1, but must be at least send-queue, which is 16"
            })
    void impossibleValuesAreRefusedWithTheirPlace(String lineAndMessage) throws Exception {
        String[] parts = lineAndMessage.split(" ~ ");
        Path file = Files.writeString(dir.resolve("refused.yaml"), "title: Refused\nscheme: linear-fixed\n" + parts[0]);
        assertThatThrownBy(() -> new ScenarioReader(Project.path("scenarios/nics"))
                        .read(file, ScenarioReader.Options.of(Scale.QUICK)))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("refused.yaml:" + parts[1]);
    }

    /** Values that once ended in an exception, or never. */
    @Test
    void manyKeysAndFullTablesAndLowRatesEnd() throws Exception {
        String tiny = "title: Tiny\nscheme: linear-fixed\nclients: {machines: 2, threads: 2}\n";
        String measure = "measure: {repeats: 1, warm-up-ms: 0, duration-ms: 0.1}\n";
        assertThat(outcome(tiny + "table: {records: 200, keys-per-record: 1e300}\n" + measure))
                .isEqualTo(RUNS);
        assertThat(outcome(tiny + "table: {records: 200}\nload-factor: 0.999\n"
                        + "linear-probing: {assumed-load-factor: 0.998}\nconnection: {send-queue: 32}\n" + measure))
                .isEqualTo(RUNS);
        assertThat(outcome(tiny + "table: {records: 200}\nload: {rate-per-s: 1e-9}\n" + measure))
                .isEmpty();
    }

    private static String scenario(String scheme, Random random, int number) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("title", "Extreme");
        values.put("scheme", scheme);
        values.put("nic", CARDS.get(scheme.startsWith("farm") ? 1 : random.nextInt(CARDS.size())));
        values.put("clients.machines", 2);
        values.put("clients.threads", 2);
        Map<String, Object> small = Map.of(
                "table.records", 200,
                "table.record-bytes", 48,
                "connection.send-queue", 32,
                "farm-reads.memory-bytes", 4096);
        small.forEach((key, value) -> {
            if (ScenarioKeys.readBy(scheme).contains(key)) {
                values.put(key, value);
            }
        });
        if (scheme.equals("farm-tao")) {
            values.put("farm.ring-bytes", 65536);
        }
        values.put("measure.repeats", 1);
        values.put("measure.warm-up-ms", random.nextBoolean() ? 0 : 0.01);
        values.put("measure.duration-ms", new double[] {0.001, 0.01, 0.1}[random.nextInt(3)]);
        List<KeyedRecord.Entry> keys = ScenarioKeys.scalars().stream()
                .filter(key -> ScenarioKeys.readBy(scheme).contains(key.name()))
                .filter(key -> !CHOSEN.contains(key.name()) && !key.name().startsWith("hosts."))
                .sorted(Comparator.comparing(KeyedRecord.Entry::name)) // the same draws in every JVM
                .toList();
        for (int extremes = number % 3; extremes >= 0; extremes--) {
            KeyedRecord.Entry key = keys.get(random.nextInt(keys.size()));
            List<Object> all = values(key);
            values.put(key.name(), all.get(random.nextInt(all.size())));
        }
        StringBuilder yaml = new StringBuilder();
        values.forEach((key, value) -> {
            int dot = key.indexOf('.');
            yaml.append(dot < 0 ? key + ": " + value + "\n" : "");
        });
        Set<String> sections = new LinkedHashSet<>();
        values.keySet().stream().filter(key -> key.contains(".")).forEach(key -> sections.add(key.split("\\.")[0]));
        for (String section : sections) {
            yaml.append(section).append(":\n");
            values.forEach((key, value) -> yaml.append(
                    key.startsWith(section + ".")
                            ? "  " + key.substring(section.length() + 1) + ": " + value + "\n"
                            : ""));
        }
        return yaml.toString();
    }

    /** Ends of a key's range, words, and numbers between. */
    private static List<Object> values(KeyedRecord.Entry key) {
        Set<Object> values = new LinkedHashSet<>();
        JsonNode schema = key.schema();
        List<JsonNode> kinds = new ArrayList<>();
        (schema.has("anyOf") ? schema.get("anyOf") : List.of(schema)).forEach(kinds::add);
        for (JsonNode kind : kinds) {
            kind.path("enum").forEach(word -> values.add(word.asString()));
            switch (kind.path("type").asString("")) {
                case "boolean" -> values.addAll(List.of(true, false));
                case "integer", "number" -> {
                    double min = kind.path("minimum").asDouble(Double.NEGATIVE_INFINITY);
                    double max = kind.path("maximum").asDouble(Double.POSITIVE_INFINITY);
                    double above = kind.path("exclusiveMinimum").asDouble(Double.NEGATIVE_INFINITY);
                    double below = kind.path("exclusiveMaximum").asDouble(Double.POSITIVE_INFINITY);
                    List<Double> numbers = new ArrayList<>(List.of(min, max));
                    for (double number : NUMBERS) {
                        numbers.add(number);
                    }
                    for (double number : numbers) {
                        if (Double.isFinite(number)
                                && number >= min
                                && number <= max
                                && number > above
                                && number < below) {
                            boolean whole = number == Math.rint(number) && Math.abs(number) < 0x1p62;
                            if (whole) {
                                values.add((long) number);
                            } else if (!key.isWhole()) {
                                values.add(number);
                            }
                        }
                    }
                }
                default -> {}
            }
        }
        return values.isEmpty() ? List.of("own") : List.copyOf(values);
    }

    /** {@link #RUNS} for a run; empty for a refusal or failure with a message; else the error. */
    private String outcome(String yaml) throws Exception {
        Path nics = Project.path("scenarios/nics");
        Path file = Files.writeString(dir.resolve("extreme.yaml"), yaml);
        try {
            Scenario scenario = new ScenarioReader(nics).read(file, ScenarioReader.Options.of(Scale.QUICK));
            RunPlan plan = RunPlan.of(List.of(scenario), nics);
            RunPlan.Unit unit = plan.units().getFirst();
            String refusal = plan.refusals(BUDGET_BYTES).get(unit.index());
            if (refusal != null) {
                return sentence(refusal);
            }
            double seconds = RunPlan.seconds(plan.units());
            if (!(seconds >= 0)) {
                return "takes " + seconds + " s";
            }
            return seconds > MAX_SECONDS ? "" : outcome(unit);
        } catch (InvalidInputException e) {
            for (Problem problem : e.problems()) {
                if (problem.line() < 1) {
                    return "has no place: " + problem;
                }
            }
            return "";
        } catch (RuntimeException | Error e) {
            StackTraceElement[] trace = e.getStackTrace();
            return "failed unexpectedly: " + e + (trace.length == 0 ? "" : " at " + trace[0]);
        }
    }

    private static String outcome(RunPlan.Unit unit) throws Exception {
        Content content = unit.content();
        RunOutcome outcome;
        try (BuiltContent built = content == null ? null : content.build(Content.Builder.anew(1))) {
            outcome = SimulatedRun.run(unit.settings(), unit.nic(), built, unit.repeat(), unit.runSeed());
        } catch (RefusedException e) {
            return sentence(e.getMessage());
        }
        if (!outcome.valid()) {
            return sentence(outcome.problem());
        }
        for (Map.Entry<String, Double> metric : outcome.metrics().entrySet()) {
            if (!Double.isFinite(metric.getValue()) || metric.getValue() < 0) {
                return metric + " is no number for a report";
            }
        }
        return RUNS;
    }

    /** Empty for a readable message. */
    private static String sentence(@Nullable String message) {
        boolean words = message != null
                && message.split(" ").length > 3
                && !message.contains("Exception")
                && !message.contains("overflow")
                && !message.matches("Index .*|Range .*|.*out of bounds.*|.*null.*|.*NaN.*|.*Infinity.*");
        return words ? "" : "is no sentence on what is wrong: " + message;
    }
}
