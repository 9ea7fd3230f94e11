package org.reprobe.trial;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.trial.Configuration.At;

/**
 * All configurations of some kinds. They have one to four keys, in all placements in up to four slots, each initially
 * present or absent. They have up to three clients with up to three operations each. Configurations that differ only in
 * the names of keys, slots or clients are listed once. Those that only read, or decompose into independent clients and
 * keys, are omitted, since smaller ones cover them. Kinds with broken connections or failing machines are omitted as
 * well, since they have too many schedules.
 *
 * <p>The order is deterministic. It consists of rounds with one configuration per size (number of keys and of
 * operations), smallest size first. Large sizes take part in few rounds, exhausted ones in none. Within a size, the
 * order is a walk through all combinations in long steps, so that the first ones differ.
 */
public final class Configurations implements Iterator<Configuration> {
    private static final int MAX_CLIENTS = 3;
    private static final int MAX_EACH = 3;
    private static final int MAX_KEYS = 4;
    /** Number of slots of the largest table. */
    public static final int SLOTS = 4;

    /** Number of consecutive combinations without a new configuration after which a size counts as exhausted. */
    private static final int MAX_FAILED_DRAWS = 20_000;

    private final List<Level> levels = new ArrayList<>();
    private int at = -1;
    private int round;
    private @Nullable Configuration next;

    public Configurations(List<ConfigurationKind> all) {
        List<ConfigurationKind> kinds = all.stream()
                .filter(kind -> kind.limits().breaks() + kind.limits().failures() == 0)
                .toList();
        for (int size = 2; size <= MAX_CLIENTS * MAX_EACH + MAX_KEYS; size++) {
            for (int keys = Math.min(MAX_KEYS, size - 1); keys >= 1; keys--) {
                int operations = size - keys;
                if (operations <= MAX_CLIENTS * MAX_EACH) {
                    for (ConfigurationKind kind : kinds) {
                        levels.add(new Level(kind, keys, operations));
                    }
                }
            }
        }
    }

    /** Returns the period of a size: it takes part in every such round. */
    private static int period(int size) {
        return size <= 6 ? 1 : size <= 8 ? 3 : size <= 10 ? 9 : 27;
    }

    /** Returns the number of configurations, with those that differ only in names counted separately. */
    double combinations() {
        return levels.stream().mapToDouble(level -> level.combinations).sum();
    }

    @Override
    public boolean hasNext() {
        while (next == null && levels.stream().anyMatch(level -> !level.exhausted)) {
            if (++at == levels.size()) {
                at = 0;
                round++;
            }
            Level level = levels.get(at);
            if (!level.exhausted && round % period(level.keys + level.operations) == 0) {
                next = level.next();
            }
        }
        return next != null;
    }

    @Override
    public Configuration next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        Configuration found = next;
        next = null;
        return Objects.requireNonNull(found);
    }

    /** Configurations of one kind, number of keys and number of operations. */
    private static final class Level {
        final ConfigurationKind kind;
        final int keys;
        final int operations;
        boolean exhausted;
        private final List<int[]> shapes = new ArrayList<>();
        private final List<List<Integer>> placements = new ArrayList<>();
        private final String verbs;
        private final long combinations;
        private final long step;
        private long position;
        private long tried;
        private final Set<String> seen = new HashSet<>();

        Level(ConfigurationKind kind, int keys, int operations) {
            this.kind = kind;
            this.keys = keys;
            this.operations = operations;
            this.verbs = kind.verbs();
            for (int a = Math.min(MAX_EACH, operations); a >= 1; a--) {
                for (int b = Math.min(a, operations - a); b >= 0; b--) {
                    int c = operations - a - b;
                    if (c >= 0 && c <= b) {
                        shapes.add(new int[] {a, b, c});
                    }
                }
            }
            place(new ArrayList<>());
            BigInteger all = BigInteger.valueOf(shapes.size())
                    .multiply(BigInteger.valueOf(kind.sizes().size()))
                    .multiply(BigInteger.valueOf((long) placements.size() * states())
                            .pow(keys))
                    .multiply(BigInteger.valueOf((long) verbs.length() * keys).pow(operations));
            combinations = all.bitLength() < 62 ? all.longValueExact() : Long.MAX_VALUE >>> 2;
            exhausted = shapes.isEmpty() || keys > operations + (kind.loads() ? keys : 0);
            long golden = Math.max(1, (long) (combinations * 0.6180339887498949)) | 1;
            while (gcd(golden, combinations) != 1) {
                golden += 2;
            }
            step = golden % Math.max(1, combinations);
        }

        private int states() {
            return kind.states().size();
        }

        private void place(List<Integer> begun) {
            if (begun.size() == kind.places()) {
                placements.add(List.copyOf(begun));
                return;
            }
            for (int slot = 0; slot < SLOTS; slot++) {
                if (!begun.contains(slot)) {
                    begun.add(slot);
                    place(begun);
                    begun.removeLast();
                }
            }
        }

        private static long gcd(long a, long b) {
            return b == 0 ? a : gcd(b, a % b);
        }

        @Nullable
        Configuration next() {
            for (int failed = 0; failed < MAX_FAILED_DRAWS && tried < combinations; failed++) {
                position = (position + step) % combinations;
                tried++;
                Configuration found = canonical(position);
                if (found != null && seen.add(found.toString())) {
                    return found;
                }
            }
            exhausted = true;
            seen.clear();
            return null;
        }

        /** Returns a combination in canonical form; null if it is invalid or omitted. */
        private @Nullable Configuration canonical(long number) {
            long rest = number;
            int[] shape = shapes.get((int) (rest % shapes.size()));
            rest /= shapes.size();
            List<Integer> size = kind.sizes().get((int) (rest % kind.sizes().size()));
            rest /= kind.sizes().size();
            List<Configuration.Key> drawn = new ArrayList<>();
            for (int key = 0; key < keys; key++) {
                List<Integer> places = placements.get((int) (rest % placements.size()));
                rest /= placements.size();
                drawn.add(new Configuration.Key(places, kind.states().get((int) (rest % states()))));
                rest /= states();
            }
            String[][] steps = new String[shape[2] > 0 ? 3 : shape[1] > 0 ? 2 : 1][];
            for (int client = 0; client < steps.length; client++) {
                steps[client] = new String[shape[client]];
                for (int i = 0; i < shape[client]; i++) {
                    char verb = verbs.charAt((int) (rest % verbs.length()));
                    rest /= verbs.length();
                    steps[client][i] = verb + String.valueOf(rest % keys);
                    rest /= keys;
                }
            }
            if (!isWorthTrying(drawn, steps) || (kind.hasSizes() && !fits(size, drawn))) {
                return null;
            }
            String best = null;
            for (int[] order : orders(keys)) {
                String named = named(size, drawn, steps, order);
                if (named != null && (best == null || named.compareTo(best) < 0)) {
                    best = named;
                }
            }
            return best == null ? null : Configuration.of(best, List.of(kind));
        }

        private static boolean fits(List<Integer> size, List<Configuration.Key> drawn) {
            return drawn.stream().allMatch(key -> key.places().getFirst() < size.getFirst());
        }

        /** Returns true if an operation changes something, and operations and slots connect all clients and keys. */
        private boolean isWorthTrying(List<Configuration.Key> drawn, String[][] steps) {
            int[] group = new int[keys + steps.length];
            Arrays.setAll(group, i -> i);
            boolean changes = false;
            boolean[] used = new boolean[keys];
            for (int client = 0; client < steps.length; client++) {
                for (String ask : steps[client]) {
                    int key = ask.charAt(1) - '0';
                    used[key] = true;
                    changes |= ask.charAt(0) != 'r' && ask.charAt(0) != 'l';
                    join(group, keys + client, key);
                }
            }
            for (int a = 0; a < keys; a++) {
                for (int b = 0; b < a; b++) {
                    if (kind.hasSizes()
                            || drawn.get(a).places().stream()
                                    .anyMatch(drawn.get(b).places()::contains)) {
                        join(group, a, b);
                    }
                }
            }
            for (int key = 0; key < keys; key++) {
                if (!used[key] && drawn.get(key).at() == At.NOWHERE) {
                    return false;
                }
            }
            return changes && Arrays.stream(group).distinct().count() == 1;
        }

        private static void join(int[] group, int a, int b) {
            int from = group[a];
            int to = group[b];
            for (int i = 0; i < group.length; i++) {
                group[i] = group[i] == from ? to : group[i];
            }
        }

        /**
         * Returns the text with the keys in this order, slots numbered by appearance and clients sorted by operations;
         * null if this order of the keys is invalid.
         */
        private @Nullable String named(
                List<Integer> size, List<Configuration.Key> drawn, String[][] steps, int[] order) {
            int[] names = new int[SLOTS];
            Arrays.fill(names, -1);
            int named = 0;
            List<Configuration.Key> renamed = new ArrayList<>();
            int[] numbers = new int[keys];
            for (int i = 0; i < keys; i++) {
                Configuration.Key key = drawn.get(order[i]);
                numbers[order[i]] = i;
                List<Integer> places = new ArrayList<>();
                for (int slot : key.places()) {
                    if (kind.hasSizes()) {
                        places.add(slot); // slots have an order
                    } else {
                        if (names[slot] < 0) {
                            names[slot] = named++;
                        }
                        places.add(names[slot]);
                    }
                }
                renamed.add(new Configuration.Key(places, key.at()));
            }
            List<String> clients = new ArrayList<>();
            for (String[] client : steps) {
                List<String> words = new ArrayList<>();
                for (String ask : client) {
                    words.add(ask.charAt(0) + String.valueOf(numbers[ask.charAt(1) - '0']));
                }
                clients.add(String.join(" ", words));
            }
            clients.sort(null);
            Configuration found = new Configuration(kind, size, renamed, String.join("|", clients));
            String text = found.toString();
            return Configuration.of(text, List.of(kind)) == null ? null : text;
        }

        private static List<int[]> orders(int n) {
            List<int[]> all = new ArrayList<>();
            permute(new int[n], 0, 0, all);
            return all;
        }

        private static void permute(int[] begun, int length, int used, List<int[]> all) {
            if (length == begun.length) {
                all.add(begun.clone());
                return;
            }
            for (int i = 0; i < begun.length; i++) {
                if ((used & 1 << i) == 0) {
                    begun[length] = i;
                    permute(begun, length + 1, used | 1 << i, all);
                }
            }
        }
    }
}
