package org.reprobe.system.program;

import java.util.Optional;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;

/** System whose cells measure external programs. */
public interface ExternalProgram extends SystemUnderTest {

    /**
     * Returns a missing requirement of this host, such as a program to install, as a clause with a remedy; empty if there
     * is none. Called before any run, with settings accepted by {@link #check}.
     */
    Optional<String> missingRequirement(Settings settings);

    /** Returns the measured programs with their version; empty if not recorded. */
    default Optional<Artifact> artifact(Settings settings) {
        return Optional.empty();
    }
}
