package org.reprobe.scenario;

import org.jspecify.annotations.Nullable;
import org.reprobe.table.TableKind;

/** The hashing schemes by their names in scenario files. */
public enum SchemeName {
    LINEAR_FIXED("linear-fixed", TableKind.LINEAR, "Fixed Linear"),
    LINEAR_VARIABLE("linear-variable", TableKind.LINEAR, "Variable Linear"),
    LINEAR_VARIABLE_UNCONSTRAINED("linear-variable-unconstrained", TableKind.LINEAR, "Var. Linear (uncons.)"),
    CUCKOO_SEQUENTIAL("cuckoo-sequential", TableKind.CUCKOO, "Sequential Cuckoo"),
    CUCKOO_PARALLEL("cuckoo-parallel", TableKind.CUCKOO, "Parallel Cuckoo"),
    HOPSCOTCH("hopscotch", TableKind.HOPSCOTCH, "Hopscotch"),
    HOPSCOTCH_CHAINED("hopscotch-chained", TableKind.HOPSCOTCH_CHAINED, "Chained Hopscotch"),
    NESSIE("nessie", null, "Nessie"),
    PILAF("pilaf", null, "Pilaf"),
    FIND_OR_PUT("find-or-put", null, "find-or-put"),
    COMPARE_AND_SWAP("compare-and-swap", null, "Compare-and-swap"),
    VERB("verb", null, "One operation at a time");

    private final String key;
    private final @Nullable TableKind table;
    private final String title;

    SchemeName(String key, @Nullable TableKind table, String title) {
        this.key = key;
        this.table = table;
        this.title = title;
    }

    /** The word in a scenario file. */
    public String key() {
        return key;
    }

    /**
     * The scheme that a word names.
     *
     * @throws IllegalArgumentException when it names none
     */
    public static SchemeName ofKey(String key) {
        for (SchemeName scheme : values()) {
            if (scheme.key.equals(key)) {
                return scheme;
            }
        }
        throw new IllegalArgumentException("unknown scheme \"" + key + "\"");
    }

    /** True for a protocol whose clients write as well, on a table or words of its own. */
    public boolean isProtocol() {
        return table == null;
    }

    /**
     * The kind of table that it looks keys up in.
     *
     * @throws IllegalStateException for a {@link #isProtocol protocol}
     */
    public TableKind table() {
        TableKind kind = table;
        if (kind == null) {
            throw new IllegalStateException(key + " has a table of its own");
        }
        return kind;
    }

    /** The paper's name for it. */
    public String title() {
        return title;
    }
}
