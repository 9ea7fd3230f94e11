package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.cli.report.OpenOption;
import org.reprobe.run.TinyScenario;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Command lines and their output, in this process. */
@ShippedHome
class CommandLineTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private static CommandSpec command(String words) {
        CommandLine line = Reprobe.commandLine();
        for (String word : words.split(" ")) {
            line = line.getSubcommands().get(word);
        }
        return line.getCommandSpec();
    }

    @Test
    void theTextBeforeTheFirstBuildListsTheCommands() throws Exception {
        String script = Files.readString(TinyScenario.HOME.resolve("run.sh"));
        String usage = script.substring(script.indexOf("Usage: ./run.sh [COMMAND]"), script.indexOf("USAGE\n}"));
        TreeSet<String> named = Pattern.compile("(?m)^  ([a-z]+) ")
                .matcher(usage)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(named)
                .isEqualTo(Reprobe.commandLine().getSubcommands().entrySet().stream()
                        .filter(each ->
                                !each.getValue().getCommandSpec().usageMessage().hidden())
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "list",
                "validate",
                "run",
                "serve",
                "plan",
                "report",
                "check",
                "doctor",
                "calibrate",
                "merge",
                "regress compare",
                "regress pair",
                "regress history"
            })
    void everyReportingCommandWritesJsonAndDocumentsItsFields(String words) {
        CommandSpec command = command(words);
        assertThat(command.findOption("--json")).isNotNull();
        assertThat(command.usageMessage().footer()).as("fields").anyMatch(line -> line.startsWith("JSON: "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "serve", "plan", "report", "merge", "check", "calibrate", "regress pair"})
    void everyCommandThatTakesLongCanBeQuiet(String words) {
        assertThat(command(words).findOption("-q")).isNotNull();
    }

    /** An option of one name is the same option everywhere, from one mixin. */
    @Test
    void optionsThatCommandsShareAreDeclaredOnce() {
        Map<String, TreeSet<String>> declared = new TreeMap<>();
        for (String words : List.of("run", "serve", "plan", "check", "calibrate", "validate", "regress pair")) {
            for (OptionSpec option : command(words).options()) {
                if (List.of("--seed", "--jobs", "--json", "--quiet", "--set", "--scale", "--token-file")
                        .contains(option.longestName())) {
                    declared.computeIfAbsent(option.longestName(), _ -> new TreeSet<>())
                            .add(String.valueOf(option.userObject()));
                }
            }
        }
        assertThat(declared)
                .hasSize(7)
                .allSatisfy((name, fields) -> assertThat(fields).as(name).hasSize(1));
    }

    @ParameterizedTest
    @CsvSource({
        "8, '1:2: must be I/N, shard I of N with I from 1 to N, like 3/8',2",
        "9/8, '1:1: I must be from 1 to 8',1",
        "0/8, '1:1: I must be from 1 to 8',1",
        "3/0, '1:3: N must be from 1 to 10000',3",
        "3/8x, '1:4: must be I/N, shard I of N with I from 1 to N, like 3/8',4",
        "three, '1:1: must be I/N, shard I of N with I from 1 to N, like 3/8',1"
    })
    void aShardThatIsNoneIsShownWithAMark(String shard, String message, int column) {
        CommandResult ended = CommandResult.of("run", "figure-07", "--shard", shard, "--out", "results/none");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err().lines())
                .containsExactly(
                        "--shard " + shard + ":" + message,
                        "    1 | " + shard,
                        "      | " + " ".repeat(column - 1) + "^");
    }

    @Test
    void emptyShardsAndMergesAreReported(@TempDir Path folder) throws Exception {
        assertThat(CommandResult.of("run", "figure-07", "--shard", "1/2").err())
                .contains("--shard 1/2: needs --out DIR");
        assertThat(CommandResult.of("merge", folder.toString()).err()).contains("has no shards");
        assertThat(CommandResult.of("merge", folder.resolve("none").toString()).err())
                .contains("no such folder");
        Files.writeString(folder.resolve("thesis.tex"), "");
        assertThat(CommandResult.of("run", "figure-07", "--shard", "1/2", "--out", folder.toString())
                        .err())
                .contains("has other contents");
    }

    @Test
    void aDryRunShowsShards() {
        CommandResult ended = CommandResult.of("run", "figure-07", "--shard", "1/4", "--dry-run");
        assertThat(ended.err()).contains("--shard 1/4: needs --out");
        ended = CommandResult.of("run", "figure-07", "--shard", "1/4", "--dry-run", "--out", "results/none");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).containsPattern("4/4 +\\d+ +\\d+ +\\d+ s").contains("(speed-up ");
        assertThat(Path.of("results/none")).doesNotExist();
    }

    @Test
    void outOfRangeAndInvalidValuesAreReportedTogether() {
        CommandResult ended = CommandResult.of(
                "check",
                "--schedules=-1",
                "--bound",
                "few",
                "--seed=x",
                "--system",
                "nessie-delte",
                "--configurations=0");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err().lines())
                .contains(
                        "--bound few: must be a whole number, 0 or more",
                        "--seed x: must be a whole number, 0 or more",
                        "--schedules -1: must be a whole number, 0 or more",
                        "--configurations 0: must be a whole number from 1")
                .anyMatch(line -> line.contains("did you mean \"nessie-delete\"?"))
                .hasSize(5);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "figure-07 | did you mean \"run figure-07\"?",
                "linear-probing/figure-07 | did you mean \"run linear-probing/figure-07\"?",
                "some/kv.yaml | did you mean \"run some/kv.yaml\"?",
                "run figure-07 --fabric InfiniBand | did you mean \"verbs\"?",
                "run figure-07 --seed -1 | --seed -1: must be a whole number, 0 or more",
                "run figure-07 --set sweep.load-factor=0.5,0.7 | a list is written [0.5,0.7]",
            })
    void frequentMistakesAreAnsweredWithWhatToType(String line, String answer) {
        CommandResult ended = CommandResult.of((Object[]) line.split(" "));
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err()).contains(answer);
    }

    @ParameterizedTest
    @CsvSource({
        "plan --verfiy, --verify",
        "regress pari, pair",
        "plna, plan",
        "tets, test",
        "run --quite, --quiet",
        "completion bahs, bash",
        "run figure-07 --fabric smh, shm",
        "run figure-07 --scale ful, full",
        "run figure-07 --nic connectx5-erd, connectx5-edr"
    })
    void misspeltNamesAreReportedWithASuggestion(String words, String meant) {
        CommandResult ended = CommandResult.of((Object[]) words.split(" "));
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err()).contains("did you mean \"" + meant + "\"?");
    }

    @Test
    void helpIsShownDespiteOtherErrors() {
        CommandResult ended = CommandResult.of("run", "--jobs", "none", "--help");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).startsWith("Usage: ./run.sh run");
    }

    @Test
    void aTokenBehindAnAddressIsRefusedAndNotRepeated() {
        CommandResult ended = CommandResult.of("drive", "figure-07", "--server", "10.0.0.7:7000#0123456789abcdef");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .startsWith("--server 10.0.0.7:7000: contains a token")
                .doesNotContain("0123456789abcdef", "Missing required");
    }

    @Test
    void theScriptsOwnStepsAreMarked() {
        CommandResult ended = CommandResult.of("vm", "uname", "-a");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(CommandResult.of("bench").err()).contains("a command of run.sh");
    }

    @Test
    void aPageNeedsAFreePortAndRunsInThisProcess() throws Exception {
        Path file = TinyScenario.write(dir, "tiny", 1);
        Path out = dir.resolve("out");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(CommandResult.of("run", file, "--live", taken.getLocalPort(), "--out", out)
                            .err())
                    .contains("--live " + taken.getLocalPort() + ": this port can't be used");
        }
        assertThat(CommandResult.of("run", "--live", "70000", file, "--out", out)
                        .err())
                .contains("--live 70000: must be a whole number from 0 to 65535");
        assertThat(CommandResult.of("run", "--live", file, "--dry-run").err())
                .isEqualTo("--live: only with runs in this process, not with --dry-run, --shard or --on\n");
        assertThat(out).doesNotExist();
    }

    @Test
    void runsThatCannotBeProfiledAreRefusedBeforehand() throws Exception {
        Path file = TinyScenario.write(dir, "tiny", 1);
        Path out = dir.resolve("out");
        assertThat(CommandResult.of("run", file, "--profile", "--shard", "1/2", "--out", out)
                        .err())
                .contains("--profile: not for shards");
        assertThat(CommandResult.of(
                                "serve", file, "--fabric", "shm", "--profile", "--listen", "127.0.0.1:0", "--out", out)
                        .err())
                .contains("--profile: not with clients that are started by hand");
        Path elsewhere = Files.writeString(dir.resolve("far.yaml"), TinyScenario.yaml(1) + "hosts: {server: far}\n");
        assertThat(CommandResult.of("run", elsewhere, "--fabric", "shm", "--profile", "--out", out)
                        .err())
                .contains("--profile: far runs on other hosts; only processes of this host are profiled");
        Path own = Files.writeString(dir.resolve("own.yaml"), """
                title: Own
                scheme: command
                fabric: shm
                command:
                  run: [sh, -c, "echo '{\\"ops\\": 5}'"]
                  metrics: {throughput: {from: ops, unit: ops/s}}
                """);
        assertThat(CommandResult.of("run", own, "--profile", "--out", out).err())
                .contains("--profile: own runs other programs, which Flight Recorder can't profile");
        assertThat(out).doesNotExist();
    }

    @Test
    void profiledMeasurementsAreComparedWithProfiledOnesOnly() throws Exception {
        Path plain = measured("plain", "");
        Path profiled = measured("profiled", ", \"profiled\": \"by Flight Recorder\"");
        CommandResult refused = CommandResult.of("regress", "compare", plain, profiled);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("was run with settings other than those of", "profiled absent and yes");
        assertThat(CommandResult.of("regress", "compare", profiled, profiled).err())
                .doesNotContain("other settings");
    }

    private Path measured(String name, String environment) throws Exception {
        Path folder = Files.createDirectories(dir.resolve(name));
        Files.writeString(
                folder.resolve("status.json"),
                "{\"format\":1,\"status\":\"complete\",\"done\":1,\"planned\":1,\"command\":\"x\",\"scenarios\":[\"t\"],\"combined\":false}");
        Files.writeString(folder.resolve("environment.json"), "{\"cpu\": \"made up\"" + environment + "}");
        Files.writeString(folder.resolve("scenario.yaml"), "title: T\nfabric: shm\n");
        Files.writeString(
                folder.resolve("measurements.jsonl"),
                "{\"scenario\": \"t\", \"cell\": {\"load-factor\": 0.5}, \"repeat\": 0, \"seed\": 1, \"fabric\": \"shm\","
                        + " \"kind\": \"measured\", \"valid\": true, \"metrics\": {\"throughput_ops_per_s\": 1000.0}}\n");
        return folder;
    }

    @Test
    void jsonInPlaceOfTextIsJsonAlone() throws Exception {
        JsonNode list = CommandResult.of("list", "--json", "-").json();
        assertThat(list.path("scenarios")
                        .valueStream()
                        .map(each -> each.path("name").stringValue()))
                .contains("figure-07", "write-ratio");
        assertThat(list.path("papers").size()).isEqualTo(4);

        Path bad = dir.resolve("bad.yaml");
        Files.writeString(bad, TinyScenario.yaml(2).replace("records: 4096", "recrods: 4096"));
        CommandResult validated = CommandResult.of("validate", bad, TinyScenario.write(dir, "good", 2), "--json", "-");
        assertThat(validated.exitCode()).isEqualTo(2);
        JsonNode problem = validated.json().path("problems").path(0);
        assertThat(problem.path("file").stringValue()).isEqualTo(bad.toString());
        assertThat(problem.path("line").intValue()).isEqualTo(4);
        assertThat(problem.path("column").intValue()).isEqualTo(9);
        assertThat(problem.path("message").stringValue()).contains("did you mean \"records\"");
        JsonNode good = validated.json().path("files").path(1);
        assertThat(good.path("valid").booleanValue()).isTrue();
        assertThat(good.path("runs").path("quick").intValue()).isEqualTo(12);

        JsonNode doctor = CommandResult.of("doctor", "--json", "-").json();
        assertThat(doctor.path("findings").isEmpty()).isFalse();
        assertThat(doctor.path("fit").isBoolean()).isTrue();

        JsonNode checked = CommandResult.of("check", "--system", "nessie-delete", "--schedules", 20, "--json", "-")
                .json();
        assertThat(checked.path("holds").booleanValue()).isTrue();
        assertThat(checked.path("systems").path(0).path("random").intValue()).isEqualTo(20);
        JsonNode broken = CommandResult.of(
                        "check", "--system", "nessie-printed-slow-read", "--schedules", 0, "--json", "-")
                .json();
        assertThat(broken.path("counterexamples").path(0).path("replay").stringValue())
                .contains("./run.sh check --system nessie-printed-slow-read --replay");
    }

    @Test
    void aListThatTheShellDividedIsToBeQuoted() throws Exception {
        CommandResult ended = CommandResult.of("run", "figure-07", "--set", "sweep.load-factor=[0.5,", "0.7]");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err().lines())
                .containsExactly("--set sweep.load-factor=[0.5, 0.7]: a list with blanks must be quoted:"
                        + " --set 'sweep.load-factor=[0.5, 0.7]'");
    }

    @Test
    void aWrongSeedOrProfileIsReportedOnceByItsOption() throws Exception {
        assertThat(CommandResult.of("run", "figure-07", "--seed", "-1").err().lines())
                .containsExactly("--seed -1: must be a whole number, 0 or more");
        assertThat(CommandResult.of("calibrate", "--fabric", "sim", "--nic", "cx7")
                        .err())
                .startsWith("--nic cx7: there is no NIC profile \"cx7\"")
                .contains("did you mean \"connectx7\"?");
    }

    @Test
    void aSchemesTrialNamesAreListed() throws Exception {
        CommandResult ended = CommandResult.of("check", "--system", "linear-variable");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains("--system linear-variable: is explored as locked-updates-linear, locked-updates-");
    }

    @Test
    void theQuietGetResultsWithoutHeaderAndJsonBesides() throws Exception {
        Path file = TinyScenario.write(dir, "tiny", 1);
        Path json = dir.resolve("run.json");
        CommandResult loud = CommandResult.of(
                "run", file, "--out", dir.resolve("loud"), "--profile", "--json", dir.resolve("loud.json"));
        CommandResult quiet = CommandResult.of("run", file, "--out", dir.resolve("quiet"), "--quiet", "--json", json);
        assertThat(loud.out())
                .contains("# Reprobe", "# seed: 1", "# results:")
                .contains("Profile, harness: ", "jfr view hot-methods " + dir.resolve("loud/profiles/harness-0.jfr"));
        assertThat(dir.resolve("loud.json")).content().contains("\"role\" : \"harness\"", "\"native_samples\"");
        assertThat(dir.resolve("loud/environment.json")).content().contains("\"profiled\" : \"by Flight Recorder");
        assertThat(dir.resolve("loud/report.html")).content().contains("<dt>profiled</dt>");
        assertThat(CommandResult.of("run", "--resume", dir.resolve("quiet"), "--profile")
                        .err())
                .contains("--profile: not with --resume");
        assertThat(quiet.exitCode()).isZero();
        assertThat(loud.out()).contains("cuckoo-parallel,load-factor=0.25");
        assertThat(quiet.out())
                .startsWith("Warning, 6 runs")
                .contains("Claims: none", "Report: ", "simulated, not measured")
                .doesNotContain("# ", "± 95 %");
        assertThat(CommandResult.of("report", dir.resolve("quiet"), "-q").out()).isEqualTo(quiet.out());
        assertThat(CommandResult.of("report", dir.resolve("quiet"), "--verbose").out())
                .contains("cuckoo-parallel,load-factor=0.25");
        JsonNode cells = JsonMapper.shared().readTree(Files.readString(json)).path("cells");
        assertThat(cells.size()).isEqualTo(6);
        assertThat(cells.path(0).path("metrics").path("throughput_ops_per_s").doubleValue())
                .isPositive();
        JsonNode report = CommandResult.of("report", dir.resolve("quiet"), "--json", "-", "-q")
                .json();
        assertThat(report.path("cells")).isEqualTo(cells);
    }

    @Test
    void manyCellsAndMissesFillOneScreenAndTheRestIsOnRequest() throws Exception {
        Path project = dir.resolve("project");
        Path paper = Files.createDirectories(project.resolve("scenarios/paper"));
        Path out = dir.resolve("out");
        StringBuilder claims = new StringBuilder("""
                paper: {name: paper, title: Title, authors: [A. N. Author], venue: Nowhere, year: 2026}
                claims:
                """);
        for (int i = 0; i < 40; i++) {
            claims.append("""
                      - id: paper/rates/at-%1$d
                        source: Figure %1$d
                        text: there are %1$d billion lookups per second, and no other number is meant by these words
                        scenario: one
                        value: {metric: throughput_ops_per_s, cell: {load-factor: 0.%1$02d}, scale: 1e-9}
                        published: %1$d
                        tolerance: {percent: 1}
                        unit: G lookups/s
                    """.formatted(10 + i));
        }
        Files.writeString(
                Files.createDirectories(project.resolve("results/published")).resolve("paper.yaml"), claims);
        String factors = IntStream.range(10, 60).mapToObj(i -> "0." + i).collect(Collectors.joining(", "));
        String scenario = """
                title: Title
                reproduces: [paper/rates]
                table: {records: 1024, record-bytes: 16}
                clients: {machines: 1, threads: 1}
                sweep: {load-factor: [%s]}
                scheme: cuckoo-parallel
                connection: {send-queue: 4}
                measure: {repeats: 2, warm-up-ms: 0.05, duration-ms: 0.1}
                """.formatted(factors);
        Files.writeString(paper.resolve("one.yaml"), scenario);
        Files.writeString(paper.resolve("two.yaml"), scenario.replace("reproduces: [paper/rates]\n", ""));
        System.setProperty("reprobe.project", project.toString());
        System.setProperty("reprobe.columns", "100");
        try {
            CommandResult run = CommandResult.of("run", "paper", "--out", out);
            assertThat(run.exitCode()).as(run.err()).isZero();
            List<String> lines = (run.out() + run.err()).lines().toList();
            assertThat(lines.stream()
                            .mapToInt(line -> 1 + (line.length() - 1) / 100)
                            .sum())
                    .as(() -> String.join("\n", lines))
                    .isLessThanOrEqualTo(60);
            assertThat(lines)
                    .filteredOn(line -> line.startsWith("there are "))
                    .hasSize(25)
                    .allMatch(line -> line.length() <= 100 && line.contains("billion lookups"));
            assertThat(run.out())
                    .contains("40 missed", "and 15 other missed claims in the report")
                    .contains("Tables of all cells: ./run.sh report " + out + " --verbose");
            CommandResult verbose = CommandResult.of("report", out, "--verbose");
            assertThat(verbose.out().lines())
                    .filteredOn(line -> line.contains("M lookups/s, us"))
                    .hasSize(100);
            assertThat(verbose.out()).contains("paper/rates/at-49");
        } finally {
            System.clearProperty("reprobe.project");
            System.clearProperty("reprobe.columns");
        }
    }

    @Test
    void figuresAreDrawnAgainForAColumnAndSizesThatDoNotFitAreRefused() throws Exception {
        Path out = dir.resolve("out");
        CommandResult.of("run", TinyScenario.write(dir, "tiny", 1), "--out", out);
        String before = Files.readString(out.resolve("figure-7.svg"));

        assertThat(CommandResult.of(
                                "report",
                                out,
                                "--figure-width",
                                "84mm",
                                "--figure-height",
                                "50mm",
                                "--figure-font",
                                "7pt",
                                "--figure-serif")
                        .exitCode())
                .isZero();
        assertThat(Files.readString(out.resolve("figure-7.svg")))
                .contains("width=\"238.11pt\" height=\"141.", "DejaVu Serif");
        assertThat(CommandResult.of("report", out).exitCode()).isZero();
        assertThat(out.resolve("figure-7.svg")).hasContent(before);

        for (String[] wrong : new String[][] {
            {"--figure-width", "20mm", "must be a width of 40mm to 1000mm, such as 84mm, 3.33in or 240pt"},
            {"--figure-width", "84", "must be a width of 40mm to 1000mm"},
            {"--figure-font", "8pt", "needs --figure-width"},
            {"--figure-width=84mm", "--figure-font=12pt", "is too large for that size: at most 10.6pt"},
            {"--figure-height=50mm", "--figure-serif", "--figure-height: needs --figure-width"}
        }) {
            CommandResult ended = CommandResult.of("report", out, wrong[0], wrong[1]);
            assertThat(ended.exitCode()).isEqualTo(2);
            assertThat(ended.err()).contains(wrong[2]);
        }
        assertThat(CommandResult.of("report", out, out, "--figure-width", "84mm")
                        .err())
                .contains("--figure-width: only with one folder");
    }

    @Test
    void aReportIsOpenedByTheDesktopsProgram() {
        assertThat(OpenOption.opener("Mac OS X", Map.of())).isEqualTo("open");
        assertThat(OpenOption.opener("Linux", Map.of("DISPLAY", ":0"))).isEqualTo("xdg-open");
        assertThat(OpenOption.opener("Linux", Map.of("WAYLAND_DISPLAY", "wayland-0")))
                .isEqualTo("xdg-open");
        assertThat(OpenOption.opener("Linux", Map.of("WSL_DISTRO_NAME", "Debian", "DISPLAY", ":0")))
                .isEqualTo("wslview");
        assertThat(OpenOption.opener("Linux", Map.of("TERM", "xterm"))).isNull();
    }

    @Test
    void resultsKeepTheCommandWithoutDisplayOptions() throws Exception {
        Path file = TinyScenario.write(dir, "tiny", 1);
        Path out = dir.resolve("out");
        CommandResult.of(
                "run", "--quiet", "--scale=full", file, "--set", "seed=3", "--json", dir.resolve("j"), "--out", out);
        assertThat(JsonMapper.shared()
                        .readTree(Files.readString(out.resolve("status.json")))
                        .path("command")
                        .stringValue())
                .isEqualTo("./run.sh run " + file + " --scale full --set seed=3 --out " + out);
    }

    @Test
    void aFolderRecordsTheCommandOfEachOfItsFiles() throws Exception {
        Path folder = Files.createDirectory(dir.resolve("both"));
        Path a = TinyScenario.write(folder, "a", 1);
        TinyScenario.write(folder, "b", 1);
        Path out = dir.resolve("out");
        assertThat(CommandResult.of(
                                "run", folder, "--jobs", 1, "--seed", 5, "--set", "table.records=2048", "--out", out)
                        .exitCode())
                .isZero();
        assertThat(JsonMapper.shared()
                        .readTree(Files.readString(out.resolve("environment.json")))
                        .path("command-of-a")
                        .stringValue())
                .isEqualTo("./run.sh run " + a + " --set table.records=2048 --seed 5");
    }

    @Test
    void aRunWithIntervalsPrintsThemAndOneWithTooFewProfilesIsRefused() throws Exception {
        Path file = TinyScenario.write(dir, "tiny", 1);
        CommandResult made = CommandResult.of("run", file, "--intervals", 10, "--out", dir.resolve("out"));
        assertThat(made.exitCode()).isZero();
        assertThat(made.out())
                .contains("predicted, 90 % interval of the card's constants (medians):")
                .containsPattern("linear-fixed,load-factor=0.5 +[0-9.]+ +[0-9.]+ to [0-9.]+ ");
        CommandResult refused = CommandResult.of("run", file, "--intervals", 5, "--out", dir.resolve("other"));
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("--intervals 5: must be a whole number from 10 to 1000");
    }

    @Test
    void aShellCompletesCommandsOptionsValuesScenariosAndFiles() throws Exception {
        assumeThat(Path.of("/bin/bash")).exists();
        Path script = dir.resolve("completion");
        CommandResult printed = CommandResult.of("completion", "bash");
        assertThat(printed.exitCode()).isZero();
        Files.writeString(script, printed.out() + """

            complete_words() {
              COMP_WORDS=("$@")
              COMP_CWORD=$(($# - 1))
              COMPREPLY=()
              local spec
              spec=$(complete -p run.sh)
              spec=${spec#*-F }
              "${spec%% *}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
              echo "${COMPREPLY[*]}"
            }
            """);
        for (String[] each : new String[][] {
            {"./run.sh re", "reference regress report"},
            {"./run.sh run --f", "--fabric --filter"},
            {"./run.sh run --fabric s", "shm sim"},
            {"./run.sh run --prof", "--profile"},
            {"./run.sh run --scale q", "quick"},
            {"./run.sh run figure-0", "figure-06 figure-07 figure-09 figure-09-all-threads"},
            {"./run.sh run figure-07 --nic connectx5", "connectx5 connectx5-edr connectx5-roce"},
            {"./run.sh regress p", "pair"},
            {"./run.sh regress pair --bud", "--budget"},
            {"./run.sh regress compare a b --format g", "github-action-benchmark go google-benchmark"},
            {"./run.sh check --system pilaf-d", "pilaf-delete pilaf-derived"},
            {"./run.sh be", "bench"},
            {"./run.sh pee", ""},
            {"./run.sh validate ./no-name", ""}
        }) {
            Process bash = new ProcessBuilder("/bin/bash", "-c", ". " + script + "; complete_words " + each[0])
                    .redirectErrorStream(true)
                    .start();
            String output = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            List<String> words = new ArrayList<>(List.of(output.split(" ")));
            words.sort(null);
            assertThat(String.join(" ", words)).as(each[0]).isEqualTo(each[1]);
        }
    }
}
