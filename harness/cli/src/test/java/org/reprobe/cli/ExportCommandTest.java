package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.run.TinyScenario;
import org.reprobe.testing.Project;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Results in formats of other programs, and the page that describes them. */
@ShippedHome
class ExportCommandTest {
    private static final Pattern SAMPLE = Pattern.compile(
            "[a-z][a-z0-9_]*(\\{[a-zA-Z_]\\w*=\"([^\"\\\\\n]|\\\\.)*\"(,[a-zA-Z_]\\w*=\"([^\"\\\\\n]|\\\\.)*\")*})? -?[0-9.]+( [0-9.]+)?");

    @TempDir
    static Path dir;

    private static Path result;

    @BeforeEach
    void run() throws Exception {
        result = dir.resolve("a result");
        if (Files.exists(result)) {
            return; // by another test
        }
        Path file = TinyScenario.write(dir, "tiny", 2);
        assertThat(CommandResult.of("run", file, "--quiet", "--out", result).exitCode())
                .isZero();
    }

    private static String exported(Object... words) {
        Object[] all = Stream.concat(Stream.of("export"), Arrays.stream(words)).toArray();
        CommandResult ended = CommandResult.of(all);
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        return ended.out();
    }

    private static Map<String, String> zip(Object... words) throws Exception {
        Path file = dir.resolve("result.zip");
        Object[] all = Stream.concat(Stream.of(result, "--out", file), Arrays.stream(words))
                .toArray();
        exported(all);
        Map<String, String> files = new LinkedHashMap<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(Files.readAllBytes(file)))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                files.put(entry.getName(), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return files;
    }

    /** Entities that the specification of RO-Crate 1.2 requires, and those that a reader needs beyond. */
    @Test
    void anArchiveIsACompleteRoCrate() throws Exception {
        Map<String, String> files = zip("--license", "CC-BY-4.0", "--author", "Ada Lovelace, 0000-0002-1825-0097");
        JsonNode crate = JsonMapper.shared().readTree(files.get("ro-crate-metadata.json"));
        assertThat(crate.path("@context").asString()).isEqualTo("https://w3id.org/ro/crate/1.2/context");
        Map<String, JsonNode> entities = new LinkedHashMap<>();
        crate.path("@graph").forEach(entity -> {
            assertThat(entities.put(entity.path("@id").asString(), entity)).isNull();
            assertThat(entity.path("@type").asString()).isNotEmpty();
        });
        JsonNode descriptor = entities.get("ro-crate-metadata.json");
        assertThat(descriptor.path("@type").asString()).isEqualTo("CreativeWork");
        assertThat(descriptor.path("conformsTo").path("@id").asString()).isEqualTo("https://w3id.org/ro/crate/1.2");
        JsonNode root = entities.get(descriptor.path("about").path("@id").asString());
        assertThat(root.path("@id").asString()).isEqualTo("./");
        assertThat(root.path("@type").asString()).isEqualTo("Dataset");
        assertThat(root.path("name").asString()).isNotEmpty();
        assertThat(root.path("description").asString()).contains("simulated");
        assertThat(root.path("datePublished").asString()).matches("\\d{4}-\\d\\d-\\d\\d");
        assertThat(entities.get(root.path("license").path("@id").asString())
                        .path("name")
                        .asString())
                .isEqualTo("CC-BY-4.0");
        // Every reference leads to an entity, every file of the archive is described, and nothing else.
        Set<String> parts = new TreeSet<>();
        root.path("hasPart").forEach(part -> parts.add(part.path("@id").asString()));
        Set<String> described = new TreeSet<>(files.keySet());
        described.remove("ro-crate-metadata.json");
        assertThat(parts).isEqualTo(described);
        crate.path("@graph")
                .findValues("@id")
                .forEach(id -> assertThat(entities.containsKey(id.asString())
                                || id.asString().startsWith("https://w3id.org/ro/crate/"))
                        .as(id.asString())
                        .isTrue());
        for (String part : parts) {
            assertThat(entities.get(part).path("@type").asString()).isEqualTo("File");
            assertThat(entities.get(part).path("description").asString())
                    .as(part)
                    .isNotEqualTo("output of a measured program");
        }
        assertThat(entities.get("https://orcid.org/0000-0002-1825-0097")
                        .path("name")
                        .asString())
                .isEqualTo("Ada Lovelace");
        assertThat(entities.get("#kind").path("value").asString()).isEqualTo("simulated");
        assertThat(entities.get("#reprobe").path("identifier").asString()).startsWith("commit ");
        assertThat(files).containsKeys("README.md", "runs.csv", "scenario.yaml", "claims.jsonl", "figure-7.svg");
    }

    @Test
    void anArchiveHasNoPathsOfTheMachineAndTheSameBytesTwice() throws Exception {
        Path program = dir.resolve("data of mine/x.yaml");
        Path status = result.resolve("status.json");
        String before = Files.readString(status);
        Files.writeString(
                status,
                before.replace("./run.sh run ", "./run.sh run /scratch/me/own.yaml '" + program + "' /dev/shm "));
        try {
            Map<String, String> files = zip();
            assertThat(files)
                    .allSatisfy((name, text) -> assertThat(text)
                            .as(name)
                            .doesNotContain(dir.toString(), "/scratch/me", System.getProperty("user.home") + "/"));
            assertThat(files.get("status.json")).contains("run own.yaml").contains("/dev/shm");
            assertThat(files.get("ro-crate-metadata.json")).contains("No licence is stated");
            byte[] first = Files.readAllBytes(dir.resolve("result.zip"));
            zip();
            assertThat(Files.readAllBytes(dir.resolve("result.zip"))).isEqualTo(first);
        } finally {
            Files.writeString(status, before);
        }
    }

    private static List<String> columns(String csv) {
        return List.of(csv.lines().findFirst().orElseThrow().split(","));
    }

    @Test
    void columnsOfTablesAndOfSnippetsAreThoseOnThePage() throws Exception {
        String page = Files.readString(Project.path("docs/data.md"));
        String runs = exported(result, "--format", "csv");
        assertThat(runs.lines())
                .hasSameSizeAs(exported(result, "--format", "csv").lines().toList());
        assertThat(exported(result, result, "--format", "csv").lines().count())
                .isEqualTo(2 * runs.lines().count() - 1);
        Set<String> known = new TreeSet<>();
        for (String csv : List.of(
                runs,
                Files.readString(result.resolve("summary.csv")),
                Files.readString(result.resolve("figure-7.data.csv")))) {
            known.addAll(columns(csv));
            for (String column : columns(csv)) {
                String metric = column.replaceFirst("\\.ci95$", "").replaceFirst("\\.[a-z0-9]+$", "");
                assertThat(page.contains("`" + column + "`")
                                || Metrics.names().contains(metric)
                                || column.startsWith("Throughput (")) // the title of an axis
                        .as("column %s", column)
                        .isTrue();
            }
        }
        List<String> used = Pattern.compile("(?s)```(?:python|r)\n(.*?)```")
                .matcher(page)
                .results()
                .flatMap(snippet -> Pattern.compile("\"([a-z][a-z0-9_.-]*)\"")
                        .matcher(snippet.group(1))
                        .results())
                .map(name -> name.group(1))
                .filter(name -> !name.endsWith(".csv")
                        && !List.of("mean", "min", "max", "true").contains(name))
                .toList();
        assertThat(used).hasSizeGreaterThan(8).isSubsetOf(known);
    }

    @Test
    void everyMetricHasAUnitOnThePage() throws Exception {
        String page = Files.readString(Project.path("docs/data.md"));
        String table = page.substring(page.indexOf("| end of the name | unit |"), page.indexOf("## pandas"));
        List<String> ends = table.lines()
                .filter(line -> line.startsWith("| `"))
                .flatMap(line -> Pattern.compile("`([a-z_]+)`")
                        .matcher(line.substring(0, line.indexOf('|', 2)))
                        .results())
                .map(end -> end.group(1))
                .toList();
        assertThat(Metrics.names()).allSatisfy(name -> assertThat(ends).as(name).anyMatch(name::endsWith));
    }

    @Test
    void metricsOfARunAndOfAHistoryAreInOpenMetrics() throws Exception {
        Path history = dir.resolve("history.jsonl");
        assertThat(CommandResult.of("regress", "history", history, "--result", result)
                        .exitCode())
                .isEqualTo(3);
        String run = exported(result, "--format", "openmetrics");
        String nights = exported(history, "--format", "openmetrics");
        for (String text : List.of(run, nights)) {
            assertThat(text).endsWith("# EOF\n");
            List<String> samples =
                    text.lines().filter(line -> !line.startsWith("#")).toList();
            assertThat(samples)
                    .isNotEmpty()
                    .allMatch(line -> SAMPLE.matcher(line).matches());
            assertThat(samples.stream()
                            .map(line -> line.replaceFirst("(?<=}) .*", ""))
                            .collect(Collectors.toSet()))
                    .as("series")
                    .hasSameSizeAs(samples);
            List<String> types =
                    text.lines().filter(line -> line.startsWith("# TYPE ")).toList();
            assertThat(types).as("families").doesNotHaveDuplicates();
        }
        assertThat(run)
                .contains("# TYPE reprobe_latency_seconds gauge\n# UNIT reprobe_latency_seconds seconds\n")
                .containsPattern("reprobe_throughput_ops_per_s\\{scenario=\"tiny\",cell=\"[^\"]+\",fabric=\"sim\"")
                .contains("reprobe_latency_ci95_seconds{", "part=\"p99\"", "reprobe_result_info{");
        assertThat(nights).containsPattern("reprobe_latency_seconds\\{[^}]*machine=[^}]*} 0\\.\\d+ \\d+\n");
    }

    @Test
    void badInputIsReportedAtOnce() {
        CommandResult ended = CommandResult.of(
                "export", dir.resolve("none"), result, "--license", "CC BY", "--format", "zipp", "--author", "A");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains("--format", "did you mean \"zip\"", "SPDX", "no such folder", "several results only");
        assertThat(CommandResult.of("export", result, "--format", "csv", "--author", "A")
                        .err())
                .contains("--author: only with --format zip");
    }
}
