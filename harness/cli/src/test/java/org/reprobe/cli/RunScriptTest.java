package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.run.TinyScenario;
import org.reprobe.run.process.OwnJvm;
import org.reprobe.testing.Nightly;

/** run.sh and needs.sh on a machine that has only the programs of a test. Builds nothing. */
class RunScriptTest {
    private static final String NEEDS = "harness/needs.sh";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private record CommandResult(int exitCode, String output) {}

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
                "ln",
                "mktemp",
                "mkdir",
                "mv",
                "readlink",
                "rm",
                "sed",
                "sh",
                "sleep",
                "tail",
                "touch",
                "wc")) {
            systemsOwn(name);
        }
        program("id", "echo 1000");
        program("mvn", "echo \"mvn in $PWD\"; exit 1");
    }

    private void program(String name, String script) throws IOException {
        Path file = Files.writeString(dir.resolve("bin").resolve(name), "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private void systemsOwn(String name) throws IOException {
        program(name, "exec " + (Files.exists(Path.of("/usr/bin", name)) ? "/usr" : "") + "/bin/" + name + " \"$@\"");
    }

    private CommandResult run(Path script, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("/bin/bash", script.toString()));
        command.addAll(List.of(arguments));
        return end(start(command));
    }

    private Process start(List<String> command) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(dir.toFile()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", dir.resolve("bin").toString());
        builder.environment()
                .put(
                        "JAVA_HOME",
                        Files.exists(dir.resolve("jdk"))
                                ? dir.resolve("jdk").toString()
                                : System.getProperty("java.home"));
        return builder.start();
    }

    private static CommandResult end(Process process) throws IOException, InterruptedException {
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
        return new CommandResult(process.exitValue(), output);
    }

    private CommandResult needs(String... arguments) throws IOException, InterruptedException {
        return run(dir.resolve("project").resolve(NEEDS), arguments);
    }

    @Test
    void aLinkToItFindsTheProject() throws Exception {
        Path link = Files.createSymbolicLink(dir.resolve("reprobe"), Path.of("bin", "link"));
        Files.createSymbolicLink(dir.resolve("bin/link"), Path.of("..", "project", "run.sh"));
        CommandResult ended = run(link, "list");
        assertThat(ended.exitCode).isEqualTo(1);
        assertThat(ended.output)
                .contains("mvn in " + dir.resolve("project").toRealPath())
                .contains("The build failed");
    }

    /** Provides Maven that writes the files of a program into the checkout, and Java that prints its last argument. */
    private void programThatCanBeBuilt() throws IOException {
        Files.writeString(dir.resolve("project/pom.xml"), "");
        program("mvn", """
                echo built >>%s/builds
                mkdir -p harness/cli/target/lib harness/cli/target/classes
                echo half >harness/cli/target/classes/Half.class
                while [ -e %1$s/hold ]; do sleep 0.02; done
                echo program >harness/cli/target/reprobe-cli-0.1.0.jar
                echo library >harness/cli/target/lib/library.jar""".formatted(dir));
        Files.createDirectories(dir.resolve("jdk/bin"));
        program("../jdk/bin/java", "for last; do :; done; echo \"java $last\"");
        program("../jdk/bin/javac", "");
        Files.writeString(dir.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\n");
        Files.createDirectories(dir.resolve("project/harness/cli"));
        Files.writeString(dir.resolve("project/harness/cli/pom.xml"), "");
    }

    private CommandResult list() throws IOException, InterruptedException {
        return run(dir.resolve("project/run.sh"), "list");
    }

    private int builds() throws IOException {
        return Files.exists(dir.resolve("builds"))
                ? Files.readAllLines(dir.resolve("builds")).size()
                : 0;
    }

    private void awaitBuild(int number) throws Exception {
        while (builds() < number) {
            Thread.sleep(10);
        }
    }

    @Test
    void aProgramThatMissesFilesIsBuiltAgain() throws Exception {
        programThatCanBeBuilt();
        assertThat(list()).isEqualTo(new CommandResult(0, "building ...\njava list\n"));
        assertThat(list()).isEqualTo(new CommandResult(0, "java list\n"));
        Path target = dir.resolve("project/harness/cli/target");
        Files.delete(target.resolve("lib/library.jar"));
        assertThat(list().output).startsWith("building");
        Files.writeString(target.resolve("reprobe-cli-0.1.0.jar"), "cut");
        assertThat(list().output).startsWith("building");
        Files.delete(target.resolve("lib/library.jar"));
        Files.delete(target.resolve("lib"));
        assertThat(list().output).startsWith("building");
        assertThat(builds()).isEqualTo(4);
        assertThat(list()).isEqualTo(new CommandResult(0, "java list\n"));
    }

    @Test
    void aCacheOfClassesIsMadeOncePerBuildAndNotUsedByProcessesThatMeasure() throws Exception {
        programThatCanBeBuilt();
        program("../jdk/bin/java", """
                for word; do
                  case $word in
                    -XX:AOTCacheOutput=*) echo made >>%s/caches; echo classes >"${word#*=}"; exit ;;
                    -XX:AOTCache=*) cache=' with a cache' ;;
                  esac
                done
                echo "java $word$cache\"""".formatted(dir));
        Path script = dir.resolve("project/run.sh");
        Path caches = dir.resolve("caches");
        assertThat(list().output).isEqualTo("building ...\njava list with a cache\n");
        for (String command : List.of("run", "regress", "plan")) {
            assertThat(run(script, command).output).isEqualTo("java " + command + " with a cache\n");
        }
        for (String command : List.of("serve", "drive", "worker", "calibrate", "doctor")) {
            assertThat(run(script, command).output).isEqualTo("java " + command + "\n");
        }
        assertThat(caches).hasContent("made");
        Files.delete(dir.resolve("project/harness/cli/target/lib/library.jar"));
        assertThat(list().output).isEqualTo("building ...\njava list with a cache\n");
        assertThat(caches).hasContent("made\nmade");
    }

    @Test
    void theVersionIsPrintedWithoutAJvmWhereJavaStatesItsOwn() throws Exception {
        programThatCanBeBuilt();
        Path script = dir.resolve("project/run.sh");
        assertThat(run(script, "--version").output).isEqualTo("building ...\njava --version\n");
        Files.writeString(
                dir.resolve("jdk/release"), "JAVA_RUNTIME_VERSION=\"25.0.1+8-LTS\"\nJAVA_VERSION=\"25.0.1\"\n");
        for (String option : List.of("--version", "-V")) {
            assertThat(run(script, option)).isEqualTo(new CommandResult(0, "Reprobe 0.1.0\nJava 25.0.1+8-LTS\n"));
        }
        assertThat(run(script, "list", "--version").output).isEqualTo("java --version\n");
    }

    @Test
    void aJvmThatCannotMakeACacheIsTriedOnce() throws Exception {
        programThatCanBeBuilt();
        program("../jdk/bin/java", """
                for word; do
                  case $word in
                    -XX:AOTCacheOutput=*) echo tried >>%s/caches; echo "Unrecognized VM option"; exit 1 ;;
                  esac
                done
                echo "$*\"""".formatted(dir));
        assertThat(list().output).startsWith("building ...\n--enable").doesNotContain("AOT", "Unrecognized");
        assertThat(list().output).startsWith("--enable").doesNotContain("AOT");
        assertThat(dir.resolve("caches")).hasContent("tried");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofTwoAtOnceOneBuilds(boolean flock) throws Exception {
        programThatCanBeBuilt();
        if (flock) {
            assumeThat(Path.of("/usr/bin/flock")).exists();
            systemsOwn("flock");
        } else {
            Files.createDirectories(dir.resolve("project/harness/target"));
            // The lock of a killed process.
            Files.createSymbolicLink(dir.resolve("project/harness/target/lock"), Path.of("999999999"));
        }
        Path link = Files.createSymbolicLink(dir.resolve("descriptor"), dir);
        Files.createFile(dir.resolve("hold"));
        List<String> command =
                List.of("/bin/bash", dir.resolve("project/run.sh").toString(), "list");
        Process first = start(command);
        awaitBuild(1);
        Process second = start(command);
        Thread.sleep(300);
        Files.delete(dir.resolve("hold"));
        assertThat(end(first)).isEqualTo(new CommandResult(0, "building ...\njava list\n"));
        CommandResult waited = end(second);
        assertThat(waited.exitCode).isZero();
        assertThat(waited.output).startsWith("waiting for another ./run.sh").endsWith(" ...\njava list\n");
        assertThat(builds()).isEqualTo(1);
        assertThat(dir.resolve("project/harness/target/lock")).doesNotExist();
        assertThat(link).as("a link of the user's").isSymbolicLink();
    }

    /** Two processes find the lock of a killed one at once: the slower one must not remove the faster one's. */
    @Test
    @Nightly(besides = "of two at once one builds")
    void aDeadLockIsTakenOverByOne() throws Exception {
        programThatCanBeBuilt();
        for (String slow : List.of("rm", "mv")) {
            program(slow, "case \"$*\" in */lock*) sleep 1;; esac; exec /bin/" + slow + " \"$@\"");
        }
        Files.createDirectories(dir.resolve("project/harness/target"));
        Files.createSymbolicLink(dir.resolve("project/harness/target/lock"), Path.of("999999999"));
        Files.createFile(dir.resolve("hold"));
        List<String> command =
                List.of("/bin/bash", dir.resolve("project/run.sh").toString(), "list");
        Process first = start(command);
        Thread.sleep(500);
        Process second = start(command);
        awaitBuild(1);
        Thread.sleep(3_000);
        Files.delete(dir.resolve("hold"));
        assertThat(end(first).exitCode).isZero();
        assertThat(end(second).exitCode).isZero();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void aBuildReportsItsModules() throws Exception {
        programThatCanBeBuilt();
        program("sleep", "exec /bin/sleep 0.01"); // for a second
        Path mvn = dir.resolve("bin/mvn");
        Files.writeString(
                mvn,
                Files.readString(mvn)
                        .replaceFirst("\n", "\necho '[INFO] Building Reprobe: tables 0.1.0 [3/21]'\n/bin/sleep 2\n"));
        assertThat(list().output)
                .containsPattern("building \\.\\.\\.\nbuilding \\.\\.\\. module 3 of 21, \\d+ s\n(.*\n)?java list\n");
    }

    @Test
    void anInterruptedBuildIsRepeated() throws Exception {
        programThatCanBeBuilt();
        assertThat(list().exitCode).isZero();
        Files.createFile(dir.resolve("hold"));
        Path changed = Files.writeString(dir.resolve("project/pom.xml"), "<!-- changed -->");
        assertThat(changed.toFile().setLastModified(System.currentTimeMillis() + 5_000))
                .isTrue();
        Process cut = start(List.of("/bin/bash", dir.resolve("project/run.sh").toString(), "list"));
        awaitBuild(2);
        cut.toHandle().destroy();
        Files.delete(dir.resolve("hold"));
        assertThat(end(cut).exitCode).isEqualTo(143);
        Path half = dir.resolve("project/harness/cli/target/classes/Half.class");
        Path other = Files.writeString(half.resolveSibling("Other.class"), "half");
        Files.writeString(changed, "");
        assertThat(changed.toFile().setLastModified(1_000_000)).isTrue();
        assertThat(list()).isEqualTo(new CommandResult(0, "building ...\njava list\n"));
        assertThat(half).exists();
        assertThat(other).doesNotExist();
    }

    @Test
    void anInterruptedPackageIsRebuilt() throws Exception {
        programThatCanBeBuilt();
        assertThat(list().exitCode).isZero();
        Files.writeString(dir.resolve("project/harness/package.sh"), """
                cd "$1/harness/cli"
                rm -r target
                mkdir -p target/classes
                echo half >target/classes/Other.class
                exit 1
                """);
        assertThat(run(dir.resolve("project/run.sh"), "package").exitCode).isEqualTo(1);
        Path other = dir.resolve("project/harness/cli/target/classes/Other.class");
        assertThat(other).exists();
        assertThat(list()).isEqualTo(new CommandResult(0, "building ...\njava list\n"));
        assertThat(other).doesNotExist();
    }

    @Test
    void aColonInThePathIsRefusedInASentence() throws Exception {
        programThatCanBeBuilt();
        Path moved = Files.move(dir.resolve("project"), dir.resolve("10:30"));
        CommandResult ended = run(moved.resolve("run.sh"), "list");
        assertThat(ended.exitCode).isEqualTo(2);
        assertThat(ended.output).hasLineCount(1).contains("10:30: ").contains("colon");
        Files.move(moved, dir.resolve("project"));
        Files.createDirectories(dir.resolve("mine:1"));
        Path script = dir.resolve("project/run.sh");
        String project = dir.resolve("mine:1").toString();
        assertThat(run(script, "list", "--project", project).exitCode).isZero();
        Files.createFile(dir.resolve("mine:1/system.jar"));
        CommandResult jar = run(script, "list", "--project", project);
        assertThat(jar.exitCode).isEqualTo(2);
        assertThat(jar.output).hasLineCount(1).contains("system.jar");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<&-",
                ">&-",
                "2>&-",
                "<&- >&- 2>&-",
            })
    void aClosedStreamIsNoFilesDescriptor(String closed) throws Exception {
        programThatCanBeBuilt();
        program(
                "../jdk/bin/java",
                "a=$(readlink /proc/$$/fd/0); b=$(readlink /proc/$$/fd/1); c=$(readlink /proc/$$/fd/2)\n"
                        + "printf '%s\\n' \"$a\" \"$b\" \"$c\" >" + dir.resolve("streams"));
        assumeThat(Path.of("/proc/self/fd/0")).exists();
        run(Path.of("-c"), "/bin/bash " + dir.resolve("project/run.sh") + " list " + closed);
        assertThat(Files.readAllLines(dir.resolve("streams")))
                .hasSize(3)
                .allMatch(stream -> stream.matches("/dev/null|pipe:.*"));
    }

    @Test
    void aLimitOfOpenFilesThatIsTooLowIsNamed() throws Exception {
        programThatCanBeBuilt();
        CommandResult ended =
                run(Path.of("-c"), "ulimit -n 90; exec /bin/bash " + dir.resolve("project/run.sh") + " list");
        assertThat(ended.exitCode).isEqualTo(2);
        assertThat(ended.output)
                .hasLineCount(1)
                .contains("90 open files")
                .contains("ulimit -Hn")
                .contains("at least 128");
    }

    @Test
    void theCallersShellChangesNothing() throws Exception {
        programThatCanBeBuilt();
        CommandResult ended = run(
                Path.of("-c"),
                "export CDPATH=/ POSIXLY_CORRECT=1 GREP_OPTIONS=--color=always GLOBIGNORE='*' TMPDIR=/nowhere IFS=/;"
                        + " umask 077; cd / && exec /bin/bash " + dir.resolve("project/run.sh") + " list");
        assertThat(ended).isEqualTo(new CommandResult(0, "building ...\njava list\n"));
    }

    @Test
    void helpForBenchmarksBuildsNothing() throws Exception {
        CommandResult ended = run(dir.resolve("project/run.sh"), "bench", "--help");
        assertThat(ended.exitCode).isZero();
        assertThat(ended.output).startsWith("Usage: ./run.sh bench").doesNotContain("mvn in");
    }

    @Test
    void skippedTestsAreReportedAtTheEndAndTheExitCodeIsMavens() throws Exception {
        program(
                "mvn",
                "echo \"mvn $*\"; mkdir -p harness/cli/target/not-tested; echo why >harness/cli/target/not-tested/thing; exit 7");
        CommandResult ended = run(dir.resolve("project/run.sh"), "test", "-Dtest=Some");
        assertThat(ended.exitCode).isEqualTo(7);
        assertThat(ended.output)
                .contains("mvn -B -T 1C -Plint verify -Dreprobe.fast-starts=true -Dtest=Some")
                .endsWith("*** NOT TESTED: why ***\n")
                .doesNotContain("installing");
        program("mvn", "exit 0");
        assertThat(run(dir.resolve("project/run.sh"), "test")).isEqualTo(new CommandResult(0, ""));
    }

    @Test
    void skippedNightlyTestsAreReportedAndTheNightlyRunTakesAll() throws Exception {
        program(
                "mvn",
                "echo \"mvn $*\"; for t in A B; do mkdir -p harness/cli/target/left-to-nightly;"
                        + " echo Test.$t >harness/cli/target/left-to-nightly/$t; done");
        assertThat(run(dir.resolve("project/run.sh"), "test").output)
                .endsWith("\nLeft to ./run.sh test --nightly: 2 tests; Test.A; Test.B\n");
        program("mvn", "echo \"mvn $*\"");
        assertThat(run(dir.resolve("project/run.sh"), "test", "--nightly", "-o"))
                .isEqualTo(new CommandResult(
                        0, "mvn -B -T 1C -Plint verify -Dreprobe.fast-starts=true -Dreprobe.nightly=true -o\n"));
    }

    @Test
    void missingProgramsAreNamedWithTheirPackages() throws Exception {
        CommandResult missing = needs("check", "browser");
        assertThat(missing.exitCode).isEqualTo(3);
        assertThat(missing.output).isEqualTo("the report in a browser. On Debian, as root: apt-get install chromium\n");
        program("chromium", "exit 0");
        assertThat(needs("check", "browser")).isEqualTo(new CommandResult(0, ""));
        assertThat(needs("check", "browsre").exitCode).isEqualTo(2);
    }

    @Test
    void rootInstallsWhatIsMissingAndAFailureStopsNothing() throws Exception {
        program("id", "echo 0");
        program("apt-get", "echo \"$*\" >>" + dir + "/apt; case \"$*\" in *gcc*) echo no gcc here; exit 100;; esac");
        CommandResult ended = needs("install");
        assertThat(ended.exitCode).isZero();
        assertThat(ended.output).contains("no gcc here", "this could not be installed: gcc libc6-dev");
        assertThat(Files.readAllLines(dir.resolve("apt")))
                .filteredOn(line -> line.endsWith(" update"))
                .hasSize(1);
        assertThat(Files.readString(dir.resolve("apt"))).contains("install -y --no-install-recommends chromium\n");
    }

    @Test
    void pathsAreOfUnicodeInEveryLocale() throws Exception {
        Path unpacked =
                UnpackedProgram.in(Files.createDirectory(dir.resolve("whole"))).home();
        Path scenario = TinyScenario.write(dir, "tiny", 1);
        // By a shell, since this JVM may not support such file names.
        Path script = Files.writeString(dir.resolve("umlauts.sh"), """
                name=$(printf 'gr\\303\\266\\303\\237e')
                mkdir "$name" && mv "$1" "$name/program" && cp "$2" "$name/$name.yaml"
                bash "$name/program/run.sh" run "$name/$name.yaml" --quiet --out "$name/out" && ls "$name/out/report.html"
                """);
        Process process = new ProcessBuilder(
                        "env",
                        "-i",
                        "LC_ALL=C",
                        "PATH=/usr/bin:/bin",
                        "JAVA_HOME=" + System.getProperty("java.home"),
                        "bash",
                        script.toString(),
                        unpacked.toString(),
                        scenario.toString())
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .start();
        CommandResult ended = end(process);
        assertThat(ended.output).contains("größe/out/report.html");
        assertThat(ended.exitCode).isZero();
    }

    @Test
    void everyJvmIsStartedWithTheSameFlags() throws Exception {
        String flags = String.join(" ", OwnJvm.FLAGS);
        assertThat(Files.readString(TinyScenario.HOME.resolve("run.sh"))).contains("jvm_flags=(" + flags + " ");
        assertThat(Files.readString(TinyScenario.HOME.resolve("pom.xml")))
                .contains("<reprobe.jvm.flags>" + flags + "</reprobe.jvm.flags>");
    }
}
