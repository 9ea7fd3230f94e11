package org.reprobe.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.ForwardingClient;

/** Intervals of 100 us after a warm-up of 100 us, with operations at given times. */
class LittlesLawTest {
    private static final long WARM_UP_NS = 100_000;
    private static final long DURATION_NS = 100_000;
    private static final long UNTIL_NS = WARM_UP_NS + DURATION_NS;
    private static final int RUNS = 500;

    private final Histogram latencyNs = new Histogram(3);

    private static SampledInterval interval() {
        SampledInterval interval = new Sampling(WARM_UP_NS, DURATION_NS, false, 0, Sampling.Conditions.NONE)
                .join(new ForwardingClient(null) {
                    @Override
                    public boolean inVirtualTime() {
                        return false;
                    }
                });
        interval.start(0, SampledInterval.Observer.NONE);
        interval.step(WARM_UP_NS);
        interval.step(UNTIL_NS);
        return interval;
    }

    private void operation(SampledInterval interval, long beganNs, long tookNs, int operations) {
        boolean inSample = interval.includes(beganNs);
        if (inSample) {
            latencyNs.recordValueWithCount(tookNs, operations);
        }
        interval.ended(beganNs, beganNs + tookNs, operations, inSample);
    }

    /** Keeps a slot occupied from {@code firstNs} by operations whose latencies are a function of their start. */
    private void keepBusy(SampledInterval interval, long firstNs, int operations, LongUnaryOperator latency) {
        for (long nowNs = firstNs; nowNs < UNTIL_NS; ) {
            long tookNs = latency.applyAsLong(nowNs);
            operation(interval, nowNs, tookNs, operations);
            nowNs += tookNs;
        }
    }

    private List<String> warnings(SampledInterval interval) {
        return SampleChecks.warnings(interval.quality(0), latencyNs, DURATION_NS).stream()
                .filter(warning -> warning.contains("Little"))
                .toList();
    }

    private static long exponential(SplittableRandom random, long meanNs) {
        return Math.max(1, Math.round(-StrictMath.log1p(-random.nextDouble()) * meanNs));
    }

    @Test
    void aSteadyClosedLoopObeysTheLaw() {
        SampledInterval interval = interval();
        for (int slot = 0; slot < 50; slot++) {
            keepBusy(interval, 20L * slot, 1, _ -> 1000);
        }
        LittlesLaw law = interval.quality(0).littlesLaw();
        assertThat(law.inFlight()).isEqualTo(50, within(1e-9));
        assertThat(law.ratio()).isEqualTo(1, within(1e-9));
        assertThat(law.meanLatencyNs()).isEqualTo(1000, within(1e-9));
        assertThat(law.correction()).isEqualTo(1);
        assertThat(warnings(interval)).isEmpty();
    }

    /** The number of keys of a batch counts, as it does in the rate. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void wavesAreCountedByTheFractionsOfOperationsWithinTheInterval(int keys) {
        SampledInterval interval = interval();
        for (int slot = 0; slot < 640; slot++) {
            keepBusy(interval, slot, keys, _ -> 18_700);
        }
        LittlesLaw law = interval.quality(0).littlesLaw();
        // Waves begin at 112.2, 130.9, 149.6, 168.3 and 187 us: 5 instead of 100 / 18.7 = 5.35.
        assertThat(law.ratio()).isEqualTo(5 * 0.187, within(1e-6));
        assertThat(law.perNs() * law.correction()).isEqualTo(640.0 * keys / 18_700, within(1e-6));
        assertThat(law.isBroken()).isFalse();
        assertThat(warnings(interval)).isEmpty();
    }

    @Test
    void wavesLongerThanTheIntervalAreCountedByTheirFractionsToo() {
        SampledInterval interval = interval();
        for (int slot = 0; slot < 640; slot++) {
            keepBusy(interval, slot, 1, _ -> 150_000);
        }
        LittlesLaw law = interval.quality(0).littlesLaw();
        assertThat(law.perNs() * law.correction()).isEqualTo(640.0 / 150_000, within(1e-6));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, -0.08})
    void latenciesThatChangeDuringTheRunBreakIt(double slope) {
        SampledInterval interval = interval();
        for (int slot = 0; slot < 2560; slot++) {
            keepBusy(interval, 8L * slot, 1, nowNs -> (long) (20_000 + slope * nowNs));
        }
        LittlesLaw law = interval.quality(0).littlesLaw();
        assertThat(law.isBroken()).isTrue();
        assertThat(law.correction()).isEqualTo(1);
        assertThat(warnings(interval))
                .singleElement()
                .asString()
                .startsWith("Little's law does not hold: ")
                .contains("in flight, but 2560 were on average", slope > 0 ? "too high" : "too low")
                .endsWith("use a longer measure.warm-up-ms and measure.duration-ms");
    }

    @Test
    void operationsThatAreGivenUpAreInFlightAndHaveNoLatency() {
        SampledInterval interval = interval();
        for (int slot = 0; slot < 400; slot++) {
            keepBusy(interval, 2L * slot, 1, _ -> 1000);
        }
        for (int slot = 0; slot < 100; slot++) {
            interval.stillInFlight(WARM_UP_NS + 100L * slot, 10 * UNTIL_NS, 1);
        }
        LittlesLaw law = interval.quality(100).littlesLaw();
        assertThat(law.inFlight()).isEqualTo(400 + 100 * 0.9505, within(1e-9));
        assertThat(law.isBroken()).isTrue();
    }

    @Test
    void aRunWithFaultsIsNotChecked() {
        SampledInterval interval = new Sampling(0, DURATION_NS, false, 0, new Sampling.Conditions(0, true))
                .join(new ForwardingClient(null) {
                    @Override
                    public boolean inVirtualTime() {
                        return false;
                    }
                });
        interval.start(0, SampledInterval.Observer.NONE);
        interval.step(0);
        interval.ended(0, 3 * DURATION_NS, 1000, true);
        interval.step(DURATION_NS);
        assertThat(interval.quality(0).littlesLaw().isBroken()).isFalse();
    }

    /**
     * Operations of random length begin at random times, in an interval of only ten of them: a difference of 2 % is
     * often chance. The limit of four standard deviations leaves few false warnings.
     */
    @ParameterizedTest
    @ValueSource(ints = {4, 64})
    void shortSamplesDifferByChance(int inFlight) {
        SplittableRandom random = new SplittableRandom(inFlight);
        int off = 0;
        int broken = 0;
        int corrected = 0;
        for (int run = 0; run < RUNS; run++) {
            SampledInterval closed = interval();
            SampledInterval open = interval();
            for (int slot = 0; slot < inFlight; slot++) {
                keepBusy(closed, 0, 1, _ -> exponential(random, 10_000));
            }
            for (long nowNs = 0; nowNs < UNTIL_NS; nowNs += exponential(random, 10_000 / inFlight)) {
                operation(open, nowNs, exponential(random, 10_000), 1);
            }
            for (SampledInterval each : List.of(closed, open)) {
                LittlesLaw law = each.quality(0).littlesLaw();
                off += Math.abs(law.ratio() - 1) > 0.02 ? 1 : 0;
                broken += law.isBroken() ? 1 : 0;
                corrected += law.correction() != 1 ? 1 : 0;
            }
        }
        assertThat(off).as("of %d runs off by more than 2 %%", 2 * RUNS).isGreaterThan(RUNS / 10);
        assertThat(broken + corrected).as("false alarms of %d runs", 2 * RUNS).isLessThan(RUNS / 100);
    }

    @Test
    void theCorrectedRateOfWavesIsRightWhereverTheIntervalBegins() {
        double corrected = 0;
        double uncorrected = 0;
        for (int phase = 0; phase < 100; phase++) {
            SampledInterval interval = interval();
            for (int slot = 0; slot < 640; slot++) {
                keepBusy(interval, 300L * phase, 1, _ -> 30_000);
            }
            LittlesLaw law = interval.quality(0).littlesLaw();
            corrected = Math.max(corrected, Math.abs(law.perNs() * law.correction() / (640 / 30_000.0) - 1));
            uncorrected = Math.max(uncorrected, Math.abs(law.perNs() / (640 / 30_000.0) - 1));
        }
        assertThat(uncorrected).isEqualTo(0.2, within(0.01));
        assertThat(corrected).isLessThan(0.02);
    }
}
