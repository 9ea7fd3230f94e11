package org.reprobe.farm.trials;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.Operation;

/**
 * Judgement of transactions that abort and of READs that give up: another client's transaction must have been under
 * way. Without it a protocol that refuses everything would be serializable.
 */
final class Refusals {
    private Refusals() {}

    /**
     * Returns the first refusal that no other client's transaction explains; null when there is none. Holds where no
     * program dies.
     */
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
     * Returns the time until which an operation may be under way: a transaction still unlocks what it has written after
     * it was acknowledged, until its client begins the next.
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
