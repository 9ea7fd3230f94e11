package org.reprobe.system;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;

/**
 * A system: what a paper proposes or compares with. Implementations have a public constructor without parameters and are named in
 * {@code META-INF/services/org.reprobe.system.SystemUnderTest}. They are stateless and may be used from any thread. What more a system
 * can do it shows by implementing {@link Explorable}, {@link Plannable}, {@link CrashTestable}, {@link MachinesTestable} or {@link
 * ExternalProgram}.
 */
public interface SystemUnderTest {

    /** Returns its schemes, whose names no other system has. */
    List<Scheme> schemes();

    /**
     * Returns the keys of a scenario file that have an effect on one of its schemes, by dotted name, and sections all of whose keys have,
     * by the section's name: its own, and those of the common sections {@code connection}, {@code load}, {@code table} and {@code
     * workload}, and {@code load-factor}. What is not among them is refused when a scenario sets it. {@code nic} is among them where it
     * counts on fabrics without a simulated card, too. All systems read {@code fabric}, {@code seed}, {@code scheme}, {@code clients},
     * {@code hosts} and {@code measure}.
     */
    Set<String> reads(String scheme);

    /**
     * Returns one run of a scheme.
     *
     * @param repeat of the cell: each draws keys and a table of its own
     */
    Run deployment(Settings settings, NicProfile nic, int repeat);

    /**
     * Returns the sections of a scenario file that are its own: records annotated with {@link org.reprobe.analysis.document.Section}, each
     * component with {@link org.reprobe.analysis.document.Key}. {@link Settings#section} gives their values.
     */
    default List<Class<? extends Record>> sections() {
        return List.of();
    }

    /** Returns what to use instead of keys that it does not read, by dotted name: a clause for the message that refuses them. */
    default Map<String, String> alternatives() {
        return Map.of();
    }

    /** Complains of settings that do not go together, or that the chosen card can not do. */
    default void check(CellCheck cell) {}

    /** Returns its place among all systems in lists and references, ascending; equal ones are in the order of their packages. */
    default int position() {
        return Integer.MAX_VALUE;
    }
}
