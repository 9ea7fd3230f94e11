package org.reprobe.system;

import org.reprobe.plots.SchemeStyles;

/**
 * A scheme: one way in which a system can be run.
 *
 * @param name the word in scenario files
 * @param title the paper's name for it, for figures
 * @param look number of its colour, dashes and marker in all figures; {@link SchemeStyles#ANY_LOOK} for any
 */
public record Scheme(String name, String title, int look) {

    /** A scheme of any look. */
    public Scheme(String name, String title) {
        this(name, title, SchemeStyles.ANY_LOOK);
    }
}
