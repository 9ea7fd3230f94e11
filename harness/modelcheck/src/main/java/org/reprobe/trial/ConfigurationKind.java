package org.reprobe.trial;

import java.util.List;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.trial.Configuration.At;

/**
 * A kind of small configurations: a protocol, and what may happen to it.
 *
 * @param name begins a configuration's text: lower-case letters and hyphens; no other kind of any system has it
 * @param places the number of a key's places
 * @param states where a key may be before clients come; {@link At#NOWHERE} first
 * @param verbs operations of {@link Script} that clients may ask for
 * @param sizes of the table, three numbers each, the first of them its slots, which then have an order; one empty list where
 *     a table has as many slots as keys have places in, and two that differ in the names of slots only are one
 * @param minSlots of a table
 * @param limits of the schedules
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

    /** Clients read, write and delete keys, some of which are there at first, in a table of as many slots as it takes. */
    public static ConfigurationKind ofKeysAndValues(
            String name, int places, List<At> states, int minSlots, ExplorationLimits limits) {
        return new ConfigurationKind(name, places, states, "wrd", List.of(List.of()), minSlots, limits);
    }

    /** Whether tables have sizes of their own. */
    boolean hasSizes() {
        return !sizes.getFirst().isEmpty();
    }

    /** Whether keys may be in a table before clients come. */
    boolean loads() {
        return states.size() > 1;
    }
}
