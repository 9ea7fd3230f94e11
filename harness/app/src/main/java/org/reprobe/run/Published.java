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
 * What the papers publish that some scenarios reproduce.
 *
 * @param papers that the claims are of
 * @param claims of all their papers, in the files' order
 * @param presumed the settings that claims on a scenario presume, by the scenario's name; those of others presume nothing
 */
public record Published(List<Paper> papers, List<Claim> claims, Map<String, PresumedSettings> presumed) {
    /** Of scenarios that reproduce nothing. */
    public static final Published NOTHING = new Published(List.of(), List.of(), Map.of());

    /** What a source says that a scenario may name: "Figure 10a; section 5.3". */
    private static final Pattern PLACE = Pattern.compile("(?i)(table|figure|section)s? (\\d+(?:\\.\\d+)?)");

    public Published {
        papers = List.copyOf(papers);
        claims = List.copyOf(claims);
        presumed = Map.copyOf(presumed);
    }

    /** Where papers and the scenarios that reproduce them are. Each file is read once. For one thread. */
    public static final class Shelf {
        private final List<Path> published;
        private final List<Path> scenarios;
        private final Path nics;
        private final Map<Path, ClaimFile.Content> read = new HashMap<>();
        private final Map<String, PresumedSettings> presumed = new HashMap<>();

        /**
         * A shelf of which nothing has been read.
         *
         * @param published folders that hold a file of claims for each paper
         * @param scenarios folders that hold a folder of scenarios for each paper
         * @param nics the folder of NIC profiles
         */
        public Shelf(List<Path> published, List<Path> scenarios, Path nics) {
            this.published = List.copyOf(published);
            this.scenarios = List.copyOf(scenarios);
            this.nics = nics;
        }

        /** All claims files. */
        public List<Path> papers() {
            return published.stream()
                    .flatMap(Shelf::list)
                    .filter(file -> file.toString().endsWith(".yaml"))
                    .toList();
        }

        /** A paper's claims, its names checked. */
        public ClaimFile.Content read(Path paper) throws InvalidInputException {
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

        /** The papers that have a title, in the order of their names. */
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

        /** What scenarios may say that they reproduce: {@code linear-probing/table-1}. */
        public Set<String> reproducible() throws InvalidInputException {
            Set<String> all = new LinkedHashSet<>();
            for (Path file : papers()) {
                ClaimFile.Content content = read(file);
                String paper = content.paper().name();
                for (Claim claim : content.claims()) {
                    all.add(paper + "/" + claim.id().split("/", 3)[1]);
                    Matcher places = PLACE.matcher(claim.source());
                    while (places.find()) {
                        all.add(paper + "/" + places.group(1).toLowerCase(Locale.ROOT) + "-" + places.group(2));
                    }
                }
            }
            return all;
        }

        /** The settings that claims on a scenario presume; null for one that no folder has. */
        private @Nullable PresumedSettings presumed(String scenario) throws InvalidInputException {
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
                    .flatMap(Shelf::list)
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

    /**
     * Reads {@code PAPER.yaml} for every paper named in {@code reproduces}, the part before the slash, and the settings that its
     * claims presume. A paper without a file has no claims.
     *
     * @throws InvalidInputException when a file can't be used
     */
    public static Published of(List<Scenario> scenarios, Shelf shelf) throws InvalidInputException {
        Map<String, ClaimFile.Content> papers = new LinkedHashMap<>();
        for (Scenario scenario : scenarios) {
            for (String what : scenario.reproduces()) {
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
        Map<String, PresumedSettings> presumed = new HashMap<>();
        for (Scenario scenario : scenarios) {
            PresumedSettings settings = papers.isEmpty() ? null : shelf.presumed(scenario.name());
            if (settings != null) {
                presumed.put(scenario.name(), settings);
            }
        }
        return new Published(
                papers.values().stream().map(ClaimFile.Content::paper).toList(), claims, presumed);
    }

    /** Which cells of some runs had the settings that claims presume. */
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

    /** The claims that need no scenario but this one. */
    List<Claim> claimsOf(String scenario) {
        return claims.stream()
                .filter(claim -> claim.quantity().scenarios().equals(Set.of(scenario)))
                .toList();
    }

    /**
     * The values to draw in a scenario's figures.
     *
     * @param results of the claims on it: what is not comparable is not drawn beside it
     */
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
