package org.reprobe.table;

/** How a table resolves collisions. */
public enum TableKind {
    LINEAR("linear probing"),
    CUCKOO("cuckoo"),
    /** Herlihy, Shavit and Tzafrir's: a key stands within {@code neighbourhood} slots of its home slot. */
    HOPSCOTCH("hopscotch"),
    /** FaRM's chained associative hopscotch (FaRM 2014, section 3.6). */
    HOPSCOTCH_CHAINED("chained associative hopscotch");

    private final String title;

    TableKind(String title) {
        this.title = title;
    }

    /** For people. */
    public String title() {
        return title;
    }
}
