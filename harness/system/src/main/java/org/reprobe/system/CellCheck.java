package org.reprobe.system;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;

/** The settings of one cell, to be checked before anything is run. */
public interface CellCheck {

    Settings settings();

    /** The card's profile; null when the scenario names none that can be used, which the user is told anyway. */
    @Nullable
    NicProfile nic();

    /**
     * Reports a problem.
     *
     * @param message in the user's words
     * @param keys those that it is about, by dotted name: it is shown at the first of them that the file has, and not at all when
     *     one of them is wrong by itself
     */
    void complain(String message, String... keys);

    /**
     * Says that a key has no effect together with the cell's other settings. A scenario that sets it and in no cell of which it has
     * an effect is refused.
     *
     * @param key by dotted name
     * @param why one sentence, what to use instead included
     */
    void hasNoEffect(String key, String why);
}
