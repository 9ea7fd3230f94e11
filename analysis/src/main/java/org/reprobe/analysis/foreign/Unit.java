package org.reprobe.analysis.foreign;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Unit of another program's numbers: its word in files, and its factor to the base unit, which metrics have. */
public record Unit(String word, Measures measures, double factor) {

    /** Physical quantities, each with its base unit. */
    public enum Measures {
        RATE("_ops_per_s"),
        TIME("_ns"),
        BANDWIDTH("_bytes_per_s"),
        SIZE("_bytes"),
        /** A share of a whole, 0 to 1. */
        SHARE("_fraction"),
        COUNT("_count");

        private final String suffix;

        Measures(String suffix) {
            this.suffix = suffix;
        }

        public String suffix() {
            return suffix;
        }
    }

    private static final Map<String, Unit> ALL = new LinkedHashMap<>();

    static {
        add(Measures.RATE, "ops/s", 1, "kops/s", 1e3, "Mops/s", 1e6, "Gops/s", 1e9);
        add(Measures.TIME, "ns", 1, "us", 1e3, "ms", 1e6, "s", 1e9);
        add(Measures.BANDWIDTH, "B/s", 1, "kB/s", 1e3, "MB/s", 1e6, "GB/s", 1e9);
        add(Measures.BANDWIDTH, "KiB/s", 0x1p10, "MiB/s", 0x1p20, "GiB/s", 0x1p30);
        add(Measures.BANDWIDTH, "bit/s", 1.0 / 8, "kbit/s", 1e3 / 8, "Mbit/s", 1e6 / 8, "Gbit/s", 1e9 / 8);
        add(Measures.SIZE, "B", 1, "kB", 1e3, "MB", 1e6, "GB", 1e9, "KiB", 0x1p10, "MiB", 0x1p20, "GiB", 0x1p30);
        add(Measures.SHARE, "1", 1, "%", 0.01);
        add(Measures.COUNT, "count", 1);
    }

    private static void add(Measures measures, Object... wordsAndFactors) {
        for (int i = 0; i < wordsAndFactors.length; i += 2) {
            String word = (String) wordsAndFactors[i];
            ALL.put(word, new Unit(word, measures, ((Number) wordsAndFactors[i + 1]).doubleValue()));
        }
    }

    public static Collection<String> words() {
        return List.copyOf(ALL.keySet());
    }

    public static List<String> words(Measures measures) {
        return ALL.values().stream()
                .filter(unit -> unit.measures == measures)
                .map(Unit::word)
                .toList();
    }

    /** Returns the unit with a word; throws an {@link IllegalArgumentException} if there is none. */
    public static Unit of(String word) {
        Unit unit = ALL.get(word);
        if (unit == null) {
            throw new IllegalArgumentException(
                    "there is no unit " + word + "; one of " + String.join(", ", ALL.keySet()));
        }
        return unit;
    }

    /** Converts a number to the base unit. */
    public double toBase(double value) {
        return value * factor;
    }
}
