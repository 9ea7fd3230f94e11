package org.reprobe.analysis.measurement;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One combination of a sweep: the swept keys by their full names, plus {@code scheme} and {@code load-factor}. Values are
 * {@code String}, {@code Long}, {@code Double} or {@code Boolean}; the order of keys is kept.
 */
public record Cell(Map<String, Object> values) {
    private static final String SCHEME = "scheme";
    private static final String LOAD_FACTOR = "load-factor";

    public Cell {
        Map<String, Object> copy = new LinkedHashMap<>();
        values.forEach((key, value) -> copy.put(key, normal(key, value)));
        values = Collections.unmodifiableMap(copy);
    }

    /** The value of a key, or null where the cell does not have it. */
    public @Nullable Object get(String key) {
        return values.get(key);
    }

    /** A key's value as text; "" where the cell does not have it. */
    public String text(String key) {
        Object value = values.get(key);
        return value == null ? "" : value.toString();
    }

    /** True when every entry of {@code part} stands in this cell with an equal value; numbers compare by value. */
    public boolean matches(Map<String, ?> part) {
        for (Map.Entry<String, ?> entry : part.entrySet()) {
            if (!equalValues(values.get(entry.getKey()), entry.getValue())) {
                return false;
            }
        }
        return true;
    }

    /** Numbers compare by value ({@code 1} equals {@code 1.0}), anything else by {@code equals}. */
    public static boolean equalValues(@Nullable Object left, @Nullable Object right) {
        if (left instanceof Number a && right instanceof Number b) {
            return Double.compare(a.doubleValue(), b.doubleValue()) == 0;
        }
        return Objects.equals(left, right);
    }

    /** A readable name, keys by their {@link #shortNames}: {@code linear-variable,load-factor=0.65,record-bytes=8}. */
    public String label() {
        return label(values.keySet());
    }

    /**
     * Names that tell a scenario's cells apart: labels without the keys whose values follow from those before them, such as a
     * longer interval for each fabric that is slower. What all cells have in common stays.
     */
    public static Function<Cell, String> shortLabels(Collection<Cell> cells) {
        Set<String> keys = new LinkedHashSet<>();
        cells.forEach(cell -> keys.addAll(cell.values.keySet()));
        Set<String> kept = new LinkedHashSet<>();
        if (keys.remove(SCHEME)) {
            kept.add(SCHEME);
        }
        for (String key : keys) {
            boolean varies =
                    cells.stream().map(cell -> cell.text(key)).distinct().count() > 1;
            if (!varies || key.equals(LOAD_FACTOR) || !follows(key, kept, cells)) {
                kept.add(key);
            }
        }
        return cell -> cell.label(kept);
    }

    /** Whether cells with the same values of some keys have the same of this one. */
    private static boolean follows(String key, Set<String> from, Collection<Cell> cells) {
        Map<List<String>, String> values = new HashMap<>();
        for (Cell cell : cells) {
            String value = cell.text(key);
            String before = values.putIfAbsent(from.stream().map(cell::text).toList(), value);
            if (before != null && !before.equals(value)) {
                return false;
            }
        }
        return true;
    }

    private String label(Collection<String> shown) {
        Map<String, String> names = shortNames(values.keySet());
        StringJoiner label = new StringJoiner(",");
        Object scheme = values.get(SCHEME);
        if (scheme != null) {
            label.add(scheme.toString());
        }
        values.forEach((key, value) -> {
            if (!key.equals(SCHEME) && shown.contains(key)) {
                label.add(names.get(key) + "=" + value);
            }
        });
        return label.toString();
    }

    /** Keys as people read them: the last part of each, but {@code workload.keys}, and those of which another has the same, whole. */
    public static Map<String, String> shortNames(Collection<String> keys) {
        Map<String, String> names = new HashMap<>();
        for (String key : keys) {
            String part = lastPart(key);
            boolean alone = keys.stream()
                    .noneMatch(other -> !other.equals(key) && lastPart(other).equals(part));
            names.put(key, alone && !part.equals("keys") ? part : key);
        }
        return names;
    }

    private static String lastPart(String key) {
        return key.substring(key.lastIndexOf('.') + 1);
    }

    @Override
    public String toString() {
        return label();
    }

    private static Object normal(String key, Object value) {
        return switch (value) {
            case String text -> text;
            case Boolean flag -> flag;
            case Byte number -> number.longValue();
            case Short number -> number.longValue();
            case Integer number -> number.longValue();
            case Long number -> number;
            case Float number -> number.doubleValue();
            case Double number -> number;
            default ->
                throw new IllegalArgumentException("cell value of " + key + " is a "
                        + value.getClass().getSimpleName() + "; text, numbers and booleans are allowed");
        };
    }
}
