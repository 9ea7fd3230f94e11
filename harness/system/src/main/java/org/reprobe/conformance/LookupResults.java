package org.reprobe.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.system.WatchedLookups;

/** Comparison of lookup results with the table's expected content, which is computed from its keys. */
final class LookupResults implements WatchedLookups.Listener {
    private static final int MAX_PROBLEMS = 5;
    private static final long[] NOTHING = {};

    private final Map<Long, long[]> truth = new HashMap<>();
    private final List<String> problems = new ArrayList<>();
    private int answers;

    LookupResults(WatchedLookups lookups) {
        for (long ordinal = 0; ordinal < lookups.records(); ordinal++) {
            truth.merge(lookups.key(ordinal), new long[] {lookups.value(ordinal)}, LookupResults::merged);
        }
        truth.values().forEach(Arrays::sort);
    }

    private static long[] merged(long[] one, long[] other) {
        long[] all = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, all, one.length, other.length);
        return all;
    }

    @Override
    public synchronized void resultFound(int client, long key, long[] values) {
        answers++;
        long[] found = values.clone();
        Arrays.sort(found);
        long[] expected = truth.getOrDefault(key, NOTHING);
        if (!Arrays.equals(expected, found) && problems.size() < MAX_PROBLEMS) {
            problems.add("client %d: a lookup of key %d found %s, there is %s"
                    .formatted(client, key, Arrays.toString(found), Arrays.toString(expected)));
        }
    }

    int answers() {
        return answers;
    }

    List<String> problems() {
        return problems;
    }
}
