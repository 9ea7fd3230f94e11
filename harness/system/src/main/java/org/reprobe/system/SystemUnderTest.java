package org.reprobe.system;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;

/**
 * System that a paper proposes or compares with. Implementations have a public constructor without parameters and are named
 * in {@code META-INF/services/org.reprobe.system.SystemUnderTest}. They are stateless and thread-safe. Further capabilities
 * are expressed by implementing {@link Explorable}, {@link Plannable}, {@link CrashTestable}, {@link MachinesTestable} or
 * {@link org.reprobe.system.program.ExternalProgram}.
 */
public interface SystemUnderTest {

    /** Returns its schemes, whose names are unique among all systems. */
    List<Scheme> schemes();

    /**
     * Returns the keys of a scenario file with an effect on a scheme, by dotted name, and sections whose keys all have an
     * effect, by name: its own sections, the common sections {@code connection}, {@code load}, {@code table} and {@code
     * workload}, and {@code load-factor}. Scenarios that set other keys are refused. {@code nic} is included if it matters
     * on fabrics without a simulated card. All systems read {@code fabric}, {@code seed}, {@code scheme}, {@code clients},
     * {@code hosts} and {@code measure}.
     */
    Set<String> reads(String scheme);

    /** Returns a run of a scheme; each repeat has its own keys and table. */
    Run deployment(Settings settings, NicProfile nic, int repeat);

    /**
     * Returns its own sections of a scenario file: records annotated with {@link org.reprobe.analysis.document.Section},
     * each component with {@link org.reprobe.analysis.document.Key}. {@link Settings#section} gives their values.
     */
    default List<Class<? extends Record>> sections() {
        return List.of();
    }

    /** Returns alternatives to keys that it does not read, by dotted name: a clause for the message that refuses them. */
    default Map<String, String> alternatives() {
        return Map.of();
    }

    /** Reports settings that conflict or exceed the selected card's abilities. */
    default void check(CellCheck cell) {}

    /** Returns its position in lists and references, ascending; ties are in the order of packages. */
    default int position() {
        return Integer.MAX_VALUE;
    }
}
