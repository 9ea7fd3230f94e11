package org.reprobe.trial;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.trial.Mutants.Mutant;

/**
 * Mutation testing of the protocols: every small fault of {@link Mutants}, one at a time, against the configurations
 * that {@code check} explores, for a limited time each.
 *
 * <p>{@code ./run.sh bench ProtocolMutants [SECONDS [SYSTEM [EVERY [DRAWN [FIRST]]]]]}: seconds of CPU time per fault
 * (60), the system (all), the stride over faults (1), the number of random configurations in addition to those of
 * {@code check} (0), and the number of the first fault (0), for new samples: a configuration that alone finds a fault
 * belongs into {@code sharpest-configurations.txt}. Writes {@code results/benchmarks/mutation.md} if all faults of all
 * systems were tried. {@code results/benchmarks/equivalent-mutants.txt} has the reasons why survivors are no faults,
 * {@code results/benchmarks/mutation-bounds.txt} the minimum share of the others to find: below it, this fails.
 */
public final class ProtocolMutants {
    /** CPU time that a test class may take without a fault, in ms; one that takes more is left out. */
    private static final long MAX_TEST_CPU_MS = 120_000;

    private static final int THREADS = Math.min(2, Runtime.getRuntime().availableProcessors());

    private final PrintStream out = System.out;
    private final Map<String, String> equivalent = new LinkedHashMap<>();
    private final Map<String, Double> bounds = new LinkedHashMap<>();
    private final Map<List<String>, Surveyed> surveys = new HashMap<>();
    private final Map<String, TestClass> timed = new HashMap<>();

    ProtocolMutants() {}

    /**
     * Classes that get faults.
     *
     * @param systems whose configurations are to show them
     * @param surveyed classes of all subjects that share a survey of these configurations
     * @param tests that run where no configuration shows a fault: of code that no trial runs
     */
    private record Subject(
            String name, List<DerivedSystem> systems, List<String> types, List<String> surveyed, List<String> tests) {
        private static final String SHARED = "org.reprobe.remote.";
        private static final String FARM = "org.reprobe.farm.";
        private static final List<String> PACKAGES_OF_FARM =
                List.of("memory", "messages", "commit", "table", "transactions", "recovery", "tao");

        /** Tests of each package and of its users. */
        private static final Map<String, List<String>> TESTS_OF_FARM = Map.of(
                "memory",
                        List.of(
                                "memory.WordMapTest",
                                "memory.MemoryMapTest",
                                "memory.MemoryTest",
                                "memory.ObjectReaderTest",
                                "table.ObjectLayoutTest",
                                "table.FarmOperationsTest",
                                "transactions.SmallTransactionsTest",
                                "tao.TaoTest"),
                "messages",
                        List.of(
                                "messages.RingAddressesTest",
                                "messages.MessagingThreadTest",
                                "reads.RandomMessagesTest",
                                "reads.RandomReadsTest",
                                "table.FarmOperationsTest",
                                "transactions.SmallTransactionsTest",
                                "transactions.TransactionsTest"),
                "commit",
                        List.of(
                                "commit.ReplicaLogTest",
                                "commit.LogFileTest",
                                "commit.RestoredObjectsTest",
                                "commit.ObjectAllocationsTest",
                                "table.TableWriterTest",
                                "table.FarmOperationsTest",
                                "transactions.SmallTransactionsTest",
                                "transactions.TransactionsTest"),
                "table",
                        List.of(
                                "table.TableWriterTest",
                                "table.LookupRequestsTest",
                                "table.DrainingTest",
                                "table.TableRegionsTest",
                                "table.FarmOperationsTest"),
                "transactions",
                        List.of(
                                "transactions.PartArrayTest",
                                "transactions.SmallTransactionsTest",
                                "transactions.TransactionsTest"),
                "recovery",
                        List.of(
                                "recovery.MembershipTest",
                                "recovery.RunRecoveryTest",
                                "transactions.SmallTransactionsTest",
                                "transactions.TransactionsTest"),
                "tao", List.of("tao.TaoGraphTest", "tao.TaoTest"));

        static final Pattern CLASSES_OF_FARM = Pattern.compile("org\\.reprobe\\.(farm\\..*|trial\\.LoopBudget)");

        /** Workloads and settings. */
        private static final Set<String> NO_PROTOCOL =
                Set.of("GraphShape", "LinkBench", "TaoMix", "TaoOperation", "TransactionsPlan", "LogDevice");

        /**
         * Each system with the classes that none before it has, what they share, FaRM's packages, and what judges them
         * all.
         */
        static List<Subject> all() {
            List<Subject> all = new ArrayList<>();
            Set<String> given = new HashSet<>();
            for (DerivedSystem system : DerivedSystems.SYSTEMS) {
                List<String> types = system.typeNames().stream()
                        .filter(type -> !type.startsWith(SHARED) && !type.startsWith(FARM) && given.add(type))
                        .toList();
                if (!types.isEmpty()) {
                    all.add(new Subject(system.name(), withTrialsOf(system), types, types, List.of()));
                }
            }
            List<String> shared = Stream.of("CuckooSearch", "OneSidedLink", "RequestLink", "RequestLoop")
                    .map(SHARED::concat)
                    .toList();
            all.add(new Subject("remote", DerivedSystems.SYSTEMS, shared, shared, List.of()));
            all.addAll(ofFarm(DerivedSystems.named("farm-transactions")));
            all.add(new Subject("checker", List.of(), CheckerMutationRun.TYPES, List.of(), List.of()));
            return all;
        }

        private static List<DerivedSystem> withTrialsOf(DerivedSystem system) {
            return DerivedSystems.SYSTEMS.stream()
                    .filter(each -> each.trials() == system.trials())
                    .toList();
        }

        private static List<Subject> ofFarm(DerivedSystem system) {
            Map<String, List<String>> types = new LinkedHashMap<>();
            for (String each : PACKAGES_OF_FARM) {
                types.put(each, types(system.trials(), FARM + each));
            }
            List<String> surveyed =
                    types.values().stream().flatMap(List::stream).toList();
            return types.entrySet().stream()
                    .map(each -> new Subject(
                            "farm-" + each.getKey(),
                            withTrialsOf(system),
                            each.getValue(),
                            surveyed,
                            Stream.concat(TESTS_OF_FARM.get(each.getKey()).stream(), Stream.of("EarlierResultsTest"))
                                    .map(FARM::concat)
                                    .toList()))
                    .toList();
        }

        /** The outermost classes of a package of the module that a class is in. */
        private static List<String> types(Class<?> ofModule, String name) {
            try {
                Path module = Path.of(ofModule.getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI());
                if (Files.isDirectory(module)) {
                    return types(module.resolve(name.replace('.', '/')), name);
                }
                try (FileSystem jar = FileSystems.newFileSystem(module)) {
                    return types(jar.getPath(name.replace('.', '/')), name);
                }
            } catch (IOException | URISyntaxException e) {
                throw new IllegalStateException("the classes of " + name + " can't be listed", e);
            }
        }

        private static List<String> types(Path folder, String name) throws IOException {
            try (Stream<Path> files = Files.list(folder)) {
                return files.map(file -> file.getFileName().toString())
                        .filter(file -> file.endsWith(".class") && !file.contains("$") && !file.contains("-"))
                        .map(file -> file.replace(".class", ""))
                        .filter(type -> !NO_PROTOCOL.contains(type))
                        .sorted()
                        .map(type -> name + "." + type)
                        .toList();
            }
        }

        /** Shown by tests, not by configurations. */
        boolean isChecker() {
            return systems.isEmpty();
        }

        boolean isChosen(String only) {
            return Set.of(only.split(",", -1)).stream()
                    .anyMatch(each -> each.equals("all")
                            || each.equals(name)
                            || (each.equals("farm") && name.startsWith("farm-")));
        }
    }

    /**
     * A fault that was tried.
     *
     * @param foundBy configuration, or test, and what goes wrong in it; null for a survivor
     * @param byTest whether only a test shows it
     * @param reached whether any schedule passes its line
     */
    private record Tried(Mutant mutant, @Nullable String foundBy, boolean byTest, boolean reached, double seconds) {}

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
        List<String> unmatched = unmatched(results.resolve("equivalent-mutants.txt"));
        if (!unmatched.isEmpty()) {
            out.println("equivalent-mutants.txt has entries that match no fault: correct or remove them");
            unmatched.forEach(entry -> out.println("  " + entry));
            return false;
        }
        for (String line : lines(results.resolve("mutation-bounds.txt"))) {
            String[] parts = line.strip().split(" +", -1);
            bounds.put(parts[0], Double.parseDouble(parts[1]));
        }
        StringBuilder table = new StringBuilder("""
            | system | mutants | equivalent | found | of them by the suite's share | by unit tests alone | survivors | found of those not equivalent | seconds |
            |---|---|---|---|---|---|---|---|---|
            """);
        StringBuilder lists = new StringBuilder();
        boolean fine = true;
        for (Subject subject : Subject.all()) {
            if (subject.isChosen(only)) {
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
        String words = mutant.text();
        for (Map.Entry<String, String> each : equivalent.entrySet()) {
            if (matches(each.getKey(), words)) {
                return each.getValue();
            }
        }
        return null;
    }

    private static boolean matches(String entry, String words) {
        return entry.endsWith("*")
                ? words.startsWith(entry.substring(0, entry.length() - 1)) || words.equals(entry)
                : words.equals(entry);
    }

    /** Returns the entries of equivalent faults that match no fault of any subject, as after a method was renamed. */
    List<String> unmatched(Path file) throws IOException {
        readEquivalent(file);
        List<String> unmatched = new ArrayList<>(equivalent.keySet());
        for (Subject subject : Subject.all()) {
            for (String type : subject.types()) {
                for (Mutant mutant : Mutants.of(type)) {
                    String words = mutant.text();
                    unmatched.removeIf(entry -> matches(entry, words));
                }
            }
        }
        return unmatched;
    }

    private boolean run(
            Subject subject, long seconds, int every, int drawn, int first, StringBuilder table, StringBuilder lists)
            throws InterruptedException {
        List<Mutant> mutants = new ArrayList<>();
        for (String type : subject.types()) {
            mutants.addAll(Mutants.of(type));
        }
        Surveyed surveyed = survey(subject, drawn);
        MutantExploration hunt = surveyed.hunt;
        List<Tried> tried = new ArrayList<>();
        AtomicInteger next = new AtomicInteger(first);
        if (!subject.isChecker()) {
            String coverage = coverage(subject, hunt);
            out.println(coverage);
            lists.append(coverage).append('\n');
        }
        List<TestClass> tests = tests(subject);
        out.printf("%s: %d faults; tests: %s%n", subject.name(), mutants.size(), tests);
        long start = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.ofPlatform()
                    .start(() -> hunt(subject, hunt, mutants, next, every, seconds, tried, surveyed.checked, tests)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        boolean all = tried.size() == Math.ceilDiv(mutants.size() - first, every);
        if (!all) {
            out.println("NOT ALL WERE TRIED: " + tried.size());
        }
        double took = (System.nanoTime() - start) / 1e9;
        return surveyed.fine & all & write(subject, tried, surveyed.suite, took, table, lists);
    }

    /**
     * Test class with its limit of CPU time.
     *
     * @param cpuMs several times the CPU time that it takes without a fault, in ms
     */
    private record TestClass(String name, long cpuMs) {}

    /** Returns the tests of a subject that pass in time without a fault, the fastest first. */
    private List<TestClass> tests(Subject subject) throws InterruptedException {
        Mutant none = new Mutant(subject.types().getFirst(), "", 0, -1, "", "");
        for (String name : subject.tests()) {
            if (!timed.containsKey(name)) {
                timed.put(name, time(name, none));
            }
        }
        return subject.tests().stream()
                .map(timed::get)
                .filter(test -> test.cpuMs() > 0)
                .sorted(Comparator.comparingLong(TestClass::cpuMs))
                .toList();
    }

    /** Runs a test class; its limit is 0 if it fails or takes too long. */
    private TestClass time(String name, Mutant none) throws InterruptedException {
        long begin = MutantExploration.cpuNs();
        String failure = CheckerMutationRun.find(none, Subject.CLASSES_OF_FARM, List.of(name), MAX_TEST_CPU_MS);
        if (failure != null) {
            out.println(name + " is left out: " + failure);
            return new TestClass(name, 0);
        }
        // Those of several threads share the process's CPU time.
        return new TestClass(name, (MutantExploration.cpuNs() - begin) / 1_000_000 * (1 + 2L * THREADS) + 5_000);
    }

    /**
     * Configurations that were explored without a fault.
     *
     * @param checked by {@code check}
     * @param suite by the tests
     * @param fine whether nothing was wrong
     */
    private record Surveyed(MutantExploration hunt, Set<String> checked, Set<String> suite, boolean fine) {}

    /** Surveys the configurations of a subject's systems, once for all subjects that have them. */
    private Surveyed survey(Subject subject, int drawn) throws InterruptedException {
        Surveyed known = surveys.get(subject.surveyed());
        if (known != null) {
            return known;
        }
        Set<String> configurations = new LinkedHashSet<>();
        Set<String> suite = new LinkedHashSet<>();
        for (DerivedSystem system : subject.systems()) {
            Iterator<String> all = system.configurations();
            for (int i = 0; i < system.usual() && all.hasNext(); i++) {
                String next = all.next();
                configurations.add(next);
                if (i < DerivedSystems.shareOfSuite(system)) {
                    suite.add(next);
                }
            }
        }
        if (subject.name().startsWith("farm-")) {
            DerivedSystems.picked(subject.systems().getFirst()).stream()
                    .filter(picked -> !picked.printed())
                    .map(CheckedSystem::name)
                    .forEach(configurations::add);
        }
        Set<String> checked = Set.copyOf(configurations);
        for (DerivedSystem system : subject.systems()) {
            configurations.addAll(new DrawnConfigurations(system.kinds(), 1).draw(drawn));
        }
        long start = System.nanoTime();
        MutantExploration hunt = new MutantExploration(configurations, subject.surveyed());
        List<String> wrong = hunt.survey();
        wrong.forEach(each -> out.println("WRONG WITHOUT A FAULT: " + each));
        out.printf(
                "%s: %d configurations surveyed in %.0f s%n",
                subject.name(), configurations.size(), (System.nanoTime() - start) / 1e9);
        Surveyed survey = new Surveyed(hunt, checked, suite, wrong.isEmpty());
        surveys.put(subject.surveyed(), survey);
        return survey;
    }

    /**
     * Returns by class how many ways out of its decisions some schedule takes, and how many faults would make a
     * difference.
     */
    private static String coverage(Subject subject, MutantExploration hunt) {
        StringBuilder table = new StringBuilder(
                "## Explored: %s%n%n| class | branches | taken | faults | met |%n|---|---|---|---|---|%n"
                        .formatted(subject.name()));
        for (String type : subject.types()) {
            List<Mutant> all = Mutants.of(type);
            List<Mutant> branches = all.stream()
                    .filter(mutant -> mutant.what().startsWith("jumps"))
                    .toList();
            if (!all.isEmpty()) {
                table.append("| %s | %d | %d | %d | %d |%n"
                        .formatted(
                                type.substring(type.lastIndexOf('.') + 1),
                                branches.size(),
                                branches.stream().filter(hunt::reaches).count(),
                                all.size(),
                                all.stream().filter(hunt::reaches).count()));
            }
        }
        return table.toString();
    }

    private void hunt(
            Subject subject,
            MutantExploration hunt,
            List<Mutant> mutants,
            AtomicInteger next,
            int every,
            long seconds,
            List<Tried> tried,
            Set<String> checked,
            List<TestClass> tests) {
        // As many are tried at a time, which share the process's CPU time.
        long cpuMs = seconds * THREADS * 1000;
        for (int at = next.getAndAdd(every); at < mutants.size(); at = next.getAndAdd(every)) {
            Mutant mutant = mutants.get(at);
            // What can't be found is not searched for.
            boolean searched = reason(mutant) == null;
            boolean reached = subject.isChecker() || hunt.reaches(mutant);
            long start = System.nanoTime();
            String found;
            boolean byTest = false;
            try {
                found = !searched || !reached
                        ? null
                        : subject.isChecker() ? CheckerMutationRun.find(mutant, cpuMs) : hunt.find(mutant, cpuMs);
                for (int i = 0; i < tests.size() && searched && found == null; i++) {
                    TestClass test = tests.get(i);
                    found = CheckerMutationRun.find(
                            mutant, Subject.CLASSES_OF_FARM, List.of(test.name()), test.cpuMs());
                    byTest = found != null;
                }
            } catch (InterruptedException e) {
                return;
            }
            Tried result = new Tried(mutant, found, byTest, reached, (System.nanoTime() - start) / 1e9);
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
                        mutant.text(),
                        found == null
                                ? ""
                                : (byTest ? "  <<TEST " : checked.contains(configuration(found)) ? "  << " : "  <<NEW ")
                                        + found);
                out.flush();
            }
        }
    }

    /** Configuration in the result of {@link MutantExploration#find}. */
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
        long byTests = tried.stream().filter(Tried::byTest).count();
        long bySuite = tried.stream()
                .filter(each -> each.foundBy() != null
                        && !each.byTest()
                        && (subject.isChecker() || suite.contains(configuration(each.foundBy()))))
                .count();
        double share = real == 0 ? 1 : (double) found / real;
        double bound = bounds.getOrDefault(subject.name(), 1.0);
        table.append("| %s | %d | %d | %d | %d | %d | %d | %.1f %% (bound %.0f %%)%s | %.0f |%n"
                .formatted(
                        subject.name(),
                        tried.size(),
                        equivalents.size(),
                        found,
                        bySuite,
                        byTests,
                        survivors.size(),
                        100 * share,
                        100 * bound,
                        share < bound ? " TOO FEW" : "",
                        seconds));
        if (!survivors.isEmpty()) {
            lists.append("## Not found: ").append(subject.name()).append("\n\n");
            survivors.forEach(each -> lists.append("- line ")
                    .append(each.mutant().line())
                    .append(" `")
                    .append(each.mutant().text())
                    .append(each.reached() ? "`\n" : "`: no schedule passes it\n"));
            lists.append('\n');
        }
        return share >= bound;
    }
}
