package org.reprobe.analysis.foreign;

import java.util.Locale;

/** How a program writes numbers. */
public enum OutputFormat {
    /** An object a line; fields of objects in it have dotted names. */
    JSON_LINES,
    /** A line with the columns' names, then a line of values for each. */
    CSV,
    /** Anything else: fields are regular expressions, whose first group is the number. */
    TEXT;

    /** The word in files. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
