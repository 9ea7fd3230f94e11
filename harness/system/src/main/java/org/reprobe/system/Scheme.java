package org.reprobe.system;

/**
 * Variant of a system.
 *
 * @param title name in the paper, for figures
 * @param look number of its colour, dashes and marker in all figures; {@link #ANY_LOOK} if each figure may choose
 */
public record Scheme(String name, String title, int look) {
    /** Look chosen by each figure. */
    public static final int ANY_LOOK = -1;

    public Scheme(String name, String title) {
        this(name, title, ANY_LOOK);
    }
}
