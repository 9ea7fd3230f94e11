package org.reprobe.scenario;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.plots.FigureSpec;
import org.reprobe.system.FaultSpec;
import tools.jackson.databind.JsonNode;

@Section(meaning = "A scenario: scenarios/FOLDER/NAME.yaml.")
record ScenarioFile(
        @Key(allowed = "text", example = "Reference", meaning = "Title of the experiment.")
        String title,

        @Key(
                optional = true,
                pattern = FigureSpec.FILE_NAME,
                allowed = FigureSpec.FILE_NAMES,
                example = "reference",
                meaning = "Name of the results; the file's name without extension unless given.")
        @Nullable
        String name,

        @Key(
                byDefault = "[]",
                pattern = "^[a-z0-9.-]+/[a-z0-9.-]+$",
                allowed = "text like linear-probing/figure-7",
                example = "reproduces: [linear-probing/figure-7]",
                meaning = "Figures and tables that it reproduces, with their paper.")
        List<String> reproduces,

        @Key(unwrapped = true, meaning = "Settings of all cells.")
        JsonNode settings,

        @Key(byDefault = "{}", fullNames = true, unique = true, example = """
                sweep:
                  load-factor: [0.25, 0.50, 0.65]
                  scheme: [linear-fixed, linear-variable]""", meaning = """
                Lists of values for any keys with a single value, under their full names. Their product is the list of cells, the first \
                key changing slowest.""")
        Map<String, List<JsonNode>> sweep,

        @Key(byDefault = "none", allowed = "a file or none", meaning = """
                Measurements of cards, a file like ../../results/published/cards/rdma-bench-cx3.csv, relative to this one: each row whose \
                settings can be repeated gives the keys of a cell, and is compared with it. Instead of cells.""")
        String points,

        @Key(byDefault = "[]", example = """
                cells:
                  - {verb.kind: read, verb.bytes: 8}
                  - {verb.kind: write, verb.bytes: 64}""", meaning = """
                Cells listed one by one, with any keys with a single value under their full names; the product with sweep if both are \
                given. Written for points.""") List<ListedCell> cells,

        @Key(byDefault = "[]", example = """
                skip:
                  - {cuckoo.associativity: 1, load-factor: [0.95]}""", meaning = """
                Combinations to exclude: cells that match all keys of an entry. A key may have a list of \
                values.""") List<Condition> skip,

        @Key(byDefault = "[]", example = """
                only:
                  - {scheme: linear-fixed, load-factor: [0.80, 0.90]}""", meaning = """
                Cells to run: those that match all keys of an entry; all cells without entries. Written by run --filter.""") List<Condition> only,

        @Key(byDefault = "[]", example = """
                rules:
                  - {when: {scheme: cuckoo-parallel}, workload.keys: distinct}""", meaning = """
                Settings by cell: each rule's keys are set in cells that match its when (in all cells without one). Applied in \
                order; later ones win. A swept key can't be set.""") List<Rule> rules,

        @Key(byDefault = "{}", meaning = "Rules for one scale, quick or full, applied after rules.")
        Scales scales,

        @Key(byDefault = "[]", example = """
                faults:
                  - {kind: crash, machine: server, at-ms: 3, for-ms: 2, memory: kept}
                  - {kind: kill, machine: client-5}
                  - {kind: slow-cpu, machine: client-any, times: 10}
                  - {kind: slow-card, machine: server, times: 10, for-ms: 1}
                  - {kind: cut, machine: client-0, to: server, way: back, for-ms: 0.5}
                  - {kind: delay, machine: client-0, to: server, delay-us: 100}""", meaning = """
                Faults injected into each run, on sim, for systems whose clients reconnect. at-ms counts from the beginning of the \
                interval and is drawn from the seed unless given. Without for-ms the fault lasts to the end. Machines are server, server-N, \
                client-N, or server-any and client-any for a random one. memory: kept or lost; way: there, back or both.""") List<FaultSpec> faults,

        @Key(byDefault = "[]", meaning = "Figures to draw. where restricts a figure to cells with the given values.")
        List<FigureSpec> figures) {

    /** Condition on cells: one of some values per key. */
    @Section(meaning = "Keys of cells with a value or a list of values each.")
    record Condition(
            @Key(unwrapped = true, fullNames = true, orOne = true, meaning = "Keys and values.")
            Map<String, List<JsonNode>> keys) {}

    @Section(meaning = "Keys of a cell, with their values.")
    record ListedCell(
            @Key(unwrapped = true, fullNames = true, meaning = "Keys and values.")
            Map<String, JsonNode> keys) {}

    @Section(meaning = "Settings for the cells that match its when.")
    record Rule(
            @Key(byDefault = "{}", meaning = "Cells that it applies to.")
            Condition when,

            @Key(unwrapped = true, fullNames = true, meaning = "Settings.")
            Map<String, JsonNode> settings) {}

    @Section(meaning = "Rules by scale.")
    record Scales(
            @Key(byDefault = "[]", example = """
                    quick:
                      - {table.records: 1048576, measure.repeats: 5}
                      - {when: {load-factor: [0.90, 0.95]}, table.records: 16777216}""", meaning = """
                    For a run of minutes.""")
            List<Rule> quick,

            @Key(byDefault = "[]", example = """
                    full:
                      - {table.records: 125829120}""", meaning = """
                    For a run of the paper's size.""")
            List<Rule> full) {
        static final Scales NONE = new Scales(List.of(), List.of());

        List<Rule> of(Scale scale) {
            return switch (scale) {
                case QUICK -> quick;
                case FULL -> full;
            };
        }
    }
}
