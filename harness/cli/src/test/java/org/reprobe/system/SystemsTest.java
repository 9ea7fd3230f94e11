package org.reprobe.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SystemsTest {
    @Test
    void eachSchemeBelongsToTheSystemThatListsIt() {
        assertThat(Systems.schemes())
                .extracting(Scheme::name)
                .doesNotHaveDuplicates()
                .isNotEmpty();
        for (SystemUnderTest system : Systems.all()) {
            assertThat(system.schemes()).allMatch(scheme -> Systems.of(scheme.name()) == system);
        }
    }

    @Test
    void anUnknownSchemeIsRefusedByName() {
        assertThatThrownBy(() -> Systems.of("linear"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown scheme \"linear\"");
    }

    @Test
    void aSectionThatASystemReadsIncludesItsKeys() {
        SystemUnderTest nessie = Systems.of("nessie");
        assertThat(nessie.reads("nessie")).contains("nessie").doesNotContain("nessie.growth");
        assertThat(Systems.reads(nessie, "nessie", "nessie.growth")).isTrue();
        assertThat(Systems.reads(nessie, "nessie", "nessie")).isTrue();
        assertThat(Systems.reads(nessie, "nessie", "farm.sharing")).isFalse();
        assertThat(Systems.reads(nessie, "nessie", "growth")).isFalse();
    }
}
