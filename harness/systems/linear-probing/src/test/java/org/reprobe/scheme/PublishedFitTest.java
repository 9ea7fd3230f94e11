package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.commons.math3.fitting.leastsquares.LeastSquaresBuilder;
import org.apache.commons.math3.fitting.leastsquares.LeastSquaresOptimizer;
import org.apache.commons.math3.fitting.leastsquares.LevenbergMarquardtOptimizer;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.MatrixUtils;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.math3.linear.RealVector;
import org.apache.commons.math3.util.Pair;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.claims.Claim;
import org.reprobe.analysis.claims.ClaimFile;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.plan.CardLoad;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.testing.Project;

/**
 * Makes the fit of {@code connectx5-edr} again: the constants that leave the least squares of relative errors of four
 * published throughputs, by the closed form of the simulator, with the paper's clients and tables. After a change of
 * the card's model the constants are taken from this test's message.
 */
class PublishedFitTest {
    private static final Path NICS = Project.path("scenarios/nics");
    private static final Path CLAIMS = Project.path("results/published/linear-probing.yaml");

    /** Section 5.1: tables of 120 x 2^20 records of 8 bytes, 28 threads, send queues of 8192, 16 outstanding READs. */
    private static final double RECORDS = 120 << 20;

    private static final CardLoad.Clients CLIENTS = new CardLoad.Clients(1, 28, 8192, 16);

    /** payload-ns-per-byte, translation-miss-ns and translations, in units in which all are about 1. */
    private static final double[] UNITS = {0.07, 6, 200_000};

    private record Point(String name, double published, Function<NicProfile, Double> predicted) {}

    private static TableShape linear(double load, int readSlots) {
        return new LinearShape(new PlannedLinear(LinearProbingSystem.FIXED), load, true, 8, readSlots);
    }

    private static double lookupsPerUs(NicProfile nic, TableShape shape) {
        double tableBytes = RECORDS * shape.bytesPerRecord();
        return new CardLoad(nic, shape, shape.demand(), CLIENTS, tableBytes, 0).saturatedPerSecond() / 1e6;
    }

    private static List<Point> points() throws Exception {
        Map<String, Double> published =
                ClaimFile.read(CLAIMS, null).claims().stream().collect(Collectors.toMap(Claim::id, Claim::published));
        TableShape cuckoo = new CuckooShape(new PlannedCuckoo(CuckooSystem.PARALLEL, true), 0.25, true, 8, 4, 3);
        double best = published.get("linear-probing/table-2/assumed-0.25/0.25");
        return List.of(
                new Point("Table 2, .25/.25", best, nic -> lookupsPerUs(nic, linear(0.25, 5))),
                new Point(
                        "Fixed Linear",
                        best / published.get("linear-probing/section-5.3/variable-over-fixed"),
                        nic -> lookupsPerUs(nic, linear(0.25, 32))),
                new Point(
                        "Cuckoo",
                        best / published.get("linear-probing/section-5.3/variable-over-cuckoo"),
                        nic -> lookupsPerUs(nic, cuckoo)),
                new Point(
                        "Table 2, .65/.25",
                        published.get("linear-probing/table-2/assumed-0.25/0.65"),
                        nic -> lookupsPerUs(nic, linear(0.65, 5))));
    }

    private static NicProfile with(NicProfile nic, RealVector constants) {
        NicProfile.Responder card = nic.responder();
        NicProfile.Contention room = nic.contention();
        return nic.with(new NicProfile.Responder(
                        card.messageNs(),
                        card.randomAccessNs(),
                        constants.getEntry(0) * UNITS[0],
                        card.sequentialStreams(),
                        card.atomicNs(),
                        card.atomicSameAddressNs()))
                .with(new NicProfile.Contention(
                        room.queuePairs(),
                        room.queuePairMissNs(),
                        (int) Math.round(constants.getEntry(2) * UNITS[2]),
                        room.pageBytes(),
                        constants.getEntry(1) * UNITS[1],
                        room.outstanding()));
    }

    private static RealVector relative(NicProfile nic, List<Point> points) {
        return new ArrayRealVector(points.stream()
                .mapToDouble(point -> point.predicted.apply(nic) / point.published)
                .toArray());
    }

    private static double[] fit(NicProfile nic, List<Point> points) {
        double step = 1e-3;
        LeastSquaresOptimizer.Optimum optimum = new LevenbergMarquardtOptimizer()
                .optimize(new LeastSquaresBuilder()
                        .start(new double[] {1, 1, 1})
                        .target(new double[] {1, 1, 1, 1})
                        .maxEvaluations(200)
                        .maxIterations(200)
                        .model(at -> {
                            RealVector here = relative(with(nic, at), points);
                            RealMatrix slopes = MatrixUtils.createRealMatrix(points.size(), UNITS.length);
                            for (int i = 0; i < UNITS.length; i++) {
                                RealVector there = at.copy();
                                there.addToEntry(i, step);
                                slopes.setColumnVector(
                                        i,
                                        relative(with(nic, there), points)
                                                .subtract(here)
                                                .mapDivide(step));
                            }
                            return new Pair<>(here, slopes);
                        })
                        .build());
        double[] found = optimum.getPoint().toArray();
        for (int i = 0; i < found.length; i++) {
            found[i] *= UNITS[i];
        }
        return found;
    }

    @Test
    void theProfilesConstantsAreThoseOfTheFit() throws Exception {
        NicProfile nic = NicProfiles.load(NICS, "connectx5-edr");
        List<Point> points = points();

        double[] fitted = fit(nic, points);

        String output = "payload-ns-per-byte %.5f, translation-miss-ns %.3f, translations %.0f"
                .formatted(fitted[0], fitted[1], fitted[2]);
        // What is left of a constant is rounding.
        assertThat(nic.responder().payloadNsPerByte()).as(output).isCloseTo(fitted[0], within(0.00005));
        assertThat(nic.contention().translationMissNs()).as(output).isCloseTo(fitted[1], within(0.006));
        assertThat((double) nic.contention().translations()).as(output).isCloseTo(fitted[2], within(600.0));
        for (Point point : points) {
            assertThat(point.predicted.apply(nic))
                    .as(point.name)
                    .isCloseTo(point.published, within(0.01 * point.published));
        }
    }

    /** A measurement that nothing was fitted on: 8-byte READs of little memory, "measured elsewhere" in the profile. */
    @Test
    void readsOfLittleMemoryCostNoTranslation() throws Exception {
        NicProfile nic = NicProfiles.load(NICS, "connectx5-edr");
        TableShape shape = linear(0.05, 1);
        CardLoad load = new CardLoad(nic, shape, shape.demand(), CLIENTS, 1 << 20, 0);
        assertThat(load.costs(0).contentionNs()).isZero();
    }
}
