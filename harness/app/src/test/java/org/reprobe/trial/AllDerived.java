package org.reprobe.trial;

import java.util.List;
import java.util.Objects;
import org.reprobe.system.Systems;

/** The derived systems of all systems. */
final class AllDerived {
    static final List<DerivedSystem> SYSTEMS = Systems.trials().stream()
            .flatMap(trials -> trials.derived().stream())
            .toList();
    static final List<ConfigurationKind> KINDS =
            SYSTEMS.stream().flatMap(system -> system.kinds().stream()).toList();

    private AllDerived() {}

    static DerivedSystem named(String name) {
        return SYSTEMS.stream()
                .filter(system -> system.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    static DerivedSystem of(String configuration) {
        return SYSTEMS.stream()
                .filter(system -> system.configuration(configuration) != null)
                .findFirst()
                .orElseThrow();
    }

    static CheckedSystem configuration(String text) {
        return Objects.requireNonNull(of(text).configuration(text));
    }

    /** Number of the first configurations of a system that the tests explore. */
    static int shareOfSuite(DerivedSystem system) {
        return system.name().startsWith("nessie") ? 60 : 40;
    }
}
