package org.reprobe.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.TransactionHistory.Access;
import org.reprobe.check.TransactionHistory.Entry;

/**
 * Strict serializability checker (Papadimitriou, "The serializability of concurrent database updates", JACM 1979). A
 * history is correct if a serial order explains all reads. In this order a transaction that ended before another's
 * start must precede it.
 *
 * <p>If each value is written once and each write follows a read of the key, as in FaRM, the reads determine the order
 * of all versions. The history is then correct if and only if the precedence graph has no cycle (Adya, Liskov, O'Neil,
 * "Generalized isolation level definitions", ICDE 2000; Kingsbury, Alvaro, "Elle", VLDB 2020). This check takes nearly
 * linear time; the counterexample is a shortest cycle. For other histories an order is searched as by
 * {@link LinearizabilityCheck}, in exponential time in the worst case.
 *
 * <p>A transaction without a reply may or may not have committed. It counts as committed if a committed transaction has
 * read its writes.
 */
public final class StrictSerializabilityCheck {
    private final Map<Long, Long> before;
    private final long bound;

    public StrictSerializabilityCheck(Map<Long, Long> before) {
        this(before, Long.MAX_VALUE);
    }

    /** @param bound maximum number of configurations if reads do not determine the order of versions */
    public StrictSerializabilityCheck(Map<Long, Long> before, long bound) {
        this.before = Map.copyOf(before);
        this.bound = bound;
    }

    public sealed interface Outcome {
        record Serializable() implements Outcome {}

        record NotSerializable(String words) implements Outcome {}

        record Undecided() implements Outcome {}
    }

    public Outcome check(TransactionHistory history) {
        Graph graph = new Graph(before, history.transactions());
        if (graph.knowsVersions()) {
            return graph.judge();
        }
        return search(history);
    }

    /** Checks by search, even if reads determine the order. */
    Outcome search(TransactionHistory history) {
        List<Entry> transactions = history.transactions();
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < transactions.size(); i++) {
            Entry each = transactions.get(i);
            Operation operation = each.writes().isEmpty() ? Operation.READ : Operation.TRANSACTION;
            events.add(new Event(each.client(), operation, i, 0, 0, Event.DONE, each.invoked(), each.returned()));
        }
        Verdict verdict = new LinearizabilityCheck<>(new Keys(transactions), bound).check(new History(events));
        return switch (verdict) {
            case Verdict.Linearizable _ -> new Outcome.Serializable();
            case Verdict.Undecided _ -> new Outcome.Undecided();
            case Verdict.NotLinearizable not -> {
                StringBuilder words = new StringBuilder("No order of these transactions explains that of client "
                        + not.culprit().client() + " which is the last to end:\n");
                not.part().events().forEach(event -> line(words, transactions.get((int) event.key())));
                yield new Outcome.NotSerializable(words.toString());
            }
        };
    }

    private static void line(StringBuilder words, Entry entry) {
        words.append("  ").append(entry.text()).append('\n');
    }

    /** Model with the values of changed keys as state; an event is a transaction, its key the transaction's index. */
    private final class Keys implements Model<Map<Long, Long>> {
        private final List<Entry> transactions;

        Keys(List<Entry> transactions) {
            this.transactions = transactions;
        }

        @Override
        public Map<Long, Long> initial() {
            return Map.of();
        }

        @Override
        public @Nullable Map<Long, Long> after(Map<Long, Long> state, Event event) {
            Entry transaction = transactions.get((int) event.key());
            for (Access read : transaction.reads()) {
                Long now = state.get(read.key());
                if ((now == null ? atFirst(before, read.key()) : now) != read.value()) {
                    return null;
                }
            }
            if (transaction.writes().isEmpty()) {
                return state;
            }
            Map<Long, Long> after = new HashMap<>(state);
            transaction.writes().forEach(write -> after.put(write.key(), write.value()));
            return after;
        }

        @Override
        public boolean eachKeyForItself() {
            return false;
        }
    }

    private static long atFirst(Map<Long, Long> before, long key) {
        return before.getOrDefault(key, Event.ABSENT);
    }

    /** Precedence graph; each edge has a reason. Transactions are numbered in order of their start. */
    private static final class Graph {
        private static final int NONE = -1;

        private final List<Entry> transactions;
        private final Map<Long, Long> before;
        private final Map<Access, Integer> writers = new HashMap<>();
        /** Transactions that replaced each version: one, unless an update was lost. */
        private final Map<Access, List<Integer>> replaced = new HashMap<>();

        private final boolean unique;
        private boolean ordered = true;
        private boolean[] counts = {};
        /** Successors of each transaction, with the reason; without those that merely started after its end. */
        private final List<Map<Integer, String>> later = new ArrayList<>();

        Graph(Map<Long, Long> before, List<Entry> transactions) {
            this.before = before;
            this.transactions = transactions;
            boolean once = true;
            for (int i = 0; i < transactions.size(); i++) {
                later.add(new HashMap<>());
                for (Access write : transactions.get(i).writes()) {
                    once &= write.value() != atFirst(before, write.key()) && writers.put(write, i) == null;
                }
            }
            this.unique = once;
        }

        /** Returns true if each value is written once and reads determine which version each write replaces. */
        boolean knowsVersions() {
            if (!unique) {
                return false;
            }
            counts = committed();
            for (int i = 0; i < transactions.size(); i++) {
                if (!counts[i]) {
                    continue;
                }
                for (Access write : transactions.get(i).writes()) {
                    List<Access> read = transactions.get(i).reads().stream()
                            .filter(each -> each.key() == write.key())
                            .toList();
                    ordered &= !read.isEmpty();
                    for (Access version : read) {
                        replaced.computeIfAbsent(version, _ -> new ArrayList<>())
                                .add(i);
                    }
                }
            }
            return ordered;
        }

        /** Returns true, by transaction, if it was reported as committed or a committed one has read its writes. */
        private boolean[] committed() {
            boolean[] known = new boolean[transactions.size()];
            Queue<Integer> more = new ArrayDeque<>();
            for (int i = 0; i < known.length; i++) {
                if (!transactions.get(i).pending()) {
                    known[i] = true;
                    more.add(i);
                }
            }
            for (Integer next = more.poll(); next != null; next = more.poll()) {
                for (Access read : transactions.get(next).reads()) {
                    Integer writer = writers.get(read);
                    if (writer != null && !known[writer]) {
                        known[writer] = true;
                        more.add(writer);
                    }
                }
            }
            return known;
        }

        Outcome judge() {
            for (int i = 0; i < transactions.size(); i++) {
                if (!counts[i]) {
                    continue;
                }
                for (Access read : transactions.get(i).reads()) {
                    Integer writer = writers.get(read);
                    boolean elsewhere = writer == null ? read.value() == atFirst(before, read.key()) : writer != i;
                    if (!elsewhere) {
                        return new Outcome.NotSerializable(
                                "No other committed transaction has written the value of key %d that is read:\n  %s"
                                        .formatted(
                                                read.key(), transactions.get(i).text()));
                    }
                    if (writer != null) {
                        edge(writer, i, "wrote " + read.text() + ", which is read by");
                    }
                    for (int next : replaced.getOrDefault(read, List.of())) {
                        edge(i, next, "read " + read.text() + ", which is replaced by");
                    }
                }
            }
            List<Integer> cycle = shortestCycle();
            return cycle.isEmpty() ? new Outcome.Serializable() : new Outcome.NotSerializable(text(cycle));
        }

        private void edge(int from, int to, String why) {
            if (from != to) {
                later.get(from).putIfAbsent(to, why);
            }
        }

        private String text(List<Integer> cycle) {
            StringBuilder words = new StringBuilder("No order explains these transactions:\n");
            for (int i = 0; i < cycle.size(); i++) {
                int from = cycle.get(i);
                int to = cycle.get((i + 1) % cycle.size());
                line(words, transactions.get(from));
                String why = later.get(from).get(to);
                words.append("    ")
                        .append(why == null ? "ended before the start of" : why)
                        .append('\n');
            }
            return words.append("  the first of these\n").toString();
        }

        private List<Integer> shortestCycle() {
            boolean[] inCycle = inCycles();
            int[] byBeginning =
                    IntStream.range(0, inCycle.length).filter(i -> inCycle[i]).toArray();
            List<Integer> shortest = List.of();
            for (int start : byBeginning) {
                int below = shortest.isEmpty() ? Integer.MAX_VALUE : shortest.size();
                List<Integer> found = cycleThrough(start, inCycle, byBeginning, below);
                shortest = found.isEmpty() ? shortest : found;
                if (shortest.size() == 2) {
                    break;
                }
            }
            return shortest;
        }

        /**
         * Returns the shortest cycle through {@code start} with fewer than {@code below} transactions, by breadth-first
         * search. The transactions that started after another's end are a suffix in order of start, so each is visited
         * once.
         */
        private List<Integer> cycleThrough(int start, boolean[] inCycle, int[] byBeginning, int below) {
            int[] reachedFrom = new int[transactions.size()];
            int[] steps = new int[transactions.size()];
            Arrays.fill(reachedFrom, NONE);
            int reachedByTime = byBeginning.length;
            Queue<Integer> reached = new ArrayDeque<>();
            reached.add(start);
            for (Integer from = reached.poll();
                    from != null && steps[from] + 1 < below && reachedFrom[start] == NONE;
                    from = reached.poll()) {
                for (int to : later.get(from).keySet()) {
                    if (inCycle[to]) {
                        reach(from, to, reachedFrom, steps, reached);
                    }
                }
                long ended = transactions.get(from).returned();
                while (reachedByTime > 0
                        && transactions.get(byBeginning[reachedByTime - 1]).invoked() > ended) {
                    reach(from, byBeginning[--reachedByTime], reachedFrom, steps, reached);
                }
            }
            List<Integer> cycle = new ArrayList<>();
            for (int at = reachedFrom[start]; at != NONE && at != start; at = reachedFrom[at]) {
                cycle.addFirst(at);
            }
            if (reachedFrom[start] != NONE) {
                cycle.addFirst(start);
            }
            return cycle;
        }

        private static void reach(int from, int to, int[] reachedFrom, int[] steps, Queue<Integer> reached) {
            if (reachedFrom[to] == NONE) {
                reachedFrom[to] = from;
                steps[to] = steps[from] + 1;
                reached.add(to);
            }
        }

        /**
         * Marks the transactions on cycles, and their successors: those that are left after repeatedly removing
         * transactions without predecessors (Kahn, CACM 1962).
         */
        private boolean[] inCycles() {
            boolean[] left = counts.clone();
            int[] waitsFor = new int[left.length];
            later.forEach(edges -> edges.keySet().forEach(to -> waitsFor[to]++));
            int[] byEnd = IntStream.range(0, left.length)
                    .boxed()
                    .sorted(Comparator.comparingLong(i -> transactions.get(i).returned()))
                    .mapToInt(i -> i)
                    .toArray();
            Queue<Integer> free = new ArrayDeque<>();
            int firstEnd = 0;
            int begun = 0;
            boolean goesOn = true;
            while (goesOn) {
                while (firstEnd < byEnd.length && !left[byEnd[firstEnd]]) {
                    firstEnd++;
                }
                // A remaining transaction that started before the first end of a remaining one has no predecessor by
                // time.
                long until = firstEnd == byEnd.length
                        ? Long.MAX_VALUE
                        : transactions.get(byEnd[firstEnd]).returned();
                for (; begun < left.length && transactions.get(begun).invoked() <= until; begun++) {
                    if (left[begun] && waitsFor[begun] == 0) {
                        free.add(begun);
                    }
                }
                goesOn = !free.isEmpty();
                for (Integer out = free.poll(); out != null; out = free.poll()) {
                    left[out] = false;
                    for (int to : later.get(out).keySet()) {
                        if (--waitsFor[to] == 0 && to < begun && left[to]) {
                            free.add(to);
                        }
                    }
                }
            }
            return left;
        }
    }
}
