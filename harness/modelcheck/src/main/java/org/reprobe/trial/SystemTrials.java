package org.reprobe.trial;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Trials for {@code check}: hand-picked configurations in display order, derived ones, and optional round trips. */
public record SystemTrials(
        List<CheckedSystem> systems,
        List<DerivedSystem> derived,
        @Nullable RoundTrips roundTrips) {

    public SystemTrials {
        systems = List.copyOf(systems);
        derived = List.copyOf(derived);
    }

    /** Returns the hand-picked names' common prefix, by which {@code check} selects them; null if there is none. */
    public @Nullable String commonName() {
        String common = systems.isEmpty() ? "" : systems.getFirst().name();
        for (CheckedSystem system : systems) {
            while (!system.name().startsWith(common)) {
                common = common.substring(0, common.length() - 1);
            }
        }
        // The prefix ends before a hyphen, so that it selects derived systems as well.
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
