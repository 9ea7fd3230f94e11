package org.reprobe.system;

import java.util.Map;
import org.reprobe.analysis.measurement.Metrics;

/**
 * Evaluation of wrong results. They fail the run of a protocol that is believed correct. For a protocol with a
 * {@link KnownFault} they are counted and explained.
 */
final class WrongAnswers {
    private WrongAnswers() {}

    /**
     * Returns the outcome with wrong results evaluated. A protocol with a known fault always has the metric, even if it
     * is 0, so that means over runs are unbiased.
     */
    static RunOutcome judge(Settings settings, Counts all, RunOutcome outcome) {
        SystemUnderTest system = Systems.of(settings.scheme());
        KnownFault known = system instanceof Explorable explorable
                ? explorable.knownFault(settings).orElse(null)
                : null;
        long wrong = all.wrongAnswers();
        Double operations = outcome.metrics().get(Metrics.LOOKUPS);
        boolean counted = wrong > 0 || (known != null && operations != null);
        RunOutcome judged = counted ? outcome.with(Map.of(Metrics.WRONG_ANSWERS, (double) wrong)) : outcome;
        if (wrong == 0) {
            return judged;
        }
        String found = "%d%s got a wrong answer, the first with seed %d: %s"
                .formatted(
                        wrong,
                        operations == null ? " operations" : " of %.0f operations".formatted(operations),
                        settings.seed(),
                        all.firstWrongAnswer());
        if (known != null) {
            return judged.with("%s; %s has a known fault: %s; ./run.sh check --system %s shows how"
                    .formatted(found, known.variant(), known.cause(), known.trial()));
        }
        String explored =
                system instanceof Explorable explorable ? explorable.trials().commonName() : null;
        return judged.failed(
                found + (explored == null ? "" : "; ./run.sh check --system " + explored + " explores the protocol"));
    }
}
