package org.reprobe.trial;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What {@code check} explores of a system.
 *
 * @param systems configurations picked by hand, in the order in which they are shown
 * @param derived protocols whose configurations are derived
 * @param roundTrips what its operations cost; null where that is of no interest
 */
public record SystemTrials(
        List<CheckedSystem> systems,
        List<DerivedSystem> derived,
        @Nullable RoundTrips roundTrips) {

    public SystemTrials {
        systems = List.copyOf(systems);
        derived = List.copyOf(derived);
    }

    /** Returns the beginning that the names of all picked systems share, by which {@code check} explores them; null where there is none. */
    public @Nullable String commonName() {
        String common = systems.isEmpty() ? "" : systems.getFirst().name();
        for (CheckedSystem system : systems) {
            while (!system.name().startsWith(common)) {
                common = common.substring(0, common.length() - 1);
            }
        }
        // Ends before a hyphen, so that derived systems are among them.
        String name = systems.size() == 1 ? common : common.substring(0, Math.max(0, common.lastIndexOf('-')));
        return name.isEmpty() ? null : name;
    }

    /** Returns the derived configuration of a text, ready to be explored; null when it is none. */
    public @Nullable CheckedSystem configuration(String text) {
        return derived.stream()
                .map(system -> system.configuration(text))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
