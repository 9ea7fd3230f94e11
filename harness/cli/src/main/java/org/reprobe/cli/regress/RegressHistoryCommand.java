package org.reprobe.cli.regress;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.foreign.ForeignFormat;
import org.reprobe.analysis.foreign.ForeignResults;
import org.reprobe.analysis.foreign.WrittenTime;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.regress.ChangePoints;
import org.reprobe.analysis.regress.Direction;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.analysis.regress.HistoryFile;
import org.reprobe.analysis.regress.HistoryNote;
import org.reprobe.analysis.regress.OtavaFiles;
import org.reprobe.analysis.regress.RunHistory;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.cli.options.Range;
import org.reprobe.cli.options.WritableFile;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.StoredRuns;
import org.reprobe.scenario.StoredSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code regress history}: adds the newest result to a history and searches for change points. */
@Command(
        name = "history",
        description = {
            "Adds a result to a history (one line of JSON per result) and finds lasting changes of a metric. Measurements"
                    + " of other machines and results of other settings are ignored."
        },
        footer = {
            "",
            "Exit codes: 0 same or better, 1 worse, 2 bad input, 3 can't tell.",
            "JSON: " + RegressOutputs.JSON_FIELDS
        })
final class RegressHistoryCommand extends CheckedCommand {
    @Parameters(paramLabel = "FILE", description = "The history; created if missing.")
    @SuppressWarnings("NullAway.Init")
    private Path file;

    @Option(
            names = "--result",
            paramLabel = "RESULT",
            description = "Result to add: " + ForeignOptions.FILES
                    + " (default: results/latest). A result is added only once.")
    private @Nullable Path result;

    @Option(
            names = "--commit",
            paramLabel = "COMMIT",
            description =
                    "Version of the measured program, if it is not Reprobe (default: the version that a result folder records,"
                            + " else unknown).")
    private @Nullable String commit;

    @Option(
            names = "--when",
            paramLabel = "TIME",
            converter = WhenConverter.class,
            description =
                    "Time of the measurement, like 2026-11-30 or 2026-11-30T03:00:00Z, for results of another program"
                            + " (default: the recorded time, or the file's date).")
    private @Nullable OffsetDateTime when;

    @Option(
            names = "--time",
            paramLabel = "COLUMN",
            description =
                    "CSV column with the time of each line: each time is a result, of the version in the columns commit"
                            + " and branch.")
    private @Nullable String time;

    @Option(
            names = "--branch",
            paramLabel = "NAME",
            description =
                    "Branch to judge, and that of an added result whose file has none (default: that of the newest"
                            + " result). Branches are series of their own.")
    private @Nullable String branch;

    @Option(names = "--no-add", description = "Search only, add nothing.")
    private boolean noAdd;

    @Option(
            names = "--notes",
            paramLabel = "FILE",
            description =
                    "File with explanations of changes: \"notes: [{date: 2026-11-30, text: new kernel, series: figure-07}]\".")
    private @Nullable Path notes;

    @Option(
            names = "--machine",
            paramLabel = "NAME",
            description = "Name of this machine (default: its CPU, cores, memory and architecture).")
    private String machine = "";

    @Range(min = 2, max = 999_999)
    @Option(
            names = "--min-segment",
            paramLabel = "N",
            description = "Minimum number of results between two changes; fewer are outliers (default: 5).")
    private int minSegment = ChangePoints.Options.DEFAULT.minSegment();

    @Range(min = 1, max = 999_999)
    @Option(
            names = "--recent",
            paramLabel = "N",
            description =
                    "Judge only changes that begin in the newest N results (default: all that are neither undone nor explained"
                            + " by --notes).")
    private int recent = Integer.MAX_VALUE;

    @Option(
            names = "--otava",
            paramLabel = "DIR",
            converter = WritableFile.Folder.class,
            description = "Export the history for Apache Otava: CSV files (time, commit, metrics) and its otava.yaml.")
    private @Nullable Path otava;

    private List<String> losses = List.of();
    private List<String> addedNotes = List.of();

    @Mixin
    private ForeignOptions foreign = new ForeignOptions();

    @Mixin
    private RegressCriteria criteria = new RegressCriteria();

    @Mixin
    private RegressOutputs outputs = new RegressOutputs();

    static final class WhenConverter implements ITypeConverter<OffsetDateTime> {
        @Override
        public OffsetDateTime convert(String text) {
            OffsetDateTime time = WrittenTime.of(text);
            if (time == null) {
                throw new TypeConversionException("must be a day or a time, like 2026-11-30 or 2026-11-30T03:00:00Z");
            }
            return time;
        }
    }

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        List<HistoryNote> known = List.of();
        if (notes != null) {
            try {
                known = HistoryNote.read(notes);
            } catch (InvalidInputException e) {
                problems().addAll(e.problems());
            }
        }
        List<HistoryEntry> entries = new ArrayList<>();
        List<String> leftOut = new ArrayList<>();
        try {
            entries = HistoryFile.read(file, leftOut);
        } catch (InvalidInputException e) {
            problems().addAll(e.problems());
        }
        List<HistoryEntry> added = added(entries);
        String unwritable = added.isEmpty() ? null : unwritable();
        if (unwritable != null) {
            addProblem(file, unwritable);
        }
        if (noAdd && entries.isEmpty() && problems().isEmpty()) {
            addProblem(file, "has no results yet");
        }
        Set<String> reported = new LinkedHashSet<>();
        List<HistoryEntry> all = new ArrayList<>(entries);
        all.addAll(added);
        checkBranch(all);
        Set<String> labels = new LinkedHashSet<>();
        for (HistoryEntry.Values cell :
                all.stream().flatMap(entry -> entry.cells().stream()).toList()) {
            reported.addAll(cell.metrics().keySet());
            labels.add(cell.cell());
        }
        if (!reported.isEmpty()) {
            criteria.check(reported, labels, problems());
            foreign.check(reported, problems());
        }
        stopOnProblems();
        PrintWriter console = outputs.text();
        if (!added.isEmpty()) {
            leftOut.clear(); // entries that other processes added are read again
            int fresh = HistoryFile.append(file, entries, added, leftOut);
            console.println((fresh > 0 ? "added: " : "already present: ")
                    + (added.size() == 1
                            ? added.getFirst().shortCommit() + ", "
                                    + added.getFirst().when()
                            : Quantities.count(fresh > 0 ? fresh : added.size(), "result")));
        }
        entries.replaceAll(entry -> entry.completed(StoredSettings.defaults()));
        console.println(file + ": " + Quantities.count(entries.size(), "result"));
        entries.removeIf(entry -> branch != null && !entry.branch().equals(branch));
        RunHistory history = RunHistory.of(
                entries,
                known,
                new RunHistory.Options(
                        new ChangePoints.Options(
                                minSegment,
                                ChangePoints.Options.DEFAULT.level(),
                                criteria.criteria().minEffect()),
                        recent,
                        criteria.metrics().isEmpty() ? judged(entries.getLast()) : criteria.metrics(),
                        foreign.directions(),
                        criteria.criteria().minEffects()));
        if (otava != null) {
            for (Map.Entry<String, String> one : OtavaFiles.of(history).entrySet()) {
                WritableFile.write(otava.resolve(one.getKey()), one.getValue());
            }
            console.println("for Otava: " + otava.resolve(OtavaFiles.CONFIGURATION));
        }
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("history", file + ", " + Quantities.count(entries.size(), "result"));
        environment.put("machine", history.machine());
        environment.putAll(entries.getLast().environment());
        return outputs.write(
                "History: " + file.getFileName(),
                TypedCommand.typed(List.of("regress", "history", file.toString(), "--no-add")),
                environment,
                history.withLosses(losses).with(addedNotes).with(leftOut));
    }

    private @Nullable String unwritable() {
        if (Files.exists(file)) {
            return Files.isWritable(file) ? null : "can't be written: no permission";
        }
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? null : ResultFolder.unwritable(parent);
    }

    private void checkBranch(List<HistoryEntry> all) {
        Set<String> branches = new LinkedHashSet<>();
        all.forEach(entry -> branches.add(entry.branch()));
        if (branch != null && !branches.isEmpty() && !branches.contains(branch)) {
            String hint = Spelling.hint(branch, branches);
            branches.remove("");
            addProblem(
                    "--branch " + branch,
                    "there is no result of this branch"
                            + (branches.isEmpty()
                                    ? ", and none names its branch"
                                    : hint.isEmpty() ? "; branches: " + String.join(", ", branches) : hint));
        }
    }

    private List<HistoryEntry> added(List<HistoryEntry> entries) throws IOException {
        if (noAdd) {
            if (result != null) {
                addProblem("--result " + result, "not with --no-add");
            }
            refuse("--commit", "not with --no-add");
            refuse("--when", "not with --no-add");
            refuse("--time", "not with --no-add");
            return List.of();
        }
        Path dir = result == null ? Library.current().results().resolve("latest") : result;
        if (result == null && !Files.exists(dir)) {
            addProblem(
                    dir,
                    "there is no newest result: run a scenario first, name a result with --result DIR, or search only with"
                            + " --no-add");
            return List.of();
        }
        try {
            if (foreign.areAt(dir)) {
                return addedForeign(dir, entries);
            }
            foreign.refuseForOwn(this);
            refuse("--when", "a result folder records its own time");
            refuse("--time", "only for CSV, not for a result folder");
            StoredRuns runs = StoredRuns.read(dir);
            losses = HistoryEntry.losses(runs.runs());
            Map<String, String> environment = new LinkedHashMap<>(runs.environment());
            boolean ofVersion = environment.containsKey(HistoryEntry.ARTIFACT);
            if (!ofVersion && !runs.isOfScheme("command")) { // of that scheme, older folders do not name the artifact
                refuse("--commit", "a result folder of Reprobe's own systems records which commit was run");
            } else if (commit != null) {
                environment.put(ofVersion ? HistoryEntry.ARTIFACT_VERSION : "commit", commit);
                environment.remove(ofVersion ? HistoryEntry.ARTIFACT_CHANGES : "uncommitted-changes");
            }
            HistoryEntry entry =
                    HistoryEntry.of(runs.started(), ofBranch(environment), machine, runs.runs(), runs::exactSettings);
            if (entry.cells().isEmpty()) {
                addProblem(dir, "has no run that succeeded");
                return List.of();
            }
            return List.of(entry);
        } catch (InvalidInputException e) {
            problems().addAll(e.problems());
            return List.of();
        }
    }

    private Map<String, String> ofBranch(Map<String, String> environment) {
        if (branch != null) {
            environment.putIfAbsent(HistoryEntry.BRANCH, branch);
        }
        return environment;
    }

    private List<HistoryEntry> addedForeign(Path path, List<HistoryEntry> entries)
            throws InvalidInputException, IOException {
        ForeignResults results = ForeignResults.read(path, foreign.reading(time));
        if (machine.isEmpty()) {
            ForeignOptions.checkMachines(results, problems(), "--machine NAME gives all of them one name");
        }
        ForeignOptions.checkSettings(results, problems(), "");
        String name = machine.isEmpty() ? results.machine() : machine;
        if (name.isEmpty()) {
            addProblem(path, "does not record its machine: name it with --machine NAME");
            return List.of();
        }
        if (time != null && results.format() != ForeignFormat.CSV) {
            addProblem(
                    "--time " + time,
                    "only for CSV; " + path + " is " + results.format().meaning());
        }
        addedNotes = results.notes();
        if (!results.series().isEmpty()) {
            return addedSeries(results, name);
        }
        Map<String, String> environment = new LinkedHashMap<>(results.environment());
        if (commit != null) {
            environment.put("commit", commit);
            environment.remove("uncommitted-changes");
        }
        losses = HistoryEntry.losses(results.runs());
        HistoryEntry entry = HistoryEntry.of(
                when == null ? results.when() : when, ofBranch(environment), name, results.runs(), results::settingsOf);
        if (entry.cells().isEmpty()) {
            addProblem(path, "has no run that succeeded");
            return List.of();
        }
        // The date of a file may be that of a copy.
        return List.of(
                when != null || commit == null
                        ? entry
                        : entries.stream()
                                .filter(entry::differsOnlyInDate)
                                .findFirst()
                                .orElse(entry));
    }

    private List<HistoryEntry> addedSeries(ForeignResults results, String name) {
        refuse("--when", "each result of " + results.path() + " has its time");
        refuse("--commit", "each result of " + results.path() + " has its version");
        List<HistoryEntry> all = new ArrayList<>();
        List<String> empty = new ArrayList<>();
        OffsetDateTime newest = OffsetDateTime.MIN;
        for (Map.Entry<ForeignResults.Origin, List<Measurement>> result :
                results.series().entrySet()) {
            ForeignResults.Origin origin = result.getKey();
            Map<String, String> environment = new LinkedHashMap<>(results.environment());
            if (!origin.commit().isEmpty()) {
                environment.put("commit", origin.commit());
            }
            if (!origin.branch().isEmpty()) {
                environment.put(HistoryEntry.BRANCH, origin.branch());
            }
            HistoryEntry entry =
                    HistoryEntry.of(origin.when(), ofBranch(environment), name, result.getValue(), results::settingsOf);
            if (!entry.cells().isEmpty()) {
                all.add(entry);
            } else {
                empty.add(entry.shortCommit() + " (" + entry.when() + ")");
            }
            if (!origin.when().isBefore(newest)
                    && (branch == null || entry.branch().equals(branch))) {
                newest = origin.when();
                losses = HistoryEntry.losses(result.getValue());
            }
        }
        if (all.isEmpty()) {
            addProblem(results.path(), "has no run that succeeded");
        }
        if (!empty.isEmpty()) {
            addedNotes = new ArrayList<>(addedNotes);
            addedNotes.add("results without a value are left out: " + Quantities.list(empty));
        }
        return all;
    }

    /** Returns the default metrics to judge: Reprobe's own, or those of the newest result of another program. */
    private static List<String> judged(HistoryEntry newest) {
        Set<String> metrics = new LinkedHashSet<>(Direction.JUDGED);
        newest.cells().stream()
                .filter(cell -> ForeignFormat.words().contains(cell.fabric()))
                .forEach(cell -> metrics.addAll(ForeignResults.judged(List.of(cell.metrics()))));
        return List.copyOf(metrics);
    }
}
