package org.reprobe.system;

/**
 * Variant of a system, with its name in scenario files, the paper's name for figures, and the number of its look
 * (colour, dashes and marker) in all figures, {@link #ANY_LOOK} for any.
 */
public record Scheme(String name, String title, int look) {
    /** Look chosen by each figure. */
    public static final int ANY_LOOK = -1;

    public Scheme(String name, String title) {
        this(name, title, ANY_LOOK);
    }
}
