package org.reprobe.table;

/** Collision resolution of a table. */
public enum TableKind {
    LINEAR("linear probing"),
    CUCKOO("cuckoo"),
    /** Hopscotch hashing by Herlihy, Shavit and Tzafrir: a key is within {@code neighbourhood} slots of its home. */
    HOPSCOTCH("hopscotch"),
    /** FaRM's chained associative hopscotch (FaRM 2014, section 3.6). */
    HOPSCOTCH_CHAINED("chained associative hopscotch");

    private final String title;

    TableKind(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }
}
