package org.reprobe.system;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.trial.SystemTrials;

/**
 * A system: what a paper proposes or compares with. Implementations have a public constructor without parameters and are named in
 * {@code META-INF/services/org.reprobe.system.SystemUnderTest}. They are stateless and may be used from any thread.
 */
public interface SystemUnderTest {

    /** Returns its place among all systems in lists and references, ascending; equal ones are in the order of their packages. */
    default int position() {
        return Integer.MAX_VALUE;
    }

    /** Its schemes, whose names no other system has. */
    List<Scheme> schemes();

    /**
     * The sections of a scenario file that are its own: records annotated with {@link org.reprobe.analysis.document.Section}, each
     * component with {@link org.reprobe.analysis.document.Key}. {@link Settings#section} gives their values.
     */
    default List<Class<? extends Record>> sections() {
        return List.of();
    }

    /**
     * The keys of a scenario file that have an effect on one of its schemes, by dotted name, and sections all of whose keys have,
     * by the section's name: its own, and those of the common sections {@code connection}, {@code load}, {@code table} and {@code
     * workload}, and {@code load-factor}. What is not among them is refused when a scenario sets it. {@code nic} is among them where it counts on fabrics without a simulated card,
     * too. All systems read {@code fabric}, {@code seed}, {@code scheme}, {@code clients}, {@code hosts} and {@code measure}.
     */
    Set<String> reads(String scheme);

    /** What to use instead of keys that it does not read, by dotted name: a clause for the message that refuses them. */
    default Map<String, String> instead() {
        return Map.of();
    }

    /** Complains of settings that do not go together, or that the chosen card can not do. */
    default void check(CellCheck cell) {}

    /**
     * What this host lacks to run a cell, such as a program that must be installed: a clause, what to do about it included; null when all
     * is here. Asked before anything is run, and of settings that {@link #check} has no complaint of.
     */
    default @Nullable String lacks(Settings settings) {
        return null;
    }

    /** Returns the programs that a cell measures and their version, where it is not this system's own code; null where it is. */
    default @Nullable Artifact artifact(Settings settings) {
        return null;
    }

    /** What {@code check} explores of it; {@link SystemTrials#NONE} for a system whose clients only read. */
    default SystemTrials trials() {
        return SystemTrials.NONE;
    }

    /**
     * Returns the fault that the protocol which these settings choose is known to have, as far as it can show in the answers that a run
     * checks; null for a protocol that is believed right, whose runs fail on a wrong answer.
     */
    default @Nullable KnownFault knownFault(Settings settings) {
        return null;
    }

    /** Those of its schemes that {@code plan} may choose, with what their lookups ask of the network; none unless it says so. */
    default List<PlannedScheme> planned() {
        return List.of();
    }

    /** What it is tested by while processes of its clients are killed; null for a system whose clients do not write. */
    default @Nullable CrashTest crashTest() {
        return null;
    }

    /** How runs are made for {@code check --fabric} whose machines are killed; null where none may be. */
    default @Nullable MachinesTest machinesTest() {
        return null;
    }

    /**
     * One run of a scheme.
     *
     * @param repeat of the cell: each draws keys and a table of its own
     */
    Deployment deployment(Settings settings, NicProfile nic, int repeat);
}
