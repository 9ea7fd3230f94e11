package org.reprobe.scenario;

/** Size of an experiment, which selects a scenario's scale rules. */
public enum Scale {
    /** Minutes for all scenarios of a paper. */
    QUICK("quick"),
    /** The paper's sizes, as far as memory allows. */
    FULL("full");

    private final String key;

    Scale(String key) {
        this.key = key;
    }

    public String key() {
        return key;
    }
}
