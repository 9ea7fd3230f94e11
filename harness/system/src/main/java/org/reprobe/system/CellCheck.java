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
     * Reports a problem in the user's terms. It is shown at the first of the affected keys (dotted names) in the file,
     * and suppressed if one of them is invalid by itself.
     */
    void reportProblem(String message, String... keys);

    /**
     * Reports that a key (dotted name) has no effect with the cell's other settings; {@code why} is one sentence with
     * an alternative. A scenario that sets a key without effect in all cells is refused.
     */
    void reportNoEffect(String key, String why);
}
