package org.reprobe.analysis.foreign;

import org.reprobe.analysis.document.InvalidInputException;

/** Reader of one format: adds the repeats of a file, or its problems, to those of other files. */
@FunctionalInterface
interface ForeignReader {
    void read(ForeignText file, ForeignReading reading, ForeignRuns into) throws InvalidInputException;

    /** Reader of a JSON value without options. */
    @FunctionalInterface
    interface OfJson {
        void read(ForeignText file, PlacedValue root, ForeignRuns into) throws InvalidInputException;
    }

    static ForeignReader ofJson(OfJson reader) {
        return (file, _, into) -> reader.read(file, PlacedValue.parse(file), into);
    }
}
