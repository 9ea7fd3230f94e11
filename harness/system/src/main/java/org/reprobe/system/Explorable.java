package org.reprobe.system;

import java.util.Optional;
import org.reprobe.trial.SystemTrials;

/** System whose schedules {@code check} explores. */
public interface Explorable extends SystemUnderTest {

    /** Returns the system's configurations for {@code check}. */
    SystemTrials trials();

    /**
     * Returns the known fault of the protocol that the settings select, if it may cause wrong results. Empty for a
     * protocol that is believed correct; its runs fail on a wrong result.
     */
    default Optional<KnownFault> knownFault(Settings settings) {
        return Optional.empty();
    }
}
