package org.reprobe.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.measurement.Metrics;

class TimeSeriesTest {

    @Test
    void operationsCountInTheSliceInWhichTheyEnd() {
        TimeSeries series = new TimeSeries(100, 250);
        assertThat(series.slices()).isEqualTo(3);
        series.did(-1, 50, 1);
        series.did(0, 50, 1);
        series.did(99, 70, 1);
        series.did(100, 10, 4);
        series.did(300, 10, 1);
        series.failed(250, 3);
        assertThat(series.operations(0)).isEqualTo(2);
        assertThat(series.meanLatencyNs(0)).isEqualTo(60);
        assertThat(series.maxLatencyNs(0)).isEqualTo(70);
        assertThat(series.operations(1)).isEqualTo(4);
        assertThat(series.meanLatencyNs(1)).isEqualTo(10);
        assertThat(series.operations(2)).isZero();
        assertThat(series.meanLatencyNs(2)).isNaN();
        assertThat(series.failures(2)).isEqualTo(3);
    }

    @Test
    void clientsAddUpAndSurviveBeingSent() throws IOException {
        TimeSeries one = new TimeSeries(100, 200);
        one.did(10, 5, 1);
        TimeSeries other = new TimeSeries(100, 200);
        other.did(20, 15, 1);
        other.failed(150, 1);
        TimeSeries sum = new TimeSeries();
        sum.add(one);
        sum.add(other);
        TimeSeries read = sent(sum);
        assertThat(read.sliceNs()).isEqualTo(100);
        assertThat(read.operations(0)).isEqualTo(2);
        assertThat(read.meanLatencyNs(0)).isEqualTo(10);
        assertThat(read.maxLatencyNs(0)).isEqualTo(15);
        assertThat(read.failures(1)).isEqualTo(1);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        sum.write(new DataOutputStream(bytes));
        byte[] damaged = bytes.toByteArray();
        damaged[8] = 127;
        assertThatThrownBy(() -> TimeSeries.read(new DataInputStream(new ByteArrayInputStream(damaged))))
                .isInstanceOf(IOException.class);
    }

    @Test
    void theWorstWindowIsTheOneWithTheFewestOperationsAndTheOneWithTheLongestLatency() throws IOException {
        TimeSeries one = new TimeSeries(100, 1000, true);
        TimeSeries other = new TimeSeries(100, 1000, true);
        for (int slice = 0; slice < 10; slice++) {
            boolean stalls = slice == 4 || slice == 5;
            one.did(slice * 100 + 50, stalls ? 10 : 40, stalls ? 1 : 5);
            other.did(slice * 100 + 50, slice == 8 ? 5000 : 20, stalls ? 1 : 5);
        }
        TimeSeries both = new TimeSeries();
        both.add(sent(one));
        both.add(sent(other));
        assertThat(worst(both, 200, 1000)).containsExactly(entry(WORST, 4 / 200e-9), entry(P99, 5023.0));
        assertThat(worst(both, 400, 1000)).containsEntry(WORST, 24 / 400e-9);
        // The operation of 5000 ns ends after these intervals, and the stall after the last.
        assertThat(worst(both, 200, 800)).containsExactly(entry(WORST, 4 / 200e-9), entry(P99, 40.0));
        assertThat(worst(both, 200, 450)).containsExactly(entry(WORST, 20 / 200e-9), entry(P99, 40.0));
        assertThat(worst(both, 200, 199)).isEmpty();
        assertThat(both.p99LatencyNs(8)).isEqualTo(5023);
    }

    @Test
    void aWindowWithoutOperationsHasNoLatency() {
        TimeSeries series = new TimeSeries(100, 400, true);
        assertThat(worst(series, 100, 400)).containsExactly(entry(WORST, 0.0));
        series.did(0, 7, 1);
        assertThat(worst(series, 100, 400)).containsExactly(entry(WORST, 0.0), entry(P99, 7.0));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 255, 256, 257, 511, 512, 4_095, 70_000, 3_600_000_000_000L})
    void latenciesOfAWindowAreExactToOnePercent(long ns) throws IOException {
        TimeSeries series = new TimeSeries(100, 100, true);
        series.did(0, ns, 98);
        series.did(0, ns / 2, 1);
        series.did(0, ns / 3, 1);
        assertThat(series.p99LatencyNs(0)).isBetween((double) ns, ns * 1.0079 + 1e-9);
        TimeSeries longer = sent(series);
        longer.add(series);
        longer.did(0, 4 * ns, 1000);
        assertThat(longer.p99LatencyNs(0)).isBetween(4.0 * ns, 4 * ns * 1.0079 + 1e-9);
    }

    @Test
    void damagedLatenciesAreRefused() throws IOException {
        TimeSeries series = new TimeSeries(100, 100, true);
        series.did(0, 5, 1);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        series.write(new DataOutputStream(bytes));
        int length = Long.BYTES + Integer.BYTES + TimeSeries.BYTES_PER_SLICE + 1; // of the encoded histogram
        for (int place : new int[] {length, length + 3, length + 4}) {
            byte[] damaged = bytes.toByteArray();
            damaged[place] ^= 0x40;
            assertThatThrownBy(() -> TimeSeries.read(new DataInputStream(new ByteArrayInputStream(damaged))))
                    .as("byte %d", place)
                    .isInstanceOf(IOException.class);
        }
    }

    private static final String WORST = Metrics.WORST_WINDOW;
    private static final String P99 = Metrics.LATENCY_WORST_WINDOW + ".p99";

    private static Map<String, Double> worst(TimeSeries series, long windowNs, long durationNs) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        series.putWorstWindows(metrics, windowNs, durationNs);
        return metrics;
    }

    private static TimeSeries sent(TimeSeries series) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        series.write(new DataOutputStream(bytes));
        return TimeSeries.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    }

    @Test
    void aRunWithFaultsIsNotProlongedAndASteadyOneIsStillTested() {
        Sampling disturbed = new Sampling(50, 200, true, 0, new Sampling.Conditions(100, true));
        assertThat(disturbed.tests()).isFalse();
        Sampling steady = new Sampling(50, 200, true, 0, new Sampling.Conditions(100, false));
        assertThat(steady.tests()).isTrue();
    }
}
