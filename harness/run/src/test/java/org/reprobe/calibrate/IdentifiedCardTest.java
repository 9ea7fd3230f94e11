package org.reprobe.calibrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.calibration.Observation;
import org.reprobe.analysis.calibration.Probe;
import org.reprobe.analysis.calibration.ProfileText.Constant;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.perftest.CardIdentification;
import org.reprobe.analysis.perftest.CardOutputs;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.testing.Project;
import org.reprobe.testing.Seeds;

/** Times of a simulated card, written as perftest prints them, identify its constants with another card as the base. */
class IdentifiedCardTest {
    private static final Path NICS = Project.path("scenarios/nics");
    private static final int CLIENTS = 8;

    @TempDir
    Path dir;

    private static Map<Double, Double> times(List<Observation> observations, Probe probe) {
        Map<Double, Double> times = new TreeMap<>();
        observations.stream()
                .filter(observation -> observation.probe() == probe)
                .forEach(observation -> times.put(observation.x(), observation.ns()));
        return times;
    }

    private static String heading(String test, int queuePairs, int outstanding) {
        String rule = "-".repeat(87) + "\n";
        return rule + " ".repeat(20) + test + " Test\n Device : mlx5_0\n Number of qps : " + queuePairs
                + "\n TX depth : 128\n CQ Moderation : 1\n Mtu : 4096[B]\n Link type : IB\n Outstand reads : "
                + outstanding + "\n" + rule;
    }

    private static String rate(String test, int queuePairs, int outstanding, long bytes, double ns) {
        return heading(test, queuePairs, outstanding)
                + " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]\n"
                + String.format(
                        Locale.ROOT,
                        " %d 5000 %.2f %.2f %.6f%n",
                        bytes,
                        bytes * 1e9 / ns / (1 << 20),
                        bytes * 1e9 / ns / (1 << 20),
                        1e3 / ns);
    }

    private static String latencies(Map<Double, Double> medians, Map<Double, Double> p90) {
        StringBuilder text = new StringBuilder(heading("RDMA_Read Latency", 1, 16))
                .append(
                        " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99%")
                .append(" percentile[usec]\n");
        medians.forEach((bytes, ns) -> {
            // The times are log-normal.
            double p99 = ns * Math.pow(p90.get(bytes) / ns, 2.3263 / 1.2816);
            text.append(String.format(
                    Locale.ROOT,
                    " %d 600 %.2f %.2f %.2f %.2f 0.10 %.2f%n",
                    bytes.longValue(),
                    ns / 1e3,
                    p99 / 1e3,
                    ns / 1e3,
                    ns / 1e3,
                    p99 / 1e3));
        });
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource({"connectx5-edr, connectx3-40g", "connectx3-56g, connectx5-roce", "connectx5-roce, connectx3-56g"})
    void aSimulatedCardsConstantsAreInTheirIntervals(String card, String base) throws Exception {
        NicProfile simulated = NicProfiles.load(NICS, card);
        Map<String, Double> truth = NicProfiles.constants(simulated);
        Procedure.Parameters plan =
                new Procedure.Parameters(CLIENTS, 16, 4 << 20, 200_000, 400_000, 600, 1, 0, Seeds.seed());
        List<Observation> observations = Procedure.run(
                        seed -> new SimFabric(simulated, 1, seed), plan, (repeat, probe) -> {})
                .observations();
        String text = latencies(times(observations, Probe.IDLE_READ), times(observations, Probe.IDLE_READ_P90))
                + rate(
                        "RDMA_Read BW",
                        1,
                        1,
                        8,
                        times(observations, Probe.OUTSTANDING).get(1.0))
                + rate(
                        "Atomic FETCH_AND_ADD BW",
                        CLIENTS,
                        16,
                        8,
                        times(observations, Probe.ATOMIC_SAME_ADDRESS).get(8.0));
        Path file = Files.writeString(dir.resolve("all.txt"), text);

        CardIdentification.Result result =
                CardIdentification.identify(CardOutputs.read(List.of(file)), List.of(), NicProfiles.load(NICS, base));

        SoftAssertions softly = new SoftAssertions();
        int measured = 0;
        for (Constant constant : result.constants()) {
            boolean comparable = result.identified().contains(constant.key())
                    && simulated.provenance().containsKey(constant.key());
            if (comparable && !constant.interval().isEmpty()) {
                measured++;
                softly.assertThat(truth.get(constant.key()))
                        .as("%s of %s from %s, %s", constant.key(), card, constant.source(), Seeds.replay())
                        .isBetween(
                                constant.interval().getFirst(),
                                constant.interval().getLast());
            }
        }
        softly.assertAll();
        assertThat(measured).isGreaterThan(4);
        for (String key : List.of("requester.round-trip-ns", "requester.host-ns", "responder.atomic-same-address-ns")) {
            assertThat(result.constants())
                    .filteredOn(constant -> constant.key().equals(key))
                    .singleElement()
                    .satisfies(constant -> {
                        assertThat(constant.basis()).isEqualTo(Basis.MEASURED);
                        assertThat(constant.value() / truth.get(key))
                                .as(key + " " + Seeds.replay())
                                .isBetween(0.93, 1.07);
                    });
        }
    }
}
