package org.reprobe.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Knows from {@code reprobe.build-started}, as ISO 8601 writes it, since when the build runs. */
final class CostlyCondition implements ExecutionCondition {
    private final Clock clock;

    CostlyCondition() {
        this(Clock.systemUTC());
    }

    CostlyCondition(Clock clock) {
        this.clock = clock;
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        // A class may be late from one of its tests on.
        Class<?> type = context.getRequiredTestClass();
        Optional<Costly> ofClass = AnnotationSupport.findAnnotation(type, Costly.class);
        Optional<Costly> costly = ofClass.isPresent()
                ? ofClass
                : context.getElement().flatMap(element -> AnnotationSupport.findAnnotation(element, Costly.class));
        String test = type.getSimpleName()
                + context.getTestMethod()
                        .filter(_ -> ofClass.isEmpty())
                        .map(method -> "." + method.getName())
                        .orElse("");
        Optional<String> late = costly.flatMap(each -> late(test, each.withinMinutes()));
        late.ifPresent(why -> NotTested.tell("costly-" + test, why));
        return late.map(ConditionEvaluationResult::disabled)
                .orElseGet(() -> ConditionEvaluationResult.enabled("there is time"));
    }

    /** Empty when a test may begin; else why it is left out. */
    Optional<String> late(String test, int withinMinutes) {
        String started = System.getProperty("reprobe.build-started", "");
        if (started.isEmpty() || "always".equals(System.getProperty("reprobe.costly"))) {
            return Optional.empty();
        }
        long minutes = Duration.between(Instant.parse(started), clock.instant()).toMinutes();
        return minutes < withinMinutes
                ? Optional.empty()
                : Optional.of(("%s, or the rest of it: this machine is slow, the build had run for %d minutes; alone: "
                                + "./run.sh test -Dreprobe.costly=always -Dtest=%s -Dsurefire.failIfNoSpecifiedTests=false")
                        .formatted(test, minutes, test.replace('.', '#')));
    }
}
