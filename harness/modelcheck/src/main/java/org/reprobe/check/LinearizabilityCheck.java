package org.reprobe.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Linearizability checker: the search of Wing and Gong ("Testing and verifying concurrent objects", JPDC 1993) with
 * Lowe's cache of configurations ("Testing for linearizability", CCPE 2017) and the partition by keys of Horn and
 * Kroening ("Faster linearizability checking via P-compositionality", FORTE 2015). A pending operation is placed
 * anywhere after its invocation, or nowhere. A completed operation without effect is placed as early as possible.
 *
 * <p>The time is exponential in the number of overlapping operations in the worst case, and nearly linear in practice.
 */
public final class LinearizabilityCheck<S> {
    private final Model<S> model;
    private final long bound;

    public LinearizabilityCheck(Model<S> model) {
        this(model, Long.MAX_VALUE);
    }

    /**
     * @param bound maximum number of configurations (set of placed operations, state) per key; beyond it the result is
     *     undecided
     */
    public LinearizabilityCheck(Model<S> model, long bound) {
        this.model = model;
        this.bound = bound;
    }

    /** Searches for an order. A part without any order decides the result, even if another part is undecided. */
    public Verdict check(History history) {
        Verdict verdict = new Verdict.Linearizable();
        for (List<Event> part : parts(history)) {
            Search<S> search = new Search<>(model, bound, part);
            switch (search.run()) {
                case FOUND -> {}
                case NONE -> {
                    return shortest(part);
                }
                case UNDECIDED -> verdict = new Verdict.Undecided(search.seen.size());
            }
        }
        return verdict;
    }

    private List<List<Event>> parts(History history) {
        if (!model.eachKeyForItself()) {
            return List.of(history.events());
        }
        Map<Long, List<Event>> parts = new LinkedHashMap<>();
        history.events()
                .forEach(event -> parts.computeIfAbsent(event.key(), _ -> new ArrayList<>())
                        .add(event));
        return List.copyOf(parts.values());
    }

    /** Finds the first return that no order explains, by binary search: prefixes of linearizable histories are too. */
    private Verdict shortest(List<Event> part) {
        List<Event> byReturn = part.stream()
                .filter(event -> !event.pending())
                .sorted(Comparator.comparingLong(Event::returned))
                .toList();
        int explained = 0;
        int tooMany = byReturn.size();
        while (tooMany - explained > 1) {
            int middle = (explained + tooMany) >>> 1;
            if (new Search<>(model, bound, firstReturns(part, byReturn, middle)).run() == Result.NONE) {
                tooMany = middle;
            } else {
                explained = middle;
            }
        }
        List<Event> known = firstReturns(part, byReturn, tooMany);
        return new Verdict.NotLinearizable(new History(known), byReturn.get(tooMany - 1));
    }

    /** Returns the history of the first {@code returns} returns: other operations invoked by then are pending. */
    private static List<Event> firstReturns(List<Event> part, List<Event> byReturn, int returns) {
        Set<Event> returned = Collections.newSetFromMap(new IdentityHashMap<>());
        returned.addAll(byReturn.subList(0, returns));
        long time = byReturn.get(returns - 1).returned();
        return part.stream()
                .filter(event -> event.invoked() <= time)
                .map(event -> returned.contains(event)
                        ? event
                        : new Event(
                                event.client(),
                                event.operation(),
                                event.key(),
                                event.argument(),
                                event.expected(),
                                0,
                                event.invoked(),
                                Event.PENDING))
                .toList();
    }

    private enum Result {
        FOUND,
        NONE,
        UNDECIDED
    }

    /**
     * Search over a doubly linked list of invocations and returns, ordered by time. Node i is the invocation of event
     * i, node n + i its return; completed events have the lowest numbers.
     */
    private static final class Search<S> {
        private final Model<S> model;
        private final long bound;
        private final List<Event> events;
        private final int completed;
        private final boolean[] changesNothing;
        private final int head;
        private final int[] next;
        private final int[] previous;
        private final long[] done;
        private final Set<Configuration> seen = new HashSet<>();

        Search(Model<S> model, long bound, List<Event> part) {
            this.model = model;
            this.bound = bound;
            events = part.stream()
                    .sorted(Comparator.comparing(Event::pending).thenComparingLong(Event::invoked))
                    .toList();
            int n = events.size();
            completed = (int) events.stream().filter(event -> !event.pending()).count();
            changesNothing = new boolean[n];
            for (int i = 0; i < n; i++) {
                changesNothing[i] = events.get(i).changesNothing();
            }
            head = 2 * n;
            next = new int[2 * n + 1];
            previous = new int[2 * n + 1];
            done = new long[(n + 63) / 64];
            link(nodesInOrder());
        }

        /** Returns the nodes by time; at equal times invocations precede returns, so that operations overlap. */
        private int[] nodesInOrder() {
            int n = events.size();
            List<Integer> nodes = new ArrayList<>(n + completed);
            for (int i = 0; i < n; i++) {
                nodes.add(i);
                if (i < completed) {
                    nodes.add(n + i);
                }
            }
            nodes.sort(Comparator.<Integer>comparingLong(node -> node < n
                            ? events.get(node).invoked()
                            : events.get(node - n).returned())
                    .thenComparing(node -> node >= n));
            return nodes.stream().mapToInt(Integer::intValue).toArray();
        }

        private void link(int[] nodes) {
            int last = head;
            for (int node : nodes) {
                next[last] = node;
                previous[node] = last;
                last = node;
            }
            next[last] = head;
            previous[head] = last;
        }

        Result run() {
            int n = events.size();
            int[] stack = new int[n];
            boolean[] only = new boolean[n];
            List<S> states = new ArrayList<>();
            int depth = 0;
            int left = completed;
            S state = model.initial();
            int node = next[head];
            boolean fresh = true;
            while (left > 0) {
                // A candidate that changes nothing and has the recorded result is placed here; alternatives need not be
                // tried.
                int idle = fresh ? idle(state) : head;
                fresh = false;
                if (idle != head) {
                    node = idle;
                }
                if (node < n) {
                    S after = model.after(state, events.get(node));
                    boolean useful = after != null && (node < completed || !after.equals(state));
                    if (after != null && useful) {
                        done[node >>> 6] |= 1L << node;
                        if (seen.add(new Configuration(done, after))) {
                            if (seen.size() > bound) {
                                return Result.UNDECIDED;
                            }
                            only[depth] = idle == node;
                            stack[depth++] = node;
                            states.add(state);
                            state = after;
                            takeOut(node);
                            left -= node < completed ? 1 : 0;
                            node = next[head];
                            fresh = true;
                            continue;
                        }
                        done[node >>> 6] &= ~(1L << node);
                    }
                    if (idle != node) {
                        node = next[node];
                        continue;
                    }
                }
                // At a return no further candidates follow: the next operation must have been invoked before it. If all
                // were tried, the search goes back.
                do {
                    if (depth == 0) {
                        return Result.NONE;
                    }
                    node = stack[--depth];
                    state = states.removeLast();
                    done[node >>> 6] &= ~(1L << node);
                    left += node < completed ? 1 : 0;
                    putBack(node);
                } while (only[depth]);
                node = next[node];
            }
            return Result.FOUND;
        }

        /** Returns a candidate that changes nothing and has the recorded result; {@link #head} if there is none. */
        private int idle(S state) {
            int n = events.size();
            for (int node = next[head]; node < n; node = next[node]) {
                if (changesNothing[node] && model.after(state, events.get(node)) != null) {
                    return node;
                }
            }
            return head;
        }

        private void takeOut(int node) {
            unlink(node);
            if (node < completed) {
                unlink(events.size() + node);
            }
        }

        private void putBack(int node) {
            if (node < completed) {
                relink(events.size() + node);
            }
            relink(node);
        }

        private void unlink(int node) {
            next[previous[node]] = next[node];
            previous[next[node]] = previous[node];
        }

        private void relink(int node) {
            next[previous[node]] = node;
            previous[next[node]] = node;
        }
    }

    /** Set of placed operations, without leading full words, and the resulting state. */
    private static final class Configuration {
        private final int full;
        private final long[] rest;
        private final Object state;
        private final int hash;

        Configuration(long[] done, Object state) {
            int from = 0;
            while (from < done.length && done[from] == -1) {
                from++;
            }
            int to = done.length;
            while (to > from && done[to - 1] == 0) {
                to--;
            }
            this.full = from;
            this.rest = Arrays.copyOfRange(done, from, to);
            this.state = state;
            this.hash = (Arrays.hashCode(rest) * 31 + from) * 31 + state.hashCode();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Configuration that
                    && full == that.full
                    && state.equals(that.state)
                    && Arrays.equals(rest, that.rest);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
