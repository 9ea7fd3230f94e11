package org.reprobe.farm.trials;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.Operation;

/**
 * Check that each abort, and each READ that gives up, has a reason: a concurrent transaction of another client. Without
 * this check, a protocol that refuses everything would be serializable.
 */
final class Refusals {
    private Refusals() {}

    /** Returns the first refusal without such a reason; null for none. Valid only if no program has died. */
    static @Nullable String unjustified(History history) {
        List<Event> events = history.events();
        for (Event event : events) {
            boolean aborted = event.operation() == Operation.TRANSACTION && event.result() == Event.REFUSED;
            boolean unanswered = event.operation() == Operation.READ && event.pending();
            if ((aborted || unanswered) && events.stream().noneMatch(other -> explains(other, event, events))) {
                return event.text() + " by client " + event.client() + ", though no other transaction was under way";
            }
        }
        return null;
    }

    private static boolean explains(Event other, Event refused, List<Event> events) {
        return other.operation() == Operation.TRANSACTION
                && other.client() != refused.client()
                && other.invoked() <= end(refused, events)
                && end(other, events) >= refused.invoked();
    }

    /**
     * Returns the time until which an operation may be in progress. A transaction still unlocks objects after its
     * commit is acknowledged, at most until its client's next operation.
     */
    private static long end(Event of, List<Event> events) {
        if (of.operation() == Operation.TRANSACTION && of.result() == Event.REFUSED && !of.pending()) {
            return of.returned();
        }
        return events.stream()
                .filter(each -> each.client() == of.client() && each.expected() == 0 && each.invoked() > of.invoked())
                .mapToLong(Event::invoked)
                .min()
                .orElse(Event.PENDING);
    }
}
