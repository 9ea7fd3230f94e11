package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.QRDecomposition;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.math3.linear.RealVector;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.claims.Claim;
import org.reprobe.analysis.claims.ClaimFile;
import org.reprobe.analysis.claims.Quantity;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;

/**
 * Repeats the fit of {@code das5-fdr}: the constants that minimize the squares of relative errors of two latencies and
 * two throughputs that the find-or-put paper publishes, as the shipped scenarios simulate them. After a change of
 * find-or-put or of the simulated card, take the constants from this test's message.
 */
@Nightly(besides = "NicProfilesTest, which reads the profile")
class FindOrPutFitTest {
    private static final Path SCENARIOS = Project.path("scenarios");
    private static final Path NICS = SCENARIOS.resolve("nics");
    /** Step of a constant: large enough that random differences are small beside it. */
    private static final double STEP = 0.05;

    /** Claims on which the constants were fitted. */
    private static final Set<String> FITTED =
            Set.of("latency/C8/0.5", "latency/C128/0.5", "throughput/machines-2/1", "throughput/machines-2/16");

    /** A published number, and the runs whose mean is compared with it. */
    private record Point(Claim claim, Quantity.Metric quantity, List<RunPlan.Unit> units) {
        double relative(NicProfile nic) throws Exception {
            double sum = 0;
            for (RunPlan.Unit unit : units) {
                sum += SimulatedRun.run(unit.settings(), nic, null, unit.repeat(), unit.runSeed())
                        .metrics()
                        .getOrDefault(quantity.metric(), Double.NaN);
            }
            return sum / units.size() * quantity.scale() / claim.published();
        }
    }

    private static List<Point> points() throws Exception {
        List<Point> points = new ArrayList<>();
        for (Claim claim : ClaimFile.read(Project.path("results/published/find-or-put.yaml"), null)
                .claims()) {
            if (FITTED.contains(claim.id().replace("find-or-put/table-1/", ""))
                    && claim.quantity() instanceof Quantity.Metric quantity) {
                points.add(new Point(claim, quantity, units(quantity)));
            }
        }
        assertThat(points).hasSameSizeAs(FITTED);
        return points;
    }

    private static List<RunPlan.Unit> units(Quantity.Metric quantity) throws Exception {
        Path file = SCENARIOS.resolve("find-or-put/" + quantity.scenario() + ".yaml");
        // In the scenario's interval, a throughput would have a random error of 1 or 2 %.
        List<String> sets =
                quantity.metric().equals(Metrics.THROUGHPUT) ? List.of("measure.duration-ms=10") : List.of();
        ScenarioReader.Options options = new ScenarioReader.Options(sets, null, null, Scale.QUICK);
        return RunPlan.of(List.of(new ScenarioReader(NICS).read(file, options)), NICS).units().stream()
                .filter(unit -> unit.planned().cell().matches(quantity.cell()))
                .toList();
    }

    private static double[] constants(NicProfile nic) {
        return new double[] {
            nic.client().postNs(),
            nic.client().payloadNsPerByte(),
            nic.cluster().othersNsPerRate()
        };
    }

    private static NicProfile with(NicProfile nic, double[] constants) {
        NicProfile.Client client = nic.client();
        NicProfile.Cluster cluster = nic.cluster();
        return new NicProfile(
                nic.name(),
                nic.title(),
                nic.responder(),
                nic.link(),
                nic.requester(),
                nic.limits(),
                new NicProfile.Client(
                        client.lookupNs(),
                        constants[0],
                        constants[1],
                        client.doorbellNs(),
                        client.completionNs(),
                        client.slotNs(),
                        client.messageNs()),
                nic.model(),
                nic.contention(),
                nic.transactions(),
                new NicProfile.Cluster(
                        cluster.switchMachines(), cluster.furtherSwitchesNs(), constants[2], cluster.memoryNsPerLine()),
                nic.setUp(),
                nic.card(),
                nic.slot(),
                nic.transfer(),
                nic.retransmission(),
                nic.provenance());
    }

    private static RealVector relative(NicProfile nic, List<Point> points) throws Exception {
        double[] relative = new double[points.size()];
        for (int i = 0; i < relative.length; i++) {
            relative[i] = points.get(i).relative(nic);
        }
        return new ArrayRealVector(relative, false);
    }

    @Test
    void theProfilesConstantsAreThoseOfTheFit() throws Exception {
        NicProfile nic = NicProfiles.load(NICS, "das5-fdr");
        List<Point> points = points();
        double[] constants = constants(nic);
        RealVector here = relative(nic, points);
        RealMatrix slopes = new Array2DRowRealMatrix(points.size(), constants.length);
        for (int i = 0; i < constants.length; i++) {
            double[] there = constants.clone();
            there[i] *= 1 + STEP;
            slopes.setColumnVector(
                    i, relative(with(nic, there), points).subtract(here).mapDivide(STEP));
        }

        // The Gauss-Newton step from here, in shares of the constants.
        RealVector step = new QRDecomposition(slopes)
                .getSolver()
                .solve(here.mapMultiply(-1).mapAdd(1));

        String output = "post-ns %.1f, payload-ns-per-byte %.4f, others-ns-per-rate %.1f"
                .formatted(
                        constants[0] * (1 + step.getEntry(0)),
                        constants[1] * (1 + step.getEntry(1)),
                        constants[2] * (1 + step.getEntry(2)));
        // Chance moves the first two against each other, for both make latencies longer; the third is a throughput's
        // alone.
        assertThat(step.getEntry(0)).as(output).isCloseTo(0, within(0.05));
        assertThat(step.getEntry(1)).as(output).isCloseTo(0, within(0.05));
        assertThat(step.getEntry(2)).as(output).isCloseTo(0, within(0.01));
    }
}
