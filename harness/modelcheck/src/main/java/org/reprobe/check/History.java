package org.reprobe.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Operations of several clients with invocation and return times, in order of {@link Event#invoked}. */
public record History(List<Event> events) {

    private static final Comparator<Event> ORDER = Comparator.comparingLong(Event::invoked);

    public History {
        events = events.stream().sorted(ORDER).toList();
    }

    /** Merges histories of recorders with the same clock. */
    public static History of(Collection<History> parts) {
        List<Event> all = new ArrayList<>();
        parts.forEach(part -> all.addAll(part.events));
        return new History(all);
    }
}
