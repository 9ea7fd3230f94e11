package org.reprobe.analysis.foreign;

/** Output formats of programs. */
public enum OutputFormat {
    /** One object per line; fields of nested objects have dotted names. */
    JSON_LINES,
    /** One JSON document over any number of lines; {@code a[0].b} is a member of a list, {@code a[].b} of each. */
    JSON,
    /** A line with the columns' names, then lines of values. */
    CSV,
    /** Any other text: fields are regular expressions, whose first group is the number. */
    TEXT
}
