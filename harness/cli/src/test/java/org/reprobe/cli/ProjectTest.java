package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.run.TinyScenario;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;

/** A user's project: the example is compiled against the program only, and used by {@code --project}. */
class ProjectTest {
    private static final Path EXAMPLE = Project.path("harness/examples/robin-hood");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path made;

    /** The unmodified example's jar. */
    @SuppressWarnings("NullAway.Init")
    private static Path right;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @SuppressWarnings("NullAway.Init")
    private Path project;

    @SuppressWarnings("NullAway.Init")
    private Path jar;

    private record CommandResult(int exitCode, String out, String err) {}

    @BeforeAll
    static void compileTheExample() throws IOException {
        right = compile(EXAMPLE.resolve("src"), made);
    }

    @BeforeEach
    void copyTheExample() throws IOException {
        project = dir.resolve("project");
        ExampleProject.copy(EXAMPLE.resolve("scenarios"), project.resolve("scenarios"));
        ExampleProject.copy(EXAMPLE.resolve("results"), project.resolve("results"));
        jar = right;
    }

    private static Path compile(Path source, Path into) throws IOException {
        Path made = into.resolve("robin-hood.jar");
        ExampleProject.compile(source, into.resolve("classes"), made);
        return made;
    }

    private CommandResult run(String... arguments) throws IOException, InterruptedException {
        return start("org.reprobe.cli.Reprobe", arguments);
    }

    private CommandResult conformance() throws IOException, InterruptedException {
        return start("org.example.robinhood.RobinHoodTest", project.toString());
    }

    private CommandResult start(String main, String... arguments) throws IOException, InterruptedException {
        List<String> command = TinyScenario.jvm(
                "-Dreprobe.project=" + project,
                "-cp",
                System.getProperty("java.class.path") + java.io.File.pathSeparator + jar,
                main);
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectOutput(dir.resolve("out").toFile())
                .redirectError(dir.resolve("err").toFile())
                .start();
        if (!process.waitFor(10, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        return new CommandResult(
                process.waitFor(), Files.readString(dir.resolve("out")), Files.readString(dir.resolve("err")));
    }

    @Test
    void aSystemOfOnesOwnIsRunAndJudgedByPublishedNumbersOfOnesOwn() throws Exception {
        Path out = dir.resolve("results-of-it");
        CommandResult ended = run("run", "early-stop", "--out", out.toString(), "--jobs", "1", "--strict");
        assertThat(ended.exitCode()).as(ended.out() + ended.err()).isZero();
        assertThat(ended.out()).contains("NIC my-card (My card)", "Claims: 3 of 3 hold");
        assertThat(out.resolve("latency.svg")).exists();
        assertThat(out.resolve("report.html")).exists();
        assertThat(Files.readString(out.resolve("scenario.yaml"))).contains("scheme: robin-hood");
    }

    @Test
    void itsKeysAreValidatedListedAndCompleted() throws Exception {
        assertThat(run("reference").out()).contains("robin-hood:", "read-slots: 4", "Slots of one READ");
        assertThat(run("reference", "--schema").out()).contains("\"robin-hood.read-slots\"");
        assertThat(run("list").out()).contains("early-stop", "figure-07");
        Path wrong = Files.writeString(
                dir.resolve("wrong.yaml"),
                "title: x\nscheme: robin-hood\nrobin-hood: {read-slots: 0, read-slot: 3}\ntable: {storage: heap}\n");
        CommandResult ended = run("validate", wrong.toString());
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.out() + ended.err())
                .contains(
                        "3:26: read-slots must be a whole number from 1 to 1024, but is 0",
                        "unknown key \"read-slot\"; did you mean \"read-slots\"?",
                        "4:18: storage has no effect on scheme robin-hood");
    }

    @Test
    void faultsOfASystemWithoutReconnectionAreRefused() throws Exception {
        Path faults = Files.writeString(
                dir.resolve("faults.yaml"), "title: x\nscheme: robin-hood\nfaults: [{kind: crash, at-ms: 2}]\n");
        CommandResult ended = run("validate", faults.toString());
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.out() + ended.err())
                .contains("3:10: clients of scheme robin-hood do not reconnect after a fault: its system does not read"
                        + " connection.timeout");
    }

    @Test
    void aSystemThatStatesItsNetworkDemandIsPlanned() throws Exception {
        CommandResult ended = run(
                "plan",
                "--schemes=robin-hood",
                "--nic=my-card",
                "--records=1e9",
                "--value-bytes=8",
                "--lookups-per-second=10e6",
                "--memory-per-server-gib=64",
                "--verify=1");
        assertThat(ended.exitCode()).as(ended.out() + ended.err()).isZero();
        assertThat(ended.out()).contains("My card", "A lookup takes 1.17 READs", "one lookup at a time");
        assertThat(ended.err()).contains("not simulated: clients of robin-hood can't issue lookups at a given rate");
        assertThat(run("reference", "plan", "--schema").out()).contains("\"robin-hood\"");
    }

    @Test
    void aSystemWhoseClientsOnlyReadHasNothingToExplore() throws Exception {
        CommandResult ended = run("check", "--system", "robin-hood");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains("--system robin-hood: has no schedules to explore")
                .contains("clients only read");
    }

    /** Projects don't change the meaning of commands: read-slots is also a key of another system. */
    @Test
    void lastPartsOfKeysMeanWhatTheyMeant() throws Exception {
        CommandResult ended = run("run", "figure-10", "--dry-run", "--set", "read-slots=[3, 5]");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).contains("linear-variable,load-factor=0.5,read-slots=3 ");
    }

    /** Uses the kit that tests Reprobe's own systems, including faults. */
    @Test
    @Nightly(besides = "ConformanceTest")
    void itIsTestedAsOurOwnSystemsAre() throws Exception {
        CommandResult ended = conformance();
        assertThat(ended.exitCode()).as(ended.out() + ended.err()).isZero();
    }

    private static List<Arguments> faults() {
        return List.of(
                Arguments.of(
                        "RobinHoodClient",
                        "table.distance(here, slot) < distance",
                        "table.distance(here, slot) <= distance",
                        "a lookup of key"),
                Arguments.of(
                        "PlannedRobinHood",
                        "Map.of(\"robin-hood.read-slots\", readSlots)",
                        "Map.of(\"robin-hood.read-slots\", 1)",
                        "READs per lookup: "),
                Arguments.of(
                        "RobinHoodClient",
                        "value = local.get(WORD, (long) i * RobinHoodTable.SLOT_BYTES",
                        "value = local.get(WORD, 0",
                        "a lookup of key"),
                Arguments.of(
                        "RobinHoodDeployment",
                        "settings.section(RobinHoodSettings.class).readSlots()",
                        "4",
                        "robin-hood.read-slots: no value changes"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    @Nightly(besides = "DerivedSystemTest: seeded faults are found")
    void aFaultIsFoundOut(String type, String right, String wrong, String words) throws Exception {
        ExampleProject.copy(EXAMPLE.resolve("src"), dir.resolve("src"));
        Path file = dir.resolve("src/main/java/org/example/robinhood/" + type + ".java");
        String source = Files.readString(file);
        assertThat(source).contains(right);
        Files.writeString(file, source.replace(right, wrong));
        jar = compile(dir.resolve("src"), dir);
        CommandResult ended = conformance();
        assertThat(ended.exitCode()).as(ended.out() + ended.err()).isEqualTo(1);
        assertThat(ended.out()).contains(words);
    }
}
