package org.reprobe.analysis.document;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a misspelt word was probably meant to be. */
public final class Spelling {
    private Spelling() {}

    /**
     * The nearest of {@code words}, or null when none is near: at most a third of the letters may differ. Ties go to
     * the first.
     */
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

    /** {@code ; did you mean "load-factor"?} or "". */
    public static String hint(String word, Collection<String> words) {
        String nearest = nearest(word, words);
        return nearest == null ? "" : "; did you mean \"" + nearest + "\"?";
    }

    /** Edits between two words; swapped neighbours count once (optimal string alignment). */
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
