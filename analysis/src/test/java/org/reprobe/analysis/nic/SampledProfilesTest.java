package org.reprobe.analysis.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.document.Key;
import org.reprobe.testing.Project;
import org.reprobe.testing.Seeds;

class SampledProfilesTest {
    private static final Path SHIPPED = Project.path("scenarios/nics");

    @TempDir
    Path dir;

    private NicProfile with(String constant, String as) throws Exception {
        String text = Files.readString(SHIPPED.resolve("connectx5-edr.yaml"));
        assertThat(text).contains(constant);
        return NicProfiles.read(Files.writeString(dir.resolve("mine.yaml"), text.replace(constant, as)), "mine");
    }

    private static double[] sorted(List<NicProfile> profiles, ToDoubleFunction<NicProfile> constant) {
        return profiles.stream().mapToDouble(constant).sorted().toArray();
    }

    @Test
    void tenInAHundredProfilesAreOutsideAnIntervalHalfOfThemOnEachSide() throws Exception {
        NicProfile nic = with("value: 11.472,", "value: 11.472, interval: [9, 11.9],");

        double[] drawn = sorted(
                SampledProfiles.of(nic, 100, Seeds.seed()),
                profile -> profile.responder().messageNs());

        assertThat(drawn[4]).isLessThan(9).isGreaterThan(8.7);
        assertThat(drawn[5]).isGreaterThan(9).isLessThan(9.2);
        assertThat((drawn[49] + drawn[50]) / 2).isCloseTo(11.472, within(0.02));
        assertThat(drawn[94]).isLessThan(11.9);
        assertThat(drawn[95]).isGreaterThan(11.9);
    }

    @Test
    void aHalfMayHaveNoWidthOrAnEndOfZero() throws Exception {
        NicProfile nic = with("round-trip-ns: {value: 2580,", "round-trip-ns: {value: 2580, interval: [0, 2580],");

        double[] drawn = sorted(
                SampledProfiles.of(nic, 40, Seeds.seed()),
                profile -> profile.requester().roundTripNs());

        assertThat(drawn[0]).isZero();
        assertThat(drawn[10]).isBetween(1000.0, 2000.0);
        assertThat(Arrays.copyOfRange(drawn, 20, 40)).containsOnly(2580);
    }

    @Test
    void rangesWithoutAnIntervalFollowFromTheBasis() throws Exception {
        NicProfile nic = NicProfiles.load(SHIPPED, "connectx7");
        Map<String, ConstantRange> ranges = ConstantRange.of(nic);

        assertThat(nic.provenance().get("requester.host-ns").interval()).isEmpty();
        assertThat(ranges.get("requester.host-ns").low()).isEqualTo(370);
        assertThat(ranges.get("requester.host-ns").high()).isEqualTo(1480);
        assertThat(ranges.get("link.bytes-per-second").low()).isCloseTo(40e9, within(1.0));
        assertThat(ranges.get("link.bytes-per-second").high()).isEqualTo(50e9);
        // A ratio of at least 1 varies by what it exceeds 1.
        assertThat(ranges.get("requester.jitter").high()).isCloseTo(1.17, within(1e-9));
        assertThat(ranges)
                .as("derived, zero or whole")
                .doesNotContainKeys(
                        "responder.payload-ns-per-byte", "responder.random-access-ns", "limits.outstanding-reads");
        assertThat(ranges).as("whole with an interval").containsKey("contention.outstanding");
        assertThat(ranges).as("parts of a post with an interval").doesNotContainKeys("client.post-ns");
    }

    @Test
    void constantsOfOneOriginMoveTogetherAndTheModelFollows() throws Exception {
        NicProfile nic = NicProfiles.load(SHIPPED, "connectx5-edr");

        for (NicProfile drawn : SampledProfiles.of(nic, 20, Seeds.seed())) {
            assertThat(drawn.client().slotNs() / nic.client().slotNs())
                    .as(Seeds.replay())
                    .isCloseTo(drawn.client().postNs() / nic.client().postNs(), within(1e-9));
            assertThat(drawn.model().fixedCostNs()).isCloseTo(drawn.requester().roundTripNs() / 2, within(1e-6));
            assertThat(drawn.model().peakMessagesPerSecond() * drawn.responder().messageNs())
                    .isCloseTo(
                            nic.model().peakMessagesPerSecond()
                                    * nic.responder().messageNs(),
                            within(1.0));
        }
    }

    @Test
    void profilesDependOnTheSeedAndTheMiddleOneOfAnOddNumberHasTheMedian() throws Exception {
        NicProfile nic = NicProfiles.load(SHIPPED, "connectx3");

        List<NicProfile> first = SampledProfiles.of(nic, 5, 1);
        assertThat(SampledProfiles.of(nic, 5, 1)).isEqualTo(first);
        assertThat(SampledProfiles.of(nic, 5, 2)).isNotEqualTo(first);
        assertThat(first).doesNotHaveDuplicates();
        assertThat(SampledProfiles.of(nic, 1, 1)).containsExactly(nic);
    }

    @Test
    void everyDrawnConstantOfEveryShippedProfileIsPermitted() throws Exception {
        for (String name : NicProfiles.names(SHIPPED)) {
            NicProfile nic = NicProfiles.load(SHIPPED, name);
            for (NicProfile drawn : SampledProfiles.of(nic, 64, Seeds.seed())) {
                assertThat(drawn.requester().hostNs())
                        .isLessThanOrEqualTo(drawn.requester().roundTripNs());
                NicProfiles.eachConstant(
                        drawn,
                        (key, constant, value) -> assertThat(isPermitted(constant, value))
                                .as("%s of %s: %s, %s", key, name, value, Seeds.replay())
                                .isTrue());
            }
        }
    }

    private static boolean isPermitted(RecordComponent constant, double value) {
        Key key = constant.getAnnotation(Key.class);
        // A section that a profile does not have may have values that a file must not state.
        return value == 0 || (value >= key.min() && value > key.above() && value <= key.max());
    }
}
