package org.reprobe.analysis.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SummaryTest {

    @Test
    void theSleepDataHasTheIntervalThatRDocuments() {
        // R, example of t.test: t.test(extra ~ group, data = sleep, paired = TRUE), mean of the differences -1.58,
        // 95 percent confidence interval -2.4598858 -0.7001142.
        double[] differences = IntStream.range(0, Sleep.GROUP_1.length)
                .mapToDouble(i -> Sleep.GROUP_1[i] - Sleep.GROUP_2[i])
                .toArray();
        Summary summary = Summary.of(differences);
        assertThat(summary.n()).isEqualTo(10);
        assertThat(summary.mean()).isCloseTo(-1.58, within(1e-12));
        assertThat(summary.mean() - summary.halfWidth95()).isCloseTo(-2.4598858, within(5e-8));
        assertThat(summary.mean() + summary.halfWidth95()).isCloseTo(-0.7001142, within(5e-8));
    }

    @ParameterizedTest
    // NIST Statistical Reference Datasets, univariate: NumAcc2, NumAcc3, NumAcc4. First value, the two that alternate
    // behind it 1000 times over, certified standard deviation; the certified mean is the first value.
    @CsvSource({"1.2,1.1,1.3,0.1", "1000000.2,1000000.1,1000000.3,0.1", "10000000.2,10000000.1,10000000.3,0.1"})
    void aLargeMeanDoesNotSwallowTheDeviation(double first, double odd, double even, double certifiedSd) {
        double[] values = new double[1001];
        for (int i = 0; i < values.length; i++) {
            values[i] = i == 0 ? first : i % 2 == 1 ? odd : even;
        }
        Summary summary = Summary.of(values);
        assertThat(summary.mean()).isCloseTo(first, within(1e-9 * first));
        // The values themselves are off by up to 1e-9 as doubles.
        assertThat(summary.sd()).isCloseTo(certifiedSd, within(1e-8));
    }

    @Test
    void threeLargeIntegersHaveASdOfExactly1() {
        // NIST Statistical Reference Datasets, univariate: NumAcc1.
        Summary summary = Summary.of(new double[] {10000001, 10000003, 10000002});
        assertThat(summary.mean()).isEqualTo(10000002);
        assertThat(summary.sd()).isEqualTo(1);
    }

    @Test
    void oneValueHasAMeanButNoInterval() {
        Summary summary = Summary.of(new double[] {42});
        assertThat(summary.mean()).isEqualTo(42);
        assertThat(summary.sd()).isNaN();
        assertThat(summary.halfWidth95()).isNaN();
    }

    @Test
    void equalValuesHaveAnIntervalOfNoWidth() {
        double[] values = new double[5];
        Arrays.fill(values, 0.1);
        Summary summary = Summary.of(values);
        assertThat(summary.mean()).isEqualTo(0.1);
        assertThat(summary.sd()).isZero();
        assertThat(summary.halfWidth95()).isZero();
    }

    @Test
    void noValuesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Summary.of(new double[0]))
                .withMessageContaining("no values");
    }
}
