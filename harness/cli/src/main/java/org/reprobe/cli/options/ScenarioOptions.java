package org.reprobe.cli.options;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.cli.base.Library;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that override settings of scenario files. */
public final class ScenarioOptions {
    /** Names of these options, which influence the results. */
    public static final Set<String> NAMES = Set.of("--set", "--fabric", "--nic", "--scale", "--filter");

    @Option(
            names = "--set",
            paramLabel = "key=value",
            description =
                    "Override a key: --set table.records=1048576. A list makes a sweep: --set clients.threads=[4,28].")
    private List<String> sets = new ArrayList<>();

    @Option(
            names = "--fabric",
            paramLabel = "F",
            converter = Choice.OfFabric.class,
            completionCandidates = Choice.OfFabric.class,
            description = "Fabric to use instead of the scenario's: ${COMPLETION-CANDIDATES}.")
    private @Nullable String fabric;

    @Mixin
    private NicOption nic = new NicOption();

    @Option(
            names = "--scale",
            paramLabel = "quick|full",
            converter = Choice.OfScale.class,
            completionCandidates = Choice.OfScale.class,
            description = "Size of the experiment (default: quick).")
    private @Nullable Scale scale;

    @Option(
            names = "--filter",
            paramLabel = "CELL",
            description =
                    "Only cells whose label has these parts: linear-fixed,load-factor=0.65. Repeated: cells that match any.")
    private List<String> filters = new ArrayList<>();

    /** Reports a list that the shell divided at its blanks, and takes its parts out of the options and words. */
    public void joinLists(List<String> words, List<Problem> problems) {
        for (String set : List.copyOf(sets)) {
            int last = IntStream.range(0, words.size())
                    .filter(i -> words.get(i).endsWith("]"))
                    .findFirst()
                    .orElse(-1);
            if (!set.contains("=[") || set.contains("]") || last < 0) {
                continue;
            }
            int first = last;
            while (first > 0 && words.get(first - 1).endsWith(",")) {
                first--;
            }
            List<String> rest = words.subList(first, last + 1);
            String whole = set + " " + String.join(" ", rest);
            problems.add(Problem.of("--set " + whole, "a list with blanks must be quoted: --set '" + whole + "'"));
            rest.clear();
            sets.remove(set);
        }
    }

    public List<String> sets() {
        return List.copyOf(sets);
    }

    public NicOption nic() {
        return nic;
    }

    public Scale scale() {
        return scale == null ? Scale.QUICK : scale;
    }

    public ScenarioReader.Options forReader(NicOption.Profile profile, List<String> moreSets) {
        List<String> all = new ArrayList<>(sets);
        all.addAll(moreSets);
        return new ScenarioReader.Options(all, fabric, profile.name(), scale(), filters);
    }

    public static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            Set<String> names = new TreeSet<>();
            Library.current().all().forEach((key, file) -> {
                names.add(key.substring(0, key.indexOf('/')));
                names.add(Library.name(file));
            });
            return names.iterator();
        }
    }
}
