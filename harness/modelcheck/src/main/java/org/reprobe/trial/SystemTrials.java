package org.reprobe.trial;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Trials of a system for {@code check}: hand-picked configurations in display order, derived ones, and optional costs. */
public record SystemTrials(
        List<CheckedSystem> systems,
        List<DerivedSystem> derived,
        @Nullable RoundTrips roundTrips) {

    public SystemTrials {
        systems = List.copyOf(systems);
        derived = List.copyOf(derived);
    }

    /** Returns the common prefix of all picked systems' names, by which {@code check} selects them; null for none. */
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

    public @Nullable CheckedSystem configuration(String text) {
        return derived.stream()
                .map(system -> system.configuration(text))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
