package org.reprobe.testing;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

final class NightlyCondition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        boolean nightly = context.getElement()
                .filter(element -> AnnotationSupport.isAnnotated(element, Nightly.class))
                .isPresent();
        if (!nightly || NightlyCases.areRun()) {
            return ConditionEvaluationResult.enabled("all tests run, or this one always does");
        }
        String test = context.getRequiredTestClass().getSimpleName()
                + context.getTestMethod().map(method -> "." + method.getName()).orElse("");
        NightlyCases.leave(test, "");
        return ConditionEvaluationResult.disabled("left to the nightly run");
    }
}
