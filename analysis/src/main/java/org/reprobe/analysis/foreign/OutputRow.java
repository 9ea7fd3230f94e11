package org.reprobe.analysis.foreign;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A line of what a program wrote.
 *
 * @param place the file and the line, {@code client.out:3}
 * @param line from 1
 * @param fields values as they stand there, by the name of their field
 */
public record OutputRow(String place, int line, Map<String, String> fields) {
    public OutputRow {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }
}
