package org.reprobe.trial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Small table and the operations of each client: the input of an exploration.
 *
 * <p>Its text has three parts, as in {@code nessie:01p,12s,20:w2|r0 d1}. The first is the kind. The second has for each
 * key its slots in order, and a letter for its initial position if it is present. The third has each client's
 * operations. Table sizes, if any, precede the keys: {@code find-or-put:4/2/2,3,3:f0|f1}.
 *
 * @param sizes of the table; empty if its kind has none
 * @param script text for {@link Script#of}
 */
public record Configuration(ConfigurationKind kind, List<Integer> sizes, List<Key> keys, String script) {
    private static final Pattern TEXT = Pattern.compile("([a-z-]+):([0-9ps,/]+):([rwdfl0-9 |]+)");
    private static final Pattern KEY = Pattern.compile("([0-3]{1,3})([ps]?)");

    /** Initial position of a key. */
    public enum At {
        NOWHERE,
        /** Primary slot; for kinds without {@link #SECONDARY}, the first free slot. */
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

    /** Slots of a key in order, and its initial position. */
    public record Key(List<Integer> places, At at) {
        public Key {
            places = List.copyOf(places);
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            places.forEach(text::append);
            return text.append(at.words()).toString();
        }
    }

    public Configuration {
        sizes = List.copyOf(sizes);
        keys = List.copyOf(keys);
    }

    /** Parses a configuration; returns null if its text is invalid or its kind is not among {@code kinds}. */
    public static @Nullable Configuration of(String text, List<ConfigurationKind> kinds) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        ConfigurationKind kind = kinds.stream()
                .filter(each -> each.name().equals(matcher.group(1)))
                .findFirst()
                .orElse(null);
        if (kind == null) {
            return null;
        }
        List<Integer> sizes = new ArrayList<>();
        List<Key> keys = new ArrayList<>();
        for (String part : matcher.group(2).split(",", -1)) {
            if (part.matches("[1-4]/[1-4]/[1-4]") && kind.hasSizes() && keys.isEmpty()) {
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
        boolean fits = kind.hasSizes() == (sizes.size() == 3)
                && script.matches("[rwdfl]\\d( [rwdfl]\\d)*(\\|[rwdfl]\\d( [rwdfl]\\d)*)*")
                && script.chars().filter(Character::isDigit).allMatch(digit -> digit - '0' < keys.size())
                && script.chars()
                        .filter(Character::isLetter)
                        .allMatch(verb -> kind.verbs().indexOf(verb) >= 0)
                && keys.stream()
                        .allMatch(key -> key.places().stream().distinct().count() == kind.places());
        Configuration found = fits ? new Configuration(kind, sizes, keys, script) : null;
        return found == null || !found.standsApart() ? null : found;
    }

    /** Returns true if the initial positions suit the kind, and present keys come first, in different slots. */
    private boolean standsApart() {
        List<Integer> taken = new ArrayList<>();
        boolean more = true;
        for (Key key : keys) {
            boolean there = key.at() != At.NOWHERE;
            if (there && !more) {
                return false;
            }
            more = there;
            if (there && kind.states().contains(At.SECONDARY)) {
                taken.add(key.places().get(key.at() == At.SECONDARY ? 1 : 0));
            }
        }
        return taken.stream().distinct().count() == taken.size()
                && keys.stream().allMatch(key -> kind.states().contains(key.at()));
    }

    public int loaded() {
        return (int) keys.stream().filter(key -> key.at() != At.NOWHERE).count();
    }

    /** Returns the number of slots in use, at least the minimum of the kind. */
    public int slots() {
        int last = keys.stream()
                .flatMap(key -> key.places().stream())
                .mapToInt(Integer::intValue)
                .max()
                .orElse(1);
        return Math.max(kind.minSlots(), last + 1);
    }

    /** Returns true if all keys fit into a table at once. */
    public static boolean allFit(int[][] places) {
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
        StringBuilder text = new StringBuilder(kind.name()).append(':');
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
