package org.reprobe.trial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.explore.ExplorationLimits;

/**
 * A small table and what clients ask of it: everything that decides which schedules there are.
 *
 * <p>As text, {@code nessie:01p,12s,20:w2|r0 d1}: the kind; for each key its places in order, and where it is at first, if it is
 * there; then each client's operations. A find-or-put table begins with its buckets, C and M:
 * {@code find-or-put:4/2/2,3,3:f0|f1}.
 *
 * @param sizes of a find-or-put table: buckets, C, M; else empty
 * @param script as {@link Script#of} reads it
 */
record Configuration(Kind kind, List<Integer> sizes, List<Key> keys, String script) {
    private static final Pattern TEXT = Pattern.compile("([a-z-]+):([0-9ps,/]+):([rwdf0-9 |]+)");
    private static final Pattern KEY = Pattern.compile("([0-3]{1,3})([ps]?)");

    /** What is explored: a protocol, and what may happen to it. */
    enum Kind {
        /** The corrected rules, without a server program. */
        NESSIE,
        /** With a server program; its index table can't grow, so it moves chains. */
        NESSIE_SERVER,
        /** With a server program whose index table may grow to twice its size. */
        NESSIE_RESIZE,
        /** With a server program; clients may have fewer items than they need. */
        NESSIE_FEW_ITEMS,
        /** With a server program, and a client that may die at any step. */
        NESSIE_DIES,
        /** The rules of section 5.1, by remote transactions. */
        RHTM,
        RHTM_DIES,
        PILAF,
        /** With no more items than keys, so that a write may find none free. */
        PILAF_FEW_ITEMS,
        FIND_OR_PUT,
        /** Two machines; a process accesses its own machine's buckets by the CPU. */
        FIND_OR_PUT_LOCAL,
        /** Two machines; a process reads its own machine's buckets by the CPU, and sets them through the card. */
        FIND_OR_PUT_CARD,
        FIND_OR_PUT_DIES;

        String words() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        boolean dies() {
            return this == NESSIE_DIES || this == RHTM_DIES || this == FIND_OR_PUT_DIES;
        }

        boolean isFindOrPut() {
            return compareTo(FIND_OR_PUT) >= 0;
        }

        boolean isPilaf() {
            return this == PILAF || this == PILAF_FEW_ITEMS;
        }

        /** How many places a key has. */
        int places() {
            return isPilaf() ? 3 : isFindOrPut() ? 1 : 2;
        }

        /** Whether clients have places of a server's table that holds keys before they come. */
        boolean loads() {
            return !isFindOrPut();
        }

        boolean hasNessieServer() {
            return this == NESSIE_SERVER || this == NESSIE_RESIZE || this == NESSIE_FEW_ITEMS || this == NESSIE_DIES;
        }

        ExplorationLimits limits() {
            // A Nessie client that does not get on asks the server after 32 attempts, in each of its operations; who
            // waits
            // for ever is told from that by tries and steps enough for all of them.
            return hasNessieServer()
                    ? new ExplorationLimits(dies() ? 1 : 0, ExplorationLimits.Tearing.ASCENDING, 5000, 3, 120)
                    : new ExplorationLimits(dies() ? 1 : 0, ExplorationLimits.Tearing.ASCENDING, 2000, 3, 20);
        }
    }

    /** Where a key is before clients come. */
    enum At {
        NOWHERE,
        /** At its primary place; with Pilaf, at the first that is free. */
        PRIMARY,
        SECONDARY;

        String words() {
            return switch (this) {
                case NOWHERE -> "";
                case PRIMARY -> "p";
                case SECONDARY -> "s";
            };
        }
    }

    /** A key's places in order. */
    record Key(List<Integer> places, At at) {
        Key {
            places = List.copyOf(places);
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            places.forEach(text::append);
            return text.append(at.words()).toString();
        }
    }

    Configuration {
        sizes = List.copyOf(sizes);
        keys = List.copyOf(keys);
    }

    /** The configuration of a text; null when it is none. */
    static @Nullable Configuration of(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        Kind kind = Arrays.stream(Kind.values())
                .filter(each -> each.words().equals(matcher.group(1)))
                .findFirst()
                .orElse(null);
        if (kind == null) {
            return null;
        }
        List<Integer> sizes = new ArrayList<>();
        List<Key> keys = new ArrayList<>();
        for (String part : matcher.group(2).split(",", -1)) {
            if (part.matches("[1-4]/[1-4]/[1-4]") && kind.isFindOrPut() && keys.isEmpty()) {
                Arrays.stream(part.split("/", -1)).map(Integer::valueOf).forEach(sizes::add);
                continue;
            }
            Matcher key = KEY.matcher(part);
            if (!key.matches() || key.group(1).length() != kind.places()) {
                return null;
            }
            keys.add(new Key(
                    key.group(1).chars().map(digit -> digit - '0').boxed().toList(),
                    switch (key.group(2)) {
                        case "p" -> At.PRIMARY;
                        case "s" -> At.SECONDARY;
                        default -> At.NOWHERE;
                    }));
        }
        String script = matcher.group(3);
        boolean fits = kind.isFindOrPut() == (sizes.size() == 3)
                && script.matches("[rwdf]\\d( [rwdf]\\d)*(\\|[rwdf]\\d( [rwdf]\\d)*)*")
                && script.chars().filter(Character::isDigit).allMatch(digit -> digit - '0' < keys.size())
                && script.indexOf('f') >= 0 == kind.isFindOrPut()
                && keys.stream()
                        .allMatch(key -> key.places().stream().distinct().count() == kind.places());
        Configuration found = fits ? new Configuration(kind, sizes, keys, script) : null;
        return found == null || !found.standsApart() ? null : found;
    }

    /** Whether the keys that are there at first have places of their own, which stand before those of keys that are not. */
    private boolean standsApart() {
        List<Integer> taken = new ArrayList<>();
        boolean more = true;
        for (Key key : keys) {
            boolean there = key.at() != At.NOWHERE;
            if (there && !more) {
                return false;
            }
            more = there;
            if (there && !kind.isPilaf()) {
                taken.add(key.places().get(key.at() == At.SECONDARY ? 1 : 0));
            }
        }
        return taken.stream().distinct().count() == taken.size() && (kind.loads() || loaded() == 0);
    }

    int loaded() {
        return (int) keys.stream().filter(key -> key.at() != At.NOWHERE).count();
    }

    int slots() {
        int last = keys.stream()
                .flatMap(key -> key.places().stream())
                .mapToInt(Integer::intValue)
                .max()
                .orElse(1);
        return kind.isPilaf() ? Math.max(4, last + 1) : last + 1;
    }

    /** Whether all keys can be in a table at once, by their places in it. */
    static boolean allFit(int[][] places) {
        return fit(places, 0, 0);
    }

    private static boolean fit(int[][] places, int key, int taken) {
        if (key == places.length) {
            return true;
        }
        for (int slot : places[key]) {
            if ((taken & 1 << slot) == 0 && fit(places, key + 1, taken | 1 << slot)) {
                return true;
            }
        }
        return false;
    }

    int operations() {
        return (int) script.chars().filter(Character::isDigit).count();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(kind.words()).append(':');
        if (!sizes.isEmpty()) {
            text.append(String.join("/", sizes.stream().map(String::valueOf).toList()))
                    .append(',');
        }
        return text.append(String.join(",", keys.stream().map(Key::toString).toList()))
                .append(':')
                .append(script)
                .toString();
    }
}
