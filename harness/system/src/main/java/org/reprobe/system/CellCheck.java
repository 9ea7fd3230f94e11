package org.reprobe.system;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;

/** Settings of one cell to be checked before any run. */
public interface CellCheck {

    Settings settings();

    /** Profile of the card; null if the scenario names no usable one, which is reported separately. */
    @Nullable
    NicProfile nic();

    /**
     * Reports a problem.
     *
     * @param message in the user's terms
     * @param keys affected keys by dotted name: the problem is shown at the first one in the file, and suppressed if one of
     * them is invalid by itself
     */
    void complain(String message, String... keys);

    /**
     * Reports that a key has no effect together with the cell's other settings. A scenario that sets it without effect in
     * any cell is refused.
     *
     * @param key by dotted name
     * @param why one sentence, including an alternative
     */
    void hasNoEffect(String key, String why);
}
