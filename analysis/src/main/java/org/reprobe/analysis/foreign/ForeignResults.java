package org.reprobe.analysis.foreign;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;

/**
 * Results of another benchmark program: a file, or a folder with one file per invocation.
 *
 * @param runs one per repeat: JMH's forks, Google Benchmark's repetitions, lines of CSV, files of histograms
 * @param fileNames names of the files without their numbers, since only the name may identify the experiment
 * @param machines those of all files by name, each with its first file; none if no file names one
 * @param mixedSettings settings and software in which repeats of a cell differ
 * @param when the measurements began, or else the first file's date
 * @param series results of a time series in the file's order; empty if the files have one result
 */
public record ForeignResults(
        Path path,
        ForeignFormat format,
        List<Measurement> runs,
        Map<Place, Map<String, String>> settings,
        Map<Place, Map<String, String>> software,
        Map<String, String> environment,
        Set<String> fileNames,
        Map<String, String> machines,
        List<String> mixedSettings,
        OffsetDateTime when,
        Map<Origin, List<Measurement>> series,
        List<String> notes) {
    /** Cell key for the file's name without its numbers, if the files of a folder differ in it. */
    static final String FILE = "file-name";

    static final String UNNAMED = "a machine without a name";

    /** Digits in files; further ones come from the conversion of units. */
    private static final MathContext SHOWN = new MathContext(12);
    /** Number of leading digits that often agree in all repeats. */
    private static final int STABLE_DIGITS = 2;
    /** Number of further digits in a file that may agree by chance. */
    private static final int CHANCE_DIGITS = 5;

    /** Parts of names that number repeats with letters: commits, days and months. */
    private static final Pattern NUMBERING = Pattern.compile(
            "(?<![\\p{L}\\d])((?=[a-f]*[0-9])[0-9a-f]{7,40}|(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?"
                    + "|jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?"
                    + "|dec(ember)?)(?![\\p{L}\\d])",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern PARTS = Pattern.compile(".*\\.(p[0-9]+|max|mean)");
    private static final Pattern JUDGED_PARTS = Pattern.compile(".*\\.(p50|p99)");
    private static final String MEAN = ".mean";

    public ForeignResults {
        runs = List.copyOf(runs);
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        software = Collections.unmodifiableMap(new LinkedHashMap<>(software));
        environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
        fileNames = Collections.unmodifiableSet(new LinkedHashSet<>(fileNames));
        machines = Collections.unmodifiableMap(new LinkedHashMap<>(machines));
        mixedSettings = List.copyOf(mixedSettings);
        series = Collections.unmodifiableMap(new LinkedHashMap<>(series));
        notes = List.copyOf(notes);
    }

    public record Place(String scenario, Cell cell) {}

    /** Time and version of a result in a time series; commit and branch are "" if the file has none. */
    public record Origin(OffsetDateTime when, String commit, String branch) {}

    /** Returns true for a file, and for a folder with files. */
    public static boolean isOne(Path path) throws IOException {
        return Files.isDirectory(path) ? !files(path).isEmpty() : Files.isRegularFile(path);
    }

    /** Reads a file, or all files of a folder as repeats of each other. Throws every problem in them at once. */
    public static ForeignResults read(Path path, ForeignReading reading) throws InvalidInputException, IOException {
        List<Path> files = new ArrayList<>(Files.isDirectory(path) ? files(path) : List.of(path));
        if (files.isEmpty()) {
            throw new InvalidInputException(path, "holds no files");
        }
        files.sort(Comparator.comparing(reading::run)); // clients of one run beside each other
        List<Problem> problems = new ArrayList<>();
        Map<Place, Integer> places = new LinkedHashMap<>();
        Set<String> names = new LinkedHashSet<>();
        files.forEach(each -> names.add(stem(reading.run(each))));
        ForeignFormat common = null;
        ForeignRuns into = null;
        Map<String, Integer> clients = new LinkedHashMap<>();
        for (Path each : files) {
            try {
                ForeignText file = ForeignText.read(each);
                ForeignFormat format = reading.format() == null ? ForeignFormat.of(file, reading) : reading.format();
                Path copied = copied(files, each);
                if (format == null) {
                    problems.add(unknown(file));
                } else if (copied != null && format != ForeignFormat.CSV) {
                    problems.add(copy(file, copied));
                } else if (common != null && common != format) {
                    problems.add(Problem.of(
                            file.name(),
                            "is " + format.meaning() + ", but " + files.getFirst() + " is " + common.meaning()));
                } else {
                    common = format;
                    into = into == null ? new ForeignRuns(format) : into;
                    int before = into.runs.size();
                    clients.merge(reading.run(each), 1, Integer::sum);
                    into.moreClients = files.indexOf(each) + 1 < files.size()
                            && reading.run(each).equals(reading.run(files.get(files.indexOf(each) + 1)));
                    format.read(file, reading, into);
                    if (copied != null && isInformative(into.runs.subList(before, into.runs.size()))) {
                        problems.add(copy(file, copied));
                    } else if (copied != null) {
                        into.notes.add(file.name() + " and " + copied
                                + " have the same content, and count as repeats: leave one out if it is a copy");
                    }
                    boolean named = format.isNamedByFile();
                    if (named && names.size() > 1) {
                        into.runs
                                .subList(before, into.runs.size())
                                .replaceAll(run -> named(run, stem(reading.run(each))));
                    }
                    into.runs.subList(before, into.runs.size()).stream()
                            .map(run -> new Place(run.scenario(), run.cell()))
                            .distinct()
                            .forEach(place -> places.merge(place, 1, Integer::sum));
                }
            } catch (InvalidInputException e) {
                problems.addAll(e.problems());
            }
        }
        if (into != null) {
            problems.addAll(into.problems);
            checkClients(path, reading, into, common, clients, problems);
            if (!into.series.isEmpty() && files.size() > 1) {
                problems.add(Problem.of(path.toString(), "has several time series: give one file"));
            }
        }
        if (common == null && Files.isDirectory(path)) {
            problems.addFirst(Problem.of(
                    path.toString(),
                    "is not a result folder, since it has no status.json, and has no results of another program"));
        }
        if (common == null || into == null || !problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        noteOtherFiles(path, into.notes);
        noteUneven(places, into.notes);
        boolean named = common.isNamedByFile();
        if (named
                && names.size() > 1
                && into.runs.stream().anyMatch(run -> run.cell().get(FILE) != null)) {
            into.notes.add(
                    "files of " + path + " with other names (" + Quantities.list(names)
                            + ") are cells of their own; names of repeats differ in numbers, days or commits only, like READ-1.hdr and READ-2.hdr");
        }
        OffsetDateTime when = into.when();
        Map<Origin, List<Measurement>> series = new LinkedHashMap<>();
        into.series.forEach((origin, runs) -> series.put(origin, runs.runs));
        return new ForeignResults(
                path,
                common,
                into.runs,
                into.settings,
                into.software,
                into.environment,
                named ? names : Set.of(),
                into.machines,
                List.copyOf(into.mixedSettings),
                when == null
                        ? Files.getLastModifiedTime(files.getFirst())
                                .toInstant()
                                .atOffset(ZoneOffset.UTC)
                        : when,
                series,
                List.copyOf(into.notes));
    }

    /** Reports clients that can't be merged, and notes how many logs each run has. */
    private static void checkClients(
            Path path,
            ForeignReading reading,
            ForeignRuns into,
            @Nullable ForeignFormat format,
            Map<String, Integer> clients,
            List<Problem> problems) {
        if (reading.client() == null) {
            return;
        }
        String option = "--merge " + reading.client();
        if (format != ForeignFormat.HISTOGRAM_LOG) {
            problems.add(Problem.of(
                    option,
                    "only logs of HdrHistogram can be merged; " + path + " has "
                            + (format == null ? "none" : format.meaning())));
        } else if (clients.values().stream().allMatch(count -> count == 1)) {
            problems.add(Problem.of(
                    option,
                    "no two files of " + path + " differ in what follows this word only, like run1-" + reading.client()
                            + "1.hdr and run1-" + reading.client() + "2.hdr"));
        } else {
            Set<Integer> counts = Set.copyOf(clients.values());
            into.notes.add("logs of clients were merged in " + path + ": "
                    + (counts.size() == 1
                            ? counts.iterator().next() + " per run"
                            : "runs have different numbers of them, "
                                    + Quantities.list(clients.entrySet().stream()
                                            .map(run -> run.getKey() + " (" + run.getValue() + ")")
                                            .toList())));
        }
    }

    private static Problem copy(ForeignText file, Path original) {
        return Problem.of(file.name(), "is a copy of " + original + ", which is not a repeat: remove one");
    }

    /** Returns true if the runs' numbers have so many digits that another measurement would differ. */
    private static boolean isInformative(List<Measurement> runs) {
        return runs.stream()
                        .flatMap(run -> run.metrics().values().stream())
                        .mapToInt(value -> new BigDecimal(value)
                                .round(SHOWN)
                                .stripTrailingZeros()
                                .precision())
                        .map(digits -> Math.max(0, digits - STABLE_DIGITS))
                        .sum()
                > CHANCE_DIGITS;
    }

    private static List<Path> files(Path folder) throws IOException {
        return entries(folder).stream().filter(ForeignResults::isRead).toList();
    }

    private static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.sorted().toList();
        }
    }

    /** Returns the first file before {@code copy} in a list that has the same bytes; null for none. */
    private static @Nullable Path copied(List<Path> files, Path copy) throws IOException {
        for (Path file : files.subList(0, files.indexOf(copy))) {
            if (Files.isReadable(file) && Files.mismatch(file, copy) < 0) {
                return file;
            }
        }
        return null;
    }

    private static boolean isRead(Path file) {
        return Files.isRegularFile(file) && !file.getFileName().toString().startsWith(".");
    }

    private static void noteOtherFiles(Path path, Set<String> notes) throws IOException {
        List<String> others = !Files.isDirectory(path)
                ? List.of()
                : entries(path).stream()
                        .filter(entry -> !isRead(entry))
                        .map(entry -> entry.getFileName().toString())
                        .toList();
        if (!others.isEmpty()) {
            notes.add("skipped in " + path + " (folders and hidden files): " + Quantities.list(others));
        }
    }

    /** Returns the name of a file without numbers, dates and commits, in which the names of repeats differ. */
    private static String stem(String name) {
        String words = name.substring(0, name.lastIndexOf('.') > 0 ? name.lastIndexOf('.') : name.length());
        return NUMBERING
                .matcher(words)
                .replaceAll("-")
                .replaceAll("[^\\p{L}]+", "-")
                .replaceAll("^-|-$", "");
    }

    /** Returns a run with the name of its file as a key, unless its log names the operation. */
    private static Measurement named(Measurement run, String fileName) {
        if (run.scenario().equals(ForeignFormat.HISTOGRAM_LOG.word())
                && run.cell().get(HistogramResults.OPERATION) != null) {
            return run;
        }
        Map<String, Object> values = new LinkedHashMap<>(Map.of(FILE, fileName));
        values.putAll(run.cell().values());
        return run.in(new Cell(values, false));
    }

    /** Notes cells that are missing from some files of the same name. */
    private static void noteUneven(Map<Place, Integer> counts, Set<String> notes) {
        int most = counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        List<String> rare = new ArrayList<>();
        counts.forEach((place, count) -> {
            if (count < most) {
                rare.add(place.cell.label() + " (" + count + ")");
            }
        });
        if (!rare.isEmpty()) {
            notes.add("not every file has all cells: some are in " + Quantities.count(most, "file")
                    + ", others in fewer: " + Quantities.list(rare));
        }
    }

    /** Returns the results with the file's name as a key if {@code other} has several. */
    public ForeignResults withNamesAs(ForeignResults other) {
        return other.fileNames.size() < 2 || fileNames.size() != 1
                ? this
                : new ForeignResults(
                        path,
                        format,
                        runs.stream()
                                .map(run -> named(run, fileNames.iterator().next()))
                                .toList(),
                        settings,
                        software,
                        environment,
                        fileNames,
                        machines,
                        mixedSettings,
                        when,
                        series,
                        notes);
    }

    private static Problem unknown(ForeignText file) {
        return file.problem(
                1,
                1,
                (file.text().isBlank() ? "is empty" : "is in an unknown format")
                        + "; expected is "
                        + Stream.of(ForeignFormat.values())
                                .map(ForeignFormat::meaning)
                                .collect(Collectors.joining(", or "))
                        + ". Give the format with --format");
    }

    /** Returns the settings and software of a run's cell; empty if the format has none. */
    public Map<String, String> settingsOf(Measurement run) {
        return settings.getOrDefault(new Place(run.scenario(), run.cell()), Map.of());
    }

    /** Returns name and CPUs of the machine, or of all machines; "" if a file does not name its machine. */
    public String machine() {
        return machines.keySet().stream().anyMatch(name -> name.startsWith(UNNAMED)) ? "" : machineWords();
    }

    /** Returns the names of all machines; for those without one, the number of CPUs. */
    public String machineWords() {
        return String.join("; ", machines.keySet());
    }

    /** Returns the default metrics: times and rates, medians and 99th percentiles; means if a run has no median. */
    public static List<String> judged(Collection<Map<String, Double>> runs) {
        Set<String> judged = new LinkedHashSet<>();
        for (Map<String, Double> metrics : runs) {
            for (String metric : metrics.keySet()) {
                if (!metric.startsWith(Metrics.OWN + ".")
                        && (!PARTS.matcher(metric).matches()
                                || JUDGED_PARTS.matcher(metric).matches()
                                || (metric.endsWith(MEAN) && !metrics.containsKey(metric.replace(MEAN, ".p50"))))) {
                    judged.add(metric);
                }
            }
        }
        return List.copyOf(judged);
    }
}
