package org.reprobe.conformance;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.Systems;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Settings from values by dotted key, and the problems that a system reports about them. */
final class Cells {
    private static final JsonMapper JSON = new JsonMapper();

    private final SystemUnderTest system;
    private final NicProfile nic;
    private final List<KeyedRecord<?>> sections;

    Cells(SystemUnderTest system, NicProfile nic) {
        this.system = system;
        this.nic = nic;
        Set<Class<? extends Record>> types = new LinkedHashSet<>(Settings.COMMON);
        types.addAll(system.sections());
        Systems.all().forEach(each -> types.addAll(each.sections()));
        this.sections = types.stream().<KeyedRecord<?>>map(KeyedRecord::of).toList();
    }

    static final class Checked implements CellCheck {
        final Map<String, List<String>> complaints = new LinkedHashMap<>();
        final Set<String> withoutEffect = new TreeSet<>();
        private final Settings settings;
        private final NicProfile nic;

        private Checked(Settings settings, NicProfile nic) {
            this.settings = settings;
            this.nic = nic;
        }

        @Override
        public Settings settings() {
            return settings;
        }

        @Override
        public NicProfile nic() {
            return nic;
        }

        @Override
        public void reportProblem(String message, String... keys) {
            complaints.put(message, List.of(keys));
        }

        @Override
        public void reportNoEffect(String key, String why) {
            withoutEffect.add(key);
        }
    }

    /** Returns the settings of a scheme with the given values, and defaults for all other keys. */
    Settings settings(String scheme, Map<String, ?> values) {
        Map<String, Object> all = new HashMap<>(values);
        all.put("scheme", scheme);
        Set<String> unknown = new TreeSet<>(all.keySet());
        Map<Class<? extends Record>, Record> records = new HashMap<>();
        for (KeyedRecord<?> section : sections) {
            Map<String, JsonNode> nodes = new HashMap<>();
            for (KeyedRecord.Entry entry : section.entries()) {
                Object value = all.get(entry.name());
                nodes.put(entry.name(), value == null ? entry.byDefault() : JSON.valueToTree(value));
                unknown.remove(entry.name());
            }
            records.put(section.type(), section.bind(nodes::get));
        }
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("unknown keys: " + unknown);
        }
        return new Settings(records);
    }

    Checked check(Settings settings) {
        Checked checked = new Checked(settings, nic);
        system.check(checked);
        return checked;
    }

    List<KeyedRecord.Entry> own() {
        List<KeyedRecord.Entry> own = new ArrayList<>();
        system.sections().forEach(type -> own.addAll(KeyedRecord.of(type).entries()));
        return own;
    }

    boolean isKey(String name) {
        return sections.stream()
                .anyMatch(section -> section.entries().stream()
                        .anyMatch(entry -> entry.name().equals(name)));
    }

    boolean isKeyOrSection(String name) {
        return isKey(name)
                || sections.stream().anyMatch(section -> section.section().equals(name));
    }

    boolean reads(String scheme, @Nullable String key) {
        return key != null && Systems.reads(system, scheme, key);
    }

    /** Selects the values whose keys a scheme reads. */
    Map<String, Object> thoseRead(String scheme, Map<String, ?> values) {
        Map<String, Object> read = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            if (key.startsWith("clients.") || key.startsWith("measure.") || key.equals("seed") || reads(scheme, key)) {
                read.put(key, value);
            }
        });
        return read;
    }
}
