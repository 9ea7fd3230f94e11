package org.reprobe.system;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;

/** Check of one cell's settings, before any run. */
public interface CellCheck {

    Settings settings();

    /** Returns the NIC profile; null if the scenario names none that is usable, which is reported separately. */
    @Nullable
    NicProfile nic();

    /**
     * Reports a problem.
     *
     * @param message in the user's terms
     * @param keys affected keys by dotted name. The problem is shown at the first of them in the file, and suppressed
     *     if one of them is invalid by itself
     */
    void reportProblem(String message, String... keys);

    /**
     * Reports that a key has no effect with the cell's other settings. A scenario that sets a key without effect in all
     * cells is refused.
     *
     * @param key dotted name of the key
     * @param why one sentence, including an alternative
     */
    void reportNoEffect(String key, String why);
}
