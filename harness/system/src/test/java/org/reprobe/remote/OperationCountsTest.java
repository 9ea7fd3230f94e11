package org.reprobe.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.ForwardingClient;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;

/** Serialization of clients' counts. */
class OperationCountsTest {

    private static Counts counted(long ns) {
        Counts counts = OperationCounts.none();
        OperationCounts.operation(counts, false, ns, 2);
        OperationCounts.operation(counts, true, 3 * ns, 5);
        OperationCounts.operation(counts, true, 4 * ns, 7);
        OperationCounts.tableFull(counts, 7);
        OperationCounts.remote(counts, ns);
        int number = 10;
        for (Counter counter : Counter.values()) {
            counts.add(counter, number++);
        }
        counts.sampled(interval(), 0);
        counts.add(Counter.CAS_SUCCESSES, 1);
        return counts;
    }

    private static SampledInterval interval() {
        SampledInterval interval = new Sampling(0, 1_000, false, 0, Sampling.Conditions.NONE)
                .join(new ForwardingClient(null) {
                    @Override
                    public boolean inVirtualTime() {
                        return true;
                    }
                });
        interval.start(0, SampledInterval.Observer.NONE);
        interval.step(0);
        interval.step(1_000);
        return interval;
    }

    private static byte[] bytes(Counts counts) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        counts.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static void add(Counts counts, byte[] bytes) throws IOException {
        counts.add(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    @Test
    void countsOfTwoProcessesAddUpAsThoseOfOneDo() throws Exception {
        Counts there = OperationCounts.none();
        add(there, bytes(counted(100)));
        add(there, bytes(counted(5_000_000_000L)));
        Counts here = OperationCounts.none();
        here.add(counted(100));
        here.add(counted(5_000_000_000L));
        for (Counter counter : Counter.values()) {
            assertThat(there.total(counter)).as(counter.name()).isEqualTo(here.total(counter));
            assertThat(there.perSecond(counter)).as(counter.name()).isEqualTo(here.perSecond(counter));
        }
        for (Recorded histogram : Recorded.values()) {
            assertThat(there.histogram(histogram)).as(histogram.name()).isEqualTo(here.histogram(histogram));
        }
        assertThat(there.quality()).usingRecursiveComparison().isEqualTo(here.quality());
        assertThat(there.durationNs()).isEqualTo(1_000);
        assertThat(there.total(Counter.OPERATIONS)).isEqualTo(2 * (3 + 10));
        assertThat(there.total(Counter.READ_ROUND_TRIPS)).isEqualTo(2 * (2 + 11));
        assertThat(there.total(Counter.WRITE_ROUND_TRIPS))
                .as("of what was refused none")
                .isEqualTo(2 * (5 + 12));
        assertThat(there.perSecond(Counter.OPERATIONS)).isEqualTo(2 * 13e6);
        assertThat(there.perSecond(Counter.CAS_SUCCESSES))
                .as("what came later has no rate")
                .isEqualTo(2 * 16e6);
        assertThat(there.total(Counter.CAS_SUCCESSES)).isEqualTo(2 * 17);
        assertThat(there.histogram(Recorded.WRITE_TRIPS).getTotalCount()).isEqualTo(4);
    }

    @Test
    void countsOfDifferentSystemsAreRefused() throws Exception {
        byte[] bytes = bytes(counted(100));
        assertThatThrownBy(() -> add(OperationCounts.none(), Arrays.copyOf(bytes, bytes.length - 1)))
                .isInstanceOf(IOException.class);
        byte[] other = bytes.clone();
        ByteArrayOutputStream quality = new ByteArrayOutputStream();
        counted(100).quality().write(new DataOutputStream(quality));
        // After two numbers of parts, duration, failures, wrong results and the length of an empty text.
        int histograms = 5 * Long.BYTES + Short.BYTES + Counter.values().length * 2 * Long.BYTES + quality.size();
        Arrays.fill(other, histograms, other.length, (byte) 7);
        assertThatThrownBy(() -> add(OperationCounts.none(), other))
                .isInstanceOf(IOException.class)
                .hasMessage("malformed histogram");
        Counts others = new Counts(Other.class, Recorded.class);
        assertThatThrownBy(() -> add(others, bytes))
                .isInstanceOf(IOException.class)
                .hasMessage("counts of another system");
        assertThatThrownBy(() -> others.add(counted(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> others.add(Counter.RPCS, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    private enum Other {
        ONE
    }
}
