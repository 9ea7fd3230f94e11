package org.reprobe.testing;

import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

final class NeedCondition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Optional<Need> need = context.getElement()
                .flatMap(element -> AnnotationSupport.findAnnotation(element, Needs.class))
                .map(Needs::value);
        Optional<String> missing = need.flatMap(Need::missing);
        missing.ifPresent(why -> NotTested.record(need.orElseThrow().key(), why));
        return missing.map(ConditionEvaluationResult::disabled)
                .orElseGet(() -> ConditionEvaluationResult.enabled("all that it needs is here"));
    }
}
