package org.reprobe.calibrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.calibration.ProfileText;
import org.reprobe.analysis.cards.CardPoint;
import org.reprobe.analysis.cards.CardPoints;
import org.reprobe.analysis.claims.Quantity;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.perftest.CardIdentification;
import org.reprobe.analysis.perftest.CardOutputs;
import org.reprobe.analysis.perftest.NearestCard;
import org.reprobe.calibrate.PrintedPerftest.Result;
import org.reprobe.run.RunPlan;
import org.reprobe.run.SimulatedRun;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;

/**
 * Profiles made from one host's published {@code ib_read_lat -a} and {@code ib_read_bw -a} against the host's other
 * published measurements.
 */
@Nightly(besides = "IdentifiedCardTest, on simulated cards")
class PredictedHostTest {
    private static final Path SCENARIOS = Project.path("scenarios");
    private static final Path NICS = SCENARIOS.resolve("nics");

    /** A port of 40 Gb/s on PCIe 3 x8. */
    private static final String QDR =
            "'Port 1:; State: Active; Rate: 40; Link layer: InfiniBand; 01:00.0 Infiniband controller: Mellanox;"
                    + " LnkSta: Speed 8GT/s, Width x8; '";

    /** A port of 100 Gb/s; the slot is not known. */
    private static final String ROCE = "'Port 1:; State: Active; Rate: 100; Link layer: Ethernet; '";

    /** The median errors are 2 to 5 %. */
    private static final double BOUND = 0.06;

    @TempDir
    Path dir;

    /** A published row with the cell that repeats it; values in the metric's own unit. */
    private record Row(CardPoint point, RunPlan.Unit unit, double published) {
        boolean isRead() {
            return Objects.equals(point.settings().get("verb.kind"), "read");
        }

        boolean isLatency() {
            return point.metric().equals(Metrics.LATENCY + ".p50");
        }

        Result result() {
            return new Result(unit.settings(), Map.of(point.metric(), published));
        }

        double simulated(NicProfile nic) throws Exception {
            return SimulatedRun.run(unit.settings(), nic, null, 0, unit.runSeed())
                    .metrics()
                    .getOrDefault(point.metric(), Double.NaN);
        }

        double error(NicProfile nic) throws Exception {
            return Math.abs(simulated(nic) / published - 1);
        }
    }

    private static List<Row> rows(String name) throws Exception {
        List<RunPlan.Unit> units = RunPlan.of(
                        List.of(new ScenarioReader(NICS)
                                .read(
                                        SCENARIOS.resolve("cards/" + name + ".yaml"),
                                        ScenarioReader.Options.of(Scale.QUICK))),
                        NICS)
                .units();
        List<Row> rows = new ArrayList<>();
        for (CardPoint point : CardPoints.read(Project.path("results/published/cards/" + name + ".csv"))) {
            boolean typical = point.metric().equals(Metrics.LATENCY + ".p50")
                    || point.metric().equals(Metrics.THROUGHPUT);
            if (point.isExpressible() && typical) {
                Quantity.Metric quantity = CardPoints.claims(List.of(point))
                        .getFirst()
                        .quantity()
                        .metrics()
                        .getFirst();
                RunPlan.Unit unit = units.stream()
                        .filter(each -> each.planned().cell().matches(quantity.cell()))
                        .findFirst()
                        .orElseThrow();
                rows.add(new Row(point, unit, point.value() / quantity.scale()));
            }
        }
        return rows;
    }

    private NicProfile identified(CardOutputs outputs, NicProfile base) throws Exception {
        CardIdentification.Result result = CardIdentification.identify(outputs, List.of(), base);
        Path file = Files.writeString(
                dir.resolve("host.yaml"),
                ProfileText.of("Host", List.of(), result.constants(), NicProfiles.lists(base), "as in " + base.name()));
        return NicProfiles.read(file, "host");
    }

    /**
     * @param port what ibstat and lspci print about the host
     * @param base profile with all other constants; empty for the nearest card
     */
    @ParameterizedTest
    @CsvSource({
        "cx3-40-perftest, MT4099, " + QDR + ", 2048, ",
        "cx3-40-perftest, MT4099, " + QDR + ", 2048, connectx5",
        "bf3-perftest, MT41692, " + ROCE + ", 1024, ",
        "bf3-perftest, MT41692, " + ROCE + ", 1024, connectx5",
    })
    void readsOfAHostPredictItsOtherMeasurements(
            String name, String type, String port, int mtuBytes, @Nullable String base) throws Exception {
        List<Row> rows = rows(name);
        Map<Boolean, List<Result>> reads = new LinkedHashMap<>();
        for (Row row : rows) {
            if (row.isRead()) {
                reads.computeIfAbsent(row.isLatency(), _ -> new ArrayList<>()).add(row.result());
            }
        }
        PrintedPerftest text = new PrintedPerftest(port.contains("Ethernet") ? "Ethernet" : "IB", mtuBytes);
        reads.forEach((latency, results) -> text.add(results, latency, 1));
        String device = "CA 'mlx5_0'\nCA type: " + type + "\n" + port.replace("; ", "\n");
        CardOutputs outputs = CardOutputs.read(List.of(Files.writeString(dir.resolve("host.txt"), device + text)));
        NicProfile nearest =
                NicProfiles.load(NICS, base == null ? NearestCard.of(outputs).profile() : base);

        NicProfile host = identified(outputs, nearest);

        List<Double> errors = new ArrayList<>();
        for (Row row : rows) {
            if (!row.isRead()) {
                errors.add(row.error(host));
            }
        }
        double median = new Median()
                .evaluate(errors.stream().mapToDouble(Double::doubleValue).toArray());
        System.out.printf(
                "%s from %s: %d rows, median error %.1f %%%n", name, nearest.name(), errors.size(), 100 * median);
        assertThat(median)
                .as("median error of %s from %s", name, nearest.name())
                .isLessThan(BOUND);
    }
}
