package org.reprobe.analysis.measurement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SummaryCsvTest {
    @TempDir
    Path folder;

    private static Measurement run(String scheme, int repeat, boolean valid, Map<String, Double> metrics) {
        Map<String, Object> cell = new LinkedHashMap<>();
        cell.put("scheme", scheme);
        cell.put("load-factor", 0.5);
        return new Measurement("s", new Cell(cell), repeat, 1, "sim", Kind.SIMULATED, valid, null, metrics);
    }

    @Test
    void aCellIsOneRowOfMeansAndHalfWidths() throws Exception {
        List<Measurement> runs = List.of(
                run("b", 0, true, Map.of("m", 7.0)),
                run("a", 0, true, Map.of("m", 1.0)),
                run("a", 1, true, Map.of("m", 2.0)),
                run("a", 2, true, Map.of("m", 3.0)),
                run("a", 3, false, Map.of("m", 999.0)),
                run("c", 0, false, Map.of()));
        Path file = folder.resolve(SummaryCsv.NAME);
        SummaryCsv.write(file, runs, List.of());
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0))
                .isEqualTo("scenario,scheme,load-factor,fabric,kind,runs,failed_runs,m,m.ci95,warnings");
        assertThat(lines.get(1)).isEqualTo("s,b,0.5,sim,simulated,1,0,7.0,,");
        assertThat(lines.get(2)).startsWith("s,a,0.5,sim,simulated,3,1,2.0,");
        // t(0.975, 2) = 4.30265 (any table), standard error 1 / sqrt(3)
        assertThat(Double.parseDouble(lines.get(2).split(",")[8])).isCloseTo(4.30265 / Math.sqrt(3), within(1e-5));
        assertThat(lines.get(3)).isEqualTo("s,c,0.5,sim,simulated,0,1,,,");
    }

    @Test
    void quantilesOverDrawnProfilesFollowAMetricOfTheirCell() {
        List<Measurement> runs = List.of(run("a", 0, true, Map.of("m", 7.0)), run("b", 0, true, Map.of("m", 8.0)));
        List<Measurement> drawn = IntStream.rangeClosed(1, 10)
                .mapToObj(i -> run("a", i, i < 10, Map.of("m", 0.0 + i)))
                .toList();
        assertThat(SummaryCsv.text(runs, drawn).lines())
                .containsExactly(
                        "scenario,scheme,load-factor,fabric,kind,runs,failed_runs,m,m.ci95,m.low,m.median,m.high,warnings",
                        "s,a,0.5,sim,simulated,1,0,7.0,,1.0,5.0,9.0,",
                        "s,b,0.5,sim,simulated,1,0,8.0,,,,,");
    }

    @Test
    void warningsOfValidRunsStandInTheLastFieldOnceEach() {
        Measurement first = run("a", 0, true, Map.of("m", 1.0));
        List<Measurement> runs = List.of(
                new Measurement(
                        "s", first.cell(), 0, 1, "sim", Kind.SIMULATED, true, null, first.metrics(), List.of("x", "y")),
                new Measurement(
                        "s", first.cell(), 1, 1, "sim", Kind.SIMULATED, true, null, first.metrics(), List.of("x")));
        assertThat(SummaryCsv.text(runs, List.of())).endsWith(",x; y\n");
    }

    @Test
    void fieldsWithCommasAndQuotesAreQuoted() {
        assertThat(SummaryCsv.text(List.of(run("a,\"b\"", 0, true, Map.of())), List.of()))
                .contains("s,\"a,\"\"b\"\"\",0.5,");
    }

    /** A spreadsheet would execute them. */
    @Test
    void noFieldIsAFormulaButNumbersStayNumbers() {
        Map<String, Object> cell = new LinkedHashMap<>();
        cell.put("scheme", "=1+1");
        cell.put("hint-distance", -30L);
        cell.put("at", "@x");
        Measurement run = new Measurement(
                "+s", new Cell(cell), 0, 1, "-f", Kind.SIMULATED, true, null, Map.of("=HYPERLINK()", -2.5));
        assertThat(SummaryCsv.text(List.of(run), List.of()).lines())
                .containsExactly(
                        "scenario,scheme,hint-distance,at,fabric,kind,runs,failed_runs,'=HYPERLINK(),'=HYPERLINK().ci95,warnings",
                        "'+s,'=1+1,-30,'@x,'-f,simulated,1,0,-2.5,,");
    }

    @Test
    void aFolderThatCannotBeWrittenToIsNamed() {
        Path file = folder.resolve("missing").resolve(SummaryCsv.NAME);
        assertThatThrownBy(() -> SummaryCsv.write(file, List.of(), List.of()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(file + ": could not be written");
    }
}
