package org.reprobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.QueuePair;

class SampledIntervalTest {
    private static SampledInterval interval(boolean virtual) {
        return started(new Sampling(50, 200, false, 0, Sampling.Conditions.NONE), virtual);
    }

    private static SampledInterval started(Sampling sampling, boolean virtual) {
        return started(sampling, virtual, SampledInterval.Observer.NONE);
    }

    private static SampledInterval started(Sampling sampling, boolean virtual, SampledInterval.Observer observer) {
        SampledInterval interval = sampling.join(new At1000(virtual));
        interval.start(1000, observer);
        return interval;
    }

    /** One that has begun at 1050 and ended at 1250. */
    private static SampledInterval over(Sampling sampling, boolean virtual) {
        SampledInterval interval = started(sampling, virtual);
        interval.step(1050);
        interval.step(1250);
        return interval;
    }

    /** Notes what it is notified of. */
    private static final class Notes implements SampledInterval.Observer {
        private final List<String> notes = new ArrayList<>();

        @Override
        public void begins() {
            notes.add("begins");
        }

        @Override
        public void ended(long unfinished) {
            notes.add("ended, " + unfinished + " unfinished");
        }
    }

    @Test
    void inVirtualTimeItLastsFromTheBeginningOfOnePieceOfWorkToThatOfAnother() {
        SampledInterval interval = interval(true);
        interval.step(1049);
        assertThat(interval.counts()).isFalse();
        interval.step(1080);
        assertThat(interval.counts()).isTrue();
        interval.step(1279);
        assertThat(interval.counts()).isTrue();
        interval.step(1290);
        assertThat(interval.counts()).isFalse();
        interval.step(1300);
        assertThat(interval.lengthNs()).isEqualTo(210);
        assertThat(interval.includes(1079)).isFalse();
        assertThat(interval.includes(1080)).isTrue();
        assertThat(interval.includes(1289)).isTrue();
        assertThat(interval.includes(1290)).isFalse();
    }

    @Test
    void inRealTimeItIsTheSameForAClientThatWaitedForACore() {
        SampledInterval interval = interval(false);
        assertThat(interval.includes(1049)).isFalse();
        assertThat(interval.includes(1050)).isTrue();
        interval.step(1200);
        interval.step(1249);
        assertThat(interval.counts()).isTrue();
        interval.step(1400);
        assertThat(interval.counts()).isFalse();
        assertThat(interval.lengthNs()).isEqualTo(200);
    }

    @Test
    void inRealTimeAClientThatHadNoTurnHasAnEmptyOne() {
        Notes notes = new Notes();
        SampledInterval interval = started(new Sampling(50, 200, false, 0, Sampling.Conditions.NONE), false, notes);
        interval.step(2000);
        assertThat(interval.counts()).isFalse();
        assertThat(interval.isDone(2000, 0)).isTrue();
        assertThat(interval.lengthNs()).isEqualTo(200);
        assertThat(notes.notes).containsExactly("begins", "ended, 0 unfinished");
    }

    @Test
    void aClientThatHasNothingLeftToDoEndsItEarly() {
        SampledInterval interval = interval(false);
        interval.step(1060);
        interval.step(1150);
        interval.end(1150);
        assertThat(interval.lengthNs()).isEqualTo(100);
    }

    @Test
    void aClientContinuesUntilAllSamplesHaveEnded() {
        Sampling sampling = new Sampling(50, 200, false, 0, Sampling.Conditions.NONE);
        SampledInterval one = over(sampling, true);
        SampledInterval other = over(sampling, true);
        assertThat(one.isDone(1250, 0)).isFalse();
        assertThat(one.keepsLoad(1250)).isTrue();
        assertThat(other.isDone(1250, 1)).isFalse();
        assertThat(one.isDone(1260, 0)).isFalse();
        assertThat(other.isDone(1270, 0)).isTrue();
        assertThat(one.isDone(1270, 0)).isTrue();
        assertThat(one.keepsLoad(1270)).isFalse();
        assertThat(one.runIsOver()).isTrue();
    }

    @Test
    void itsSampleEndsOnceAndOnlyWhenAllOfItHasEnded() {
        Notes notes = new Notes();
        SampledInterval interval = started(new Sampling(50, 200, false, 0, Sampling.Conditions.NONE), true, notes);
        assertThat(interval.isDone(1040, 0)).isFalse();
        interval.step(1050);
        assertThat(interval.isDone(1100, 0)).isFalse();
        interval.step(1250);
        assertThat(interval.isDone(1250, 1)).isFalse();
        assertThat(notes.notes).containsExactly("begins");
        assertThat(interval.isDone(1260, 0)).isTrue();
        assertThat(interval.isDone(1270, 0)).isTrue();
        interval.abandon();
        assertThat(notes.notes).containsExactly("begins", "ended, 0 unfinished");
    }

    /** Load continues for four times the time from the start to the interval's end; draining takes as long again. */
    @Test
    void theLimitsOfDrainingAreExclusiveAndStartAtTheIntervalsEnd() {
        Notes notes = new Notes();
        SampledInterval interval = started(new Sampling(50, 200, false, 0, Sampling.Conditions.NONE), true, notes);
        interval.step(1050);
        assertThat(interval.keepsLoad(1_000_000)).as("before its end").isTrue();
        assertThat(interval.cannotCatchUp(1_000_000)).isFalse();
        interval.step(1250);
        assertThat(interval.isDone(1250 + 1000, 3)).isFalse();
        assertThat(interval.keepsLoad(1250 + 1000)).isTrue();
        assertThat(interval.keepsLoad(1250 + 1001)).isFalse();
        assertThat(interval.isDone(1250 + 1001, 3)).isFalse();
        assertThat(interval.quality(0).drained()).isEqualTo(3);
        assertThat(interval.isDone(1250 + 2000, 2)).isFalse();
        assertThat(interval.cannotCatchUp(1250 + 2000)).isFalse();
        assertThat(interval.cannotCatchUp(1250 + 2001)).isTrue();
        assertThat(notes.notes).containsExactly("begins");
        assertThat(interval.isDone(1250 + 2001, 2)).isTrue();
        assertThat(notes.notes).containsExactly("begins", "ended, 2 unfinished");
        assertThat(interval.quality(0).drained()).as("when draining began").isEqualTo(3);
    }

    @Test
    void inRealTimeDrainingHasAtLeastFiveSeconds() {
        SampledInterval interval = over(new Sampling(50, 200, false, 0, Sampling.Conditions.NONE), false);
        assertThat(interval.onlyDrains(1250 + 5_000_000_000L)).isFalse();
        assertThat(interval.onlyDrains(1250 + 5_000_000_001L)).isTrue();
        assertThat(interval.cannotCatchUp(1250 + 10_000_000_000L)).isFalse();
        assertThat(interval.cannotCatchUp(1250 + 10_000_000_001L)).isTrue();
    }

    /** Does pieces of work of 100 ns until the interval begins; how many. */
    private static int warmUp(SampledInterval interval, IntUnaryOperator operations) {
        int round = 0;
        for (interval.step(1000); !interval.counts(); interval.step(1000 + 100L * round)) {
            interval.began(1000 + 100L * round, 1100 + 100L * round, operations.applyAsInt(round));
            round++;
        }
        return round;
    }

    @Test
    void aRunThatIsNotSteadyHasAQuarterOfTheTimeToDrain() {
        SampledInterval interval = started(new Sampling(50, 200, true, 0, Sampling.Conditions.NONE), true);
        long endNs = 1000 + 100L * warmUp(interval, round -> round) + 200;
        assertThat(interval.quality(0).neverSteady()).isTrue();
        interval.step(endNs);
        long allNs = endNs - 1000;
        assertThat(interval.onlyDrains(endNs + allNs)).isFalse();
        assertThat(interval.onlyDrains(endNs + allNs + 1)).isTrue();
        assertThat(interval.cannotCatchUp(endNs + 2 * allNs + 1)).isTrue();
    }

    @Test
    void aClientThatIsGoneDoesNotKeepTheOthersWaiting() {
        Sampling sampling = new Sampling(50, 200, false, 0, Sampling.Conditions.NONE);
        Notes notes = new Notes();
        SampledInterval gone = started(sampling, true, notes);
        SampledInterval early = sampling.join(new At1000(true));
        SampledInterval stays = started(sampling, true);
        gone.step(1050);
        gone.abandon();
        assertThat(gone.lengthNs()).isEqualTo(200);
        gone.abandon();
        early.abandon();
        assertThat(notes.notes).containsExactly("begins", "ended, 0 unfinished");
        stays.step(1060);
        stays.step(1260);
        assertThat(stays.runIsOver()).isFalse();
        assertThat(stays.isDone(1260, 0)).isTrue();
    }

    @Test
    void operationsAreGivenUpOnlyInTheInterval() {
        SampledInterval interval = interval(true);
        interval.failed(1040, 1);
        interval.step(1050);
        interval.failed(1100, 2);
        interval.step(1250);
        interval.failed(1300, 4);
        assertThat(interval.failures()).isEqualTo(2);
    }

    @Test
    void operationsThatAreDueAndHaveNotBegunBelongToTheSample() {
        SampledInterval interval = over(new Sampling(50, 200, false, 1, Sampling.Conditions.NONE), true);
        assertThat(interval.isDone(1250, 0, 1249.5)).isFalse();
        assertThat(interval.keepsLoad(1250)).isTrue();
        assertThat(interval.isDone(1250, 1, 1250)).isFalse();
        assertThat(interval.isDone(1250, 0, 1250)).isTrue();
        assertThat(interval.quality(0).overloaded()).isFalse();
    }

    @Test
    void aSampleThatHasNotEvenBegunInTimeIsOverloaded() {
        SampledInterval interval = over(new Sampling(50, 200, false, 1, Sampling.Conditions.NONE), true);
        assertThat(interval.isDone(1250 + 1000, 0, 1200)).isFalse();
        assertThat(interval.isDone(1250 + 1001, 0, 1200)).isTrue();
        assertThat(interval.quality(0).overloaded()).isTrue();
    }

    /** Rounds of 100 ns in which ever fewer operations begin, then always 10. */
    @ParameterizedTest
    @ValueSource(ints = {0, 20, 100})
    void theWarmUpEndsWhenTheSeriesIsSteady(int transientRounds) {
        SplittableRandom random = new SplittableRandom(5);
        SampledInterval interval = started(new Sampling(50, 200, true, 0, Sampling.Conditions.NONE), true);
        int rounds = warmUp(interval, round -> 100 + Math.max(0, 3 * (transientRounds - round)) + random.nextInt(5));
        assertThat(rounds).isBetween(transientRounds, 50 + 4 * transientRounds);
        assertThat(interval.quality(0).neverSteady()).isFalse();
    }

    @Test
    void anUnsteadySeriesEndsWithAWarning() {
        SampledInterval interval = started(new Sampling(50, 200, true, 0, Sampling.Conditions.NONE), true);
        assertThat(warmUp(interval, round -> round)).isBetween(100, 1000);
        assertThat(interval.quality(0).neverSteady()).isTrue();
    }

    @Test
    void inRealTimeTheIntervalItselfIsTested() {
        for (boolean grows : new boolean[] {false, true}) {
            SampledInterval interval = started(new Sampling(0, 1_000_000, true, 0, Sampling.Conditions.NONE), false);
            for (int i = 0; i < 10_000; i++) {
                interval.began(1000 + 100L * i, 1100 + 100L * i, 100 + (grows ? i : i % 7));
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
