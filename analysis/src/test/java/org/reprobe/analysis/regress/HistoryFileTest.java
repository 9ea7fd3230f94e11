package org.reprobe.analysis.regress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.testing.Nightly;

/** Concurrent writers of one history, and remains of killed ones. */
class HistoryFileTest {
    private static final int PROCESSES = 4;
    private static final int EACH = 8;
    private static final OffsetDateTime START = OffsetDateTime.parse("2026-09-01T02:00:00Z");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    /** Adds results of its own, of different lengths, and one that all processes add. */
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        int process = Integer.parseInt(arguments[1]);
        Path go = file.resolveSibling("go");
        Files.createFile(file.resolveSibling("ready-" + process));
        while (!Files.exists(go)) {
            Thread.sleep(1);
        }
        for (int i = 0; i < EACH; i++) {
            HistoryFile.append(
                    file,
                    new ArrayList<>(),
                    result(1 + process * EACH + i, "s", 1e6, "x".repeat(100 * process)),
                    new ArrayList<>());
            HistoryFile.append(file, new ArrayList<>(), result(0, "s", 1e6, ""), new ArrayList<>());
        }
    }

    private static HistoryEntry result(int night, String scenario, double throughput, String more) {
        Measurement run = new Measurement(
                scenario,
                new Cell(Map.of("scheme", "a")),
                0,
                1,
                "f",
                Kind.MEASURED,
                true,
                null,
                Map.of(Metrics.THROUGHPUT, throughput));
        return HistoryEntry.of(
                START.plusDays(night),
                Map.of("commit", "c" + night, "os", more),
                "m",
                List.of(run),
                _ -> Map.of("nic", "x"));
    }

    @Test
    @Nightly(besides = "a history whose writer was killed is read and added to")
    void concurrentProcessesLoseAndDuplicateNoLine() throws Exception {
        Path file = dir.resolve("history.jsonl");
        List<Process> processes = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xshare:auto",
                                "-cp",
                                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                                HistoryFileTest.class.getName(),
                                file.toString(),
                                String.valueOf(i))
                        .inheritIO()
                        .start());
            }
            for (int i = 0; i < PROCESSES; i++) {
                while (!Files.exists(dir.resolve("ready-" + i))) {
                    assertThat(processes.get(i).isAlive()).isTrue();
                    Thread.sleep(5);
                }
            }
            Files.createFile(dir.resolve("go"));
            for (Process process : processes) {
                assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
                assertThat(process.exitValue()).isZero();
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        assertThat(Files.readAllLines(file)).hasSize(PROCESSES * EACH + 1);
        assertThat(HistoryFile.read(file, new ArrayList<>()))
                .extracting(HistoryEntry::commit)
                .containsExactlyElementsOf(IntStream.rangeClosed(0, PROCESSES * EACH)
                        .mapToObj(night -> "c" + night)
                        .toList());
    }

    @Test
    void concurrentThreadsLoseAndDuplicateNoLine() throws Exception {
        Path file = dir.resolve("history.jsonl");
        List<Throwable> failures = new ArrayList<>();
        List<Thread> threads = Stream.of(1, 2, 3, 4)
                .map(thread -> Thread.ofPlatform()
                        .uncaughtExceptionHandler((_, e) -> failures.add(e))
                        .start(() -> {
                            for (int i = 0; i < EACH; i++) {
                                try {
                                    HistoryFile.append(
                                            file, new ArrayList<>(), result(i, "s", 1e6, ""), new ArrayList<>());
                                    HistoryFile.read(file, new ArrayList<>());
                                } catch (Exception e) {
                                    throw new IllegalStateException(e);
                                }
                            }
                        }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(Files.readAllLines(file)).hasSize(EACH);
    }

    /** Every prefix of a line, as a killed process may leave it. */
    @Test
    void aHistoryWhoseWriterWasKilledIsReadAndAddedTo() throws Exception {
        Path file = dir.resolve("history.jsonl");
        HistoryFile.append(file, new ArrayList<>(), result(0, "s", 1e6, "ä"), new ArrayList<>());
        byte[] first = Files.readAllBytes(file);
        byte[] second = HistoryFile.line(result(1, "s", 1e6, "ä€😀")).getBytes(StandardCharsets.UTF_8);
        for (int cut = 1; cut <= second.length; cut++) {
            Files.write(file, first);
            Files.write(file, Arrays.copyOf(second, cut), StandardOpenOption.APPEND);
            boolean whole = cut == second.length; // but for its newline
            List<String> notes = new ArrayList<>();
            assertThat(HistoryFile.read(file, notes)).as("%d bytes", cut).hasSize(whole ? 2 : 1);
            assertThat(notes).hasSize(whole ? 0 : 1);
            if (!whole) {
                assertThat(notes.getFirst()).contains("history.jsonl:2: the last line is incomplete");
            }
            if (cut % 20 == 0 || whole) {
                HistoryFile.append(file, new ArrayList<>(), result(2, "s", 1e6, ""), new ArrayList<>());
                assertThat(HistoryFile.read(file, new ArrayList<>()))
                        .as("%d bytes", cut)
                        .hasSize(whole ? 3 : 2);
            }
        }
        Files.write(file, first);
        Files.write(
                file, new byte[40], StandardOpenOption.APPEND); // as some file systems leave it when the power fails
        assertThat(HistoryFile.read(file, new ArrayList<>())).hasSize(1);
        HistoryFile.append(file, new ArrayList<>(), result(2, "s", 1e6, ""), new ArrayList<>());
        assertThat(Files.readString(file).lines()).hasSize(2);
    }

    @Test
    void linesThatEarlierVersionsAddedSeveralTimesCountOnce() throws Exception {
        Path file = dir.resolve("history.jsonl");
        Files.writeString(file, (HistoryFile.line(result(0, "s", 1e6, "")) + "\n").repeat(4));
        List<String> notes = new ArrayList<>();
        assertThat(HistoryFile.read(file, notes)).hasSize(1);
        assertThat(notes).hasSize(3).first().asString().contains("history.jsonl:2: duplicate of line 1");
    }

    /** A folder of several scenarios has one date and commit for all. */
    @Test
    void partsOfOneRunAreAllAdded() throws Exception {
        Path file = dir.resolve("history.jsonl");
        List<HistoryEntry> entries = new ArrayList<>();
        assertThat(HistoryFile.append(file, entries, result(0, "a", 1e6, ""), new ArrayList<>()))
                .isTrue();
        assertThat(HistoryFile.append(file, entries, result(0, "b", 1e6, ""), new ArrayList<>()))
                .isTrue();
        assertThat(HistoryFile.append(file, entries, result(0, "b", 1e6, ""), new ArrayList<>()))
                .isFalse();
        assertThat(entries).hasSize(2);
        RunHistory history = RunHistory.of(
                entries,
                List.of(),
                new RunHistory.Options(ChangePoints.Options.DEFAULT, 30, List.of(), Directions.BY_NAME));
        assertThat(history.series()).extracting(SeriesHistory::scenario).containsExactly("a", "b");
    }

    @Test
    void otherNumbersOfTheSameRunAreRefusedNotCalledAlreadyThere() throws Exception {
        Path file = dir.resolve("history.jsonl");
        HistoryFile.append(file, new ArrayList<>(), result(0, "s", 1e6, ""), new ArrayList<>());
        assertThatThrownBy(
                        () -> HistoryFile.append(file, new ArrayList<>(), result(0, "s", 2e6, ""), new ArrayList<>()))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("has other numbers of s a for commit c0");
        assertThat(Files.readAllLines(file)).hasSize(1);
    }

    @Test
    void runsThatBeganInTheSameSecondAreTwo() throws Exception {
        Path file = dir.resolve("history.jsonl");
        List<HistoryEntry> entries = new ArrayList<>();
        for (String id : List.of("1", "2", "1")) {
            HistoryEntry one = result(0, "s", 1e6, "");
            HistoryFile.append(
                    file,
                    entries,
                    new HistoryEntry(
                            one.when(), one.commit(), false, "m", Map.of(HistoryEntry.RUN_ID, id), one.cells()),
                    new ArrayList<>());
        }
        assertThat(HistoryFile.read(file, new ArrayList<>())).hasSize(2).isEqualTo(entries);
    }
}
