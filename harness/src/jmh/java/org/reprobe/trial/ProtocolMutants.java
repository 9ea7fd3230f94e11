package org.reprobe.trial;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reprobe.trial.Mutants.Mutant;

/**
 * Mutation testing of the protocols: every small fault of {@link Mutants}, one at a time, against derived configurations, the
 * smallest first, for a limited time each.
 *
 * <p>{@code ./run.sh bench ProtocolMutants [SECONDS [SYSTEM [EVERY]]]}: seconds of exploration for each fault (60), the system
 * (all), and every how manieth fault is tried (1). Writes {@code results/benchmarks-mutation.md} when all systems were tried; the
 * reasons why survivors are no faults are in {@code results/equivalent-mutants.txt}. Fails when less than 95 % of the others
 * were found.
 */
public final class ProtocolMutants {
    private static final int THREADS = 2;
    private static final int CONFIGURATIONS = 3000;

    private final PrintStream out = System.out;
    private final Map<String, String> equivalent = new LinkedHashMap<>();

    private ProtocolMutants() {}

    /**
     * A fault that was tried.
     *
     * @param foundBy configuration and what goes wrong in it; null for a survivor
     */
    private record Tried(Mutant mutant, @Nullable String foundBy, double seconds) {}

    public static void main(String[] arguments) throws Exception {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 60;
        String only = arguments.length > 1 ? arguments[1] : "all";
        int every = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 1;
        boolean fine = new ProtocolMutants().run(seconds, only, every);
        System.exit(fine ? 0 : 1);
    }

    private boolean run(long seconds, String only, int every) throws Exception {
        Path results = Path.of(System.getProperty("reprobe.home", ".")).resolve("results");
        read(results.resolve("equivalent-mutants.txt"));
        StringBuilder page = new StringBuilder("""
                # Mutation testing of the protocols

                Made by `./run.sh bench ProtocolMutants %d %s %d`: every small fault of `Mutants` (a condition that always or never
                holds, a bound off by one, a call left out, another result, constant or operator) in the classes of each system, one
                at a time, against its derived configurations (`check --system ...-derived`), the smallest first, for at most %d s of
                exploration each, two at a time. A fault counts as found when a schedule shows a wrong answer, a wrong table, an
                exception, or clients that wait for ever.

                """.formatted(seconds, only, every, seconds));
        boolean fine = true;
        for (DerivedSystem system : DerivedSystem.values()) {
            if (only.equals("all") || only.equals(system.id())) {
                fine &= run(system, seconds, every, page);
            }
        }
        if (only.equals("all")) {
            Files.writeString(results.resolve("benchmarks-mutation.md"), page);
        } else {
            out.println(page);
        }
        return fine;
    }

    /** Lines of a fault's words, then an indented reason. */
    private void read(Path file) throws IOException {
        List<String> group = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
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

    private boolean run(DerivedSystem system, long seconds, int every, StringBuilder page) throws InterruptedException {
        List<Mutant> mutants = new ArrayList<>();
        for (String type : system.types()) {
            mutants.addAll(Mutants.of(type));
        }
        List<String> configurations = new ArrayList<>();
        Iterator<String> all = system.configurations();
        while (configurations.size() < CONFIGURATIONS && all.hasNext()) {
            configurations.add(all.next());
        }
        MutantHunt hunt = new MutantHunt(configurations);
        List<Tried> tried = new ArrayList<>();
        AtomicInteger next = new AtomicInteger();
        long start = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.ofPlatform().start(() -> hunt(hunt, mutants, next, every, seconds, tried)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return write(system, tried, (System.nanoTime() - start) / 1e9, page);
    }

    private void hunt(
            MutantHunt hunt, List<Mutant> mutants, AtomicInteger next, int every, long seconds, List<Tried> tried) {
        for (int at = next.getAndAdd(every); at < mutants.size(); at = next.getAndAdd(every)) {
            Mutant mutant = mutants.get(at);
            // What can't be found is not searched for.
            boolean searched = reason(mutant) == null;
            long start = System.nanoTime();
            String found;
            try {
                found = searched ? hunt.find(mutant, seconds * 1000) : null;
            } catch (InterruptedException e) {
                return;
            }
            Tried result = new Tried(mutant, found, (System.nanoTime() - start) / 1e9);
            synchronized (tried) {
                tried.add(result);
                out.printf(
                        "%s %6.1f s  %s:%d %s%s%n",
                        found != null ? "found     " : searched ? "SURVIVED  " : "equivalent",
                        result.seconds(),
                        mutant.type().substring(mutant.type().lastIndexOf('.') + 1),
                        mutant.line(),
                        mutant.words(),
                        found == null ? "" : "  << " + found);
                out.flush();
            }
        }
    }

    private boolean write(DerivedSystem system, List<Tried> tried, double seconds, StringBuilder page) {
        List<Tried> equivalents =
                tried.stream().filter(each -> reason(each.mutant()) != null).toList();
        List<Tried> survivors = tried.stream()
                .filter(each -> each.foundBy() == null && reason(each.mutant()) == null)
                .toList();
        int real = tried.size() - equivalents.size();
        int found = real - survivors.size();
        double share = real == 0 ? 1 : (double) found / real;
        page.append("## ").append(system.id()).append("\n\n");
        page.append(
                "%d faults in %.0f s: %d found, %d not (%.1f %% of those that are none of the %d equivalent ones found).%n%n"
                        .formatted(tried.size(), seconds, found, survivors.size(), 100 * share, equivalents.size()));
        if (!survivors.isEmpty()) {
            page.append("Not found:\n\n");
            survivors.forEach(
                    each -> page.append("- `").append(each.mutant().words()).append("`\n"));
            page.append('\n');
        }
        if (!equivalents.isEmpty()) {
            page.append("Equivalent:\n\n");
            Map<String, List<String>> byReason = new LinkedHashMap<>();
            equivalents.forEach(
                    each -> byReason.computeIfAbsent(String.valueOf(reason(each.mutant())), _ -> new ArrayList<>())
                            .add(each.mutant().words()));
            byReason.forEach((why, which) -> {
                page.append("- ").append(why).append('\n');
                which.forEach(words -> page.append("  - `").append(words).append("`\n"));
            });
            page.append('\n');
        }
        return share >= 0.95;
    }
}
