package org.reprobe.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.sample.Sampling;
import org.reprobe.workload.Distribution;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SettingsTest {
    private static final JsonMapper JSON = new JsonMapper();

    /** Defaults, except for pairs of dotted key and value. */
    private static Settings settings(Object... values) {
        Map<String, Object> given = new HashMap<>();
        for (int i = 0; i < values.length; i += 2) {
            given.put((String) values[i], values[i + 1]);
        }
        Map<Class<? extends Record>, Record> records = new HashMap<>();
        for (Class<? extends Record> type : Settings.COMMON) {
            KeyedRecord<?> section = KeyedRecord.of(type);
            Map<String, JsonNode> nodes = new HashMap<>();
            for (KeyedRecord.Entry entry : section.entries()) {
                Object value = given.remove(entry.name());
                nodes.put(entry.name(), value == null ? entry.byDefault() : JSON.valueToTree(value));
            }
            records.put(type, section.bind(nodes::get));
        }
        assertThat(given).as("unknown keys").isEmpty();
        return new Settings(records);
    }

    @Test
    void realTimeHasALeastDurationAndAFifthOfItAsWarmUp() {
        Object[] times = {"measure.warm-up-ms", 1, "measure.duration-ms", 10, "measure.real-time-ms", 1000};
        Settings.Measure simulated = settings(times).measure();
        assertThat(simulated.warmUpNs()).isEqualTo(1_000_000);
        assertThat(simulated.durationNs()).isEqualTo(10_000_000);
        Object[] real = {
            "measure.warm-up-ms", 1, "measure.duration-ms", 10, "measure.real-time-ms", 1000, "fabric", "tcp"
        };
        assertThat(settings(real).measure().warmUpMs()).isEqualTo(200);
        assertThat(settings(real).measure().durationMs()).isEqualTo(1000);
        assertThat(settings("fabric", "shm", "measure.duration-ms", 5000, "measure.warm-up-ms", 900)
                        .measure())
                .isEqualTo(new Settings.Measure(5, 900, 5000, 1000, 0));
    }

    @Test
    void aTableAndASendQueueStandForLargerOnes() {
        assertThat(settings().table().scale()).isEqualTo(1);
        assertThat(settings("table.records", 1000, "table.represents-records", 4000)
                        .table()
                        .scale())
                .isEqualTo(4);
        assertThat(settings("connection.send-queue", 16, "connection.represents-send-queue", 128)
                        .connection()
                        .scale())
                .isEqualTo(8);
        assertThat(settings("connection.send-queue", "latency", "connection.represents-send-queue", 128)
                        .connection()
                        .scale())
                .isEqualTo(1);
    }

    @Test
    void aNamedWorkloadReplacesTheMixAndTheSkew() {
        Settings settings = settings("workload.name", "ycsb-b", "workload.writes", 0.9, "workload.keys", "distinct");
        assertThat(settings.workload().writes()).isEqualTo(0.05);
        assertThat(settings.workload().keys()).isEqualTo(Distribution.ZIPF);
        assertThat(settings.workload().theta()).isEqualTo(0.99);
        assertThat(settings.workload().inserts()).isFalse();
        assertThat(settings("workload.name", "ycsb-d").workload().inserts()).isTrue();
        assertThat(settings("workload.writes", 0.9).workload().writes()).isEqualTo(0.9);
    }

    @Test
    void keysPerRecordBoundTheKeySpace() {
        long all = settings().keySpace();
        assertThat(all).isEqualTo((1L << 32) - 1);
        assertThat(settings("table.records", 1000, "table.keys-per-record", 1.5).keySpace())
                .isEqualTo(1500);
        assertThat(settings("table.records", 1000, "table.keys-per-record", 0.0001)
                        .keySpace())
                .isEqualTo(1);
        assertThat(settings("table.records", 1L << 31, "table.keys-per-record", 34)
                        .keySpace())
                .isEqualTo(all);
    }

    @Test
    void repeatsDrawTablesOfTheirOwn() {
        assertThat(settings("seed", 1).tableSeed(0))
                .isEqualTo(settings("seed", 1, "load-factor", 0.9).tableSeed(0));
        assertThat(settings("seed", 1).tableSeed(1))
                .isNotEqualTo(settings("seed", 1).tableSeed(0));
        assertThat(settings("seed", 2).tableSeed(0))
                .isNotEqualTo(settings("seed", 1).tableSeed(1));
    }

    @Test
    void faultsKeepTheCourseOfTheRunUnlessSlicesAreGiven() {
        FaultSpec fault = new FaultSpec(
                FaultSpec.Kind.CRASH, 0, 0, "server", "", FaultSpec.Way.BOTH, FaultSpec.Memory.KEPT, 1, 0, Map.of());
        Settings usual = settings("measure.duration-ms", 10);
        assertThat(usual.conditions()).isEqualTo(Sampling.Conditions.NONE);
        assertThat(usual.with(List.of(fault)).conditions()).isEqualTo(new Sampling.Conditions(100_000, true));
        Settings sliced = settings("measure.duration-ms", 10, "series.slice-ms", 2);
        assertThat(sliced.conditions()).isEqualTo(new Sampling.Conditions(2_000_000, false));
        assertThat(sliced.with(List.of(fault)).conditions()).isEqualTo(new Sampling.Conditions(2_000_000, true));
        assertThat(usual.faults()).isEmpty();
        Settings windows = settings("measure.duration-ms", 10, "series.worst-window-ms", 2);
        assertThat(windows.conditions()).isEqualTo(new Sampling.Conditions(200_000, 2_000_000, false, false));
        Settings both = settings("measure.duration-ms", 10, "series.worst-window-ms", 2, "series.slice-ms", 1);
        assertThat(both.conditions()).isEqualTo(new Sampling.Conditions(1_000_000, 2_000_000, false, false));
    }

    @Test
    void aRecordThatIsNoSectionIsRefused() {
        record NoSection() {}
        assertThatThrownBy(() -> settings().section(NoSection.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("no section ");
    }

    @Test
    void hostsAreLocalUnlessOneIsRemote() {
        assertThat(settings().hosts().areLocal()).isTrue();
        assertThat(settings("hosts.clients", List.of("here", "node-1")).hosts().areLocal())
                .isFalse();
        assertThat(settings("hosts.clients", List.of("here", "slurm")).hosts().areSlurms())
                .isTrue();
    }
}
