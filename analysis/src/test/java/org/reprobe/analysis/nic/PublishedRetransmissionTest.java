package org.reprobe.analysis.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Project;

/** Times of shipped profiles against published measurements, results/published/retransmission.csv. */
class PublishedRetransmissionTest {
    private static final double TOLERANCE = 0.1;

    /**
     * Number of retries from which the times are claimed; with fewer, cards differ from each other and from themselves.
     */
    private static final int CLAIMED_SIX = 1;

    private static final int CLAIMED_OTHER = 2;
    private static final int CLAIMED_WITHOUT_FLOOR = 3;

    /** Measurement of a lost request. */
    private record Row(String card, String op, int timeout, int retryCount, double ms, boolean floor) {
        static Row of(String line) {
            String[] fields = line.split(",", -1);
            return new Row(
                    fields[1],
                    fields[4],
                    Integer.parseInt(fields[7].replace("timeout=", "")),
                    Integer.parseInt(fields[9].replace("retry_cnt=", "")),
                    Double.parseDouble(fields[12]),
                    !fields[13].startsWith("floor off"));
        }

        boolean ofSix() {
            return card.startsWith("ConnectX-6");
        }

        boolean isClaimed() {
            if (!floor) {
                return ofSix() && retryCount >= CLAIMED_WITHOUT_FLOOR;
            }
            return retryCount >= (ofSix() ? CLAIMED_SIX : CLAIMED_OTHER);
        }

        double modelMs() throws Exception {
            NicProfile nic =
                    NicProfiles.load(Project.path("scenarios/nics"), ofSix() ? "connectx6-200g" : "connectx5-edr");
            RetransmissionTimes times = RetransmissionTimes.of(nic.retransmission(), timeout, retryCount, floor);
            return op.equals("retransmission")
                    ? Arrays.stream(times.againNs())
                            .mapToDouble(ns -> ns / 1e6)
                            .boxed()
                            .min((a, b) -> Double.compare(Math.abs(a - ms), Math.abs(b - ms)))
                            .orElseThrow()
                    : times.failsNs() / 1e6;
        }
    }

    private static List<Row> rows() throws Exception {
        return Files.readAllLines(Project.path("results/published/retransmission.csv")).stream()
                .skip(1)
                .filter(line -> line.contains("retry_cnt="))
                .map(Row::of)
                .toList();
    }

    @Test
    void eachClaimedTimeIsWithinATenthOfTheMeasurement() throws Exception {
        SoftAssertions softly = new SoftAssertions();
        List<Double> errors = new ArrayList<>();
        for (Row row : rows()) {
            double error = row.modelMs() / row.ms() - 1;
            if (row.isClaimed()) {
                errors.add(Math.abs(error));
                softly.assertThat(error).as("%s", row).isCloseTo(0, within(TOLERANCE));
            } else {
                System.out.printf("not claimed: %s: %+.0f %%%n", row, 100 * error);
            }
        }
        softly.assertAll();
        assertThat(errors).hasSizeGreaterThan(50);
        errors.sort(null);
        System.out.printf(
                "%d claimed times: median error %.1f %%, worst %.1f %%%n",
                errors.size(), 100 * errors.get(errors.size() / 2), 100 * errors.getLast());
    }

    /** Worked out by hand: 4.096 us x 2^16 x 2 = 536.870912 ms. */
    @Test
    void theDefaultsOfVerbsTakeSecondsOnACardWithAFloor() throws Exception {
        NicProfile.Retransmission six = NicProfiles.load(Project.path("scenarios/nics"), "connectx6-200g")
                .retransmission();
        RetransmissionTimes times = RetransmissionTimes.of(six, 14, 7, true);
        assertThat(times.failsNs()).isEqualTo(3_661_459_620L);
        assertThat(times.againNs())
                .containsExactly(
                        12_500_000,
                        21_000_000,
                        37_700_000,
                        71_300_000,
                        138_400_000,
                        239_000_000,
                        440_234_148,
                        977_105_060,
                        1_513_975_972,
                        2_050_846_884,
                        2_587_717_796L,
                        3_124_588_708L);
        assertThat(RetransmissionTimes.of(six, 8, 7, true).failsNs())
                .as("T below the floor")
                .isEqualTo(times.failsNs());
        assertThat(RetransmissionTimes.of(six, 14, 0, true).failsNs())
                .as("R of 0 like 1")
                .isEqualTo(RetransmissionTimes.of(six, 14, 1, true).failsNs())
                .isEqualTo(440_234_148);
        assertThat(RetransmissionTimes.of(six, 14, 1, true).againNs()).hasSize(6);
    }

    @Test
    void withoutFloorOrSectionTimeoutsHaveTheirNominalLength() throws Exception {
        NicProfile.Retransmission six = NicProfiles.load(Project.path("scenarios/nics"), "connectx6-200g")
                .retransmission();
        RetransmissionTimes off = RetransmissionTimes.of(six, 1, 2, false);
        assertThat(off.againNs()).containsExactly(14_336, 22_528);
        assertThat(off.failsNs()).isEqualTo(30_720);
        RetransmissionTimes specified = RetransmissionTimes.of(NicProfile.Retransmission.NONE, 1, 2, true);
        assertThat(specified.againNs()).containsExactly(8_192, 16_384);
        assertThat(specified.failsNs()).isEqualTo(24_576);
    }
}
