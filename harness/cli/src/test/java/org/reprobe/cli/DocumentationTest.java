package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.ClaimResults;
import org.reprobe.analysis.claims.Evidence;
import org.reprobe.analysis.claims.Relation;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.MeasurementFile;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.run.TinyScenario;
import org.reprobe.testing.Project;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Documentation pages: their commands run, their links have targets, and file formats are as described. */
@ShippedHome
class DocumentationTest {
    /** Invisible remark of a page on the block below it. */
    private static final Pattern REMARK = Pattern.compile("<!-- (not run|file|exits with): (.*) -->");

    /** A link within the repository: a path, an anchor, or both. */
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]*)(?:#([^)]+))?\\)");

    private static final Pattern HEADING = Pattern.compile("#+ +(.*)");
    private static final Pattern FIELD = Pattern.compile("^\\| `([^`]+)` \\|.*");
    private static final String CODE = "    ";
    private static final String COMMAND = "./run.sh ";
    private static final Set<String> OF_SCRIPT = Set.of("test", "vm", "package", "bench");

    /** Pages whose commands a reader types in order, in one folder. Others have their own tests. */
    private static final List<String> IN_ORDER = List.of(
            "first-hour",
            "nightly",
            "planning",
            "how-far-to-trust-it",
            "file-formats",
            "artifact-evaluation",
            "own-system",
            "own-paper",
            "on-real-rdma");

    /** Folders and files that readers of pages create. */
    private static final Pattern MADE = Pattern.compile("\\bmy/");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    /** Options of pages are parsed, too, which sets it. */
    @AfterEach
    void forgetTheProject() {
        System.clearProperty("reprobe.project");
    }

    /** A block of code with the remark above it. */
    private record Block(@Nullable String remark, @Nullable String of, String text) {}

    @Test
    void commandsOfPagesRunAndPrintWhatThePagesShow() throws Exception {
        int run = 0;
        int shown = 0;
        for (String page : IN_ORDER) {
            StringBuilder printed = new StringBuilder();
            for (Block block : blocks("docs/" + page + ".md")) {
                if (Objects.equals(block.remark, "file")) {
                    Path file = Files.createDirectories(dir).resolve(made(Objects.requireNonNull(block.of)));
                    Files.createDirectories(Objects.requireNonNull(file.getParent()));
                    Files.writeString(file, block.text);
                }
                for (String command : commands(block.text)) {
                    if (Objects.equals(block.remark, "not run")) {
                        assertThat(block.of).as("why %s is not run", command).isNotBlank();
                    } else {
                        int code = Objects.equals(block.remark, "exits with")
                                ? Integer.parseInt(Objects.requireNonNull(block.of))
                                : ExitCode.FINE;
                        printed.append(outputOf(page, command, code));
                        run++;
                    }
                }
            }
            List<String> quoted = quotedOutput(page("docs/" + page + ".md"));
            List<String> lines = printed.toString()
                    .replace(dir + "/my/", "my/")
                    .lines()
                    .map(String::strip)
                    .toList();
            assertThat(quoted)
                    .as("output of %s that its commands do not print", page)
                    .filteredOn(line -> !lines.contains(line))
                    .isEmpty();
            shown += quoted.size();
        }
        assertThat(run).as("commands").isGreaterThan(15);
        assertThat(shown).as("lines of output").isGreaterThan(10);
    }

    /**
     * Lines of a page's blocks of output. A line that has an ellipsis, or only it, is not compared: it is shortened or
     * varies.
     */
    private static List<String> quotedOutput(String page) {
        List<String> lines = new ArrayList<>();
        boolean inBlock = false;
        for (String line : page.lines().toList()) {
            if (line.startsWith("```")) {
                inBlock = line.equals("```text");
            } else if (inBlock && !line.contains("...")) {
                lines.add(line.strip());
            }
        }
        return lines;
    }

    private String outputOf(String page, String command, int expected) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        List<String> words = new ArrayList<>(List.of(words(command)));
        int project = words.indexOf("--project");
        if (project >= 0) { // run.sh takes it away, since systems of the project must be there from the start
            System.setProperty("reprobe.project", words.get(project + 1));
            words.subList(project, project + 2).clear();
        }
        int code;
        try {
            code = Reprobe.execute(out, out, words.toArray(String[]::new));
        } finally {
            System.clearProperty("reprobe.project");
        }
        String printed = bytes.toString(StandardCharsets.UTF_8);
        assertThat(code).as("%s: %s%n%s", page, command, printed).isEqualTo(expected);
        return printed;
    }

    private String[] words(String command) {
        return Arrays.stream(command.substring(COMMAND.length()).split(" +"))
                .map(this::made)
                .map(word -> word.startsWith("scenarios/") ? Project.path(word).toString() : word)
                .toArray(String[]::new);
    }

    private String made(String word) {
        return MADE.matcher(word).replaceFirst(Matcher.quoteReplacement(dir + "/my/"));
    }

    /** All commands of the README and of {@code docs}, those that are not run here included. */
    @Test
    void everyOptionInPagesAndReadmeIsOne() throws Exception {
        List<String> wrong = new ArrayList<>();
        CommandLine line = Reprobe.commandLine();
        int seen = 0;
        for (String page : pages()) {
            for (Block block : blocks(page)) {
                for (String command : commands(block.text)) {
                    String[] words = words(command.replaceFirst("(?<=\\S)   .*", ""));
                    if (!OF_SCRIPT.contains(words[0]) && !command.contains("COMMAND")) {
                        seen++;
                        List<String> own = withoutScriptsOptions(words);
                        try {
                            line.parseArgs(own.toArray(String[]::new));
                        } catch (ParameterException e) {
                            if (String.valueOf(e.getMessage()).contains("Unknown option")) {
                                wrong.add(page + ": " + command + ": " + e.getMessage());
                            }
                        }
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(seen).isGreaterThan(50);
    }

    /** Removes {@code --project}, which is an option of run.sh. */
    private static List<String> withoutScriptsOptions(String... words) {
        List<String> own = new ArrayList<>();
        for (int i = 0; i < words.length; i++) {
            if (words[i].equals("--project")) {
                i++;
            } else {
                own.add(words[i]);
            }
        }
        return own;
    }

    @Test
    void linksOfPagesLeadSomewhere() throws Exception {
        int links = 0;
        int anchors = 0;
        for (Path file : allPages()) {
            Matcher link = LINK.matcher(Files.readString(file));
            while (link.find()) {
                links++;
                String path = link.group(1);
                Path to = path.isEmpty() ? file : file.resolveSibling(path).normalize();
                assertThat(to).as("link in %s", file).exists();
                if (link.group(2) != null) {
                    anchors++;
                    assertThat(anchors(to)).as("link in %s to %s", file, to).contains(link.group(2));
                }
            }
        }
        assertThat(links).isGreaterThan(80);
        assertThat(anchors).isPositive();
    }

    /** The README stays an overview: details belong to {@code docs}. */
    @Test
    void readmeHasAtMostAHundredLines() throws Exception {
        assertThat(Files.readAllLines(Project.path("README.md"))).hasSizeLessThanOrEqualTo(100);
    }

    /** Anchors of a page's headings, as GitHub makes them. */
    private static Set<String> anchors(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(HEADING::matcher)
                .filter(Matcher::matches)
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    /** Every Markdown page of the repository that a reader is led to. */
    private static List<Path> allPages() throws IOException {
        List<Path> pages = new ArrayList<>();
        try (Stream<Path> files = Files.list(Project.path("."))) {
            files.filter(DocumentationTest::isPage).forEach(pages::add);
        }
        for (String folder : List.of("docs", "results/benchmarks", "harness/examples", "harness/systems")) {
            try (Stream<Path> files = Files.walk(Project.path(folder))) {
                files.filter(DocumentationTest::isPage).forEach(pages::add);
            }
        }
        pages.add(Project.path("harness/verbs/README.md"));
        return pages;
    }

    private static boolean isPage(Path file) {
        return file.getFileName().toString().endsWith(".md");
    }

    @Test
    void fieldsOfMeasurementsAreThoseOnThePage() throws Exception {
        Cell cell = new Cell(Map.of("load-factor", 0.5));
        Map<String, Double> metrics = Map.of(Metrics.THROUGHPUT, 1.0);
        Measurement warned =
                new Measurement("s", cell, 0, 1, "sim", Kind.SIMULATED, true, null, metrics, List.of("short"));
        Measurement failed = new Measurement("s", cell, 0, 1, "sim", Kind.SIMULATED, false, "broken", Map.of());
        Set<String> fields = fields(MeasurementFile.line(warned));
        fields.addAll(fields(MeasurementFile.line(failed)));
        assertThat(described("measurements.jsonl")).isEqualTo(fields);
    }

    @Test
    void referenceHasEveryMetricWithItsMeaning() {
        String printed = outputOf("reference", "./run.sh reference metrics", ExitCode.FINE);
        assertThat(printed.lines().toList()).containsAll(Metrics.names());
        assertThat(printed.lines()).hasSize(2 * Metrics.names().size());
    }

    @Test
    void fieldsOfClaimsAreThoseOnThePage() throws Exception {
        ClaimResult claim = new ClaimResult(
                "p/f/c",
                "Figure 1",
                "is so",
                1,
                1,
                "%",
                0,
                ClaimResult.Status.HOLDS,
                ClaimResult.Role.PREDICTION,
                null,
                Double.NaN,
                Relation.EQUALS,
                Set.of(Kind.SIMULATED),
                Evidence.TABLES,
                false,
                null,
                3);
        assertThat(described("claims.jsonl")).isEqualTo(fields(ClaimResults.line(claim)));
        String page = page("docs/file-formats.md");
        Stream.of(Relation.values())
                .map(Relation::words)
                .forEach(word -> assertThat(page).contains("`" + word + "`"));
        Stream.of(Evidence.values())
                .map(Evidence::word)
                .forEach(word -> assertThat(page).contains("`" + word + "`"));
        Stream.of(ClaimResult.Status.values())
                .map(ClaimResult.Status::word)
                .forEach(word -> assertThat(page).contains("`" + word + "`"));
    }

    /** All files of a folder, progress of a run and columns of tables. */
    @Test
    void filesOfAFolderAreThoseOnThePage() throws Exception {
        Path file = TinyScenario.write(dir, "tiny", 2);
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
        String results = dir.resolve("results").toString();
        int code = Reprobe.execute(
                out,
                out,
                "run",
                file.toString(),
                "--set",
                "series.worst-window-ms=0.02",
                "--intervals",
                "10",
                "--out",
                results);
        assertThat(code).as(output.toString(StandardCharsets.UTF_8)).isZero();
        Set<String> files = new TreeSet<>();
        try (Stream<Path> all = Files.list(Path.of(results))) {
            all.map(each -> each.getFileName().toString())
                    .filter(name -> !name.equals(".lock"))
                    .map(name -> name.replace("figure-7", "NAME"))
                    .forEach(files::add);
        }
        Set<String> described = page("docs/file-formats.md")
                .lines()
                .filter(line -> line.startsWith("| `"))
                .flatMap(line -> Pattern.compile("`([A-Za-z.]+\\.[a-z]+)`")
                        .matcher(line.substring(0, line.indexOf('|', 1)))
                        .results()
                        .map(match -> match.group(1)))
                .filter(name -> !name.startsWith(".")) // only in results/
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(described).isEqualTo(files);

        assertThat(described("status.json")).isEqualTo(fields(Files.readString(Path.of(results, "status.json"))));
        JsonNode slice = JsonMapper.shared()
                .readTree(Files.readAllLines(Path.of(results, "series.jsonl")).getFirst());
        assertThat(section("series.jsonl")).contains("`time-ms`");
        assertThat(slice.path("cell").has("time-ms")).isTrue();
        slice.path("metrics")
                .propertyNames()
                .forEach(metric -> assertThat(section("series.jsonl")).contains("`" + metric + "`"));
        for (String column :
                Files.readAllLines(Path.of(results, "summary.csv")).getFirst().split(",")) {
            String metric = column.replaceFirst("\\.(ci95|low|median|high)$", "")
                    .replaceFirst("\\.(p50|p90|p99|p999|max|mean|2|4|16)$", "");
            assertThat(section("summary.csv").contains("`" + column + "`")
                            || Metrics.names().contains(metric)
                            || column.equals("load-factor")
                            || column.equals("scheme"))
                    .as("column %s", column)
                    .isTrue();
        }
        String points =
                Files.readAllLines(Path.of(results, "figure-7.data.csv")).getFirst();
        for (String column : List.of("kind", "ci95", "runs")) {
            assertThat(points.split(",")).contains(column);
            assertThat(section("NAME.data.csv")).contains("`" + column + "`");
        }
    }

    private static Set<String> fields(String line) {
        return new TreeSet<>(JsonMapper.shared().readTree(line).propertyNames());
    }

    /** Names in the first column of a section's table. */
    private static Set<String> described(String section) {
        return section(section)
                .lines()
                .map(FIELD::matcher)
                .filter(Matcher::matches)
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String section(String name) {
        String page = page("docs/file-formats.md");
        String begin = "\n## " + name + "\n";
        assertThat(page).contains(begin);
        int from = page.indexOf(begin) + begin.length();
        int to = page.indexOf("\n## ", from);
        return page.substring(from, to < 0 ? page.length() : to);
    }

    private static List<String> pages() throws IOException {
        try (Stream<Path> files = Files.list(Project.path("docs"))) {
            List<String> pages = files.filter(DocumentationTest::isPage)
                    .map(file -> "docs/" + file.getFileName())
                    .sorted()
                    .collect(Collectors.toCollection(ArrayList::new));
            pages.add("README.md");
            return pages;
        }
    }

    private static String page(String name) {
        try {
            return Files.readString(Project.path(name));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Blocks of a page, without indentation. */
    private static List<Block> blocks(String page) {
        List<Block> blocks = new ArrayList<>();
        Matcher remark = REMARK.matcher("");
        StringBuilder text = new StringBuilder();
        String kind = null;
        String of = null;
        for (String line : (page(page) + "\n.\n").split("\n")) {
            if (line.startsWith(CODE) || (!text.isEmpty() && line.isBlank())) {
                text.append(line.isBlank() ? "" : line.substring(CODE.length())).append('\n');
                continue;
            }
            if (!text.isEmpty()) {
                blocks.add(new Block(kind, of, text.toString()));
                text.setLength(0);
                kind = null;
                of = null;
            }
            if (remark.reset(line).matches()) {
                kind = remark.group(1);
                of = remark.group(2);
            } else if (!line.isBlank()) {
                kind = null;
                of = null;
            }
        }
        return blocks;
    }

    private static List<String> commands(String block) {
        return block.lines()
                .flatMap(line -> Arrays.stream(line.split(" && ")))
                .map(String::strip)
                .filter(line -> line.startsWith(COMMAND) && !line.startsWith(COMMAND + " "))
                .toList();
    }
}
