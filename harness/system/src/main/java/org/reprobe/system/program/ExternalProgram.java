package org.reprobe.system.program;

import java.util.Optional;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;

/** System whose cells measure external programs. */
public interface ExternalProgram extends SystemUnderTest {

    /**
     * Returns a missing requirement of this host, such as a program that must be installed, as a clause with a remedy;
     * empty if nothing is missing. Called before any run, with settings that {@link #check} has accepted.
     */
    Optional<String> missingRequirement(Settings settings);

    /** Returns the measured programs and their version; empty if these are not recorded. */
    default Optional<Artifact> artifact(Settings settings) {
        return Optional.empty();
    }
}
