package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.reprobe.analysis.document.Quantities;

/** Differences of two results' settings. */
public final class SettingsDifference {
    private SettingsDifference() {}

    /** Returns each as {@code connection.send-queue 1024 and 128}; none if all are equal. */
    public static List<String> of(Map<String, String> base, Map<String, String> now) {
        TreeSet<String> keys = new TreeSet<>(base.keySet());
        keys.addAll(now.keySet());
        List<String> differences = new ArrayList<>();
        for (String key : keys) {
            String before = base.getOrDefault(key, "absent");
            String after = now.getOrDefault(key, "absent");
            if (!before.equals(after)) {
                differences.add(key + " " + before + " and " + after);
            }
        }
        return differences;
    }

    public static String words(List<String> differences) {
        return Quantities.list(differences);
    }
}
