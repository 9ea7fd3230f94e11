package org.reprobe.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.foreign.Unit;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.run.TinyScenario;

/**
 * Scenarios of {@code scheme: command}: parameters of the user's programs, and refusals before any program is started.
 */
class CommandScenarioTest {
    private static final String GOOD = """
            title: x
            scheme: command
            fabric: tcp
            command:
              run: [echo, hello]
              metrics: {throughput: {from: ops, unit: ops/s}}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @Test
    void parametersAreKeysThatCanBeSweptRuledAndSet() throws Exception {
        String text = """
                title: x
                scheme: command
                fabric: tcp
                command:
                  parameters: {bytes: 64, mode: read}
                  run: [bench, "{bytes}", "{mode}", "{depth}", "{spin}"]
                  metrics: {throughput: {from: ops, unit: ops/s}}
                rules:
                  - {command.parameters.spin: 1}
                  - {when: {command.parameters.depth: 16}, command.parameters.spin: 2}
                  - {when: {command.parameters.mode: write}, command.parameters.spin: 3}
                sweep:
                  command.parameters.depth: [1, 16]
                skip:
                  - {command.parameters.depth: 99}
                figures:
                  - {name: f, x: command.parameters.depth, y: operations}
                """;

        Scenario scenario = read(text);

        assertThat(scenario.cells())
                .extracting(cell -> cell.cell().label())
                .containsExactly("command,depth=1,load-factor=0.5", "command,depth=16,load-factor=0.5");
        assertThat(scenario.cells())
                .extracting(cell -> cell.values().get("command.parameters"))
                .containsExactly(
                        "{\"bytes\":64,\"mode\":\"read\",\"depth\":1,\"spin\":1}",
                        "{\"bytes\":64,\"mode\":\"read\",\"depth\":16,\"spin\":2}");
        assertThat(read(text, "command.parameters.mode=write", "command.parameters.depth=7")
                        .cells())
                .extracting(cell -> cell.values().get("command.parameters"))
                .containsExactly("{\"bytes\":64,\"mode\":\"write\",\"depth\":7,\"spin\":3}");
    }

    @Test
    void aResolvedScenarioHasTheSameCells() throws Exception {
        Scenario scenario = read(GOOD.replace("hello", "\"{mine}\"") + "sweep: {command.parameters.mine: [a, b]}\n");
        Path resolved = Files.writeString(dir.resolve("resolved.yaml"), scenario.resolvedYaml());

        Scenario again = new ScenarioReader(TinyScenario.NICS).readStored(resolved, Scale.FULL);

        assertThat(again.cells()).isEqualTo(scenario.cells());
    }

    @Test
    void aParameterCanBeTheEmptyText() throws Exception {
        String text = GOOD.replace("hello", "\"{mine}\"");
        String declared = text.replace("metrics:", "parameters: {mine: \"\"}\n  metrics:");

        assertThat(read(declared).cells()).hasSize(1);
        assertThat(read(declared + "sweep: {command.parameters.mine: [\"\", a]}\n")
                        .cells())
                .hasSize(2);
        assertThatThrownBy(() -> read(text + "sweep: {load-factor: [0.5, 0.6]}\nrules:\n"
                        + "- {when: {load-factor: 0.5}, command.parameters.mine: a}\n"))
                .as("in the other cell it has no value")
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("{mine}, which is neither a parameter nor a key");
    }

    @Test
    void resultsThatDifferInAParameterAreDistinguished() throws Exception {
        Scenario scenario = read(GOOD.replace("hello", "\"{mine}\"") + "sweep: {command.parameters.mine: [a, b]}\n");
        String fixed = read(GOOD.replace("run: [echo, hello]", "run: [echo, \"{mine}\"]\n  parameters: {mine: a}"))
                .resolvedYaml();

        Map<String, String> swept = StoredSettings.of("s", scenario.resolvedYaml(), false)
                .comparable(scenario.cells().getFirst().cell(), Kind.MEASURED);
        Map<String, String> own = StoredSettings.of("s", fixed, false)
                .comparable(read(GOOD).cells().getFirst().cell(), Kind.MEASURED);

        assertThat(swept).doesNotContainKeys("command.parameters", "command.parameters.mine");
        assertThat(own).containsEntry("command.parameters.mine", "a");
    }

    @Test
    void unitsAreThoseThatAreRead() throws Exception {
        for (String unit : Unit.words()) {
            assertThat(read(GOOD.replace("throughput:", "mine:").replace("unit: ops/s", "unit: \"" + unit + "\""))
                            .cells())
                    .hasSize(1);
        }
        assertThat(refused("unit: ops/s", "unit: furlongs/fortnight")).contains(String.join(", ", Unit.words()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            fabric: tcp | fabric: sim | 3:9: external programs are measured, not simulated: set fabric to verbs, tcp or shm, whichever they use
            hello | "{bites}" | 5:8: command.run has {bites}, which is neither a parameter nor a key: write command.parameters.bites, or {{bites}} for itself
            hello | "{load-facter}" | 5:8: command.run has {load-facter}, which is neither a parameter nor a key; did you mean "load-factor"?
            [echo, hello] | [echo hello] | 5:8: command.run is one word with spaces in it: write the program and its arguments as a list, or [sh, -c, "echo hello"]
            [echo, hello] | echo | 5:8: run must be a list, each text, but is "echo"
            run: [echo, hello] | start: [server] | 2:9: command.run must be the measuring program: run: [program, argument, ...]
            metrics: | start: [server]\\n  metrics: | 6:10: command.start has no {port} to wait for: give it {port}, or set command.ready to the line that the server prints when it is ready
            metrics: | start: [server]\\n  ready: "ready ["\\n  metrics: | 7:10: "ready [" is not a regular expression: unclosed character class
            metrics: | start: [server, "{port}", "{client}"]\\n  metrics: | 6:10: command.start has {client}, which only command.run has, and what it writes
            metrics: | stop: int\\n  metrics: | 6:9: stop has no effect: no server is started without command.start
            fabric: tcp | fabric: tcp\\ntable: {records: 5} | 4:18: records has no effect: no argument of command.start or command.run has {table.records}; add it where the program expects it
            fabric: tcp | fabric: tcp\\nhosts: {server: other} | 4:17: server has no effect: programs are started on this host; let them start programs on other hosts, for instance by ssh
            fabric: tcp | fabric: tcp\\nmeasure: {warm-up-ms: 5} | 4:23: warm-up-ms has no effect: no argument of command.start or command.run has {measure.warm-up-ms}; add it where the program expects it
            metrics: | parameters: {mine: 5}\\n  metrics: | 6:22: parameters.mine has no effect: no argument of command.start or command.run has {mine}; add it where the program expects it
            hello]| "{port}"]\\n  parameters: {port: 5} | 6:22: {port} is a placeholder for a value of the run: rename the parameter
            hello] | "{my_size}"]\\n  parameters: {my_size: 5} | 6:25: {my_size} is not a valid placeholder: the name of a parameter is small letters and digits, with single hyphens between
            hello] | "{Size}"]\\n  parameters: {Size: 5} | 6:22: {Size} is not a valid placeholder: the name of a parameter is small letters and digits, with single hyphens between
            unit: ops/s | unit: us | 6:12: command.metrics.throughput.unit must be one of ops/s, kops/s, Mops/s, Gops/s, but is us
            throughput: | througput: | 6:12: command.metrics.througput: did you mean "throughput"? Another number needs another name
            throughput: | Mine: | 6:12: command.metrics.Mine must be small letters, digits and single hyphens
            {throughput: {from: ops, unit: ops/s}} | {latency-p99: {from: l, unit: us, take: mean}} | 6:12: command.metrics.latency-p99: percentiles are neither added nor averaged; use a log of histograms, command.histograms
            {throughput: {from: ops, unit: ops/s}} | {latency-p99: {from: l, unit: us}}\\n  histograms: a.hlog | 6:12: command.metrics.latency-p99 comes from command.histograms: leave one of them out
            metrics: {throughput: {from: ops | format: text\\n  metrics: {throughput: {from: TPS | 7:12: command.metrics.throughput.from must have the number in parentheses, such as 'TPS: (\\d+)', but is TPS
            metrics: {throughput: {from: ops, unit: ops/s}} | format: csv | 5:8: no number is read: set command.metrics, or command.histograms, to the programs' results
            , unit: ops/s | `` | 6:13: key "unit" is missing in throughput
            """)
    void incompatibleKeysAreRefusedWithTheirPlace(String from, String to, String complaint) throws IOException {
        String plain = to.replace("\\n", "\n");
        assertThat(refused(from, plain)).startsWith("a.yaml:" + complaint + "\n");
    }

    private static final String SWEPT = GOOD.replace("hello", "\"{v}\"") + "sweep: {command.parameters.v: [%s]}\n";

    private static final String TEXTS =
            "3.10, 3.1, 010, 10, 0x10, 1E-7, 1.0, 1, 1e3, 1000, 18446744073709551615, 'true', \"yes\", True, a=b";

    @Test
    void parametersAreTheTextsThatAreWritten() throws Exception {
        Scenario scenario = read(SWEPT.formatted(TEXTS));
        Path json = Files.writeString(
                dir.resolve("a.json"),
                "{\"title\": \"x\", \"scheme\": \"command\", \"fabric\": \"tcp\", \"command\": {\"run\":"
                        + " [\"echo\", \"{v}\"], \"parameters\": {\"v\": 3.10},"
                        + " \"metrics\": {\"throughput\": {\"from\": \"ops\", \"unit\": \"ops/s\"}}}}");
        List<String> labels = Arrays.stream(TEXTS.replaceAll("['\"]", "").split(", "))
                .map(text -> "command,v=" + text + ",load-factor=0.5")
                .toList();

        assertThat(scenario.cells()).extracting(cell -> cell.cell().label()).isEqualTo(labels);
        assertThat(read(SWEPT.formatted("x"), "command.parameters.v=[" + TEXTS + "]")
                        .cells())
                .extracting(cell -> cell.cell().label())
                .isEqualTo(labels);
        assertThat(new ScenarioReader(TinyScenario.NICS)
                        .read(json, ScenarioReader.Options.of(Scale.QUICK))
                        .cells())
                .extracting(cell -> cell.values().get("command.parameters"))
                .containsExactly("{\"v\":\"3.10\"}");

        Path resolved = Files.writeString(dir.resolve("resolved.yaml"), scenario.resolvedYaml());
        assertThat(new ScenarioReader(TinyScenario.NICS)
                        .readStored(resolved, Scale.FULL)
                        .cells())
                .isEqualTo(scenario.cells());
    }

    @Test
    void conditionsAndFiltersMeanTheTextsThatAreWritten() throws Exception {
        String text = GOOD.replace("hello", "\"{v} {w}\"") + """
                sweep: {command.parameters.v: [3.1, 3.10, 1, 1.0, 010]}
                skip: [{command.parameters.v: 1}]
                rules:
                  - {command.parameters.w: a}
                  - {when: {command.parameters.v: 3.10}, command.parameters.w: 1.50}
                """;

        assertThat(read(text).cells())
                .extracting(cell -> cell.values().get("command.parameters"))
                .containsExactly(
                        "{\"v\":3.1,\"w\":\"a\"}",
                        "{\"v\":\"3.10\",\"w\":\"1.50\"}",
                        "{\"v\":\"1.0\",\"w\":\"a\"}",
                        "{\"v\":\"010\",\"w\":\"a\"}");
        for (String value : List.of("3.1", "3.10", "1.0", "010")) {
            assertThat(filtered(text, "v=" + value)).containsExactly("command,v=" + value + ",load-factor=0.5");
            assertThat(filtered(text, value)).containsExactly("command,v=" + value + ",load-factor=0.5");
        }
        assertThatThrownBy(() -> filtered(text, "v=3.100")).hasMessageContaining("no cell of a has v=3.100");
    }

    @Test
    void aFilterAcceptsEveryShownLabel() throws Exception {
        String text = GOOD.replace("hello", "\"{v}\", \"{w}\"") + """
                sweep:
                  command.parameters.v: [x, 'x,w=y', 'a,b', 'x"', '"q"', 'a,"b"']
                  command.parameters.w: [y, 'y,w=y', z]
                """;
        List<String> labels =
                read(text).cells().stream().map(cell -> cell.cell().label()).toList();
        for (String label : labels) {
            assertThat(filtered(text, label)).as(label).containsExactly(label);
        }
        assertThat(filtered(text, "a,b,w=z")).containsExactly("command,v=a,b,w=z,load-factor=0.5");
        assertThatThrownBy(() -> filtered(text, "v=a,c")).hasMessageContaining("no cell of a has v=a");
    }

    private List<String> filtered(String text, String filter) throws IOException, InvalidInputException {
        Path file = Files.writeString(dir.resolve("a.yaml"), text);
        return new ScenarioReader(TinyScenario.NICS)
                        .read(file, new ScenarioReader.Options(List.of(), null, null, Scale.QUICK, List.of(filter)))
                        .cells()
                        .stream()
                        .map(cell -> cell.cell().label())
                        .toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            true, "true"       | a.yaml:7:31: command.parameters.v has the same value more than once
            64, "64"           | a.yaml:7:31: command.parameters.v has the same value more than once
            3.10, "3.10"       | a.yaml:7:31: command.parameters.v has the same value more than once
            a, "b\\x01"        | a.yaml:7:35: command.parameters.v can't contain the control character U+0001: figures show it in labels
            a, "b\\tc"         | a.yaml:7:35: command.parameters.v can't contain the control character U+0009: figures show it in labels
            a, "b\\u2028"      | a.yaml:7:35: command.parameters.v can't contain the control character U+2028: figures show it in labels
            """)
    void ambiguousOrUndrawableTextsAreRefused(String values, String complaint) {
        assertThatThrownBy(() -> read(SWEPT.formatted(values.replace("\\\\", "\\"))))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(complaint);
    }

    @Test
    void titlesAndSetValuesHaveNoControlCharacters() {
        assertThatThrownBy(() -> read(GOOD.replaceFirst("title: .*", "title: \"a\\\\x07\"")))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("a.yaml:1:8: title can't contain the control character U+0007");
        assertThatThrownBy(() -> read(SWEPT.formatted("a"), "command.parameters.v=\"\\x1b[31m\""))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("can't contain the control character U+001B");
    }

    private Scenario read(String text, String... sets) throws IOException, InvalidInputException {
        Path file = Files.writeString(dir.resolve("a.yaml"), text);
        return new ScenarioReader(TinyScenario.NICS)
                .read(file, new ScenarioReader.Options(List.of(sets), null, null, Scale.QUICK));
    }

    /** Returns the problems of the valid scenario after a replacement. */
    private String refused(String from, String to) throws IOException {
        assertThat(GOOD).contains(from);
        InvalidInputException refused =
                catchThrowableOfType(InvalidInputException.class, () -> read(GOOD.replace(from, to)));
        assertThat(refused).as("nothing is refused").isNotNull();
        return String.valueOf(refused.getMessage()).replace(dir + "/", "");
    }
}
