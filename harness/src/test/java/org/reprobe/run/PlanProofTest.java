package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.plan.CardLoad;
import org.reprobe.analysis.plan.PlanScheme;
import org.reprobe.analysis.plan.Shapes;
import org.reprobe.analysis.plan.TableShape;

/** A few fixed configurations of what {@code plan --proof} does with random ones. */
class PlanProofTest {
    private static final Path NICS = Path.of("../scenarios/nics");
    private static final long RECORDS = 1 << 16;

    private static PlanProof.Point point(
            PlanScheme scheme, double load, boolean inline, int threads, double writes, double perSecond)
            throws Exception {
        NicProfile nic = NicProfiles.load(NICS, "connectx5-edr");
        TableShape shape = Shapes.of(nic, scheme, load, inline, 16, 256);
        assertThat(shape).isNotNull();
        CardLoad.Clients clients = new CardLoad.Clients(1, threads, 64, 16);
        try (PlanTrial trial = new PlanTrial(nic, shape, clients, RECORDS, writes, 5)) {
            return PlanProof.point(trial, perSecond);
        }
    }

    @Test
    void theClosedFormAgreesWithTheSimulatorWhereTheCardIsTheLimit() throws Exception {
        PlanProof.Point point = point(PlanScheme.LINEAR_VARIABLE, 0.5, true, 28, 0, 15e6);

        assertThat(Math.abs(point.throughputError())).as(point.line()).isLessThan(0.05);
        assertThat(Math.abs(point.idleError())).as(point.line()).isLessThan(0.15);
        assertThat(Math.abs(point.loadedError())).as(point.line()).isLessThan(0.15);
    }

    @Test
    void itAgreesWhereTheClientsAreTheLimitAndRecordsStandInTheHeap() throws Exception {
        PlanProof.Point point = point(PlanScheme.CUCKOO_PARALLEL, 0.8, false, 4, 0, 1.5e6);

        assertThat(Math.abs(point.throughputError())).as(point.line()).isLessThan(0.05);
        assertThat(Math.abs(point.idleError())).as(point.line()).isLessThan(0.15);
        assertThat(Math.abs(point.loadedError())).as(point.line()).isLessThan(0.15);
    }

    @Test
    void itAgreesWhereOperationsWrite() throws Exception {
        PlanProof.Point point = point(PlanScheme.LINEAR_VARIABLE, 0.5, true, 28, 0.5, 8e6);

        assertThat(Math.abs(point.throughputError())).as(point.line()).isLessThan(0.05);
        assertThat(Math.abs(point.idleError())).as(point.line()).isLessThan(0.15);
        assertThat(Math.abs(point.loadedError())).as(point.line()).isLessThan(0.15);
    }

    @Test
    void theSummaryNamesWhatIsBeyondThePromise() throws Exception {
        PlanProof.Point good = point(PlanScheme.HOPSCOTCH_CHAINED, 0.6, true, 8, 0, 2e6);
        PlanProof.Point bad = new PlanProof.Point(good.load(), 0.5, 2e6, 1e6, 1000, 1000, 1000, 1000);

        assertThat(PlanProof.summary(List.of(good, bad)))
                .contains("throughput: 1 of 2 within 5 %")
                .contains("beyond: " + bad.line());
    }
}
