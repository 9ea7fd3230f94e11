package org.reprobe.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

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
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        sum.write(new DataOutputStream(bytes));
        TimeSeries read = TimeSeries.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        assertThat(read.sliceNs()).isEqualTo(100);
        assertThat(read.operations(0)).isEqualTo(2);
        assertThat(read.meanLatencyNs(0)).isEqualTo(10);
        assertThat(read.maxLatencyNs(0)).isEqualTo(15);
        assertThat(read.failures(1)).isEqualTo(1);
        byte[] damaged = bytes.toByteArray();
        damaged[8] = 127;
        assertThatThrownBy(() -> TimeSeries.read(new DataInputStream(new ByteArrayInputStream(damaged))))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aRunWithFaultsIsNotProlongedAndASteadyOneIsStillTested() {
        Sampling disturbed = new Sampling(50, 200, true, 0, new Sampling.Conditions(100, true));
        assertThat(disturbed.tests()).isFalse();
        Sampling steady = new Sampling(50, 200, true, 0, new Sampling.Conditions(100, false));
        assertThat(steady.tests()).isTrue();
    }
}
