package org.reprobe.analysis.document;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Suggestions for misspelt words. */
public final class Spelling {
    private Spelling() {}

    /** Returns the nearest of {@code words}; null if more than a third of the letters differ from all. */
    public static @Nullable String nearest(String word, Collection<String> words) {
        for (String candidate : words) {
            if (withoutZeros(candidate).equals(withoutZeros(word)) && !candidate.equals(word)) {
                return candidate; // figure-7 for figure-07
            }
        }
        String best = null;
        int bestDistance = Math.max(1, word.length() / 3) + 1;
        for (String candidate : words) {
            int distance = distance(word.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        if (best == null) { // the unit is missing: duration for duration-ms
            List<String> longer = words.stream()
                    .filter(candidate -> candidate.startsWith(word + "-"))
                    .toList();
            return longer.size() == 1 ? longer.getFirst() : null;
        }
        return best;
    }

    private static String withoutZeros(String word) {
        return word.toLowerCase(Locale.ROOT).replaceAll("(?<![0-9])0+(?=[0-9])", "");
    }

    /** Returns {@code ; did you mean "load-factor"?} or "". */
    public static String hint(String word, Collection<String> words) {
        String nearest = nearest(word, words);
        return nearest == null ? "" : "; did you mean \"" + nearest + "\"?";
    }

    /** Returns {@link #hint} for a key by its full name: {@code workload.writes} for a word like {@code writes}. */
    public static String keyHint(String word, Collection<String> keys) {
        String full = fullNames(word, keys);
        String near = nearest(word, keys);
        String part = nearest(last(word), keys.stream().map(Spelling::last).toList());
        return !full.isEmpty() ? full : near != null || part == null ? hint(word, keys) : fullNames(part, keys);
    }

    /** Returns {@code ; did you mean "a.growth" or "b.growth"?}: keys with {@code word}'s last part; "" for none. */
    static String fullNames(String word, Collection<String> keys) {
        List<String> meant = keys.stream()
                .filter(key -> last(key).equals(last(word)))
                .map(key -> '"' + key + '"')
                .toList();
        return meant.isEmpty() ? "" : "; did you mean " + String.join(" or ", meant) + "?";
    }

    private static String last(String dotted) {
        return dotted.substring(dotted.lastIndexOf('.') + 1);
    }

    /** Returns the number of edits between two words; a swap of neighbours counts once (optimal string alignment). */
    static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + change);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
