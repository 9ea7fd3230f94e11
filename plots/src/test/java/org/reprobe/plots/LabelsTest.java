package org.reprobe.plots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LabelsTest {
    private static final String SCHEME = SchemeStyles.all().keySet().iterator().next();

    private static String series(String key, Object value) {
        return Labels.series(List.of("scheme", key), List.of(SCHEME, value));
    }

    @Test
    void aLineIsNamedByTheKeysOfItsOwnSchemeAndOfNoOther() {
        String other = SchemeStyles.all().keySet().stream()
                .filter(name -> !name.equals(SCHEME))
                .findFirst()
                .orElseThrow();
        assertThat(series(SCHEME + ".growth", 0)).endsWith(", no server program");
        assertThat(series("load-factor", 0.5)).endsWith(", load 0.5");
        assertThat(series(other + ".growth", 0)).doesNotContain(",");
    }
}
