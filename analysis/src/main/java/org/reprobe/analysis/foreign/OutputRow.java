package org.reprobe.analysis.foreign;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Line of a program's output, with its place ({@code client.out:3}) and its unparsed values by name. */
public record OutputRow(String place, int line, Map<String, String> fields) {
    public OutputRow {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }
}
