package org.reprobe.scenario;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Binder;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.plots.FigureQuantity;
import org.reprobe.system.Settings;
import org.reprobe.system.Systems;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/**
 * All keys of a scenario file: name, allowed values, default, meaning. Source of the JSON Schema, the reference
 * scenario and the texts of messages.
 */
public final class ScenarioKeys {
    static final String SCHEME = "scheme";
    static final String LOAD_FACTOR = "load-factor";

    private static final List<KeyedRecord<?>> SECTIONS = sections();
    private static final Map<String, KeyedRecord.Entry> SCALARS = scalarsByName();
    private static final List<String> FAMILIES = SCALARS.values().stream()
            .filter(entry -> entry.key().family())
            .map(KeyedRecord.Entry::name)
            .toList();
    private static final Map<String, String> SHORT_NAMES = shortNames();

    static final Binder<ScenarioFile> FILES = Binder.of(
            ScenarioFile.class,
            Map.of(
                    "y",
                    FigureQuantity.ofScenarios().stream()
                            .map(FigureQuantity::key)
                            .toList()),
            SECTIONS);

    /** Top-level keys without a single value, except sections. */
    static final List<String> STRUCTURED = List.of(
            "name",
            "title",
            "reproduces",
            "sweep",
            "points",
            "cells",
            "skip",
            "only",
            "rules",
            "scales",
            "faults",
            "figures");

    /** Keys of earlier versions with their present names. */
    private static final Map<String, String> RENAMED = SECTIONS.stream()
            .flatMap(section -> section.entries().stream())
            .filter(entry -> !entry.key().formerly().isEmpty())
            .collect(Collectors.toMap(entry -> entry.key().formerly(), KeyedRecord.Entry::name));

    /** Sections and keys that every run reads, whatever the system. */
    private static final Set<String> ALWAYS =
            Set.of("fabric", "nic", "seed", SCHEME, LOAD_FACTOR, "clients", "hosts", "measure");

    private static final Map<String, Set<String>> READ = new ConcurrentHashMap<>();
    private static final Map<String, Set<String>> DECLARED = new ConcurrentHashMap<>();

    /** Keys of earlier versions without a single successor, each with the hint of the message that refuses it. */
    private static final Map<String, String> GONE = Map.of(
            "table.key-bytes",
            "; keys have 4 bytes",
            "connection.retry-ms",
            "; replaced by connection.timeout and connection.retry-count, as of ibv_modify_qp; connection.timeout-floor:"
                    + " none allows times below a second");

    private ScenarioKeys() {}

    private static List<KeyedRecord<?>> sections() {
        List<KeyedRecord<?>> sections = new ArrayList<>();
        Settings.COMMON.forEach(type -> sections.add(KeyedRecord.of(type)));
        Systems.all().forEach(system -> system.sections().forEach(type -> sections.add(KeyedRecord.of(type))));
        return List.copyOf(sections);
    }

    private static Map<String, KeyedRecord.Entry> scalarsByName() {
        Map<String, KeyedRecord.Entry> scalars = new LinkedHashMap<>();
        for (KeyedRecord<?> section : SECTIONS) {
            for (KeyedRecord.Entry entry : section.entries()) {
                if (entry.name().equals(SCHEME)) {
                    ArrayNode words =
                            entry.schema().removeAll().put("type", "string").putArray("enum");
                    Systems.schemes().forEach(scheme -> words.add(scheme.name()));
                }
                if (scalars.put(entry.name(), entry) != null) {
                    throw new IllegalStateException("two systems have a key " + entry.name());
                }
            }
        }
        return scalars;
    }

    /** Returns full names by last parts that only one of Reprobe's keys has: systems must not change commands. */
    private static Map<String, String> shortNames() {
        Map<String, String> names = new LinkedHashMap<>();
        SECTIONS.stream()
                .filter(section -> section.type().getPackageName().startsWith("org.reprobe."))
                .flatMap(section -> section.entries().stream())
                .collect(Collectors.groupingBy(KeyedRecord.Entry::shortName, LinkedHashMap::new, Collectors.toList()))
                .forEach((name, keys) -> {
                    if (keys.size() == 1) {
                        names.put(name, keys.getFirst().name());
                    }
                });
        return names;
    }

    static Collection<KeyedRecord.Entry> scalars() {
        return SCALARS.values();
    }

    /** Returns a key by its dotted name; null for an unknown key. */
    static KeyedRecord.@Nullable Entry scalar(String dotted) {
        KeyedRecord.Entry key = SCALARS.get(dotted);
        KeyedRecord.Entry family = key == null ? SCALARS.get(declared(dotted)) : null;
        return family == null ? key : family.member(dotted);
    }

    /** Returns the declared key; for a member of a family, such as {@code command.parameters.size}, the family. */
    static String declared(String dotted) {
        for (String family : FAMILIES) {
            if (dotted.startsWith(family + ".")) {
                return family;
            }
        }
        return dotted;
    }

    /** Returns the keys whose entries are keys themselves. */
    public static List<String> families() {
        return FAMILIES;
    }

    static List<KeyedRecord<?>> allSections() {
        return SECTIONS;
    }

    /** Keys with an effect on a scheme: those that its system {@link #declaredBy declares}, and those of every run. */
    static Set<String> readBy(String scheme) {
        return READ.computeIfAbsent(scheme, name -> {
            Set<String> read = new HashSet<>(declaredBy(name));
            read.addAll(among(ALWAYS));
            return Set.copyOf(read);
        });
    }

    static Set<String> declaredBy(String scheme) {
        return DECLARED.computeIfAbsent(scheme, name -> among(Systems.of(name).reads(name)));
    }

    private static Set<String> among(Set<String> keysAndSections) {
        return SCALARS.keySet().stream()
                .filter(key -> keysAndSections.contains(key)
                        || (key.contains(".") && keysAndSections.contains(key.substring(0, key.indexOf('.')))))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the full name for a full name or an unambiguous last part, as options use; null for neither. */
    static @Nullable String full(String name) {
        return scalar(name) != null ? name : SHORT_NAMES.get(name);
    }

    /** Returns the present name of a key; the name itself unless it was renamed; null for a removed key. */
    static @Nullable String renamed(String dotted) {
        return GONE.containsKey(dotted) ? null : RENAMED.getOrDefault(dotted, dotted);
    }

    /** Returns the hint for a key of earlier versions without a single successor; "" for others. */
    static String gone(String dotted) {
        return GONE.getOrDefault(dotted, "");
    }

    /** Returns a suggestion for an unknown key, to append to a message; "" if there is none. */
    static String instead(String name) {
        String now = RENAMED.get(name);
        if (now != null || GONE.containsKey(name)) {
            return now == null ? gone(name) : "; renamed to " + now;
        }
        List<String> candidates = SCALARS.keySet().stream()
                .filter(dotted -> dotted.endsWith("." + name))
                .toList();
        return candidates.isEmpty() ? "" : "; ambiguous: " + String.join(", ", candidates);
    }

    /** Returns true if published numbers assume a key's value. */
    public static boolean identifies(String dotted) {
        KeyedRecord.Entry key = SCALARS.get(dotted);
        return key != null && key.key().identifies();
    }

    /** Returns true if a key's number is an integer, which a file may still write as 1e6. */
    static boolean isWhole(String dotted) {
        KeyedRecord.Entry key = SCALARS.get(dotted);
        return key != null && key.isWhole();
    }

    /** Returns all names that options accept for single values, and those of the file's other keys. */
    static Set<String> allNames() {
        Set<String> names = new LinkedHashSet<>(SHORT_NAMES.keySet());
        names.addAll(SCALARS.keySet());
        names.addAll(STRUCTURED);
        return names;
    }

    /** Returns the JSON Schema (draft 2020-12) of scenario files. */
    public static String schemaText() {
        return FILES.schemaText();
    }

    /** Returns the reference scenario: every key with its default, its meaning as a comment. */
    public static String referenceYaml() {
        return """
                # Every key of a scenario, with its meaning, permitted values and default. This file is generated from the
                # code, which is also where scenarios/schema.json comes from; a test holds all three together.
                # yaml-language-server: $schema=schema.json

                """ + FILES.reference();
    }

    static String text(ScenarioFile file) {
        return YAMLMapper.builder()
                .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
                .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
                .enable(YAMLWriteFeature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                .build()
                .writeValueAsString(FILES.write(file));
    }
}
