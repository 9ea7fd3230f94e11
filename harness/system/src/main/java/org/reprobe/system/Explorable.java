package org.reprobe.system;

import java.util.Optional;
import org.reprobe.trial.SystemTrials;

/** System whose schedules {@code check} explores. */
public interface Explorable extends SystemUnderTest {

    SystemTrials trials();

    /**
     * Returns the known fault of the protocol selected by these settings, as far as it affects checked results; empty for a
     * protocol believed correct, whose runs fail on a wrong result.
     */
    default Optional<KnownFault> knownFault(Settings settings) {
        return Optional.empty();
    }
}
