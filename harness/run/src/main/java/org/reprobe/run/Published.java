package org.reprobe.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.cards.CardPoint;
import org.reprobe.analysis.cards.CardPoints;
import org.reprobe.analysis.cards.ModelErrors;
import org.reprobe.analysis.claims.Claim;
import org.reprobe.analysis.claims.ClaimFile;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.Comparability;
import org.reprobe.analysis.claims.Paper;
import org.reprobe.analysis.claims.PublishedValue;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.plots.PublishedPoints;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.Scenario.PlannedCell;
import org.reprobe.scenario.ScenarioKeys;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.scenario.StoredSettings;

/**
 * Published numbers that some scenarios reproduce. Claims are in the files' order; {@code points} are measurements of
 * cards, whose claims come last; {@code presumed} has the settings that claims on a scenario assume, claims on others
 * assume nothing.
 */
public record Published(
        List<Paper> papers,
        List<Claim> claims,
        List<CardPoint> points,
        ModelErrors modelErrors,
        Map<String, PresumedSettings> presumed) {
    /** Published numbers for scenarios that reproduce nothing. */
    public static final Published NOTHING = new Published(List.of(), List.of(), List.of(), ModelErrors.NONE, Map.of());

    /** Figure, table or section in a source: "Figure 10a; section 5.3". */
    private static final Pattern PLACE = Pattern.compile("(?i)(table|figure|section)s? (\\d+(?:\\.\\d+)?)");

    public Published {
        papers = List.copyOf(papers);
        claims = List.copyOf(claims);
        points = List.copyOf(points);
        presumed = Map.copyOf(presumed);
    }

    /** Collection of papers and of the scenarios that reproduce them. Each file is read once. */
    public static final class Shelf implements ScenarioReader.Reproducible {
        private final List<Path> published;
        private final List<Path> scenarios;
        private final Path nics;
        private final Map<Path, ClaimFile.Content> read = new HashMap<>();
        private final Map<String, PresumedSettings> presumed = new HashMap<>();
        /** Possible values of {@code reproduces}, by the part before the slash. */
        private final Map<String, Set<String>> names = new HashMap<>();

        /** Creates a collection without reading files; each folder has one file or folder per paper. */
        public Shelf(List<Path> published, List<Path> scenarios, Path nics) {
            this.published = List.copyOf(published);
            this.scenarios = List.copyOf(scenarios);
            this.nics = nics;
        }

        public List<Path> papers() {
            return published.stream()
                    .flatMap(Shelf::list)
                    .filter(file -> file.toString().endsWith(".yaml"))
                    .toList();
        }

        /** Returns a paper's claims, after a check of its names. */
        public synchronized ClaimFile.Content read(Path paper) throws InvalidInputException {
            ClaimFile.Content content = read.get(paper);
            if (content == null) {
                content = ClaimFile.read(
                        paper,
                        new ClaimFile.Names(
                                shipped().keySet(),
                                StoredSettings.defaults().keySet(),
                                Set.copyOf(ScenarioKeys.families()),
                                Metrics.names()));
                read.put(paper, content);
            }
            return content;
        }

        public List<Paper> cited() throws InvalidInputException {
            List<Paper> cited = new ArrayList<>();
            for (Path file : papers()) {
                Paper paper = read(file).paper();
                if (paper.title() != null) {
                    cited.add(paper);
                }
            }
            return cited;
        }

        @Override
        public boolean contains(String name) throws InvalidInputException {
            return names(name.split("/", 2)[0]).contains(name);
        }

        @Override
        public Set<String> all() throws InvalidInputException {
            Set<String> all = new LinkedHashSet<>();
            for (Path file : papers()) {
                all.addAll(names(file.getFileName().toString().replaceFirst("\\.yaml$", "")));
            }
            all.addAll(names(CardPoint.CLAIMS));
            return all;
        }

        private synchronized Set<String> names(String paper) throws InvalidInputException {
            Set<String> known = names.get(paper);
            if (known != null) {
                return known;
            }
            Set<String> all = new LinkedHashSet<>();
            if (paper.equals(CardPoint.CLAIMS)) {
                cards().forEach(file -> all.add(paper + "/" + CardPoints.name(file)));
            }
            for (Path file : papers()) {
                if (file.getFileName().toString().equals(paper + ".yaml")) {
                    for (Claim claim : read(file).claims()) {
                        all.add(paper + "/" + claim.id().split("/", 3)[1]);
                        Matcher places = PLACE.matcher(claim.source());
                        while (places.find()) {
                            all.add(paper + "/" + places.group(1).toLowerCase(Locale.ROOT) + "-" + places.group(2));
                        }
                    }
                }
            }
            names.put(paper, all);
            return all;
        }

        private List<Path> cards() {
            return published.stream()
                    .flatMap(folder -> CardPoints.files(folder).stream())
                    .toList();
        }

        private List<CardPoint> points(String reproduced) throws InvalidInputException {
            for (Path file : cards()) {
                if (reproduced.equals(CardPoint.CLAIMS + "/" + CardPoints.name(file))) {
                    return CardPoints.read(file);
                }
            }
            return List.of();
        }

        private ModelErrors modelErrors() throws InvalidInputException {
            List<ModelErrors.Entry> all = new ArrayList<>();
            for (Path folder : published) {
                all.addAll(ModelErrors.read(folder).entries());
            }
            return new ModelErrors(all);
        }

        /** Returns the settings that claims on a scenario assume; null for an unknown scenario. */
        private synchronized @Nullable PresumedSettings presumed(String scenario) throws InvalidInputException {
            PresumedSettings known = presumed.get(scenario);
            Path file = known == null ? shipped().get(scenario) : null;
            if (file != null) {
                Document document = Document.read(file);
                ScenarioReader reader = new ScenarioReader(nics);
                List<Scenario> scales = new ArrayList<>();
                for (Scale scale : Scale.values()) {
                    scales.add(reader.read(document, ScenarioReader.Options.of(scale)));
                }
                known = new PresumedSettings(scales);
                presumed.put(scenario, known);
            }
            return known;
        }

        private Map<String, Path> shipped() {
            Map<String, Path> files = new LinkedHashMap<>();
            scenarios.stream()
                    .flatMap(folder -> Stream.concat(Stream.of(folder), list(folder)))
                    .filter(Files::isDirectory)
                    .forEach(folder -> list(folder)
                            .filter(file -> file.toString().endsWith(".yaml"))
                            .forEach(file -> files.putIfAbsent(
                                    file.getFileName().toString().replaceFirst("\\.yaml$", ""), file)));
            return files;
        }

        private static Stream<Path> list(Path folder) {
            if (!Files.isDirectory(folder)) {
                return Stream.empty();
            }
            try (Stream<Path> files = Files.list(folder)) {
                return files.sorted().toList().stream();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Reads {@code PAPER.yaml}, if it exists, of papers named in {@code reproduces}, and its claims' settings. */
    public static Published of(List<Scenario> scenarios, Shelf shelf) throws InvalidInputException {
        Map<String, ClaimFile.Content> papers = new LinkedHashMap<>();
        Set<CardPoint> points = new LinkedHashSet<>();
        for (Scenario scenario : scenarios) {
            for (String what : scenario.reproduces()) {
                points.addAll(shelf.points(what));
                int slash = what.indexOf('/');
                String paper = slash < 0 ? what : what.substring(0, slash);
                Path file = shelf.published.stream()
                        .map(folder -> folder.resolve(paper + ".yaml"))
                        .filter(Files::exists)
                        .findFirst()
                        .orElse(null);
                if (!papers.containsKey(paper) && file != null) {
                    ClaimFile.Content content = shelf.read(file);
                    if (!content.paper().name().equals(paper)) {
                        throw new InvalidInputException(
                                List.of(Problem.of(file.toString(), "the paper's name must be the file's, " + paper)));
                    }
                    papers.put(paper, content);
                }
            }
        }
        List<Claim> claims = new ArrayList<>();
        papers.values().forEach(content -> claims.addAll(content.claims()));
        claims.addAll(CardPoints.claims(points));
        Map<String, PresumedSettings> presumed = new HashMap<>();
        for (Scenario scenario : scenarios) {
            PresumedSettings settings = claims.isEmpty() ? null : shelf.presumed(scenario.name());
            if (settings != null) {
                presumed.put(scenario.name(), settings);
            }
        }
        return new Published(
                papers.values().stream().map(ClaimFile.Content::paper).toList(),
                claims,
                List.copyOf(points),
                points.isEmpty() ? ModelErrors.NONE : shelf.modelErrors(),
                presumed);
    }

    /** Returns the cells whose settings are those that claims assume. */
    Comparability comparability(List<Scenario> ran) {
        Map<String, Map<Cell, List<PresumedSettings.Differences>>> differences = new HashMap<>();
        for (Scenario scenario : ran) {
            PresumedSettings settings = presumed.get(scenario.name());
            if (settings != null) {
                Map<Cell, List<PresumedSettings.Differences>> cells =
                        differences.computeIfAbsent(scenario.name(), _ -> new HashMap<>());
                for (PlannedCell cell : scenario.cells()) {
                    cells.computeIfAbsent(cell.cell(), _ -> new ArrayList<>()).add(settings.of(cell));
                }
            }
        }
        return (scenario, cell, metric) -> {
            List<String> all = new ArrayList<>();
            for (PresumedSettings.Differences each :
                    differences.getOrDefault(scenario, Map.of()).getOrDefault(cell, List.of())) {
                all.addAll(each.anyTime());
                if (Metrics.isOfTime(metric)) {
                    all.addAll(each.ofTime());
                }
            }
            return all;
        };
    }

    List<Claim> claimsOf(String scenario) {
        return claims.stream()
                .filter(claim -> claim.quantity().scenarios().equals(Set.of(scenario)))
                .toList();
    }

    /** Returns the published values to draw in a scenario's figures: those whose claims are comparable. */
    PublishedPoints pointsOf(String scenario, List<ClaimResult> results) {
        Set<String> incomparable = new HashSet<>();
        results.stream()
                .filter(result -> result.status() == ClaimResult.Status.NOT_COMPARABLE)
                .forEach(result -> incomparable.add(result.id()));
        return new PublishedPoints(PublishedValue.of(claimsOf(scenario)).stream()
                .filter(value -> !incomparable.contains(value.claim()))
                .map(value -> new PublishedPoints.Point(value.cell(), value.metric(), value.value()))
                .toList());
    }
}
