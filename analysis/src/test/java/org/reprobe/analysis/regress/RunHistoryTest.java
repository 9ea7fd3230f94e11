package org.reprobe.analysis.regress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import tools.jackson.databind.JsonNode;

class RunHistoryTest {
    private static final OffsetDateTime START = OffsetDateTime.parse("2026-09-01T02:00:00Z");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private static HistoryEntry night(int night, String machine, Kind kind, double throughput) {
        return night(night, machine, kind, throughput, Map.of("nic", "c", "table.records", "5"));
    }

    private static HistoryEntry night(
            int night, String machine, Kind kind, double throughput, Map<String, String> settings) {
        Map<String, String> environment = Map.of("commit", "commit-" + night, "cpu", "C", "cores", "2");
        Measurement run = new Measurement(
                "s",
                new Cell(Map.of("scheme", "linear-fixed")),
                0,
                1,
                "f",
                kind,
                true,
                null,
                Map.of(Metrics.THROUGHPUT, throughput));
        return HistoryEntry.of(START.plusDays(night), environment, machine, List.of(run), _ -> settings);
    }

    /** Sixty nights with 1 % noise that are a tenth slower from night 40 on. */
    private static List<HistoryEntry> nights(String machine) {
        SplittableRandom random = new SplittableRandom(4);
        List<HistoryEntry> entries = new ArrayList<>();
        for (int night = 0; night < 60; night++) {
            double level = night < 40 ? 1e6 : 0.9e6;
            entries.add(night(night, machine, Kind.MEASURED, level * (1 + 0.01 * random.nextGaussian())));
        }
        return entries;
    }

    private static RunHistory look(List<HistoryEntry> entries, HistoryNote... notes) {
        return RunHistory.of(
                entries,
                List.of(notes),
                new RunHistory.Options(ChangePoints.Options.DEFAULT, 30, List.of(), Directions.BY_NAME));
    }

    @Test
    void theCommitWhereAChangeBeganIsNamed() {
        SeriesHistory series = look(nights("m")).series().getFirst();
        assertThat(series.changes()).singleElement().satisfies(change -> {
            assertThat(change.commit()).isEqualTo("commit-40");
            assertThat(change.lastBefore()).isEqualTo("commit-39");
            assertThat(change.verdict()).isEqualTo(RegressionVerdict.WORSE);
        });
        assertThat(series.verdict()).isEqualTo(RegressionVerdict.WORSE);
    }

    private static RegressionVerdict verdict(double... levels) {
        SplittableRandom random = new SplittableRandom(4);
        List<HistoryEntry> entries = new ArrayList<>();
        for (double level : levels) {
            for (int night = 0; night < 12; night++) {
                entries.add(night(entries.size(), "m", Kind.MEASURED, level * (1 + 0.002 * random.nextGaussian())));
            }
        }
        return RunHistory.of(
                        entries,
                        List.of(),
                        new RunHistory.Options(
                                ChangePoints.Options.DEFAULT, Integer.MAX_VALUE, List.of(), Directions.BY_NAME))
                .verdict();
    }

    @Test
    void aRegressionCountsUntilItIsRepairedWhateverCameBeforeIt() {
        assertThat(verdict(100, 100, 100)).isEqualTo(RegressionVerdict.SAME);
        assertThat(verdict(100, 80, 80, 80, 80, 80)).isEqualTo(RegressionVerdict.WORSE);
        assertThat(verdict(100, 80, 100)).isEqualTo(RegressionVerdict.SAME);
        assertThat(verdict(100, 200, 180)).isEqualTo(RegressionVerdict.WORSE);
        assertThat(verdict(100, 150, 100)).isEqualTo(RegressionVerdict.WORSE);
        assertThat(verdict(100, 80, 120)).isEqualTo(RegressionVerdict.BETTER);
    }

    /** Returns a result in whose cells "lost" has another throughput than the rest. */
    private static HistoryEntry simulated(int night, double lost, List<String> schemes) {
        List<Measurement> runs = schemes.stream()
                .map(scheme -> new Measurement(
                        "s",
                        new Cell(Map.of("scheme", scheme)),
                        0,
                        1,
                        "f",
                        Kind.SIMULATED,
                        true,
                        null,
                        Map.of(Metrics.THROUGHPUT, scheme.equals("lost") ? lost : 1e6)))
                .toList();
        return HistoryEntry.of(START.plusDays(night), Map.of("commit", "c"), "m", runs, _ -> Map.of());
    }

    /** Its nights would look as good as those in which it ran. */
    @Test
    void aCellMissingInTheNewestResultIsUndecided() {
        List<HistoryEntry> entries = new ArrayList<>();
        for (int night = 0; night < 3; night++) {
            entries.add(simulated(night, 1e6, night < 2 ? List.of("kept", "lost") : List.of("kept")));
        }
        RunHistory history = look(entries);
        assertThat(history.verdict()).isEqualTo(RegressionVerdict.CANT_TELL);
        assertThat(history.series())
                .filteredOn(series -> series.cell().equals("lost"))
                .singleElement()
                .satisfies(series -> assertThat(series.reason()).isEqualTo("not in the newest result"));
    }

    /** Its alarm disappeared in the second night without it. */
    @Test
    void aWorseCellThatIsNoLongerMeasuredIsUndecided() {
        List<HistoryEntry> entries = new ArrayList<>();
        for (int night = 0; night < 8; night++) {
            entries.add(simulated(
                    night, night >= 3 ? 0.5e6 : 1e6, night < 5 ? List.of("kept", "lost", "same") : List.of("kept")));
        }
        RunHistory history = look(entries);
        assertThat(history.verdict()).isEqualTo(RegressionVerdict.CANT_TELL);
        assertThat(history.series())
                .filteredOn(series -> series.verdict() == RegressionVerdict.CANT_TELL)
                .singleElement()
                .satisfies(series -> assertThat(series.reason()).contains("worse when last measured"));
        assertThat(RegressionFiles.junit("t", history)).contains("worse when last measured");
    }

    /** Another card made results "better since" the same commit. */
    @Test
    void resultsOfOtherSettingsAreReportedAsAnotherSeries() {
        List<HistoryEntry> entries = new ArrayList<>();
        for (int night = 0; night < 20; night++) {
            String nic = night < 12 || night == 15 ? "slow" : "fast";
            entries.add(night(
                    night, "m", Kind.SIMULATED, nic.equals("slow") ? 1e6 : 2e6, Map.of("nic", nic, "records", "5")));
        }
        RunHistory history = look(entries);
        assertThat(history.series()).singleElement().satisfies(series -> {
            assertThat(series.points()).hasSize(7);
            assertThat(series.changes()).isEmpty();
        });
        assertThat(history.verdict()).isEqualTo(RegressionVerdict.SAME);
        assertThat(history.notes())
                .singleElement()
                .asString()
                .contains(
                        "s was run with other settings: up to 2026-09-16 (commit-15) and now it has nic slow and fast")
                .contains("13 results of other settings are left out");
        assertThat(RegressionFiles.junit("t", history)).contains("nic slow and fast");
    }

    @Test
    void resultsThatDoNotSayTheirSettingsAreKeptApartFromThoseThatDo() throws Exception {
        List<HistoryEntry> entries = new ArrayList<>();
        for (int night = 0; night < 6; night++) {
            entries.add(night(
                    night, "m", Kind.SIMULATED, night < 3 ? 1e6 : 2e6, night < 3 ? Map.of() : Map.of("nic", "c")));
        }
        RunHistory history = look(entries);
        assertThat(history.series().getFirst().changes()).isEmpty();
        assertThat(history.notes()).singleElement().asString().contains("settings were not recorded");
        assertThat(look(entries.subList(0, 3)).notes())
                .singleElement()
                .asString()
                .contains("has no settings");

        Path file = dir.resolve("h.jsonl");
        List<HistoryEntry> written = new ArrayList<>();
        for (HistoryEntry entry : entries) {
            HistoryFile.append(file, written, entry, new ArrayList<>());
        }
        assertThat(HistoryFile.read(file, new ArrayList<>())).isEqualTo(entries);
    }

    @Test
    void aSettingThatIsNewerThanALineHasItsDefault() {
        HistoryEntry old = night(0, "m", Kind.SIMULATED, 1e6, Map.of("nic", "c"));
        HistoryEntry now = night(1, "m", Kind.SIMULATED, 1e6, Map.of("nic", "c", "new-key", "5"));
        assertThat(look(List.of(old.completed(Map.of("new-key", "5")), now)).series())
                .singleElement()
                .satisfies(series -> assertThat(series.points()).hasSize(2));
        assertThat(look(List.of(old.completed(Map.of("new-key", "6")), now)).notes())
                .singleElement()
                .asString()
                .contains("new-key 6 and 5");
    }

    @Test
    void aNoteOfTheDayExplainsAChange() {
        HistoryNote note = new HistoryNote(LocalDate.of(2026, 10, 11), "kernel 6.12", "linear-fixed");
        RunHistory history = look(nights("m"), note);
        assertThat(history.verdict()).isEqualTo(RegressionVerdict.SAME);
        assertThat(history.rows().getFirst().remark()).isEqualTo("explained: kernel 6.12");
        assertThat(look(nights("m"), new HistoryNote(note.date(), "x", "cuckoo"))
                        .verdict())
                .isEqualTo(RegressionVerdict.WORSE);
        assertThat(look(nights("m"), new HistoryNote(note.date().plusDays(9), "x", ""))
                        .verdict())
                .isEqualTo(RegressionVerdict.WORSE);
    }

    @Test
    void aChangeOfLongAgoDoesNotCount() {
        assertThat(RunHistory.of(
                                nights("m"),
                                List.of(),
                                new RunHistory.Options(ChangePoints.Options.DEFAULT, 10, List.of(), Directions.BY_NAME))
                        .verdict())
                .isEqualTo(RegressionVerdict.SAME);
    }

    @Test
    void machinesAreNeverMixed() {
        List<HistoryEntry> entries = new ArrayList<>(nights("old"));
        for (int night = 60; night < 75; night++) {
            entries.add(night(night, "new", Kind.MEASURED, 2e6));
        }
        RunHistory history = look(entries);
        assertThat(history.series().getFirst().points()).hasSize(15);
        assertThat(history.series().getFirst().changes()).isEmpty();
        assertThat(history.notes()).singleElement().asString().contains("60 results", "old");
    }

    @Test
    void simulatedSeriesChangeByAnyDifferenceOnAnyMachine() {
        List<HistoryEntry> entries = List.of(
                night(0, "a", Kind.SIMULATED, 1e6),
                night(1, "b", Kind.SIMULATED, 1e6),
                night(2, "a", Kind.SIMULATED, Math.nextDown(1e6)));
        SeriesHistory series = look(entries).series().getFirst();
        assertThat(series.changes()).extracting(SeriesHistory.Change::commit).containsExactly("commit-2");
    }

    @Test
    void aShortHistoryIsUndecided() {
        RunHistory history = look(nights("m").subList(0, 4));
        assertThat(history.verdict()).isEqualTo(RegressionVerdict.CANT_TELL);
        assertThat(history.series().getFirst().reason()).contains("4 results so far; 6 more");
    }

    @Test
    void changesThatCancelAreTheSame() {
        List<HistoryEntry> entries = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(9);
        for (int night = 0; night < 40; night++) {
            double level = night >= 15 && night < 28 ? 0.8e6 : 1e6;
            entries.add(night(night, "m", Kind.MEASURED, level * (1 + 0.01 * random.nextGaussian())));
        }
        SeriesHistory series = look(entries).series().getFirst();
        assertThat(series.changes()).hasSize(2);
        assertThat(series.verdict()).isEqualTo(RegressionVerdict.SAME);
    }

    @Test
    void aFileReturnsAddedEntriesAndAcceptsNoDuplicate() throws Exception {
        Path file = dir.resolve("new/history.jsonl");
        List<HistoryEntry> entries = HistoryFile.read(file, new ArrayList<>());
        for (HistoryEntry entry : nights("m")) {
            assertThat(HistoryFile.append(file, entries, entry, new ArrayList<>()))
                    .isTrue();
        }
        assertThat(HistoryFile.append(file, entries, nights("m").get(7), new ArrayList<>()))
                .isFalse();
        assertThat(HistoryFile.read(file, new ArrayList<>())).isEqualTo(nights("m"));
        assertThat(Files.readAllLines(file)).hasSize(60);
    }

    @Test
    void everyDamagedLineIsNamed() throws Exception {
        Path file = dir.resolve("history.jsonl");
        List<HistoryEntry> entries = new ArrayList<>();
        HistoryFile.append(file, entries, nights("m").getFirst(), new ArrayList<>());
        Files.writeString(file, "{\"format\": 1\n\n{\"format\": 2}\n", StandardOpenOption.APPEND);
        assertThatThrownBy(() -> HistoryFile.read(file, new ArrayList<>()))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("history.jsonl:2:1")
                .hasMessageContaining("history.jsonl:4:1: is not a result of a history (")
                .hasMessageContaining("format must be 1, but is 2");
    }

    @Test
    void notesAreReadWithThePlaceOfEveryMistake() throws Exception {
        Path file = Files.writeString(
                dir.resolve("notes.yaml"),
                "notes:\n  - {date: 2026-02-30, text: a}\n  - {date: 2026-03-01, text: b, series: s}\n");
        assertThatThrownBy(() -> HistoryNote.read(file)).hasMessageContaining("notes.yaml:2:12: there is no such day");
        Files.writeString(file, "notes:\n  - {dat: 2026-02-20, text: a}\n  - {date: today, text: b}\n");
        assertThatThrownBy(() -> HistoryNote.read(file))
                .hasMessageContaining("did you mean \"date\"")
                .hasMessageContaining("a day like 2026-11-30");
        Files.writeString(file, "notes:\n  - {date: 2026-03-01, text: b, series: s}\n");
        assertThat(HistoryNote.read(file)).containsExactly(new HistoryNote(LocalDate.of(2026, 3, 1), "b", "s"));
    }

    @Test
    void theFingerprintForgivesAKernelThatKeepsMoreMemory() {
        Map<String, String> one = Map.of("cpu", "X", "cores", "4", "memory", "23.4 GiB", "architecture", "amd64");
        Map<String, String> other = Map.of("cpu", "X", "cores", "4", "memory", "22.9 GiB", "architecture", "amd64");
        assertThat(HistoryEntry.fingerprint(one)).isEqualTo("X, 4 cores, 23 GiB, amd64");
        assertThat(HistoryEntry.fingerprint(other)).isEqualTo(HistoryEntry.fingerprint(one));
    }

    @Test
    void junitCountsWhatFailedAndEscapesNames() throws Exception {
        RunHistory history = look(nights("m"));
        String xml = RegressionFiles.junit("a <b> & \"c\"", history);
        Document document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
        assertThat(document.getDocumentElement().getAttribute("name")).isEqualTo("a <b> & \"c\"");
        assertThat(document.getDocumentElement().getAttribute("failures")).isEqualTo("1");
        assertThat(document.getElementsByTagName("testcase").getLength()).isEqualTo(1);
        assertThat(document.getElementsByTagName("failure")
                        .item(0)
                        .getAttributes()
                        .getNamedItem("message")
                        .getNodeValue())
                .contains("since commit-40");
    }

    @Test
    void jsonHoldsEveryChange() {
        JsonNode json =
                JsonLine.read(RegressionFiles.json("t", look(nights("m"))).strip());
        assertThat(json.get("verdict").stringValue()).isEqualTo("worse");
        JsonNode change = json.get("series").get(0).get("changes").get(0);
        assertThat(change.get("index").asInt()).isEqualTo(40);
        assertThat(change.get("commit").stringValue()).isEqualTo("commit-40");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            quoteCharacter = '"',
            value = {
                "![x](http://evil/i.png) !\\[x\\](http:&#8203;//evil/i.png)",
                "[a](javascript:alert(1)) \\[a\\](javascript:alert(1))",
                "@name @&#8203;name",
                "a@b.org a@&#8203;b.org",
                "`rm` \\`rm\\`",
                "~~s~~ \\~\\~s\\~\\~",
                "$x$ \\$x\\$",
                "#12 #&#8203;12",
                "www.evil.org www&#8203;.evil.org",
                "a\\|b a\\\\\\|b",
                "<img> &lt;img&gt;",
                "&lt; &amp;lt;"
            })
    void markdownShowsNamesAsTheyAre(String name, String shown) {
        assertThat(RegressionFiles.markdown(name, new Comparison(List.of(), List.of(name))))
                .startsWith("## " + shown + "\n")
                .contains("- " + shown + "\n");
    }

    @Test
    void markdownKeepsItsTableWhateverTheNames() {
        String text = RegressionFiles.markdown(
                "t",
                new Comparison(
                        List.of(new RegressionFinding(
                                "s|x",
                                "<b>",
                                "latency_ns.p50",
                                Kind.MEASURED,
                                Direction.LOWER_IS_BETTER,
                                1,
                                2,
                                2,
                                1.5,
                                2.5,
                                0.01,
                                9,
                                RegressionVerdict.WORSE,
                                "a\n\u001bb",
                                0)),
                        List.of("note")));
        assertThat(text)
                .contains("| ❌ worse | s\\|x &lt;b&gt; | latency\\_ns.p50 | 1.0000 | 2.0000 | +100.0 % |"
                        + " +50.0 to +150.0 % | a  b |")
                .contains("- note");
    }
}
