package org.reprobe.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;

class NightlyTest {
    private static final String NIGHTLY = "reprobe.nightly";
    private static final Path REPORTS = Path.of("target/left-to-nightly");
    private static final List<Integer> CASES = List.of(1, 2, 3);

    private final String before = System.getProperty(NIGHTLY, "");

    @BeforeEach
    void anOrdinaryRun() {
        System.clearProperty(NIGHTLY);
    }

    @AfterEach
    void asBefore() throws Exception {
        System.setProperty(NIGHTLY, before);
        Files.deleteIfExists(REPORTS.resolve("ATest.withCases"));
        Files.deleteIfExists(REPORTS.resolve("Sample.slow"));
    }

    @Test
    void anOrdinaryRunTakesTheFirstCasesAndReportsTheOthers() {
        assertThat(NightlyCases.of("ATest.withCases", 2, CASES)).containsExactly(1, 2);
        assertThat(REPORTS.resolve("ATest.withCases")).hasContent("ATest.withCases (1 of 3 cases)");
    }

    @Test
    void theNightlyRunTakesAllAndReportsNone() {
        System.setProperty(NIGHTLY, "true");
        assertThat(NightlyCases.of("ATest.withCases", 2, CASES)).isEqualTo(CASES);
        System.clearProperty(NIGHTLY);
        assertThat(NightlyCases.of("ATest.withCases", 3, CASES)).isEqualTo(CASES);
        assertThat(REPORTS.resolve("ATest.withCases")).doesNotExist();
    }

    /** Test class for reflection only. */
    private static final class Sample {
        @Nightly(besides = "quick")
        void slow() {}

        void quick() {}
    }

    private static boolean runs(String test) throws Exception {
        Method method = Sample.class.getDeclaredMethod(test);
        InvocationHandler context = (_, called, _) -> switch (called.getName()) {
            case "getElement", "getTestMethod" -> Optional.of(method);
            case "getRequiredTestClass" -> Sample.class;
            default -> throw new UnsupportedOperationException(called.getName());
        };
        return !new NightlyCondition()
                .evaluateExecutionCondition((ExtensionContext) Proxy.newProxyInstance(
                        ExtensionContext.class.getClassLoader(), new Class<?>[] {ExtensionContext.class}, context))
                .isDisabled();
    }

    @Test
    void aNightlyTestIsSkippedAndReported() throws Exception {
        assertThat(runs("quick")).isTrue();
        assertThat(REPORTS.resolve("Sample.quick")).doesNotExist();
        assertThat(runs("slow")).isFalse();
        assertThat(REPORTS.resolve("Sample.slow")).hasContent("Sample.slow");
        System.setProperty(NIGHTLY, "true");
        assertThat(runs("slow")).isTrue();
    }
}
