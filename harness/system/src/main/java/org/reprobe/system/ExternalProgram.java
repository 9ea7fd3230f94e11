package org.reprobe.system;

import java.util.Optional;

/** A system whose cells measure programs that are not Reprobe's own. */
public interface ExternalProgram extends SystemUnderTest {

    /**
     * Returns what this host lacks to run a cell, such as a program that must be installed: a clause, what to do about it included; empty
     * when nothing is missing. Called before anything is run, and with settings that {@link #check} has no complaint of.
     */
    Optional<String> missingRequirement(Settings settings);

    /** Returns the programs that a cell measures and their version; empty where these are not recorded. */
    default Optional<Artifact> artifact(Settings settings) {
        return Optional.empty();
    }
}
