package org.reprobe.check;

import java.util.List;
import java.util.stream.LongStream;

/** History as text: one line per operation, with a bar over its duration. */
public final class Timeline {
    private static final int WIDTH = 72;

    private Timeline() {}

    public static String of(History history) {
        List<Event> events = history.events();
        long[] times = events.stream()
                .flatMapToLong(event -> event.pending()
                        ? LongStream.of(event.invoked())
                        : LongStream.of(event.invoked(), event.returned()))
                .sorted()
                .distinct()
                .toArray();
        int scale = Math.clamp(WIDTH / Math.max(1, times.length), 1, 4);
        int words =
                events.stream().mapToInt(event -> event.text().length()).max().orElse(0);
        StringBuilder text = new StringBuilder();
        for (Event event : events) {
            int from = java.util.Arrays.binarySearch(times, event.invoked()) * scale;
            int to = event.pending()
                    ? times.length * scale
                    : java.util.Arrays.binarySearch(times, event.returned()) * scale;
            text.append("  client ").append(event.client()).append("  ").append(event.text());
            text.repeat(' ', words - event.text().length() + 2 + from).append('|');
            text.repeat(event.pending() ? '.' : '-', Math.max(0, to - from - 1)).append(event.pending() ? '?' : '|');
            text.append('\n');
        }
        return text.toString();
    }
}
