package org.reprobe.system;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;

/**
 * System that a paper proposes, or compares its proposal with. Implementations must be stateless and thread-safe, have
 * a public constructor without parameters, and be named in
 * {@code META-INF/services/org.reprobe.system.SystemUnderTest}. Further capabilities are the interfaces
 * {@link Explorable}, {@link Plannable}, {@link CrashTestable}, {@link MachinesTestable} and
 * {@link org.reprobe.system.program.ExternalProgram}.
 */
public interface SystemUnderTest {

    /** Returns the system's schemes. Their names must be unique among all systems. */
    List<Scheme> schemes();

    /**
     * Returns the keys of a scenario file that have an effect on a scheme, by dotted name. A section's name stands for
     * all its keys. Possible are the system's own sections, the common sections {@code connection}, {@code load},
     * {@code table} and {@code workload}, and {@code load-factor}. {@code nic} is included if it has an effect on
     * fabrics without a simulated card. All systems read {@code fabric}, {@code seed}, {@code scheme}, {@code clients},
     * {@code hosts} and {@code measure}. Scenarios that set other keys are refused.
     */
    Set<String> reads(String scheme);

    /** Returns a run of the scheme that the settings select. Each repeat has its own keys and table. */
    Run deployment(Settings settings, NicProfile nic, int repeat);

    /**
     * Returns the system's own sections of a scenario file. A section is a record with the annotation
     * {@link org.reprobe.analysis.document.Section}; each component has a {@link org.reprobe.analysis.document.Key}.
     * {@link Settings#section} returns their values.
     */
    default List<Class<? extends Record>> sections() {
        return List.of();
    }

    /** Returns alternatives to keys that the system does not read, by dotted name: clauses for the refusal. */
    default Map<String, String> alternatives() {
        return Map.of();
    }

    /** Reports settings that conflict, or that the selected card does not support. */
    default void check(CellCheck cell) {}

    /** Returns the system's position in lists and references, in ascending order. Ties are ordered by package. */
    default int position() {
        return Integer.MAX_VALUE;
    }
}
