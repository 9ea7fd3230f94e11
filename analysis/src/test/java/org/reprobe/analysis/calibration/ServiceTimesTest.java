package org.reprobe.analysis.calibration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.calibration.ServiceTimes.Timing;
import org.reprobe.analysis.calibration.ServiceTimes.Wire;
import org.reprobe.testing.Seeds;

/** Fits of times that a known card would take. */
class ServiceTimesTest {
    private static final int[] SIZES = {8, 16, 32, 64, 128, 256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192};

    private static List<Timing> timings(ServiceTimes card, double noise, SplittableRandom random) {
        List<Timing> timings = new ArrayList<>();
        for (int bytes : SIZES) {
            for (boolean anywhere : new boolean[] {false, true}) {
                double factor = noise == 0 ? 1 : 1 + noise * (2 * random.nextDouble() - 1);
                timings.add(new Timing(bytes, anywhere, factor * card.ns(bytes, anywhere)));
            }
        }
        return timings;
    }

    @Test
    void aCardWithoutAWireLimitIsGivenNone() {
        ServiceTimes card = new ServiceTimes(11.5, 6.25, 0.075, null, 0);
        ServiceTimes found = ServiceTimes.fit(timings(card, 0.001, new SplittableRandom(Seeds.seed())));
        assertThat(found.wire()).as(Seeds.replay()).isNull();
        assertThat(found.messageNs()).isCloseTo(11.5, withinPercentage(1));
        assertThat(found.randomAccessNs()).isCloseTo(6.25, withinPercentage(1));
        assertThat(found.payloadNsPerByte()).isCloseTo(0.075, withinPercentage(1));
        assertThat(found.relativeError()).isBetween(1e-4, 1e-3);
    }

    /** The residuals of such timings are rounding, which five constants explain better than three. */
    @Test
    void timingsWithoutNoiseOfCardsWithoutAWireLimitAreGivenNone() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        for (int i = 0; i < 50; i++) {
            ServiceTimes card = new ServiceTimes(
                    random.nextDouble(1, 50), random.nextDouble(0, 30), random.nextDouble(0.001, 0.1), null, 0);
            ServiceTimes found = ServiceTimes.fit(timings(card, 0, random));
            assertThat(found.wire()).as("%s, %s", Seeds.replay(), card).isNull();
            assertThat(found.messageNs()).isCloseTo(card.messageNs(), withinPercentage(0.001));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {512, 1024, 2048})
    void theWiresHeadersRevealItsMtu(int mtu) {
        ServiceTimes card = new ServiceTimes(12, 5, 0.02, new Wire(0.09, 60, mtu), 0);
        ServiceTimes found = ServiceTimes.fit(timings(card, 0, new SplittableRandom()));
        Wire wire = Objects.requireNonNull(found.wire());
        assertThat(wire.mtuBytes()).isEqualTo(mtu);
        assertThat(wire.nsPerByte()).isCloseTo(0.09, withinPercentage(0.5));
        assertThat(wire.headerBytes()).isCloseTo(60, withinPercentage(2));
        assertThat(found.messageNs()).isCloseTo(12, withinPercentage(0.5));
    }

    private static ServiceTimes card(SplittableRandom random, double minHeaderBytes, double maxHeaderBytes) {
        return new ServiceTimes(
                random.nextDouble(5, 50),
                random.nextDouble(1, 30),
                random.nextDouble(0.01, 0.05),
                new Wire(
                        random.nextDouble(0.06, 0.3),
                        random.nextDouble(minHeaderBytes, maxHeaderBytes),
                        1 << random.nextInt(9, 12)),
                0);
    }

    /**
     * Fitted times with 0.3 % of noise are within 2 % of the card's, except for a few cards on which the wire is the
     * slower stage from the second smallest size on, which leaves little information about the first.
     */
    @Test
    void noisyTimesAreGivenBack() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        int further = 0;
        for (int i = 0; i < 500; i++) {
            ServiceTimes card = card(random, 20, 90);
            ServiceTimes found = ServiceTimes.fit(timings(card, 0.003, random));
            double off = 0;
            for (int bytes : SIZES) {
                off = Math.max(off, Math.abs(found.ns(bytes, true) / card.ns(bytes, true) - 1));
            }
            assertThat(off)
                    .as("%s, of %s, found %s", Seeds.replay(), card, found)
                    .isLessThan(0.06);
            further += off > 0.02 ? 1 : 0;
        }
        assertThat(further).as(Seeds.replay()).isLessThanOrEqualTo(3);
    }

    /** The reported residual is that of the given times, also if the MTU is not identified. */
    @Test
    void theErrorIsThatOfTheTimesThatAreGiven() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        for (int i = 0; i < 50; i++) {
            ServiceTimes card = card(random, 1, 10);
            List<Timing> timings = timings(card, 0.003, random);
            ServiceTimes found = ServiceTimes.fit(timings);
            double squares = 0;
            for (Timing timing : timings) {
                double off = found.ns(timing.bytes(), timing.random()) / timing.ns() - 1;
                squares += off * off;
            }
            assertThat(found.relativeError())
                    .as("%s, of %s, found %s", Seeds.replay(), card, found)
                    .isCloseTo(Math.sqrt(squares / timings.size()), withinPercentage(0.1));
        }
    }

    @Test
    void aMessageWithoutPayloadIsOnePacket() {
        ServiceTimes card = new ServiceTimes(1, 1, 0, new Wire(0.5, 60, 1024), 0);
        assertThat(card.wireNs(0, 60)).isEqualTo(30);
        assertThat(card.wireNs(1024, 60)).isEqualTo(0.5 * 1084);
        assertThat(card.wireNs(1025, 60)).isEqualTo(0.5 * 1145);
    }
}
