package org.reprobe.analysis.nic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.reprobe.testing.Project;

/** Times of shipped profiles; scenarios/cards/faults-cx5-cx6.yaml compares them with measurements. */
class RetransmissionTimesTest {
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
