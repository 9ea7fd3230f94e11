package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class EventQueueTest {

    private record Event(long timePs, int actor) {}

    @Test
    void eventsComeInOrderOfTimeThenActorLikeAPriorityQueue() {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        PriorityQueue<Event> expected =
                new PriorityQueue<>(Comparator.comparingLong(Event::timePs).thenComparingInt(Event::actor));
        EventQueue actual = new EventQueue(2);
        int actors = 0;
        for (int step = 0; step < 20_000; step++) {
            if (expected.isEmpty() || (actors < 60 && random.nextInt(3) == 0)) {
                Event event = new Event(random.nextInt(1000), actors++);
                expected.add(event);
                actual.add(event.timePs, event.actor);
            } else {
                Event earliest = expected.remove();
                assertThat(actual.earliestPs())
                        .as("step %d, replay with -Dreprobe.seed=%d", step, seed)
                        .isEqualTo(earliest.timePs);
                assertThat(actual.earliestActor())
                        .as("step %d, replay with -Dreprobe.seed=%d", step, seed)
                        .isEqualTo(earliest.actor);
                if (random.nextInt(8) > 0) {
                    Event later = new Event(earliest.timePs + random.nextInt(300), earliest.actor);
                    expected.add(later);
                    actual.postponeEarliest(later.timePs);
                } else {
                    actual.removeEarliest();
                }
            }
        }
        assertThat(actual.isEmpty()).isEqualTo(expected.isEmpty());
    }
}
