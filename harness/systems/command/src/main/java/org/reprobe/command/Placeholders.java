package org.reprobe.command;

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.EnumWord;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.analysis.document.Parameter;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.system.Settings;

/** Values of the placeholders <code>{NAME}</code> in the texts of a cell. */
final class Placeholders {
    static final String PORT = "port";
    static final String FOLDER = "folder";
    static final String PROJECT = "project";
    static final String CLIENT = "client";
    static final String REPEAT = "repeat";
    static final String RUN_SEED = "run-seed";
    static final String DURATION_S = "duration-s";
    static final String WARM_UP_S = "warm-up-s";

    /** Placeholders that have a value only in a run, in addition to the settings of the cell. */
    static final Set<String> OF_RUN = Set.of(PORT, FOLDER, PROJECT, CLIENT, REPEAT, RUN_SEED);

    private static final double MS_PER_S = 1e3;
    private static final String NAME = "([a-z][a-z0-9]*(?:[.-][a-z0-9]+)*)";
    private static final Pattern IN_TEXT = Pattern.compile("\\{\\{" + NAME + "}}|\\{" + NAME + "}");

    private final Map<String, String> values = new LinkedHashMap<>();
    /** Full names of keys, by full and short name. */
    private final Map<String, String> keys = new LinkedHashMap<>();

    /** Creates the values of a cell, without those of a run ({@link #OF_RUN}). */
    Placeholders(Settings settings) {
        Settings.Measure measure = settings.measure();
        for (Class<? extends Record> type : Settings.COMMON) {
            Record section = type == Settings.Measure.class ? measure : settings.section(type);
            String name =
                    Objects.requireNonNull(type.getAnnotation(Section.class)).name();
            for (RecordComponent component : type.getRecordComponents()) {
                Key key = Objects.requireNonNull(component.getAnnotation(Key.class));
                String part = KeyedRecord.kebab(component.getName());
                put(name.isEmpty() ? part : name + "." + part, text(value(section, component), key));
            }
        }
        shorten();
        put(DURATION_S, text(measure.durationMs() / MS_PER_S));
        keys.put(DURATION_S, "measure.duration-ms");
        put(WARM_UP_S, text(measure.warmUpMs() / MS_PER_S));
        keys.put(WARM_UP_S, "measure.warm-up-ms");
        settings.section(CommandSettings.class).parameters().forEach((parameter, value) -> {
            String key = CommandSystem.PARAMETERS + "." + parameter;
            String written = Parameter.text(value);
            put(key, written);
            put(parameter, written);
            keys.put(parameter, key);
        });
    }

    private void put(String key, String value) {
        values.put(key, value);
        keys.put(key, key);
    }

    /** Adds the short names of keys, which are the last parts of their names if these are unique. */
    private void shorten() {
        Cell.shortNames(List.copyOf(values.keySet())).forEach((key, part) -> {
            if (!part.equals(key)) {
                values.put(part, Objects.requireNonNull(values.get(key)));
                keys.put(part, key);
            }
        });
    }

    private static Object value(Record section, RecordComponent component) {
        try {
            return component.getAccessor().invoke(section);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a section's components can be read", e);
        }
    }

    private static String text(Object value, Key key) {
        boolean word = value instanceof Number number
                && number.doubleValue() == 0
                && !key.or().isEmpty();
        return word ? key.or() : text(value);
    }

    private static String text(Object value) {
        return switch (value) {
            case Double number
            when Double.isFinite(number) ->
                BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
            case Enum<?> constant -> EnumWord.of(constant);
            case List<?> list ->
                String.join(",", list.stream().map(String::valueOf).toList());
            default -> value.toString();
        };
    }

    void set(String ofRun, String value) {
        values.put(ofRun, value);
    }

    Set<String> names() {
        Set<String> names = new LinkedHashSet<>(values.keySet());
        names.addAll(OF_RUN);
        return names;
    }

    /** Returns the full name of a placeholder's key; null for values of a run and for unknown names. */
    @Nullable
    String key(String name) {
        return keys.get(name);
    }

    /** Returns true if a text has the form of a placeholder name. Braces around other text are literal. */
    static boolean isName(String name) {
        return name.matches(NAME);
    }

    static Set<String> in(Collection<String> texts) {
        Set<String> names = new LinkedHashSet<>();
        for (String text : texts) {
            Matcher matcher = IN_TEXT.matcher(text);
            while (matcher.find()) {
                if (matcher.group(2) != null) {
                    names.add(matcher.group(2));
                }
            }
        }
        return names;
    }

    String fill(String text) {
        return IN_TEXT.matcher(text).replaceAll(found -> {
            String literal = found.group(1);
            String value = literal != null ? "{" + literal + "}" : values.get(found.group(2));
            return Matcher.quoteReplacement(value == null ? found.group() : value);
        });
    }

    List<String> fill(List<String> texts) {
        List<String> filled = new ArrayList<>();
        texts.forEach(text -> filled.add(fill(text)));
        return filled;
    }
}
