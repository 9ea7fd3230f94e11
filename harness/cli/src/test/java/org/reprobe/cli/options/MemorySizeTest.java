package org.reprobe.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemorySizeTest {
    @ParameterizedTest
    @CsvSource({
        "800m, 800000000",
        "800 MB, 800000000",
        "8G, 8000000000",
        "8Gi, 8589934592",
        "8gib, 8589934592",
        "64Ki, 65536",
        "1t, 1000000000000",
        "512b, 512"
    })
    void prefixesAreDecimalAndThoseWithIBinary(String text, long bytes) {
        assertThat(new MemorySize().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "much, must be a size like 800M or 8Gi",
        "8i, must be a size like 800M or 8Gi",
        "8ib, must be a size like 800M or 8Gi",
        "-8g, must be a size like 800M or 8Gi",
        "999999999t, must be below 2^63 bytes",
        "8, 'needs a unit, like 8G or 8Mi'"
    })
    void otherSizesAreRefused(String text, String problem) {
        assertThatThrownBy(() -> new MemorySize().convert(text)).hasMessage(problem);
    }
}
