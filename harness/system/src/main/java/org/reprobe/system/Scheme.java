package org.reprobe.system;

/**
 * A scheme: one way in which a system can be run.
 *
 * @param name the word in scenario files
 * @param title the paper's name for it, for figures
 * @param look number of its colour, dashes and marker in all figures; {@link #ANY_LOOK} for any
 */
public record Scheme(String name, String title, int look) {
    /** The look of a scheme without one of its own: a figure chooses it. */
    public static final int ANY_LOOK = -1;

    /** A scheme of any look. */
    public Scheme(String name, String title) {
        this(name, title, ANY_LOOK);
    }
}
