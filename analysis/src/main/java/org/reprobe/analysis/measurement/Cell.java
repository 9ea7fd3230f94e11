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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Parameter;

/**
 * One combination of a sweep: the swept keys by their full names, plus {@code scheme} and {@code load-factor}. Values
 * are {@code String}, {@code Long}, {@code Double} or {@code Boolean}; that of a {@link Parameter} follows from its
 * text. The order of keys is kept. Keys are paths in a scenario, of which labels show the last part, or else names
 * given by other programs, which labels show in full.
 */
public record Cell(Map<String, Object> values, boolean paths) {
    private static final String SCHEME = "scheme";
    private static final String LOAD_FACTOR = "load-factor";

    public Cell {
        Map<String, Object> copy = new LinkedHashMap<>();
        values.forEach((key, value) -> copy.put(key, normal(key, value)));
        values = Collections.unmodifiableMap(copy);
    }

    /** Creates a cell whose keys are paths in a scenario. */
    public Cell(Map<String, Object> values) {
        this(values, true);
    }

    public Cell without(Predicate<String> keys) {
        Map<String, Object> rest = new LinkedHashMap<>(values);
        rest.keySet().removeIf(keys);
        return new Cell(rest, paths);
    }

    /** Returns all keys by their names in labels. */
    public Map<String, String> names() {
        Map<String, String> names = new HashMap<>();
        values.keySet().forEach(key -> names.put(key, key));
        return paths ? shortNames(values.keySet()) : names;
    }

    /** Returns the value of a key; null if the cell does not have it. */
    public @Nullable Object get(String key) {
        return values.get(key);
    }

    /** Returns a key's value as text; "" if the cell does not have it. */
    public String text(String key) {
        Object value = values.get(key);
        return value == null ? "" : value.toString();
    }

    /** Returns true if this cell has every entry of {@code part}; numbers compare by value. */
    public boolean matches(Map<String, ?> part) {
        return part.entrySet().stream().allMatch(entry -> equalValues(values.get(entry.getKey()), entry.getValue()));
    }

    /** Returns true for equal values: numbers by value ({@code 1} equals {@code 1.0}), others by {@code equals}. */
    public static boolean equalValues(@Nullable Object left, @Nullable Object right) {
        return Objects.equals(canonical(left), canonical(right));
    }

    /** Returns one form for all equal values: whole numbers below 2^63 as {@code Long}, others unchanged. */
    public static @Nullable Object canonical(@Nullable Object value) {
        return switch (value) {
            case Double number when number == Math.rint(number) && Math.abs(number) < 0x1p63 -> number.longValue();
            case Float number -> canonical(number.doubleValue());
            case Number number when !(number instanceof Double) -> number.longValue();
            case null, default -> value;
        };
    }

    /** Returns a readable name: {@code linear-variable,load-factor=0.65,record-bytes=8}; ambiguous texts are quoted. */
    public String label() {
        return label(values.keySet());
    }

    /**
     * Returns names that distinguish a scenario's cells: labels without the keys whose values follow from previous
     * ones, such as a longer interval for each slower fabric. Keys equal in all cells stay.
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

    /** Returns true if cells with the same values of {@code from} have the same of this key. */
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
        Map<String, String> names = names();
        StringJoiner label = new StringJoiner(",");
        Object scheme = values.get(SCHEME);
        if (scheme != null) {
            label.add(quoted(scheme, text -> text.contains("=")));
        }
        values.forEach((key, value) -> {
            if (!key.equals(SCHEME) && shown.contains(key)) {
                label.add(quoted(names.getOrDefault(key, key), text -> text.contains("=") || text.contains(",")) + "="
                        + quoted(value, text -> text.contains(",") && text.contains("=")));
            }
        });
        return label.toString();
    }

    private static String quoted(Object value, Predicate<String> ambiguous) {
        String text = value.toString();
        return ambiguous.test(text) || text.startsWith("\"") ? "\"" + text.replace("\"", "\"\"") + "\"" : text;
    }

    /** Returns short names: a key's last part if unique, else the full key, as always for {@code workload.keys}. */
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
        if (Parameter.isKey(key) && value instanceof Comparable<?>) { // text, number or boolean
            return Parameter.value(Parameter.text(value));
        }
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
