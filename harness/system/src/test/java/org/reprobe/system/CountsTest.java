package org.reprobe.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.ForwardingClient;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;

class CountsTest {
    private enum Counter {
        LOOKUPS,
        BYTES
    }

    private enum Times implements Counts.Recorded {
        SHORT;

        @Override
        public long max() {
            return 1_000;
        }

        @Override
        public int digits() {
            return 3;
        }
    }

    private static Counts none() {
        return new Counts(Counter.class, Times.class);
    }

    private static Counts client(long lookups, long durationNs, int failures) {
        Counts counts = none();
        counts.add(Counter.LOOKUPS, lookups);
        counts.histogram(Times.SHORT).recordValueWithCount(durationNs / lookups, lookups);
        SampledInterval interval = new Sampling(0, durationNs, false, 0, Sampling.Conditions.NONE)
                .join(new ForwardingClient(null) {
                    @Override
                    public boolean inVirtualTime() {
                        return true;
                    }
                });
        interval.start(0, SampledInterval.Observer.NONE);
        interval.step(0);
        interval.failed(1, failures);
        interval.step(durationNs);
        counts.sampled(interval, 0);
        return counts;
    }

    @Test
    void ratesOfClientsWithIntervalsOfDifferentLengthsAddUp() {
        Counts all = none();
        all.add(client(10, 1_000, 1)); // 10 million per second
        all.add(client(10, 2_000, 4)); // 5 million per second
        assertThat(all.total(Counter.LOOKUPS)).isEqualTo(20);
        assertThat(all.perSecond(Counter.LOOKUPS)).isEqualTo(15e6);
        assertThat(all.failuresPerSecond()).isEqualTo(3e6);
        assertThat(all.durationNs()).isEqualTo(2_000);
        assertThat(all.histogram(Times.SHORT).getTotalCount()).isEqualTo(20);
    }

    @Test
    void countsAfterTheSampleHaveNoRate() {
        Counts counts = client(10, 1_000, 0);
        counts.add(Counter.LOOKUPS, 5);
        assertThat(counts.total(Counter.LOOKUPS)).isEqualTo(15);
        assertThat(counts.perSecond(Counter.LOOKUPS)).isEqualTo(10e6);
    }

    @Test
    void theFirstWrongAnswerIsDescribedAndAllAreCounted() {
        Counts one = none();
        one.wrongAnswer(() -> "key 7 was not found");
        one.wrongAnswer(() -> {
            throw new IllegalStateException("only the first is described");
        });
        Counts other = none();
        other.wrongAnswer(() -> "key 9 was not found");
        Counts all = none();
        all.add(none());
        assertThat(all.firstWrongAnswer()).isEmpty();
        all.add(one);
        all.add(other);
        assertThat(all.wrongAnswers()).isEqualTo(3);
        assertThat(all.firstWrongAnswer()).isEqualTo("key 7 was not found");
    }

    @Test
    void aWrongAnswersDescriptionCrossesProcessesAsOnePrintableLine() throws Exception {
        Counts there = client(10, 1_000, 2);
        there.wrongAnswer(() -> "key\u001b[31m 7");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        there.write(new DataOutputStream(bytes));
        Counts here = client(30, 1_000, 0);
        here.add(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        assertThat(here.perSecond(Counter.LOOKUPS)).isEqualTo(40e6);
        assertThat(here.failuresPerSecond()).isEqualTo(2e6);
        assertThat(here.wrongAnswers()).isEqualTo(1);
        assertThat(here.firstWrongAnswer()).startsWith("key").endsWith("7").doesNotContain("\u001b");
    }

    @Test
    void aConstantOfAnotherEnumIsRefused() {
        Counts counts = none();
        assertThatThrownBy(() -> counts.total(Times.SHORT)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> counts.histogram(Counter.BYTES)).isInstanceOf(IllegalArgumentException.class);
    }
}
