package org.reprobe.cli.regress;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.foreign.ForeignFormat;
import org.reprobe.analysis.foreign.ForeignResults;
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
            try {
                return text.length() == "2026-11-30".length()
                        ? LocalDate.parse(text).atStartOfDay().atOffset(ZoneOffset.UTC)
                        : OffsetDateTime.parse(text);
            } catch (DateTimeException e) {
                throw new TypeConversionException("must be a day or a time, like 2026-11-30 or 2026-11-30T03:00:00Z");
            }
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
        HistoryEntry added = added(entries);
        String unwritable = added == null ? null : unwritable();
        if (unwritable != null) {
            addProblem(file, unwritable);
        }
        if (noAdd && entries.isEmpty() && problems().isEmpty()) {
            addProblem(file, "has no results yet");
        }
        Set<String> reported = new LinkedHashSet<>();
        List<HistoryEntry> all = new ArrayList<>(entries);
        if (added != null) {
            all.add(added);
        }
        all.forEach(entry ->
                entry.cells().forEach(cell -> reported.addAll(cell.metrics().keySet())));
        if (!reported.isEmpty()) {
            criteria.check(reported, problems());
            foreign.check(reported, problems());
        }
        criteria.refuseNamed(problems());
        stopOnProblems();
        PrintWriter console = outputs.text();
        if (added != null) {
            leftOut.clear(); // entries that other processes added are read again
            boolean fresh = HistoryFile.append(file, entries, added, leftOut);
            console.println((fresh ? "added: " : "already present: ") + added.shortCommit() + ", " + added.when());
        }
        entries.replaceAll(entry -> entry.completed(StoredSettings.defaults()));
        console.println(file + ": " + Quantities.count(entries.size(), "result"));
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
                        foreign.directions()));
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

    private @Nullable HistoryEntry added(List<HistoryEntry> entries) throws IOException {
        if (noAdd) {
            if (result != null) {
                addProblem("--result " + result, "not with --no-add");
            }
            refuse("--commit", "not with --no-add");
            refuse("--when", "not with --no-add");
            return null;
        }
        Path dir = result == null ? Library.current().results().resolve("latest") : result;
        if (result == null && !Files.exists(dir)) {
            addProblem(
                    dir,
                    "there is no newest result: run a scenario first, name a result with --result DIR, or search only with"
                            + " --no-add");
            return null;
        }
        try {
            if (foreign.areAt(dir)) {
                return addedForeign(dir, entries);
            }
            foreign.refuseForOwn(this);
            refuse("--when", "a result folder records its own time");
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
                    HistoryEntry.of(runs.started(), environment, machine, runs.runs(), runs::exactSettings);
            if (entry.cells().isEmpty()) {
                addProblem(dir, "has no run that succeeded");
                return null;
            }
            return entry;
        } catch (InvalidInputException e) {
            problems().addAll(e.problems());
            return null;
        }
    }

    private @Nullable HistoryEntry addedForeign(Path path, List<HistoryEntry> entries)
            throws InvalidInputException, IOException {
        ForeignResults results = ForeignResults.read(path, foreign.reading());
        if (machine.isEmpty()) {
            ForeignOptions.checkMachines(results, problems(), "--machine NAME gives all of them one name");
        }
        ForeignOptions.checkSettings(results, problems(), "");
        String name = machine.isEmpty() ? results.machine() : machine;
        if (name.isEmpty()) {
            addProblem(path, "does not record its machine: name it with --machine NAME");
            return null;
        }
        Map<String, String> environment = new LinkedHashMap<>(results.environment());
        if (commit != null) {
            environment.put("commit", commit);
        }
        losses = HistoryEntry.losses(results.runs());
        addedNotes = results.notes();
        HistoryEntry entry = HistoryEntry.of(
                when == null ? results.when() : when, environment, name, results.runs(), results::settingsOf);
        if (entry.cells().isEmpty()) {
            addProblem(path, "has no run that succeeded");
            return null;
        }
        // The date of a file may be that of a copy.
        return when != null || commit == null
                ? entry
                : entries.stream().filter(entry::differsOnlyInDate).findFirst().orElse(entry);
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
