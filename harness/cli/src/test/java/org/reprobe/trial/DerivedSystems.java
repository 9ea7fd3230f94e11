package org.reprobe.trial;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.system.Systems;

/** The derived systems of all systems. */
final class DerivedSystems {
    static final List<DerivedSystem> SYSTEMS = Systems.trials().stream()
            .flatMap(trials -> trials.derived().stream())
            .toList();
    static final List<ConfigurationKind> KINDS =
            SYSTEMS.stream().flatMap(system -> system.kinds().stream()).toList();

    private DerivedSystems() {}

    static DerivedSystem named(String name) {
        return SYSTEMS.stream()
                .filter(system -> system.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The system that a configuration is of, or one that makes the trials of a configuration picked by hand. */
    static DerivedSystem of(String configuration) {
        return SYSTEMS.stream()
                .filter(system -> system.configuration(configuration) != null)
                .findFirst()
                .orElseGet(() -> Systems.trials().stream()
                        .filter(trials -> picked(trials, configuration) != null)
                        .flatMap(trials -> trials.derived().stream())
                        .findFirst()
                        .orElseThrow());
    }

    private static @Nullable CheckedSystem picked(SystemTrials trials, String name) {
        return trials.systems().stream()
                .filter(system -> system.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** The configurations picked by hand that a system's trials make. */
    static List<CheckedSystem> picked(DerivedSystem of) {
        return Systems.trials().stream()
                .filter(trials -> trials.derived().contains(of))
                .flatMap(trials -> trials.systems().stream())
                .toList();
    }

    /** The configuration of a text, or one picked by hand. */
    static CheckedSystem configuration(String text) {
        CheckedSystem derived = of(text).configuration(text);
        return derived != null
                ? derived
                : Systems.trials().stream()
                        .map(trials -> picked(trials, text))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElseThrow();
    }

    /** Number of the first configurations of a system that the tests explore. */
    static int shareOfSuite(DerivedSystem system) {
        return system.name().startsWith("nessie") ? 60 : system.name().startsWith("farm") ? 8 : 40;
    }
}
