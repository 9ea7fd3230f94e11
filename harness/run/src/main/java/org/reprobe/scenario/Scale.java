package org.reprobe.scenario;

import org.reprobe.analysis.document.EnumWord;

/** Size of an experiment, which selects a scenario's scale rules. */
public enum Scale {
    /** Minutes for all scenarios of a paper. */
    QUICK,
    /** The paper's sizes, as far as memory allows. */
    FULL;

    public String key() {
        return EnumWord.of(this);
    }
}
