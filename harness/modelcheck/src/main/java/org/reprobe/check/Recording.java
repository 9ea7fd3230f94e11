package org.reprobe.check;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A recorder with a clock. For one thread, or for threads that never run at the same time: where they do, each takes a
 * recorder of its own with the same clock, and {@link History#of} joins them.
 */
public final class Recording implements HistoryRecorder {
    private final LongSupplier clock;
    private final List<Event> events = new ArrayList<>();

    /** @param clock never goes backwards and is the same for all clients: {@code System::nanoTime} */
    public Recording(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public int invoked(int client, Operation operation, long key, long argument, long expected) {
        events.add(new Event(client, operation, key, argument, expected, 0, clock.getAsLong(), Event.PENDING));
        return events.size() - 1;
    }

    @Override
    public void returned(int invocation, long result) {
        Event asked = events.get(invocation);
        if (!asked.pending()) {
            throw new IllegalStateException(asked.words() + " returned twice");
        }
        events.set(
                invocation,
                new Event(
                        asked.client(),
                        asked.operation(),
                        asked.key(),
                        asked.argument(),
                        asked.expected(),
                        result,
                        asked.invoked(),
                        clock.getAsLong()));
    }

    /** What was asked, and the result once it is there. */
    public String words(int invocation) {
        Event event = events.get(invocation);
        return event.pending() ? event.asked() + " ..." : event.words();
    }

    /** Who asked. */
    public int client(int invocation) {
        return events.get(invocation).client();
    }

    /** Everything so far; operations that have not returned are pending. */
    public History history() {
        return new History(events);
    }

    /** Forgets everything. */
    public void clear() {
        events.clear();
    }
}
