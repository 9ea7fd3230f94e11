package org.reprobe.check;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Recorder with a clock, which the recorders of all threads share; {@link History#of} merges them. Not thread-safe. */
public final class Recording implements HistoryRecorder {
    private final LongSupplier clock;
    private final List<Event> events = new ArrayList<>();

    /** @param clock monotonic and common to all clients, such as {@code System::nanoTime} */
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
            throw new IllegalStateException(asked.text() + " returned twice");
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

    /** Returns the text of an operation, with its result once it has returned. */
    public String text(int invocation) {
        Event event = events.get(invocation);
        return event.pending() ? event.call() + " ..." : event.text();
    }

    public int client(int invocation) {
        return events.get(invocation).client();
    }

    /** Returns the history so far; operations that have not returned are pending. */
    public History history() {
        return new History(events);
    }

    public void clear() {
        events.clear();
    }
}
