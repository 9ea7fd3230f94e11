package org.reprobe.trial;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.trial.Mutants.Mutant;

/**
 * Mutation testing of the protocols: every small fault of {@link Mutants}, one at a time, against the configurations that
 * {@code check} explores, for a limited time each.
 *
 * <p>{@code ./run.sh bench ProtocolMutants [SECONDS [SYSTEM [EVERY [DRAWN [FIRST]]]]]}: seconds of CPU time per fault (60), the
 * system (all), the stride over faults (1), the number of random configurations in addition to those of {@code check} (0), and
 * the number of the first fault (0), for new samples: a configuration that alone finds a fault belongs into {@code
 * sharpest-configurations.txt}. Writes {@code results/benchmarks/mutation.md} if all faults of all systems were tried. {@code
 * results/benchmarks/equivalent-mutants.txt} has the reasons why survivors are no faults, {@code
 * results/benchmarks/mutation-bounds.txt} the minimum share of the others to find: below it, this fails.
 */
public final class ProtocolMutants {
    private static final int THREADS = 2;

    private final PrintStream out = System.out;
    private final Map<String, String> equivalent = new LinkedHashMap<>();
    private final Map<String, Double> bounds = new LinkedHashMap<>();

    private ProtocolMutants() {}

    /** Classes with faults, and the systems whose configurations should show them. */
    private record Subject(String name, List<DerivedSystem> systems, List<String> types) {
        private static final String SHARED = "org.reprobe.remote.";

        /** Each system with the classes that no earlier one has, the shared ones, and the checkers. */
        static List<Subject> all() {
            List<Subject> all = new ArrayList<>();
            Set<String> given = new HashSet<>();
            for (DerivedSystem system : AllDerived.SYSTEMS) {
                List<String> types = system.typeNames().stream()
                        .filter(type -> !type.startsWith(SHARED) && given.add(type))
                        .toList();
                List<DerivedSystem> systems = AllDerived.SYSTEMS.stream()
                        .filter(each -> each.trials() == system.trials())
                        .toList();
                all.add(new Subject(system.name(), systems, types));
            }
            List<String> shared = Stream.of("CuckooSearch", "OneSidedLink", "RequestLink", "RequestLoop")
                    .map(SHARED::concat)
                    .toList();
            all.add(new Subject("remote", AllDerived.SYSTEMS, shared));
            all.add(new Subject("checker", List.of(), CheckerHunt.TYPES));
            return all;
        }

        /** Returns true if tests show faults, not configurations. */
        boolean isChecker() {
            return systems.isEmpty();
        }
    }

    /**
     * A tried fault, with the configuration and problem that show it, or null; {@code reached} if any schedule passes its line.
     */
    private record Tried(Mutant mutant, @Nullable String foundBy, boolean reached, double seconds) {}

    public static void main(String[] arguments) throws Exception {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 60;
        String only = arguments.length > 1 ? arguments[1] : "all";
        int every = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 1;
        int drawn = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 0;
        int first = arguments.length > 4 ? Integer.parseInt(arguments[4]) : 0;
        boolean fine = new ProtocolMutants().run(seconds, only, every, drawn, first);
        System.exit(fine ? 0 : 1);
    }

    private boolean run(long seconds, String only, int every, int drawn, int first) throws Exception {
        Path results = Path.of(System.getProperty("reprobe.home", ".")).resolve("results/benchmarks");
        readEquivalent(results.resolve("equivalent-mutants.txt"));
        for (String line : lines(results.resolve("mutation-bounds.txt"))) {
            String[] parts = line.strip().split(" +", -1);
            bounds.put(parts[0], Double.parseDouble(parts[1]));
        }
        StringBuilder table = new StringBuilder("""
            | system | mutants | equivalent | found | of them by the suite's share | survivors | found of those not equivalent | seconds |
            |---|---|---|---|---|---|---|---|
            """);
        StringBuilder lists = new StringBuilder();
        boolean fine = true;
        for (Subject subject : Subject.all()) {
            if (only.equals("all") || only.equals(subject.name())) {
                fine &= run(subject, seconds, every, drawn, first, table, lists);
            }
        }
        String page = """
            # Mutation testing of the protocols

            Made by `./run.sh bench ProtocolMutants %d`: every small fault of `Mutants` (a condition that always or never holds, a
            bound off by one, a call left out, another result, constant or operator) in the classes of each system, one at a time,
            against the configurations that `check --system ...-derived` explores, for at most %d s of CPU time each, two at a
            time. A fault counts as found when a schedule shows a wrong answer, a wrong table, an exception, or clients that wait
            for ever. The suite's share is what `DerivedSystemTest` explores of each derived system. `equivalent-mutants.txt` says
            why a fault is none; `mutation-bounds.txt` what share is to be found at least.

            """.formatted(seconds, seconds) + table + "\n" + lists;
        if (only.equals("all") && every == 1 && first == 0) {
            Files.writeString(results.resolve("mutation.md"), page);
        }
        out.println(page);
        return fine;
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
    }

    /** Reads lines of a fault's words, each followed by an indented reason. */
    private void readEquivalent(Path file) throws IOException {
        List<String> group = new ArrayList<>();
        for (String line : lines(file)) {
            if (line.startsWith(" ")) {
                group.forEach(words -> equivalent.put(words, line.strip()));
                group.clear();
            } else {
                group.add(line);
            }
        }
    }

    private @Nullable String reason(Mutant mutant) {
        String words = mutant.words();
        for (Map.Entry<String, String> each : equivalent.entrySet()) {
            boolean begins = each.getKey().endsWith("*")
                    && words.startsWith(each.getKey().substring(0, each.getKey().length() - 1));
            if (begins || words.equals(each.getKey())) {
                return each.getValue();
            }
        }
        return null;
    }

    private boolean run(
            Subject subject, long seconds, int every, int drawn, int first, StringBuilder table, StringBuilder lists)
            throws InterruptedException {
        List<Mutant> mutants = new ArrayList<>();
        for (String type : subject.types()) {
            mutants.addAll(Mutants.of(type));
        }
        Set<String> configurations = new LinkedHashSet<>();
        Set<String> suite = new LinkedHashSet<>();
        for (DerivedSystem system : subject.systems()) {
            Iterator<String> all = system.configurations();
            for (int i = 0; i < system.usual() && all.hasNext(); i++) {
                String next = all.next();
                configurations.add(next);
                if (i < AllDerived.shareOfSuite(system)) {
                    suite.add(next);
                }
            }
        }
        Set<String> checked = Set.copyOf(configurations);
        for (DerivedSystem system : subject.systems()) {
            configurations.addAll(new DrawnConfigurations(system.kinds(), 1).draw(drawn));
        }
        long start = System.nanoTime();
        MutantHunt hunt = new MutantHunt(configurations, subject.types());
        List<String> wrong = hunt.survey();
        wrong.forEach(each -> out.println("WRONG WITHOUT A FAULT: " + each));
        out.printf(
                "%s: %d faults, %d configurations surveyed in %.0f s%n",
                subject.name(), mutants.size(), configurations.size(), (System.nanoTime() - start) / 1e9);
        List<Tried> tried = new ArrayList<>();
        AtomicInteger next = new AtomicInteger(first);
        start = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.ofPlatform()
                    .start(() -> hunt(subject, hunt, mutants, next, every, seconds, tried, checked)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        boolean all = tried.size() == Math.ceilDiv(mutants.size() - first, every);
        if (!all) {
            out.println("NOT ALL WERE TRIED: " + tried.size());
        }
        return wrong.isEmpty() & all & write(subject, tried, suite, (System.nanoTime() - start) / 1e9, table, lists);
    }

    private void hunt(
            Subject subject,
            MutantHunt hunt,
            List<Mutant> mutants,
            AtomicInteger next,
            int every,
            long seconds,
            List<Tried> tried,
            Set<String> checked) {
        // As many are tried concurrently, sharing the process's CPU time.
        long cpuMs = seconds * THREADS * 1000;
        for (int at = next.getAndAdd(every); at < mutants.size(); at = next.getAndAdd(every)) {
            Mutant mutant = mutants.get(at);
            // What can't be found is not searched for.
            boolean searched = reason(mutant) == null;
            boolean reached = subject.isChecker() || hunt.reaches(mutant);
            long start = System.nanoTime();
            String found;
            try {
                found = !searched || !reached
                        ? null
                        : subject.isChecker() ? CheckerHunt.find(mutant, cpuMs) : hunt.find(mutant, cpuMs);
            } catch (InterruptedException e) {
                return;
            }
            Tried result = new Tried(mutant, found, reached, (System.nanoTime() - start) / 1e9);
            synchronized (tried) {
                tried.add(result);
                out.printf(
                        "%s %6.1f s  %s:%d %s%s%n",
                        found != null
                                ? "found      "
                                : !searched ? "equivalent " : reached ? "SURVIVED   " : "UNREACHED  ",
                        result.seconds(),
                        mutant.type().substring(mutant.type().lastIndexOf('.') + 1),
                        mutant.line(),
                        mutant.words(),
                        found == null ? "" : (checked.contains(configuration(found)) ? "  << " : "  <<NEW ") + found);
                out.flush();
            }
        }
    }

    /** Configuration in the result of {@link MutantHunt#find}. */
    private static String configuration(String found) {
        return found.substring(0, found.indexOf(": "));
    }

    private boolean write(
            Subject subject,
            List<Tried> tried,
            Set<String> suite,
            double seconds,
            StringBuilder table,
            StringBuilder lists) {
        List<Tried> equivalents =
                tried.stream().filter(each -> reason(each.mutant()) != null).toList();
        List<Tried> survivors = tried.stream()
                .filter(each -> each.foundBy() == null && reason(each.mutant()) == null)
                .toList();
        int real = tried.size() - equivalents.size();
        int found = real - survivors.size();
        long bySuite = tried.stream()
                .filter(each -> each.foundBy() != null
                        && (subject.isChecker() || suite.contains(configuration(each.foundBy()))))
                .count();
        double share = real == 0 ? 1 : (double) found / real;
        double bound = bounds.getOrDefault(subject.name(), 1.0);
        table.append("| %s | %d | %d | %d | %d | %d | %.1f %% (bound %.0f %%)%s | %.0f |%n"
                .formatted(
                        subject.name(),
                        tried.size(),
                        equivalents.size(),
                        found,
                        bySuite,
                        survivors.size(),
                        100 * share,
                        100 * bound,
                        share < bound ? " TOO FEW" : "",
                        seconds));
        if (!survivors.isEmpty()) {
            lists.append("## Not found: ").append(subject.name()).append("\n\n");
            survivors.forEach(each -> lists.append("- `")
                    .append(each.mutant().words())
                    .append(each.reached() ? "`\n" : "`: no schedule passes it\n"));
            lists.append('\n');
        }
        return share >= bound;
    }
}
