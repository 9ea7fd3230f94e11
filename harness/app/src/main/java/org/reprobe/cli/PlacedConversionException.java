package org.reprobe.cli;

import picocli.CommandLine.TypeConversionException;

/** What is wrong with an option's value, and where in it. */
final class PlacedConversionException extends TypeConversionException {
    private static final long serialVersionUID = 1L;

    private final int column;

    /** @param column from 1 */
    PlacedConversionException(String message, int column) {
        super(message);
        this.column = column;
    }

    int column() {
        return column;
    }
}
