package org.reprobe.system;

import java.util.Optional;
import org.reprobe.trial.SystemTrials;

/** A system whose schedules {@code check} explores. */
public interface Explorable extends SystemUnderTest {

    /** Returns the configurations that are explored. */
    SystemTrials trials();

    /**
     * Returns the fault that the protocol which these settings choose is known to have, as far as it can show in the answers that a run
     * checks; empty for a protocol that is believed right, whose runs fail on a wrong answer.
     */
    default Optional<KnownFault> knownFault(Settings settings) {
        return Optional.empty();
    }
}
