package org.reprobe.analysis.regress;

import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;

/** Changes in a history of one machine. An incomplete newest result can be neither the same nor better. */
public record RunHistory(String machine, List<SeriesHistory> series, List<String> notes, boolean incomplete)
        implements Outcome {
    public RunHistory {
        series = List.copyOf(series);
        notes = List.copyOf(notes);
    }

    /**
     * Settings of the search. A change counts for the verdict if it begins in the {@code recent} newest results; no
     * metrics means {@link Direction#JUDGED}. Effects are as in {@link Criteria}.
     */
    public record Options(
            ChangePoints.Options changes,
            int recent,
            List<String> metrics,
            Directions directions,
            Map<String, Double> minEffects) {
        public Options {
            metrics = metrics.isEmpty() ? Direction.JUDGED : List.copyOf(metrics);
        }

        public Options(ChangePoints.Options changes, int recent, List<String> metrics, Directions directions) {
            this(changes, recent, metrics, directions, Map.of());
        }

        private ChangePoints.Options changesOf(Name name) {
            Criteria criteria = new Criteria(changes.level(), changes.minEffect(), minEffects);
            double minEffect = criteria.of(name.metric, name.cell).minEffect();
            return new ChangePoints.Options(changes.minSegment(), changes.level(), minEffect);
        }
    }

    private record Name(String scenario, String cell, String fabric, Kind kind, String metric) {}

    /**
     * Searches entries, in the order of dates, for changes. Measured series are those of the newest result's machine
     * only; simulated and predicted ones are deterministic on every machine, so any difference is a change. Every
     * series has the settings of the newest result; earlier settings form another series. Results of other artifacts
     * and branches are omitted.
     */
    public static RunHistory of(List<HistoryEntry> everything, List<HistoryNote> known, Options options) {
        HistoryEntry newest = everything.getLast();
        List<HistoryEntry> entries = everything.stream()
                .filter(entry -> entry.branch().equals(newest.branch()))
                .toList();
        Map<Name, List<SeriesHistory.Point>> all = new LinkedHashMap<>();
        Map<HistoryEntry.Place, Map<String, String>> settings = new HashMap<>();
        entries.stream()
                .filter(entry -> entry.when().isEqual(newest.when())) // others are parts of the same run
                .forEach(entry -> entry.cells().forEach(values -> settings.put(values.place(), values.settings())));
        OtherSettings others = new OtherSettings();
        Set<String> otherMachines = new LinkedHashSet<>();
        Set<String> otherArtifacts = new LinkedHashSet<>();
        int omitted = 0;
        int omittedArtifacts = 0;
        for (HistoryEntry entry : entries) {
            if (entry.isOfOtherArtifact(newest)) {
                otherArtifacts.add(entry.environment().getOrDefault(HistoryEntry.ARTIFACT, ""));
                omittedArtifacts++;
                continue;
            }
            boolean otherMachine = !entry.machine().equals(newest.machine());
            if (otherMachine) {
                otherMachines.add(entry.machine());
                omitted++;
            }
            for (HistoryEntry.Values values : entry.cells()) {
                Map<String, String> wanted = settings.getOrDefault(values.place(), values.settings());
                if (!values.settings().equals(wanted)) {
                    others.add(entry, values, wanted);
                } else if (!otherMachine || values.kind() != Kind.MEASURED) {
                    add(all, entry, values, options.metrics);
                }
            }
        }
        List<SeriesHistory> series = new ArrayList<>();
        Set<String> ended = new LinkedHashSet<>();
        NavigableSet<OffsetDateTime> related = related(entries, settings.keySet());
        all.forEach((name, points) -> {
            OffsetDateTime last = points.getLast().when();
            SeriesHistory one = analyse(name, points, known, options);
            boolean worse = one.verdict() == RegressionVerdict.WORSE;
            if (last.isEqual(newest.when())) {
                series.add(one);
            } else if (related.contains(last) && (worse || last.isEqual(related.last()))) {
                series.add(one.undecided("not in the newest result" + (worse ? "; worse when last measured" : "")));
            } else {
                ended.add(name.scenario + " " + name.cell);
            }
        });
        List<String> notes = new ArrayList<>();
        if (omitted > 0) {
            notes.add("measurements of " + Quantities.count(omitted, "result") + " from other machines are left out: "
                    + String.join("; ", otherMachines));
        }
        if (omittedArtifacts > 0) {
            notes.add("the newest result is of the artifact "
                    + newest.environment().getOrDefault(HistoryEntry.ARTIFACT, "") + "; "
                    + Quantities.count(omittedArtifacts, "result") + " of other artifacts left out: "
                    + String.join("; ", otherArtifacts));
        }
        if (entries.size() < everything.size()) {
            Set<String> branches = new TreeSet<>();
            everything.forEach(entry -> branches.add(entry.branch().isEmpty() ? "none" : entry.branch()));
            notes.add(Quantities.count(everything.size() - entries.size(), "result")
                    + " of branches other than that of the newest result ("
                    + (newest.branch().isEmpty() ? "none" : newest.branch()) + ") left out; there are "
                    + Quantities.list(branches));
        }
        notes.addAll(others.notes());
        if (newest.cells().stream().anyMatch(values -> values.settings().isEmpty())) {
            notes.add(
                    "the newest result has no settings, so a change of settings would look like a change of the code");
        }
        if (!ended.isEmpty()) {
            notes.add("not checked, because they are not in the newest result: " + String.join("; ", ended));
        }
        return new RunHistory(newest.machine(), series, notes, false);
    }

    /** Returns the times of the results before the newest that share a cell with it. */
    private static NavigableSet<OffsetDateTime> related(List<HistoryEntry> entries, Set<HistoryEntry.Place> newest) {
        NavigableSet<OffsetDateTime> related = new TreeSet<>(OffsetDateTime.timeLineOrder());
        entries.stream()
                .filter(entry -> entry.when().isBefore(entries.getLast().when()))
                .filter(entry -> entry.cells().stream().anyMatch(values -> newest.contains(values.place())))
                .forEach(entry -> related.add(entry.when()));
        return related;
    }

    /** Results omitted because their settings differ from those of the newest result. */
    private static final class OtherSettings {
        private final Map<String, Set<HistoryEntry>> entries = new LinkedHashMap<>(); // by scenario
        private final Map<String, String> last = new HashMap<>();

        void add(HistoryEntry entry, HistoryEntry.Values values, Map<String, String> wanted) {
            entries.computeIfAbsent(values.scenario(), _ -> new LinkedHashSet<>())
                    .add(entry);
            String day = entry.when().toLocalDate() + " (" + entry.shortCommit() + ")";
            last.put(
                    values.scenario(),
                    values.settings().isEmpty()
                            ? "up to " + day + " settings were not recorded"
                            : "up to " + day + " and now it has "
                                    + SettingsDifference.words(SettingsDifference.of(values.settings(), wanted)));
        }

        List<String> notes() {
            List<String> notes = new ArrayList<>();
            entries.forEach((scenario, omitted) -> notes.add(scenario + " was run with other settings: "
                    + last.get(scenario) + "; a new series begins after it, and "
                    + Quantities.count(omitted.size(), "result") + " of other settings "
                    + Quantities.verb(omitted.size(), "are") + " left out"));
            return notes;
        }
    }

    private static void add(
            Map<Name, List<SeriesHistory.Point>> all,
            HistoryEntry entry,
            HistoryEntry.Values values,
            List<String> metrics) {
        for (String metric : metrics) {
            Double value = values.metrics().get(metric);
            if (value != null && Double.isFinite(value)) {
                all.computeIfAbsent(
                                new Name(values.scenario(), values.cell(), values.fabric(), values.kind(), metric),
                                _ -> new ArrayList<>())
                        .add(new SeriesHistory.Point(entry.when(), entry.shortCommit(), value));
            }
        }
    }

    private static SeriesHistory analyse(
            Name name, List<SeriesHistory.Point> points, List<HistoryNote> known, Options options) {
        double[] values =
                points.stream().mapToDouble(SeriesHistory.Point::value).toArray();
        boolean exact = name.kind != Kind.MEASURED;
        ChangePoints.Options changesOf = options.changesOf(name);
        List<ChangePoint> found = exact ? ChangePoints.exact(values) : ChangePoints.find(values, changesOf);
        Direction direction = options.directions.of(name.metric);
        List<SeriesHistory.Change> changes = new ArrayList<>();
        List<Double> counted = new ArrayList<>();
        for (ChangePoint point : found) {
            SeriesHistory.Point at = points.get(point.index());
            SeriesHistory.Point before = points.get(point.index() - 1);
            boolean recent = point.index() >= points.size() - options.recent;
            String note = note(name, point.index(), points, known, exact);
            changes.add(new SeriesHistory.Change(
                    point,
                    at.when(),
                    at.commit(),
                    before.commit(),
                    direction.verdict(point.after() - point.before()),
                    recent,
                    note));
            if (recent && note.isEmpty()) {
                counted.add(point.after() - point.before());
            }
        }
        int fewest = exact ? 2 : 2 * changesOf.minSegment();
        double last = found.isEmpty() ? 0 : Math.abs(found.getLast().after());
        RegressionVerdict verdict = verdict(counted, exact ? 1e-12 * last : changesOf.minEffect() * last, direction);
        String reason = "";
        if (counted.isEmpty() && points.size() < fewest) {
            verdict = RegressionVerdict.CANT_TELL;
            reason = Quantities.count(points.size(), "result") + " so far; " + (fewest - points.size())
                    + " more needed to find a change";
        }
        return new SeriesHistory(
                name.scenario, name.cell, name.metric, name.kind, direction, points, changes, verdict, reason);
    }

    /**
     * Returns the verdict on the newest level, from the differences of the levels, first to last. It is worse if any
     * level since the first change, or the one before it, was better. Neither an earlier improvement nor time makes up
     * for a regression. A single detected shift always counts, a sum of several only from {@code matters} on.
     */
    private static RegressionVerdict verdict(List<Double> shifts, double matters, Direction direction) {
        RegressionVerdict since = RegressionVerdict.SAME;
        List<RegressionVerdict> all = new ArrayList<>();
        double sum = 0;
        for (double shift : shifts.reversed()) {
            sum += shift;
            since = all.isEmpty() || Math.abs(sum) > matters ? direction.verdict(sum) : RegressionVerdict.SAME;
            all.add(since);
        }
        return all.contains(RegressionVerdict.WORSE) ? RegressionVerdict.WORSE : since;
    }

    /** Returns the note dated between the results around a change, one more on either side if noisy; "" for none. */
    private static String note(
            Name name, int index, List<SeriesHistory.Point> points, List<HistoryNote> known, boolean exact) {
        int blur = exact ? 0 : 1;
        LocalDate from = points.get(Math.max(0, index - 1 - blur)).when().toLocalDate();
        LocalDate to =
                points.get(Math.min(points.size() - 1, index + blur)).when().toLocalDate();
        String whole = name.scenario + " " + name.cell + " " + name.metric;
        for (HistoryNote note : known) {
            if (!note.date().isBefore(from) && !note.date().isAfter(to) && whole.contains(note.series())) {
                return note.text();
            }
        }
        return "";
    }

    public RunHistory with(List<String> moreNotes) {
        List<String> all = new ArrayList<>(moreNotes);
        all.addAll(notes);
        return new RunHistory(machine, series, all, incomplete);
    }

    /** Returns the history as incomplete, since its newest result lacks runs. */
    public RunHistory withLosses(List<String> losses) {
        return losses.isEmpty()
                ? this
                : new RunHistory(machine, series, notes, true)
                        .with(List.of(
                                "runs of the newest result that failed or have no value are left out, so that it can't"
                                        + " be the same: " + Quantities.list(losses)));
    }

    @Override
    public List<RegressionVerdict> verdicts() {
        return series.stream().map(SeriesHistory::verdict).toList();
    }

    /** Returns the worst verdict of all series; "can't tell" if there is none, and at best that if it is incomplete. */
    @Override
    public RegressionVerdict verdict() {
        List<RegressionVerdict> verdicts = new ArrayList<>(verdicts());
        if (series.isEmpty() || incomplete) {
            verdicts.add(RegressionVerdict.CANT_TELL);
        }
        return RegressionVerdict.worst(verdicts);
    }

    @Override
    public List<Row> rows() {
        return series.stream().map(Row::of).toList();
    }
}
