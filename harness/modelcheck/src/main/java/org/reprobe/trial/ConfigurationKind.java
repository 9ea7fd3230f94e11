package org.reprobe.trial;

import java.util.List;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.trial.Configuration.At;

/**
 * Kind of small configurations: a protocol and its possible faults.
 *
 * @param name prefix of a configuration's text: lower-case letters and hyphens, unique among all systems
 * @param places number of slots per key
 * @param states possible initial positions of a key; {@link At#NOWHERE} must be the first
 * @param verbs letters of the operations of {@link Script} that clients may use
 * @param sizes possible sizes of the table: three numbers each, the first of which is the number of slots, which are
 *     ordered. A single empty list means tables with as many slots as the keys use; configurations that differ only in
 *     slot names are then equal
 * @param minSlots minimum number of slots of a table
 */
public record ConfigurationKind(
        String name,
        int places,
        List<At> states,
        String verbs,
        List<List<Integer>> sizes,
        int minSlots,
        ExplorationLimits limits) {

    public ConfigurationKind {
        states = List.copyOf(states);
        sizes = List.copyOf(sizes);
    }

    /** Returns a kind with reads, writes and deletes of keys, some initially present, in as many slots as necessary. */
    public static ConfigurationKind ofKeysAndValues(
            String name, int places, List<At> states, int minSlots, ExplorationLimits limits) {
        return new ConfigurationKind(name, places, states, "wrd", List.of(List.of()), minSlots, limits);
    }

    boolean hasSizes() {
        return !sizes.getFirst().isEmpty();
    }

    /** Returns true if keys may be initially present. */
    boolean loads() {
        return states.size() > 1;
    }
}
