package org.reprobe.analysis.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CellTest {
    private static Cell cell(Object... keysAndValues) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            values.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return new Cell(values);
    }

    private static List<String> shortLabels(Cell... cells) {
        return Stream.of(cells).map(Cell.shortLabels(List.of(cells))).toList();
    }

    @Test
    void shortLabelsLeaveOutWhatFollowsFromKeysBefore() {
        Cell reads = cell("nic", "a", "scheme", "reads", "load-factor", 0.5, "measure.duration-ms", 1, "seed", 7);
        Cell overTcp =
                cell("nic", "tcp", "scheme", "messages", "load-factor", 0.5, "measure.duration-ms", 60, "seed", 7);
        Cell messages = cell("nic", "a", "scheme", "messages", "load-factor", 0.5, "measure.duration-ms", 1, "seed", 7);
        assertThat(shortLabels(reads, overTcp, messages))
                .containsExactly(
                        "reads,nic=a,load-factor=0.5,seed=7",
                        "messages,nic=tcp,load-factor=0.5,seed=7",
                        "messages,nic=a,load-factor=0.5,seed=7");
    }

    @Test
    void shortLabelsKeepWhatDiffersAmongEqualOnes() {
        Cell brief = cell("scheme", "reads", "machines", 2, "duration-ms", 1);
        Cell longer = cell("scheme", "reads", "machines", 2, "duration-ms", 2);
        assertThat(shortLabels(brief, longer))
                .containsExactly("reads,machines=2,duration-ms=1", "reads,machines=2,duration-ms=2");
    }

    @Test
    void shortLabelsAlwaysContainTheLoadFactor() {
        Cell low = cell("scheme", "reads", "records", 1000, "load-factor", 0.5);
        Cell high = cell("scheme", "reads", "records", 2000, "load-factor", 0.9);
        assertThat(shortLabels(low, high))
                .containsExactly("reads,records=1000,load-factor=0.5", "reads,records=2000,load-factor=0.9");
    }

    /** Formerly all had one label, so that one's settings and series were the other's. */
    @Test
    void cellsWithDifferentTextsHaveDifferentLabels() {
        Stream<Cell> cells = Stream.of(
                cell("a", "1,b=2", "b", "3"),
                cell("a", "1", "b", "2,b=3"),
                cell("a", "\"1,b=2\"", "b", "3"),
                cell("a", "1", "b=2,b", "3"),
                cell("scheme", "a=1,b=2,b=3"));
        assertThat(cells.map(Cell::label)).doesNotHaveDuplicates().startsWith("a=\"1,b=2\",b=3", "a=1,b=\"2,b=3\"");
        assertThat(cell("a", "1,2", "b", "x=y").label()).isEqualTo("a=1,2,b=x=y");
        assertThat(cell("server.threads", 4).label()).isEqualTo("threads=4");
        assertThat(new Cell(Map.of("server.threads", "4"), false).label()).isEqualTo("server.threads=4");
    }

    @Test
    void numbersAreEqualByTheirExactValue() {
        assertThat(Cell.equalValues(1, 1.0)).isTrue();
        assertThat(Cell.equalValues(1L << 53, 0x1p53)).isTrue();
        assertThat(Cell.equalValues((1L << 53) + 1, 0x1p53)).isFalse();
        assertThat(Cell.equalValues((1L << 53) + 1, 1L << 53)).isFalse();
        assertThat(Cell.equalValues(0.1f, (double) 0.1f)).isTrue();
        assertThat(Cell.equalValues("1", 1)).isFalse();
        assertThat(Cell.equalValues(null, null)).isTrue();
    }
}
