package org.reprobe.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ForwardingClient;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.remote.LoadLoop.Reporting;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.system.RunOutcome;

/** The loop in a time that its operations make: a warm-up of 50 ns and an interval of 200 ns, in virtual time. */
class LoadLoopTest {
    private static final int MAX_READINGS = 10_000;
    private static final long TURN_NS = 10;
    private static final long WARM_UP_NS = 50;
    private static final long DURATION_NS = 200;
    private static final Sampling.Conditions DISTURBED = new Sampling.Conditions(0, true);

    private final List<String> calls = new ArrayList<>();

    /** A client whose clock stands still but when its operations move it. */
    private final class FakeClient extends ForwardingClient {
        private long nowNs = 1000;
        private int readings;

        FakeClient() {
            super(null);
        }

        @Override
        public long nowNs() {
            if (++readings > MAX_READINGS) {
                throw new IllegalStateException("the loop does not end: it is " + nowNs);
            }
            return nowNs;
        }

        @Override
        public boolean inVirtualTime() {
            return true;
        }

        @Override
        public void barrier() {
            calls.add("barrier");
        }
    }

    /** Operations of some slots: in each turn, which takes 10 ns, the one ends that began first. */
    private class Slots implements LoadLoop.Operations {
        final FakeClient client = new FakeClient();
        final Counts counts = OperationCounts.none();
        final SampledInterval interval;
        final LoadLoop loop;
        final List<Integer> underWay = new ArrayList<>();
        final Map<Integer, Boolean> sampled = new HashMap<>();
        int begun;
        int measured;
        /** Called at the time of each turn, after operations have begun in it. */
        LongConsumer inTurn = _ -> {};

        Slots(Sampling sampling, int slots) {
            this.interval = sampling.join(client);
            this.loop = new LoadLoop(client, interval, counts, slots, Reporting.AFTER_TEST, this);
        }

        /** Runs the loop as {@link SampledThreads} do. */
        void run() throws FabricException {
            try {
                loop.run();
            } finally {
                interval.abandon();
            }
        }

        @Override
        public int begin(int slot) throws FabricException {
            underWay.add(slot);
            begun++;
            return 1;
        }

        @Override
        public void advance(long nowNs) throws FabricException {
            inTurn.accept(nowNs);
            client.nowNs += TURN_NS;
            if (!underWay.isEmpty()) {
                int slot = underWay.removeFirst();
                boolean isSampled = loop.isSampled(slot);
                long latencyNs = loop.ended(slot, client.nowNs, 1);
                assertThat(latencyNs != LoadLoop.NOT_SAMPLED).isEqualTo(isSampled);
                measured += isSampled ? 1 : 0;
            }
        }

        @Override
        public void countSoFar(int sign) {
            calls.add((sign < 0 ? "begins" : "ends") + " at " + client.nowNs + " with " + loop.underWay());
            counts.add(Counter.REQUESTS, (long) sign * begun);
        }
    }

    private static Sampling sampling() {
        return new Sampling(WARM_UP_NS, DURATION_NS, false, 0, Sampling.Conditions.NONE);
    }

    @Test
    void countersAreSubtractedWhenTheWarmUpEndsAndAddedWhenTheSampleHasEnded() throws FabricException {
        Slots slots = new Slots(sampling(), 1);
        slots.run();
        assertThat(calls).containsExactly("barrier", "begins at 1050 with 0", "ends at 1250 with 0");
        assertThat(slots.measured).isEqualTo(20);
        assertThat(slots.counts.total(Counter.REQUESTS)).isEqualTo(20);
        assertThat(slots.counts.perSecond(Counter.REQUESTS)).isEqualTo(20 * 1e9 / DURATION_NS);
        assertThat(slots.counts.durationNs()).isEqualTo(DURATION_NS);
    }

    @Test
    void aSampleEndsWithItsLastOperationHoweverLate() throws FabricException {
        Slots slots = new Slots(sampling(), 4);
        slots.run();
        // The last one that began before 1250, at 1240, takes four turns.
        assertThat(calls).containsExactly("barrier", "begins at 1050 with 3", "ends at 1280 with 3");
        assertThat(slots.loop.underWay()).as("after the run").isZero();
    }

    @Test
    void aClientKeepsUpItsLoadUntilTheSampleOfAnotherHasEnded() throws FabricException {
        Sampling sampling = sampling();
        SampledInterval other = sampling.join(new FakeClient());
        other.start(1000, SampledInterval.Observer.NONE);
        Slots slots = new Slots(sampling, 2);
        int[] begunAtEnd = new int[1];
        slots.inTurn = nowNs -> {
            other.step(nowNs);
            if (nowNs == 1250) {
                begunAtEnd[0] = slots.begun;
            }
            other.isDone(nowNs, nowNs < 1500 ? 1 : 0);
        };
        slots.run();
        assertThat(calls.getLast()).startsWith("ends at 1260");
        assertThat(slots.begun - begunAtEnd[0]).isEqualTo(25);
        assertThat(slots.loop.underWay()).isZero();
    }

    @Test
    void loadEndsWhenTheSampleOfAnotherTakesTooLong() throws FabricException {
        Sampling sampling = sampling();
        sampling.join(new FakeClient()).start(1000, SampledInterval.Observer.NONE);
        Slots slots = new Slots(sampling, 1);
        slots.run();
        assertThat(slots.client.nowNs)
                .as("four times the time from the start to the interval's end, and a turn")
                .isEqualTo(1250 + 1000 + 10);
        assertThat(slots.interval.runIsOver()).isFalse();
    }

    @Test
    void aClientThatMayNotLeaveServesOnWithoutLoadUntilTheRunIsOver() throws FabricException {
        Sampling sampling = sampling();
        SampledInterval other = sampling.join(new FakeClient());
        other.start(1000, SampledInterval.Observer.NONE);
        Slots slots = new Slots(sampling, 1) {
            @Override
            public boolean mayLeave() {
                return false;
            }
        };
        int[] begunLate = new int[1];
        slots.inTurn = nowNs -> {
            other.step(nowNs);
            if (nowNs == 2260) {
                begunLate[0] = slots.begun;
            }
            if (nowNs == 3000) {
                other.abandon();
            }
        };
        slots.run();
        assertThat(slots.client.nowNs).isEqualTo(3010);
        assertThat(slots.begun).isEqualTo(begunLate[0]);
    }

    @Test
    void operationsThatNeverEndAreUnfinished() throws FabricException {
        Slots slots = new Slots(sampling(), 1) {
            @Override
            public void advance(long nowNs) throws FabricException {
                if (interval.counts() || !loop.keepsLoad() || nowNs >= 1250) {
                    client.nowNs += TURN_NS;
                    if (nowNs > 4000) {
                        loop.ended(underWay.removeFirst(), nowNs, 1);
                    }
                } else {
                    super.advance(nowNs);
                }
            }
        };
        slots.run();
        assertThat(calls.getLast()).as("twice the time that load is kept up").isEqualTo("ends at 3260 with 1");
        assertThat(slots.counts.quality().drained()).isEqualTo(1);
        assertThat(slots.counts.quality().unfinished()).isEqualTo(1);
    }

    @Test
    void aClientThatAFaultEndsHasEndedItsSampleOnce() {
        Sampling sampling = sampling();
        SampledInterval other = sampling.join(new FakeClient());
        other.start(1000, SampledInterval.Observer.NONE);
        Slots slots = new Slots(sampling, 1) {
            @Override
            public int begin(int slot) throws FabricException {
                if (client.nowNs == 1100) {
                    throw new UnreachableException("gone");
                }
                return super.begin(slot);
            }
        };
        assertThatThrownBy(slots::run).hasMessage("gone");
        slots.interval.abandon();
        assertThat(calls).containsExactly("barrier", "begins at 1050 with 0", "ends at 1100 with 1");
        assertThat(slots.counts.durationNs()).isEqualTo(DURATION_NS);
        other.step(1050);
        other.step(1250);
        assertThat(other.isDone(1250, 0)).as("the other client need not wait").isTrue();
    }

    @Test
    void attemptsToConnectAgainCountAsFailedOperations() throws FabricException {
        Slots slots = new Slots(new Sampling(WARM_UP_NS, DURATION_NS, false, 0, DISTURBED), 3) {
            private int attempts;

            @Override
            public void advance(long nowNs) throws FabricException {
                if (nowNs == 1100) {
                    throw new UnreachableException("cut");
                }
                super.advance(nowNs);
            }

            @Override
            public int giveUp(FabricException failure) throws FabricException {
                DISTURBED.check(failure, Completions.Status.SUCCESS);
                int lost = underWay.size();
                underWay.clear();
                client.nowNs++;
                return lost;
            }

            @Override
            public void reconnect() throws FabricException {
                client.nowNs += 10;
                if (attempts++ < 5) {
                    throw new UnreachableException("still cut");
                }
            }
        };
        slots.run();
        assertThat(slots.interval.failures()).as("3 under way and 5 attempts").isEqualTo(8);
        assertThat(slots.counts.failuresPerSecond()).isEqualTo(8 * 1e9 / slots.counts.durationNs());
        // Three that began before 1080 and ended before the cut; three at 1161, and one each 10 ns from then to 1241.
        assertThat(slots.measured).isEqualTo(3 + 3 + 8);
        assertThat(slots.loop.underWay()).isZero();
    }

    @Test
    void aFailureThatHasAnotherCauseEndsTheRun() {
        Slots slots = new Slots(sampling(), 1) {
            @Override
            public void advance(long nowNs) throws FabricException {
                throw new FabricException("broken");
            }

            @Override
            public int giveUp(FabricException failure) throws FabricException {
                Sampling.Conditions.NONE.check(failure, Completions.Status.REMOTE_ACCESS_ERROR);
                return 1;
            }
        };
        assertThatThrownBy(slots::run).hasMessage("broken");
    }

    @Test
    void aClientWithNothingLeftToDoEndsItsIntervalAndLeaves() throws FabricException {
        Sampling sampling = sampling();
        sampling.join(new FakeClient()).start(1000, SampledInterval.Observer.NONE);
        Slots slots = new Slots(sampling, 1) {
            @Override
            public boolean isExhausted() {
                return begun >= 10;
            }
        };
        slots.run();
        assertThat(slots.begun).isEqualTo(10);
        assertThat(slots.counts.durationNs()).isEqualTo(50);
        assertThat(calls.getLast()).isEqualTo("ends at 1100 with 0");
    }

    @Test
    void aFailedOperationFreesItsSlotAndIsNotMeasured() throws FabricException {
        Slots slots = new Slots(sampling(), 1) {
            @Override
            public int begin(int slot) throws FabricException {
                client.nowNs += 10;
                begun++;
                if (begun % 2 == 0) {
                    loop.failed(slot, client.nowNs);
                } else {
                    measured += loop.ended(slot, client.nowNs, 1) == LoadLoop.NOT_SAMPLED ? 0 : 1;
                }
                return 1;
            }

            @Override
            public void advance(long nowNs) {}
        };
        slots.run();
        assertThat(slots.measured).isEqualTo(10);
        assertThat(slots.interval.failures()).isEqualTo(10);
    }

    /** Else a client whose operations are all done at once would never come to its clock. */
    @Test
    void aTurnBeginsAsManyAsWereFree() throws FabricException {
        Slots slots = new Slots(sampling(), 3) {
            @Override
            public int begin(int slot) {
                begun++;
                loop.ended(slot, client.nowNs, 1);
                return 1;
            }
        };
        slots.inTurn = _ -> assertThat(slots.begun % 3).isZero();
        slots.run();
        assertThat(slots.begun).isEqualTo(3 * 25);
    }

    /** Operations that begin and end in waves of 60 ns, the first in a longer one. */
    private final class Waves extends Slots {
        private static final int SLOTS = 640;
        private final long[] endsNs = new long[SLOTS];
        private final long firstNs;

        Waves(long firstNs) {
            super(sampling(), SLOTS);
            this.firstNs = firstNs;
        }

        @Override
        public int begin(int slot) {
            endsNs[slot] = client.nowNs + (endsNs[slot] == 0 ? firstNs : 60);
            return 1;
        }

        @Override
        public void advance(long nowNs) {
            client.nowNs += TURN_NS;
            client.readings = 0;
            for (int slot = 0; slot < SLOTS; slot++) {
                if (endsNs[slot] == client.nowNs) {
                    long latencyNs = loop.ended(slot, client.nowNs, 1);
                    if (latencyNs != LoadLoop.NOT_SAMPLED) {
                        OperationCounts.operation(counts, false, latencyNs, 1);
                    }
                }
            }
        }

        RunOutcome outcome() throws FabricException {
            run();
            return OperationMetricsTest.outcome(Kind.SIMULATED, counts);
        }
    }

    @Test
    void aWarmUpShorterThanTheFirstWaveBreaksLittlesLaw() throws FabricException {
        // The interval from 1050 to 1250 has 90 ns of the first wave, that of 1140 to 1200, and 50 ns of the third.
        RunOutcome outcome = new Waves(140).outcome();
        assertThat(outcome.warnings())
                .anySatisfy(warning -> assertThat(warning)
                        .startsWith(
                                "Little's law does not hold: 6.400e+09 operations/s times a mean latency of 0.06000 us are ")
                        .contains("are 384.0 in flight, but 640.0 were", "40.0 % too low"));
        assertThat(outcome.metrics().get(Metrics.THROUGHPUT)).isEqualTo(6.4e9);
    }

    @Test
    void wavesThatTheIntervalCutsOffAreCountedByTheirFractions() throws FabricException {
        RunOutcome outcome = new Waves(60).outcome();
        assertThat(outcome.warnings()).noneMatch(warning -> warning.contains("Little"));
        assertThat(outcome.metrics().get(Metrics.THROUGHPUT)).isEqualTo(640e9 / 60, within(1.0));
    }
}
