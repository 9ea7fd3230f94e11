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
    void shortLabelsAlwaysTellTheLoadFactor() {
        Cell low = cell("scheme", "reads", "records", 1000, "load-factor", 0.5);
        Cell high = cell("scheme", "reads", "records", 2000, "load-factor", 0.9);
        assertThat(shortLabels(low, high))
                .containsExactly("reads,records=1000,load-factor=0.5", "reads,records=2000,load-factor=0.9");
    }
}
