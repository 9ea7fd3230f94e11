package org.reprobe.analysis.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CellTest {
    private static Cell cell(Object... keysAndValues) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            values.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return new Cell(values);
    }

    @Test
    void shortLabelsLeaveOutWhatFollowsFromKeysBefore() {
        Cell reads = cell("nic", "a", "scheme", "reads", "load-factor", 0.5, "measure.duration-ms", 1, "seed", 7);
        Cell overTcp =
                cell("nic", "tcp", "scheme", "messages", "load-factor", 0.5, "measure.duration-ms", 60, "seed", 7);
        Cell messages = cell("nic", "a", "scheme", "messages", "load-factor", 0.5, "measure.duration-ms", 1, "seed", 7);
        assertThat(Cell.shortLabels(List.of(reads, overTcp, messages)).values())
                .containsExactly(
                        "reads,nic=a,load-factor=0.5,seed=7",
                        "messages,nic=tcp,load-factor=0.5,seed=7",
                        "messages,nic=a,load-factor=0.5,seed=7");
    }

    @Test
    void shortLabelsKeepWhatDiffersAmongEqualOnes() {
        Cell brief = cell("scheme", "reads", "machines", 2, "duration-ms", 1);
        Cell longer = cell("scheme", "reads", "machines", 2, "duration-ms", 2);
        assertThat(Cell.shortLabels(List.of(brief, longer)).values())
                .containsExactly("reads,machines=2,duration-ms=1", "reads,machines=2,duration-ms=2");
    }

    @Test
    void shortLabelsAlwaysTellTheLoadFactor() {
        Cell low = cell("scheme", "reads", "records", 1000, "load-factor", 0.5);
        Cell high = cell("scheme", "reads", "records", 2000, "load-factor", 0.9);
        assertThat(Cell.shortLabels(List.of(low, high)).values())
                .containsExactly("reads,records=1000,load-factor=0.5", "reads,records=2000,load-factor=0.9");
    }
}
