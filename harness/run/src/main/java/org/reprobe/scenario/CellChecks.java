package org.reprobe.scenario;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.system.CellCheck;
import org.reprobe.system.NamedWorkloads;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.Systems;

/**
 * Checks of combinations of keys: settings of a cell that contradict each other or have no effect. Each problem is
 * reported at the first of its keys that the user set; a problem with a key that is itself invalid is suppressed.
 */
final class CellChecks {
    private final Document document;
    private final Set<String> wrong;
    private final Map<String, @Nullable NicProfile> profiles;
    private final Set<String> overridden;
    private final boolean narrowed;
    private final Set<Problem> problems = new LinkedHashSet<>();
    private final Map<String, Use> uses = new LinkedHashMap<>();

    private static final class Use {
        private final String key;
        private boolean read;
        private boolean unread;
        /** True if it is for the file's fabric, and the command line chose another: not an error. */
        private boolean ofOtherFabric;

        private String why = "";

        Use(String key) {
            this.key = key;
        }
    }

    /**
     * @param wrong dotted keys that are invalid by themselves
     * @param profiles the NIC profiles that cells name; null for an invalid one
     * @param overridden dotted keys set on the command line
     * @param narrowed true if the command line removed cells, to which the file's other values may belong
     */
    CellChecks(
            Document document,
            Set<String> wrong,
            Map<String, @Nullable NicProfile> profiles,
            Set<String> overridden,
            boolean narrowed) {
        this.document = document;
        this.wrong = wrong;
        this.profiles = profiles;
        this.overridden = overridden;
        this.narrowed = narrowed;
    }

    Set<Problem> problems() {
        uses.forEach((pointer, use) -> {
            // Cells of a sweep that ignore the key that names them would be reported under a wrong setting.
            boolean names = use.unread && isSweptOverMany(pointer, use.ofOtherFabric);
            boolean withoutEffect = !use.read && !use.ofOtherFabric && (!narrowed || overridden.contains(use.key));
            if ((withoutEffect || names) && !wrong.contains(use.key)) {
                String instead = use.ofOtherFabric ? "; --filter " + name(use.key) + "=... leaves cells of one" : "";
                problems.add(document.problem(pointer, use.why + instead));
            }
        });
        return problems;
    }

    private boolean isSweptOverMany(String pointer, boolean ofOtherFabric) {
        String sweep = Document.parent(pointer);
        if (!pointer.startsWith("/sweep/")) {
            return false;
        }
        // For a card without effect it suffices that the remaining cells have one value.
        long values = ofOtherFabric && narrowed
                ? uses.keySet().stream()
                        .filter(other -> Document.parent(other).equals(sweep))
                        .count()
                : document.root().at(sweep).size();
        return values > 1;
    }

    void check(CellValues values, Settings settings) {
        SystemUnderTest system = Systems.of(settings.scheme());
        Map<String, String> noEffect = new HashMap<>();
        system.check(new CellCheck() {
            @Override
            public Settings settings() {
                return settings;
            }

            @Override
            public @Nullable NicProfile nic() {
                return profiles.get(settings.nic());
            }

            @Override
            public void reportProblem(String message, String... keys) {
                CellChecks.this.complain(values, message, keys);
            }

            @Override
            public void reportNoEffect(String key, String why) {
                noEffect.put(key, why);
            }
        });
        if (ScenarioKeys.readBy(settings.scheme()).contains(NamedWorkloads.KEY)) {
            Map<String, String> contradictions = NamedWorkloads.contradictions(settings);
            contradictions.forEach(noEffect::putIfAbsent);
            contradictions.forEach((key, why) -> refuseDefault(values, key, why));
        }
        for (String key : values.set()) {
            Use use = uses.computeIfAbsent(values.pointer(key), _ -> new Use(key));
            String why = unread(key, settings, noEffect);
            if (why.isEmpty()) {
                use.read = true;
            } else {
                use.unread = true;
                use.ofOtherFabric = isOfOtherFabric(key) && !isFor(key, settings.fabric());
                use.why = use.why.isEmpty() ? why : use.why;
            }
        }
    }

    /** Refuses a default that the workload's name overrides, if cells are named after it or an option sets it. */
    private void refuseDefault(CellValues values, String key, String why) {
        String pointer = values.pointer(key);
        boolean meant = pointer.startsWith("/sweep/") || overridden.contains(key);
        if (meant && !values.isSet(key) && !wrong.contains(key) && !wrong.contains(NamedWorkloads.KEY)) {
            problems.add(document.problem(pointer, name(key) + " has no effect: " + why));
        }
    }

    private String unread(String key, Settings settings, Map<String, String> noEffect) {
        String name = name(key);
        String given = noEffect.get(key);
        if (given != null) {
            return name + " has no effect: " + given;
        }
        // Every run has a card and a load factor in its name.
        boolean named = key.equals("load-factor") || (key.equals("nic") && settings.isReal());
        Set<String> read = named ? ScenarioKeys.declaredBy(settings.scheme()) : ScenarioKeys.readBy(settings.scheme());
        if (!read.contains(ScenarioKeys.declared(key))) {
            return name + " has no effect on scheme " + settings.scheme() + others(key, settings);
        }
        KeyedRecord.Entry entry = ScenarioKeys.scalar(key);
        return entry == null || entry.isFor(settings.fabric())
                ? ""
                : name + " has no effect on fabric " + settings.fabric() + "; only for "
                        + String.join(", ", entry.key().fabrics());
    }

    private static String name(String key) {
        return key.substring(key.indexOf('.') + 1);
    }

    private static boolean isFor(String key, String fabric) {
        KeyedRecord.Entry entry = ScenarioKeys.scalar(key);
        return key.equals("nic") ? fabric.equals("sim") : entry == null || entry.isFor(fabric);
    }

    private boolean isOfOtherFabric(String key) {
        return overridden.contains("fabric") && !overridden.contains(key);
    }

    private static String others(String key, Settings settings) {
        if (key.equals("nic")) {
            return " on fabric " + settings.fabric() + ", which has no simulated card";
        }
        String instead = Systems.of(settings.scheme()).alternatives().getOrDefault(key, "");
        List<String> schemes = Systems.schemes().stream()
                .map(Scheme::name)
                .filter(scheme -> ScenarioKeys.declaredBy(scheme).contains(ScenarioKeys.declared(key)))
                .toList();
        return (instead.isEmpty() ? "" : ": " + instead)
                + (schemes.isEmpty() ? "" : "; schemes that read it: " + String.join(", ", schemes));
    }

    private void complain(CellValues cell, String message, String... keys) {
        String pointer = "";
        for (String key : keys) {
            if (wrong.contains(key)) {
                return;
            }
            if (pointer.isEmpty()) {
                pointer = cell.pointer(key);
            }
        }
        if (pointer.isEmpty()) {
            pointer = cell.pointer(ScenarioKeys.SCHEME); // all values are defaults
        }
        problems.add(document.problem(pointer, message));
    }
}
