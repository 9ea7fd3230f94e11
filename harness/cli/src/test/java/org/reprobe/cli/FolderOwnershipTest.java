package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.cli.base.Library;
import org.reprobe.run.TinyScenario;
import org.reprobe.testing.Nightly;

/** Several programs that request the same result folder at the same time. */
@ShippedHome
class FolderOwnershipTest {
    private static final int PROGRAMS = 4;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    /** @param command of the n-th program */
    private List<Integer> startAtOnce(java.util.function.IntFunction<List<String>> command) throws Exception {
        List<Process> programs = new ArrayList<>();
        for (int i = 0; i < PROGRAMS; i++) {
            List<String> words =
                    TinyScenario.jvm("-cp", System.getProperty("java.class.path"), "org.reprobe.cli.Reprobe");
            words.addAll(command.apply(i));
            programs.add(new ProcessBuilder(words)
                    .redirectOutput(dir.resolve("out" + i).toFile())
                    .redirectError(dir.resolve("err" + i).toFile())
                    .start());
        }
        List<Integer> codes = new ArrayList<>();
        for (Process program : programs) {
            if (!program.waitFor(10, TimeUnit.MINUTES)) {
                program.destroyForcibly();
            }
            codes.add(program.waitFor());
        }
        return codes;
    }

    private String err(int program) throws IOException {
        return Files.readString(dir.resolve("err" + program));
    }

    /** Regression: the loser wrote its scenario.yaml into the winner's complete folder. */
    @Test
    void oneOfSeveralRunsGetsTheFolderAndTheOthersChangeNothing() throws Exception {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < PROGRAMS; i++) {
            files.add(Files.writeString(
                    dir.resolve("s" + i + ".yaml"), TinyScenario.yaml(1).replace("title: Tiny", "title: Number " + i)));
        }
        Path out = dir.resolve("results");
        List<Integer> codes = startAtOnce(i -> List.of("run", files.get(i).toString(), "--out", out.toString()));
        int winner = codes.indexOf(0);
        assertThat(winner).as("one wins: %s", codes).isNotNegative();
        assertThat(Files.readString(out.resolve("scenario.yaml"))).contains("Number " + winner);
        assertThat(Files.readString(out.resolve("status.json"))).contains("\"complete\"");
        for (int i = 0; i < PROGRAMS; i++) {
            if (i != winner) {
                assertThat(codes.get(i)).isEqualTo(2);
                assertThat(err(i)).containsAnyOf("another run", "is not empty").doesNotContain("measurements.jsonl");
            }
        }
    }

    @Nightly(besides = "one of several runs gets the folder")
    @Test
    void oneOfSeveralResumesCompletesTheFolder() throws Exception {
        Path file = TinyScenario.write(dir, "tiny", 6);
        Path whole = dir.resolve("whole");
        Path cut = dir.resolve("cut");
        for (Path out : List.of(whole, cut)) {
            assertThat(Reprobe.execute("run", file.toString(), "--out", out.toString()))
                    .isZero();
        }
        Path measurements = cut.resolve("measurements.jsonl");
        List<String> lines = Files.readAllLines(measurements);
        Files.write(measurements, lines.subList(0, lines.size() / 3));
        List<Integer> codes = startAtOnce(i -> List.of("run", "--resume", cut.toString()));
        assertThat(codes).contains(0).isSubsetOf(0, 2);
        for (int i = 0; i < PROGRAMS; i++) {
            if (codes.get(i) != 0) {
                assertThat(err(i)).contains("another run");
            }
        }
        TreeMap<String, String> completed = TinyScenario.results(cut);
        assertThat(completed).isEqualTo(TinyScenario.results(whole));
    }

    @Test
    void runsOfOneSecondHaveAFolderEachInResults() throws Exception {
        Path home = dir.resolve("home");
        Files.createDirectories(home.resolve("scenarios"));
        Files.createSymbolicLink(home.resolve("scenarios/nics"), TinyScenario.NICS);
        Files.createDirectories(home.resolve("results"));
        Path file = TinyScenario.write(dir, "tiny", 1);
        List<Thread> threads = new ArrayList<>();
        System.setProperty("reprobe.home", home.toString());
        for (int i = 0; i < PROGRAMS; i++) {
            threads.add(Thread.ofPlatform().start(() -> Reprobe.execute("run", file.toString())));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        try (var folders = Files.list(home.resolve("results"))) {
            List<Path> made = folders.filter(folder -> Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))
                    .toList();
            assertThat(made).hasSize(PROGRAMS);
            for (Path folder : made) {
                assertThat(folder.resolve("status.json")).content().contains("\"complete\"");
            }
        }
    }

    /** Regression: a profile in a file was "not there"; results made with one need it to be resumed. */
    @Test
    void aNicProfileOfOnesOwnIsKeptWithTheResults() throws Exception {
        Path own = Files.copy(TinyScenario.NICS.resolve("connectx6-200g.yaml"), dir.resolve("my card.yaml"));
        Path file = TinyScenario.write(dir, "tiny", 1);
        Path out = dir.resolve("own");
        assertThat(Reprobe.execute("run", file.toString(), "--nic", own.toString(), "--out", out.toString()))
                .isZero();
        Files.delete(own);
        assertThat(Reprobe.execute("report", out.toString())).isZero();
        Path measurements = out.resolve("measurements.jsonl");
        String whole = Files.readString(measurements);
        Files.write(measurements, Files.readAllLines(measurements).subList(0, 2));
        assertThat(Reprobe.execute("run", "--resume", out.toString())).isZero();
        assertThat(measurements).content().isEqualTo(whole);
    }

    /** Regression: "run scenarios" ran the reference scenario only, with exit code 0. */
    @Test
    void aFolderMeansAllScenariosInItHoweverDeep() throws Exception {
        Path folder = Files.createDirectories(dir.resolve("mine/deeper"));
        TinyScenario.write(folder.getParent(), "a", 1);
        TinyScenario.write(folder, "b", 1);
        Files.copy(
                TinyScenario.NICS.resolve("connectx5-edr.yaml"),
                Files.createDirectories(folder.resolve("nics")).resolve("c.yaml"));
        Path out = dir.resolve("all");
        assertThat(Reprobe.execute("run", folder.getParent().toString(), "--out", out.toString()))
                .isZero();
        assertThat(out.resolve("a/summary.csv")).exists();
        assertThat(out.resolve("b/summary.csv")).exists();
        Library library = new Library(TinyScenario.HOME, null);
        List<String> names = library.scenariosIn(library.scenarios()).stream()
                .map(Library::name)
                .toList();
        assertThat(names)
                .contains("figure-07", "write-ratio", "adaptive")
                .doesNotContain("reference", "connectx5-edr", "schema")
                .doesNotHaveDuplicates();
    }
}
