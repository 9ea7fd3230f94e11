package org.reprobe.analysis.document;

import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;

/** Quantities in words. */
public final class Quantities {
    private static final int SHOWN = 8;

    private Quantities() {}

    /** Returns {@code 12 MiB}, {@code 3.5 GiB}. */
    public static String bytes(long bytes) {
        return bytes < 1L << 30
                ? Math.ceilDiv(bytes, 1L << 20) + " MiB"
                : String.format(Locale.ROOT, "%.1f GiB", bytes / 0x1p30);
    }

    /** Returns {@code 4 s}, {@code 2 min 05 s}, {@code 1 h 12 min}. */
    public static String duration(double seconds) {
        long s = Math.max(0, Math.round(seconds));
        if (s < 60) {
            return s + " s";
        }
        return s < 3600
                ? String.format(Locale.ROOT, "%d min %02d s", s / 60, s % 60)
                : String.format(Locale.ROOT, "%d h %02d min", s / 3600, s % 3600 / 60);
    }

    /** Returns the factor of a unit prefix in any case: 1000 for {@code k}, 1024 for {@code Ki}; 1 for an empty one. */
    public static long prefix(String prefix) {
        if (prefix.isEmpty()) {
            return 1;
        }
        long factor = prefix.length() > 1 ? 1024 : 1000;
        long product = 1;
        for (int i = "kmgt".indexOf(Character.toLowerCase(prefix.charAt(0))); i >= 0; i--) {
            product *= factor;
        }
        return product;
    }

    /** Returns the first elements and the number of the others: {@code a, b, and 3 more}. */
    public static String list(Collection<String> things) {
        String first = things.stream().limit(SHOWN).collect(Collectors.joining(", "));
        return things.size() > SHOWN ? first + ", and " + (things.size() - SHOWN) + " more" : first;
    }

    /** Returns {@code 1 run}, {@code 3 runs}, {@code 2 processes}. */
    public static String count(long n, String thing) {
        return n + " " + thing + (n == 1 ? "" : thing.endsWith("s") ? "es" : "s");
    }

    /** Returns the form of a verb that agrees with a count: of {@code are} {@code is} for 1, else {@code are}. */
    public static String verb(long n, String plural) {
        if (n != 1) {
            return plural;
        }
        return switch (plural) {
            case "are" -> "is";
            case "were" -> "was";
            case "have" -> "has";
            default -> plural + "s";
        };
    }

    /** Returns {@code 1 of 3 runs is}, {@code 2 of 3 runs are}. */
    public static String share(long some, long all, String thing, String verb) {
        return some + " of " + count(all, thing) + " " + verb(all == 1 ? 1 : some, verb);
    }
}
