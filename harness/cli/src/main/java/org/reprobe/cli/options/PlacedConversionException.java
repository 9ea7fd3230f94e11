package org.reprobe.cli.options;

import picocli.CommandLine.TypeConversionException;

/** Invalid value of an option, with the position of the error in it. */
public final class PlacedConversionException extends TypeConversionException {
    private final int column;

    /** @param column from 1 */
    public PlacedConversionException(String message, int column) {
        super(message);
        this.column = column;
    }

    public int column() {
        return column;
    }
}
