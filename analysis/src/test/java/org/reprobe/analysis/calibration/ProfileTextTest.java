package org.reprobe.analysis.calibration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProfileTextTest {
    @ParameterizedTest
    @CsvSource({"12.3456789,12.3457", "12500000000,12500000000", "0.000661748,0.000661748", "-0.25,-0.25"})
    void numbersHaveSixDigitsAndNoExponent(double value, String text) {
        assertThat(ProfileText.number(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"2.08069e-18,0", "-3.7e-17,0", "0.00000000001,0.00000000001"})
    void roundingErrorsOfZeroAreZero(double value, String text) {
        assertThat(ProfileText.number(value)).isEqualTo(text);
    }
}
