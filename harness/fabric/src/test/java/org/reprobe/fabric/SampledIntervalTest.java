package org.reprobe.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SampledIntervalTest {
    private static SampledInterval interval(boolean virtual) {
        return started(new Sampling(50, 200, false, 0), virtual);
    }

    private static SampledInterval started(Sampling sampling, boolean virtual) {
        SampledInterval interval = sampling.join(new At1000(virtual));
        interval.start(1000);
        return interval;
    }

    @Test
    void inVirtualTimeItLastsFromTheBeginningOfOnePieceOfWorkToThatOfAnother() {
        SampledInterval interval = interval(true);
        assertThat(interval.begins(1049)).isFalse();
        assertThat(interval.begins(1080)).isTrue();
        assertThat(interval.begins(1090)).isFalse();
        assertThat(interval.ends(1279)).isFalse();
        assertThat(interval.ends(1290)).isTrue();
        assertThat(interval.ends(1300)).isFalse();
        assertThat(interval.lengthNs()).isEqualTo(210);
    }

    @Test
    void inRealTimeItIsTheSameForAClientThatWaitedForACore() {
        SampledInterval interval = interval(false);
        assertThat(interval.fromNs()).isEqualTo(1050);
        assertThat(interval.begins(1200)).isTrue();
        assertThat(interval.ends(1249)).isFalse();
        assertThat(interval.ends(1400)).isTrue();
        assertThat(interval.lengthNs()).isEqualTo(200);
    }

    @Test
    void inRealTimeAClientThatHadNoTurnHasAnEmptyOne() {
        SampledInterval interval = interval(false);
        assertThat(interval.begins(2000)).isTrue();
        assertThat(interval.ends(2000)).isTrue();
        assertThat(interval.lengthNs()).isEqualTo(200);
    }

    @Test
    void aClientThatHasNothingLeftToDoEndsItEarly() {
        SampledInterval interval = interval(false);
        assertThat(interval.begins(1060)).isTrue();
        assertThat(interval.ends(1150)).isFalse();
        interval.end(1150);
        assertThat(interval.lengthNs()).isEqualTo(100);
    }

    @Test
    void aClientGoesOnUntilTheSamplesOfAllHaveEnded() {
        Sampling sampling = new Sampling(50, 200, false, 0);
        SampledInterval one = started(sampling, true);
        SampledInterval other = started(sampling, true);
        for (SampledInterval interval : new SampledInterval[] {one, other}) {
            interval.begins(1050);
            interval.ends(1250);
        }
        one.sampleEnded();
        assertThat(one.runIsOver()).isFalse();
        other.sampleEnded();
        assertThat(one.runIsOver()).isTrue();
        assertThat(other.runIsOver()).isTrue();
    }

    /** Load continues for four times the time from the start to the interval's end; draining takes as long again. */
    @Test
    void theLimitsOfDrainingAreExclusiveAndStartAtTheIntervalsEnd() {
        SampledInterval interval = started(new Sampling(50, 200, false, 0), true);
        interval.begins(1050);
        assertThat(interval.onlyDrains(1_000_000)).as("before its end").isFalse();
        assertThat(interval.isHopeless(1_000_000)).isFalse();
        interval.ends(1250);
        assertThat(interval.onlyDrains(1250 + 1000)).isFalse();
        assertThat(interval.onlyDrains(1250 + 1001)).isTrue();
        assertThat(interval.isHopeless(1250 + 2000)).isFalse();
        assertThat(interval.isHopeless(1250 + 2001)).isTrue();
    }

    @Test
    void inRealTimeDrainingHasAtLeastFiveSeconds() {
        SampledInterval interval = interval(false);
        interval.begins(1050);
        interval.ends(1250);
        assertThat(interval.onlyDrains(1250 + 5_000_000_000L)).isFalse();
        assertThat(interval.onlyDrains(1250 + 5_000_000_001L)).isTrue();
        assertThat(interval.isHopeless(1250 + 10_000_000_000L)).isFalse();
        assertThat(interval.isHopeless(1250 + 10_000_000_001L)).isTrue();
    }

    @Test
    void aRunThatIsNotSteadyHasAQuarterOfTheTimeToDrain() {
        SampledInterval interval = started(new Sampling(50, 200, true, 0), true);
        long nowNs = 1000;
        for (int round = 0; !interval.begins(nowNs); round++) {
            interval.did(nowNs, nowNs + 100, round);
            nowNs += 100;
        }
        assertThat(interval.quality(0).neverSteady()).isTrue();
        interval.ends(nowNs + 200);
        long endNs = nowNs + 200;
        long allNs = endNs - 1000;
        assertThat(interval.onlyDrains(endNs + allNs)).isFalse();
        assertThat(interval.onlyDrains(endNs + allNs + 1)).isTrue();
        assertThat(interval.isHopeless(endNs + 2 * allNs + 1)).isTrue();
    }

    @Test
    void aClientThatIsGoneDoesNotKeepTheOthersWaiting() {
        Sampling sampling = new Sampling(50, 200, false, 0);
        SampledInterval gone = started(sampling, true);
        SampledInterval stays = started(sampling, true);
        gone.begins(1050);
        assertThat(gone.abandon()).isTrue();
        assertThat(gone.lengthNs()).isEqualTo(200);
        assertThat(gone.abandon()).as("for the second time").isFalse();
        stays.begins(1060);
        stays.ends(1260);
        assertThat(stays.runIsOver()).isFalse();
        stays.sampleEnded();
        assertThat(stays.runIsOver()).isTrue();
    }

    @Test
    void operationsAreGivenUpOnlyInTheInterval() {
        SampledInterval interval = interval(true);
        interval.failed(1040, 1);
        interval.begins(1050);
        interval.failed(1100, 2);
        interval.ends(1250);
        interval.failed(1300, 4);
        assertThat(interval.failures()).isEqualTo(2);
    }

    /** Rounds of 100 ns in which ever fewer operations begin, then always 10. */
    @ParameterizedTest
    @ValueSource(ints = {0, 20, 100})
    void theWarmUpEndsWhenTheSeriesIsSteady(int transientRounds) {
        SplittableRandom random = new SplittableRandom(5);
        SampledInterval interval = started(new Sampling(50, 200, true, 0), true);
        int round = 0;
        while (!interval.begins(1000 + 100L * round)) {
            int extra = Math.max(0, 3 * (transientRounds - round));
            interval.did(1000 + 100L * round, 1100 + 100L * round, 100 + extra + random.nextInt(5));
            round++;
        }
        assertThat(round).isBetween(transientRounds, 50 + 4 * transientRounds);
        assertThat(interval.quality(0).neverSteady()).isFalse();
    }

    @Test
    void aSeriesThatNeverIsSteadyIsGivenUpAndSaidSo() {
        SampledInterval interval = started(new Sampling(50, 200, true, 0), true);
        int round = 0;
        while (!interval.begins(1000 + 100L * round)) {
            interval.did(1000 + 100L * round, 1100 + 100L * round, round);
            round++;
        }
        assertThat(round).isBetween(100, 1000);
        assertThat(interval.quality(0).neverSteady()).isTrue();
    }

    @Test
    void inRealTimeTheIntervalItselfIsTested() {
        for (boolean grows : new boolean[] {false, true}) {
            SampledInterval interval = started(new Sampling(0, 1_000_000, true, 0), false);
            for (int i = 0; i < 10_000; i++) {
                interval.did(1000 + 100L * i, 1100 + 100L * i, 100 + (grows ? i : i % 7));
            }
            assertThat(interval.quality(0).neverSteady()).isEqualTo(grows);
        }
    }

    private record At1000(boolean inVirtualTime) implements Client {
        @Override
        public int index() {
            return 0;
        }

        @Override
        public long nowNs() {
            return 1000;
        }

        @Override
        public MemorySegment allocate(long bytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int await(Completions into) {
            throw new UnsupportedOperationException();
        }

        @Override
        public WakeReason next(Completions into, long untilNs) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void watch(int number, MemorySegment memory, long offset, long seen) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int changed() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void pause(long ns) {}

        @Override
        public void barrier() {}
    }
}
