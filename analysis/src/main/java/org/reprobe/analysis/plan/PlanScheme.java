package org.reprobe.analysis.plan;

/** The schemes that a plan chooses from, by the names that scenarios have for them. */
public enum PlanScheme {
    LINEAR_FIXED("linear-fixed", "Fixed Linear"),
    LINEAR_VARIABLE("linear-variable", "Variable Linear"),
    LINEAR_VARIABLE_UNCONSTRAINED("linear-variable-unconstrained", "Var. Linear (uncons.)"),
    CUCKOO_SEQUENTIAL("cuckoo-sequential", "Sequential Cuckoo"),
    CUCKOO_PARALLEL("cuckoo-parallel", "Parallel Cuckoo"),
    HOPSCOTCH("hopscotch", "Hopscotch"),
    HOPSCOTCH_CHAINED("hopscotch-chained", "Chained Hopscotch");

    private final String key;
    private final String title;

    PlanScheme(String key, String title) {
        this.key = key;
        this.title = title;
    }

    /** The word in files. */
    public String key() {
        return key;
    }

    /** The paper's name. */
    public String title() {
        return title;
    }

    boolean linear() {
        return this == LINEAR_FIXED || this == LINEAR_VARIABLE || this == LINEAR_VARIABLE_UNCONSTRAINED;
    }

    boolean cuckoo() {
        return this == CUCKOO_SEQUENTIAL || this == CUCKOO_PARALLEL;
    }
}
