package org.reprobe.scenario;

/** How large an experiment is: which of a scenario's scale rules apply. */
public enum Scale {
    /** Small enough for all of a paper in minutes. */
    QUICK("quick"),
    /** The paper's own sizes, as far as memory allows. */
    FULL("full");

    private final String key;

    Scale(String key) {
        this.key = key;
    }

    /** The word in a scenario file and on the command line. */
    public String key() {
        return key;
    }
}
