package org.reprobe.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class CountedIntervalTest {
    private static CountedInterval interval(boolean virtual) {
        return new CountedInterval(new At1000(virtual), 50, 200);
    }

    @Test
    void inVirtualTimeItLastsFromTheEndOfOnePieceOfWorkToTheEndOfAnother() {
        CountedInterval interval = interval(true);
        assertThat(interval.begins(1049)).isFalse();
        assertThat(interval.begins(1080)).isTrue();
        assertThat(interval.begins(1090)).isFalse();
        assertThat(interval.isOver(1279)).isFalse();
        assertThat(interval.isOver(1290)).isTrue();
        assertThat(interval.lengthNs(1290)).isEqualTo(210);
    }

    @Test
    void inRealTimeItIsTheSameForAClientThatWaitedForACore() {
        CountedInterval interval = interval(false);
        assertThat(interval.begins(1200)).isTrue();
        assertThat(interval.isOver(1249)).isFalse();
        assertThat(interval.isOver(1250)).isTrue();
        assertThat(interval.lengthNs(1400)).isEqualTo(200);
    }

    @Test
    void inRealTimeAClientThatHadNoTurnHasAnEmptyOne() {
        CountedInterval interval = interval(false);
        assertThat(interval.begins(2000)).isTrue();
        assertThat(interval.isOver(2000)).isTrue();
        assertThat(interval.lengthNs(2000)).isEqualTo(200);
    }

    @Test
    void aClientThatHasNothingLeftToDoEndsItEarly() {
        CountedInterval interval = interval(false);
        assertThat(interval.begins(1060)).isTrue();
        assertThat(interval.isOver(1150)).isFalse();
        assertThat(interval.lengthNs(1150)).isEqualTo(100);
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
        public void pause(long ns) {}

        @Override
        public void barrier() {}

        @Override
        public void worked(int lookups, long slots) {}
    }
}
