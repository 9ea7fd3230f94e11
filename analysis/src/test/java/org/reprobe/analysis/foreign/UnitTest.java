package org.reprobe.analysis.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitTest {
    @ParameterizedTest
    @CsvSource({
        "2.5, Mops/s, 2500000",
        "3, us, 3000",
        "4, ms, 4000000",
        "8, Gbit/s, 1e9",
        "1, GiB/s, 1073741824",
        "1, GB/s, 1e9",
        "12.5, %, 0.125",
        "7, count, 7"
    })
    void numbersAreConvertedToTheBaseUnit(double number, String unit, double base) {
        assertThat(Unit.of(unit).toBase(number)).isEqualTo(base);
    }

    @Test
    void aUnitThatIsNoneIsRefused() {
        assertThatThrownBy(() -> Unit.of("furlong"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("there is no unit furlong; one of ops/s, kops/s");
    }
}
