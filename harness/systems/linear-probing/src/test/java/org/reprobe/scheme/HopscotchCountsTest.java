package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.testing.Project;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySpec;

/** Counts again, in smaller tables, what the planner has counted of hopscotch tables. */
class HopscotchCountsTest {
    private static final int RECORDS = 1 << 18;

    private static TableSpec spec(TableKind kind, double load, int neighbourhood) {
        KeySpec keys = new KeySpec(Distribution.DISTINCT, 0, (1L << 32) - 1);
        return new TableSpec(kind, Storage.INLINE, RECORDS, 8, load, 1, 1, neighbourhood, keys, 11);
    }

    @ParameterizedTest
    @CsvSource({"0.6", "0.8", "0.95"})
    void chainedTablesTakeTheMemoryThatThePlannerCounts(double load) throws Exception {
        ChainedHopscotchShape shape =
                new ChainedHopscotchShape(new PlannedHopscotch(HopscotchSystem.CHAINED), load, true, 8, 8);
        try (TableImage image = TableBuilder.build(spec(TableKind.HOPSCOTCH_CHAINED, load, shape.neighbourhood()), 1)) {
            double perRecord = (double) image.geometry().tableBytes() / RECORDS;
            assertThat(perRecord).isCloseTo(shape.bytesPerRecord(), within(0.01 * perRecord));
        }
    }

    @ParameterizedTest
    @CsvSource({"0.30", "0.55", "0.75"})
    void plainTablesCanBeFilledAsFarAsThePlannerFillsThem(double load) throws Exception {
        NicProfile nic = NicProfiles.load(Project.path("scenarios/nics"), "connectx5-edr");
        HopscotchShape shape =
                (HopscotchShape) new PlannedHopscotch(HopscotchSystem.PLAIN).shape(nic, load, true, 8, 0);
        assertThat(shape).isNotNull();
        try (TableImage image = TableBuilder.build(spec(TableKind.HOPSCOTCH, load, shape.neighbourhood()), 1)) {
            assertThat(image.geometry().places()).isGreaterThan(RECORDS);
        }
    }
}
