package org.reprobe.analysis.foreign;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;

/** What readers of foreign results have found so far. */
final class ForeignRuns {
    private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9][0-9]{0,17})");
    private static final Pattern REAL = Pattern.compile("-?[0-9]{1,15}(\\.[0-9]{1,15})?([eE][-+]?[0-9]{1,3})?");

    final List<Measurement> runs = new ArrayList<>();
    final List<Problem> problems = new ArrayList<>();
    final Set<String> notes = new LinkedHashSet<>();
    final Map<String, String> environment = new LinkedHashMap<>();
    /** By {@link ForeignResults#place}. */
    final Map<String, Map<String, String>> settings = new LinkedHashMap<>();

    private final ForeignFormat format;
    private final Map<String, Integer> repeats = new LinkedHashMap<>();
    private @Nullable OffsetDateTime when;

    ForeignRuns(ForeignFormat format) {
        this.format = format;
    }

    /** Adds a repeat of a cell. */
    void add(String scenario, Cell cell, Map<String, Double> metrics) {
        add(scenario, cell, metrics, null);
    }

    /** Adds a repeat of a cell that failed. */
    void addFailed(String scenario, Cell cell, String problem) {
        add(scenario, cell, Map.of(), problem);
    }

    private void add(String scenario, Cell cell, Map<String, Double> metrics, @Nullable String problem) {
        int repeat = repeats.merge(scenario + " " + cell.label(), 1, Integer::sum) - 1;
        runs.add(new Measurement(
                scenario, cell, repeat, 0, format.word(), Kind.MEASURED, problem == null, problem, metrics));
    }

    /** Says where or by what it was measured; files that differ are told. */
    void fact(String name, String value) {
        String before = environment.putIfAbsent(name, value);
        if (before != null && !before.equals(value)) {
            notes.add("not all have the same " + name + ": " + before + " and " + value);
        }
    }

    void began(OffsetDateTime time) {
        when = when == null || time.isBefore(when) ? time : when;
    }

    @Nullable
    OffsetDateTime when() {
        return when;
    }

    /** A value of a key: a number where it is written as one, so that 64 is 64.0. */
    static Object keyValue(String text) {
        if (WHOLE.matcher(text).matches()) {
            return Long.parseLong(text);
        }
        return REAL.matcher(text).matches() ? (Object) Double.parseDouble(text) : text;
    }
}
