package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.reprobe.system.WatchedLookups;
import org.reprobe.table.RecordFormat;
import org.reprobe.table.TableGeometry;

/** Passes a finished lookup's matches to a listener; a match with a damaged byte is passed as -1. */
final class WatchedMatches implements MatchListener {
    private static final long DAMAGED = -1;

    private record Running(int client, int lookup) {}

    private final TableGeometry geometry;
    private final WatchedLookups.Listener listener;
    private final Map<Running, List<Long>> running = new HashMap<>();

    WatchedMatches(TableGeometry geometry, WatchedLookups.Listener listener) {
        this.geometry = geometry;
        this.listener = listener;
    }

    @Override
    public synchronized void found(int client, int lookup, int key, long ordinal, MemorySegment local, long offset) {
        boolean whole = RecordFormat.matches(local, offset, geometry.recordBytes(ordinal), key, ordinal);
        running.computeIfAbsent(new Running(client, lookup), _ -> new ArrayList<>())
                .add(whole ? ordinal : DAMAGED);
    }

    @Override
    public synchronized void finished(int client, int lookup, int key) {
        List<Long> found = Objects.requireNonNullElse(running.remove(new Running(client, lookup)), List.of());
        listener.resultFound(
                client,
                Integer.toUnsignedLong(key),
                found.stream().mapToLong(Long::longValue).toArray());
    }
}
