package org.reprobe.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostlyConditionTest {
    private static final String STARTED = "reprobe.build-started";
    private static final String COSTLY = "reprobe.costly";
    private final String before = System.getProperty(STARTED, "");

    @BeforeEach
    void aBuildBegan() {
        System.setProperty(STARTED, "2026-01-01T10:00:00Z");
        System.clearProperty(COSTLY);
    }

    @AfterEach
    void asBefore() {
        System.setProperty(STARTED, before);
        System.clearProperty(COSTLY);
    }

    private static CostlyCondition at(String time) {
        return new CostlyCondition(Clock.fixed(Instant.parse("2026-01-01T" + time + "Z"), ZoneOffset.UTC));
    }

    @ParameterizedTest
    @CsvSource({"10:00:00, false", "10:44:59, false", "10:45:00, true", "12:00:00, true"})
    void aTestIsLeftOutOnceTheBuildHasTakenTooLong(String time, boolean leftOut) {
        assertThat(at(time).late("ATest", 45).isPresent()).isEqualTo(leftOut);
    }

    @Test
    void whatIsLeftOutIsToldWithTheCommandThatRunsIt() {
        assertThat(at("11:10:30").late("ATest.thatExplores", 45))
                .hasValueSatisfying(why ->
                        assertThat(why).contains("ATest.thatExplores", "for 70 minutes", "-Dtest=ATest#thatExplores"));
    }

    @Test
    void nothingIsLeftOutWhereThatIsSaidOrNoBuildRuns() {
        System.setProperty(COSTLY, "always");
        assertThat(at("12:00:00").late("ATest", 45)).isEmpty();
        System.clearProperty(COSTLY);
        System.clearProperty(STARTED);
        assertThat(at("12:00:00").late("ATest", 45)).isEmpty();
    }
}
