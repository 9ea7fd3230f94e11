package org.reprobe.run.archive;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Replacement of absolute paths of a machine in texts that are published: a path becomes its last name. Paths of the
 * operating system ({@code /dev/shm}) and addresses stay.
 */
final class MachinePaths {
    private static final String NAME = "[\\p{L}\\p{N}_.@+~%=-]+";
    private static final Pattern ABSOLUTE = Pattern.compile("(?<![\\p{L}\\p{N}_./:~<&;)\\]-])"
            + "/(?!(?:dev|proc|sys|etc|usr|bin|sbin|lib\\w*|run|opt)/)" + NAME + "(?:/" + NAME + ")+");

    private final Map<String, String> replacements = new LinkedHashMap<>();

    /**
     * Collects the paths in texts of data.
     *
     * @param roots folders of this machine, which may have blanks; their content becomes relative
     */
    MachinePaths(List<String> roots, List<String> texts) {
        Map<String, String> found = new LinkedHashMap<>();
        for (String root : roots) {
            if (root.lastIndexOf('/') > 0) {
                found.put(root + "/", "");
                found.put(root, ".");
            }
        }
        for (String text : texts) {
            ABSOLUTE.matcher(text)
                    .results()
                    .forEach(
                            path -> found.putIfAbsent(path.group(), path.group().replaceFirst(".*/", "")));
        }
        found.entrySet().stream()
                .sorted(Comparator.comparingInt((Map.Entry<String, String> entry) ->
                                -entry.getKey().length())
                        .thenComparing(Map.Entry.comparingByKey()))
                .forEach(entry -> replacements.put(entry.getKey(), entry.getValue()));
    }

    /** Returns a text without the paths. */
    String without(String text) {
        String plain = text;
        for (Map.Entry<String, String> entry : replacements.entrySet()) {
            plain = plain.replace(entry.getKey(), entry.getValue());
        }
        return plain;
    }
}
