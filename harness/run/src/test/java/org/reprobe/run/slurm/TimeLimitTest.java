package org.reprobe.run.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeLimitTest {
    @ParameterizedTest
    @CsvSource({
        "15, 900",
        "15:30, 930",
        "1:30:00, 5400",
        "2-12, 216000",
        "2-12:30, 217800",
        "1-00:00:01, 86401",
        "infinite, -1",
        "15m, -1",
        "-5, -1"
    })
    void timesAreSlurms(String text, long seconds) {
        assertThat(TimeLimit.seconds(text).orElse(-1)).isEqualTo(seconds);
    }
}
