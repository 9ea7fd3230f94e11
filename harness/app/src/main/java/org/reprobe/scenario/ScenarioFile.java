package org.reprobe.scenario;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.plots.FigureSpec;
import org.reprobe.system.FaultSpec;
import tools.jackson.databind.JsonNode;

/**
 * A scenario file.
 *
 * @param settings the file's sections, those of systems included: where cells get their values
 */
@Section(meaning = "A scenario: scenarios/FOLDER/NAME.yaml.")
record ScenarioFile(
        @Key(allowed = "text", example = "Reference", meaning = "What the experiment is, for people.")
        String title,

        @Key(
                optional = true,
                pattern = FigureSpec.FILE_NAME,
                allowed = FigureSpec.FILE_NAMES,
                example = "reference",
                meaning = "What results are filed under; the file's name without extension unless given.")
        @Nullable
        String name,

        @Key(
                byDefault = "[]",
                pattern = "^[a-z0-9.-]+/[a-z0-9.-]+$",
                allowed = "text like linear-probing/figure-7",
                example = "reproduces: [linear-probing/figure-7]",
                meaning = "What of which paper it reproduces.")
        List<String> reproduces,

        @Key(unwrapped = true, meaning = "Settings of all cells.")
        JsonNode settings,

        @Key(byDefault = "{}", fullNames = true, unique = true, example = """
                sweep:
                  load-factor: [0.25, 0.50, 0.65]
                  scheme: [linear-fixed, linear-variable]""", meaning = """
                Lists of values for any keys with a single value, under their full names. Their product is the cells, the first \
                key changing slowest.""")
        Map<String, List<JsonNode>> sweep,

        @Key(byDefault = "[]", example = """
                skip:
                  - {cuckoo.associativity: 1, load-factor: [0.95]}""", meaning = """
                Combinations that are left out: a cell that agrees with all of an entry's keys. A key may have a list of \
                values.""") List<Condition> skip,

        @Key(byDefault = "[]", example = """
                only:
                  - {scheme: linear-fixed, load-factor: [0.80, 0.90]}""", meaning = """
                The cells that are run: those that agree with all of an entry's keys; all without entries. run --filter writes it.""") List<Condition> only,

        @Key(byDefault = "[]", example = """
                rules:
                  - {when: {scheme: cuckoo-parallel}, workload.keys: distinct}""", meaning = """
                Settings by cell: each rule's keys are set in cells that agree with its when (in all cells without one). In \
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
                What goes wrong in each run, on sim, with systems whose clients connect again. at-ms counts from the beginning of the \
                interval and is drawn from the seed where it is left out; without for-ms it lasts to the end. Machines are server, server-N, \
                client-N, or server-any and client-any for one that is drawn. memory: kept or lost; way: there, back or both.""") List<FaultSpec> faults,

        @Key(byDefault = "[]", meaning = "What to draw. where narrows a figure to cells with the given values.")
        List<FigureSpec> figures) {

    /** What cells may agree with: for each key one of some values. */
    @Section(meaning = "Keys of cells with a value or a list of values each.")
    record Condition(
            @Key(unwrapped = true, fullNames = true, orOne = true, meaning = "Keys and values.")
            Map<String, List<JsonNode>> keys) {}

    /** Settings for the cells that agree. */
    @Section(meaning = "Settings for the cells that agree with its when.")
    record Rule(
            @Key(byDefault = "{}", meaning = "The cells it is for.")
            Condition when,

            @Key(unwrapped = true, fullNames = true, meaning = "Settings.")
            Map<String, JsonNode> settings) {}

    /** Rules by scale. */
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
                    For a run as large as the paper's.""")
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
