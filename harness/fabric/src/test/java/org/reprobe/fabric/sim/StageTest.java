package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class StageTest {
    private final Stage stage = new Stage();

    @Test
    void inTheOrderOfComingEachWaitsForThoseBefore() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        long readyPs = 0;
        long busyPs = 0;
        for (int i = 0; i < 10_000; i++) {
            readyPs += random.nextInt(40);
            long ps = random.nextInt(1, 40);
            busyPs = Math.max(readyPs, busyPs) + ps;
            assertThat(stage.take(random.nextLong(readyPs + 1), readyPs, ps)).isEqualTo(busyPs);
        }
    }

    /** Compares with a stage that records each unit of time separately. */
    @Test
    void inAnyOrderEachTakesTheFirstFreeTimesFromWhenItComes() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        for (int run = 0; run < 200; run++) {
            stage.reset();
            BitSet busy = new BitSet();
            int nowPs = 0;
            int spread = random.nextInt(1, 300);
            for (int i = 0; i < 200; i++) {
                nowPs += random.nextInt(20);
                int readyPs = nowPs + random.nextInt(spread);
                int ps = random.nextInt(1, 30);
                int donePs = readyPs;
                for (int unit = 0; unit < ps; unit++) {
                    int at = busy.nextClearBit(donePs);
                    busy.set(at);
                    donePs = at + 1;
                }
                assertThat(stage.take(nowPs, readyPs, ps)).as(Seeds.replay()).isEqualTo(donePs);
            }
        }
    }

    @Test
    void aPacketWithoutPayloadPassesTheLaterPacketsOfALongItem() {
        assertThat(stage.take(0, 10, 40, 4)).isEqualTo(50);
        assertThat(stage.take(0, 15, 2, 0)).isEqualTo(20 + 2);
        assertThat(stage.take(0, 45, 2, 0)).as("the long item ends first").isEqualTo(52);
        assertThat(stage.take(0, 20, 5, 1)).as("payload keeps its place").isEqualTo(59);
        assertThat(stage.take(0, 55, 2, 0)).as("after the long item").isEqualTo(61);
    }

    @Test
    void requestsWithoutServiceTimeStillQueue() {
        assertThat(stage.take(0, 10, 20)).isEqualTo(30);
        assertThat(stage.take(0, 15, 0)).isEqualTo(30);
        assertThat(stage.take(0, 5, 0)).isEqualTo(5);
        assertThat(stage.take(0, 5, 5)).isEqualTo(10);
    }
}
