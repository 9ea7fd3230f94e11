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
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;

/** What clients count, on its way from their process to another. */
class TallyTest {

    private static Tally counted(long ns) {
        Tally tally = new Tally();
        tally.operation(false, ns, 2);
        tally.operation(true, 3 * ns, 5);
        tally.operation(true, 4 * ns, 7);
        tally.refused(7);
        tally.remote(ns);
        tally.chunks(6);
        tally.unexpected();
        tally.raised(11);
        tally.over(interval(), 12, 13_000, 14, 15, 16);
        tally.over(17, 18);
        return tally;
    }

    /** One of 1000 ns. */
    private static SampledInterval interval() {
        SampledInterval interval = new Sampling(0, 1_000, false, 0).join(new ForwardingClient(null) {
            @Override
            public boolean inVirtualTime() {
                return true;
            }
        });
        interval.start(0);
        interval.begins(0);
        interval.ends(1_000);
        return interval;
    }

    private static byte[] bytes(Tally tally) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        tally.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static Tally read(byte[] bytes) throws IOException {
        return Tally.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    @Test
    void countsOfTwoProcessesAddUpAsThoseOfOneDo() throws Exception {
        Tally there = read(bytes(counted(100)));
        there.add(read(bytes(counted(5_000_000_000L))));
        Tally here = counted(100);
        here.add(counted(5_000_000_000L));
        assertThat(there)
                .usingRecursiveComparison()
                .ignoringFieldsMatchingRegexes(".*Ns|.*Trips")
                .isEqualTo(here);
        assertThat(there.durationNs()).isEqualTo(1_000);
        assertThat(there.readNs()).isEqualTo(here.readNs());
        assertThat(there.writeNs()).isEqualTo(here.writeNs());
        assertThat(there.remoteNs()).isEqualTo(here.remoteNs());
        assertThat(there.medianRoundTripsOfWrites()).isEqualTo(here.medianRoundTripsOfWrites());
        assertThat(there.medianRoundTripsOfReads()).isEqualTo(here.medianRoundTripsOfReads());
        assertThat(there.operations()).isEqualTo(6);
        assertThat(there.raised()).isEqualTo(22);
    }

    @Test
    void whatIsNoTallyIsRefused() throws Exception {
        byte[] bytes = bytes(counted(100));
        assertThatThrownBy(() -> read(Arrays.copyOf(bytes, bytes.length - 1))).isInstanceOf(IOException.class);
        byte[] other = bytes.clone();
        Arrays.fill(other, 15 * Long.BYTES + Integer.BYTES, other.length, (byte) 7);
        assertThatThrownBy(() -> read(other))
                .isInstanceOf(IOException.class)
                .hasMessage("a histogram that can't be read");
    }
}
