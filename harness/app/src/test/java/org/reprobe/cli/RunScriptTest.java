package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.run.TinyScenario;
import org.reprobe.run.process.OwnJvm;

/** run.sh and needs.sh on a machine that has only the programs that a test gives it. Builds nothing. */
class RunScriptTest {
    private static final String NEEDS = "harness/needs.sh";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private record Ended(int exitCode, String said) {}

    @BeforeEach
    void machineWithoutRoot() throws IOException {
        for (String name : List.of("run.sh", NEEDS)) {
            Path copy = dir.resolve("project").resolve(name);
            Files.createDirectories(copy.getParent());
            Files.copy(TinyScenario.HOME.resolve(name), copy);
            assertThat(copy.toFile().setExecutable(true)).isTrue();
        }
        Files.createDirectory(dir.resolve("bin"));
        for (String name : List.of(
                "bash",
                "cat",
                "dirname",
                "find",
                "head",
                "mktemp",
                "mkdir",
                "readlink",
                "rm",
                "sed",
                "sh",
                "tail",
                "touch")) {
            program(
                    name,
                    "exec " + (Files.exists(Path.of("/usr/bin", name)) ? "/usr" : "") + "/bin/" + name + " \"$@\"");
        }
        program("id", "echo 1000");
        program("mvn", "echo \"mvn in $PWD\"; exit 1");
    }

    private void program(String name, String script) throws IOException {
        Path file = Files.writeString(dir.resolve("bin").resolve(name), "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private Ended run(Path script, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("/bin/bash", script.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(dir.toFile()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", dir.resolve("bin").toString());
        builder.environment().put("HOME", dir.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
        return new Ended(process.exitValue(), said);
    }

    private Ended needs(String... arguments) throws IOException, InterruptedException {
        return run(dir.resolve("project").resolve(NEEDS), arguments);
    }

    @Test
    void aLinkToItFindsTheProject() throws Exception {
        Path link = Files.createSymbolicLink(dir.resolve("reprobe"), Path.of("bin", "link"));
        Files.createSymbolicLink(dir.resolve("bin/link"), Path.of("..", "project", "run.sh"));
        Ended ended = run(link, "list");
        assertThat(ended.exitCode).isEqualTo(1);
        assertThat(ended.said)
                .contains("mvn in " + dir.resolve("project").toRealPath())
                .contains("The build failed");
    }

    @Test
    void helpForBenchmarksBuildsNothing() throws Exception {
        Ended ended = run(dir.resolve("project/run.sh"), "bench", "--help");
        assertThat(ended.exitCode).isZero();
        assertThat(ended.said).startsWith("Usage: ./run.sh bench").doesNotContain("mvn in");
    }

    @Test
    void whatWasNotTestedIsToldLoudlyAtTheEndAndTheExitCodeIsMavens() throws Exception {
        program(
                "mvn",
                "echo \"mvn $*\"; mkdir -p harness/app/target/not-tested; echo why >harness/app/target/not-tested/thing; exit 7");
        Ended ended = run(dir.resolve("project/run.sh"), "test", "-Dtest=Some");
        assertThat(ended.exitCode).isEqualTo(7);
        assertThat(ended.said)
                .contains("mvn -B -T 1C -Plint verify -Dreprobe.fast-starts=true -Dtest=Some")
                .endsWith("*** NOT TESTED: why ***\n")
                .doesNotContain("installing");
        program("mvn", "exit 0");
        assertThat(run(dir.resolve("project/run.sh"), "test")).isEqualTo(new Ended(0, ""));
    }

    @Test
    void whatIsLeftToTheNightIsToldAtTheEndAndTheNightRunsAll() throws Exception {
        program(
                "mvn",
                "echo \"mvn $*\"; for t in A B; do mkdir -p harness/app/target/left-to-nightly;"
                        + " echo Test.$t >harness/app/target/left-to-nightly/$t; done");
        assertThat(run(dir.resolve("project/run.sh"), "test").said)
                .endsWith("\nLeft to ./run.sh test --nightly: 2 tests; Test.A; Test.B\n");
        program("mvn", "echo \"mvn $*\"");
        assertThat(run(dir.resolve("project/run.sh"), "test", "--nightly", "-o"))
                .isEqualTo(new Ended(
                        0, "mvn -B -T 1C -Plint verify -Dreprobe.fast-starts=true -Dreprobe.nightly=true -o\n"));
    }

    @Test
    void whatIsMissingIsNamedWithItsPackages() throws Exception {
        Ended missing = needs("check", "browser");
        assertThat(missing.exitCode).isEqualTo(3);
        assertThat(missing.said).isEqualTo("the report in a browser. On Debian, as root: apt-get install chromium\n");
        program("chromium", "exit 0");
        assertThat(needs("check", "browser")).isEqualTo(new Ended(0, ""));
        assertThat(needs("check", "browsre").exitCode).isEqualTo(2);
    }

    @Test
    void rootInstallsWhatIsMissingAndAFailureStopsNothing() throws Exception {
        program("id", "echo 0");
        program("apt-get", "echo \"$*\" >>" + dir + "/apt; case \"$*\" in *gcc*) echo no gcc here; exit 100;; esac");
        Ended ended = needs("install");
        assertThat(ended.exitCode).isZero();
        assertThat(ended.said).contains("no gcc here", "this could not be installed: gcc libc6-dev");
        assertThat(Files.readAllLines(dir.resolve("apt")))
                .filteredOn(line -> line.endsWith(" update"))
                .hasSize(1);
        assertThat(Files.readString(dir.resolve("apt"))).contains("install -y --no-install-recommends chromium\n");
    }

    @Test
    void everyJvmIsStartedWithTheSameFlags() throws Exception {
        String flags = String.join(" ", OwnJvm.FLAGS);
        assertThat(Files.readString(TinyScenario.HOME.resolve("run.sh"))).contains("jvm_flags=(" + flags + " ");
        assertThat(Files.readString(TinyScenario.HOME.resolve("pom.xml")))
                .contains("<reprobe.jvm.flags>" + flags + "</reprobe.jvm.flags>");
    }
}
