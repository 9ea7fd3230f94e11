package org.reprobe.run.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.plan.CardLoad;
import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.system.Systems;
import org.reprobe.testing.Project;

/** A few fixed configurations of {@code plan --proof}, which uses random ones. */
class PlanProofTest {
    private static final Path NICS = Project.path("scenarios/nics");
    private static final long RECORDS = 1 << 16;

    private static PlannedScheme scheme(String key) {
        return Systems.planned().stream()
                .filter(scheme -> scheme.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private static PlanProof.Point point(
            String scheme, double load, boolean inline, int threads, double writes, double perSecond) throws Exception {
        NicProfile nic = NicProfiles.load(NICS, "connectx5-edr");
        TableShape shape = scheme(scheme).shape(nic, load, inline, 16, 0);
        assertThat(shape).isNotNull();
        CardLoad.Clients clients = new CardLoad.Clients(1, threads, 64, 16);
        try (PlanTrial trial = new PlanTrial(nic, shape, clients, RECORDS, RECORDS, writes, 5)) {
            return PlanProof.point(trial, perSecond);
        }
    }

    @Test
    void theClosedFormAgreesWithTheSimulatorWhereTheCardIsTheLimit() throws Exception {
        PlanProof.Point point = point("linear-variable", 0.5, true, 28, 0, 15e6);

        assertThat(Math.abs(point.throughputError())).as(point.line()).isLessThan(0.05);
        assertThat(Math.abs(point.idleError())).as(point.line()).isLessThan(0.15);
        assertThat(Math.abs(point.loadedError())).as(point.line()).isLessThan(0.15);
    }

    @ParameterizedTest
    @ValueSource(strings = {"connectx3", "connectx5"})
    void itAgreesForCardsWithPacketStages(String name) throws Exception {
        NicProfile nic = NicProfiles.load(NICS, name);
        for (int recordBytes : new int[] {16, 512}) {
            TableShape shape = scheme("linear-variable").shape(nic, 0.5, true, recordBytes, 0);
            assertThat(shape).isNotNull();
            CardLoad.Clients clients = new CardLoad.Clients(2, 28, 64, 16);
            try (PlanTrial trial = new PlanTrial(nic, shape, clients, RECORDS, RECORDS, 0, 5)) {
                PlanProof.Point point =
                        PlanProof.point(trial, 0.4 * trial.load().saturatedPerSecond());
                assertThat(Math.abs(point.throughputError())).as(point.line()).isLessThan(0.05);
                assertThat(Math.abs(point.idleError())).as(point.line()).isLessThan(0.15);
                assertThat(Math.abs(point.loadedError())).as(point.line()).isLessThan(0.15);
            }
        }
    }

    @Test
    void itAgreesWhereTheClientsAreTheLimitAndRecordsStandInTheHeap() throws Exception {
        PlanProof.Point point = point("cuckoo-parallel", 0.8, false, 4, 0, 1.5e6);

        assertThat(Math.abs(point.throughputError())).as(point.line()).isLessThan(0.05);
        assertThat(Math.abs(point.idleError())).as(point.line()).isLessThan(0.15);
        assertThat(Math.abs(point.loadedError())).as(point.line()).isLessThan(0.15);
    }

    @Test
    void itAgreesWhereOperationsWrite() throws Exception {
        PlanProof.Point point = point("linear-variable", 0.5, true, 28, 0.5, 8e6);

        assertThat(Math.abs(point.throughputError())).as(point.line()).isLessThan(0.05);
        assertThat(Math.abs(point.idleError())).as(point.line()).isLessThan(0.15);
        assertThat(Math.abs(point.loadedError())).as(point.line()).isLessThan(0.15);
    }

    /** 2^27 records of 16 bytes at load .5 are 4.3 GB, of which the card holds the translations of 0.8 GB. */
    @Test
    void aSmallTableCostsTheCardWhatTheLargeOneThatItStandsForWould() throws Exception {
        long represented = 1L << 27;
        NicProfile nic = NicProfiles.load(NICS, "connectx5-edr");
        TableShape shape = scheme("linear-fixed").shape(nic, 0.5, true, 16, 1);
        assertThat(shape).isNotNull();
        CardLoad.Clients clients = new CardLoad.Clients(1, 28, 64, 16);
        double bytes = represented * shape.bytesPerRecord();
        double large = new CardLoad(nic, shape, shape.demand(), clients, bytes, 0).saturatedPerSecond();
        double small = new CardLoad(nic, shape, shape.demand(), clients, RECORDS * shape.bytesPerRecord(), 0)
                .saturatedPerSecond();
        assertThat(large).isLessThan(0.9 * small);

        assertThat(simulated(nic, shape, clients, represented)).isCloseTo(large, withinPercentage(1));
        assertThat(simulated(nic, shape, clients, RECORDS)).isCloseTo(small, withinPercentage(1));
    }

    private static double simulated(NicProfile nic, TableShape shape, CardLoad.Clients clients, long represented)
            throws Exception {
        try (PlanTrial trial = new PlanTrial(nic, shape, clients, RECORDS, represented, 0, 5)) {
            double perSecond = trial.run(64, 0, 1, 3).lookupsPerSecond();
            assertThat(trial.load().saturatedPerSecond()).isCloseTo(perSecond, withinPercentage(1));
            return perSecond;
        }
    }

    @Test
    void theSummaryNamesWhatIsBeyondThePromise() throws Exception {
        PlanProof.Point good = point("hopscotch-chained", 0.6, true, 8, 0, 2e6);
        PlanProof.Point bad = new PlanProof.Point(good.load(), 0.5, 2e6, 1e6, 1000, 1000, 1000, 1000);

        assertThat(PlanProof.summary(List.of(good, bad)))
                .contains("throughput: 1 of 2 within 5 %")
                .contains("beyond: " + bad.line());
    }
}
