package org.reprobe.analysis.perftest;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.foreign.ForeignText;

/** Outputs of all files about one card. */
public record CardOutputs(List<PerftestRun> runs, List<Device> devices, List<String> warnings) {
    public CardOutputs {
        runs = List.copyOf(runs);
        devices = List.copyOf(devices);
        warnings = List.copyOf(warnings);
    }

    /**
     * Reads files, each with any number of outputs.
     *
     * @throws InvalidInputException with all damages and contradictions of all files
     */
    public static CardOutputs read(List<Path> files) throws InvalidInputException {
        List<Problem> problems = new ArrayList<>();
        List<ForeignText> texts = new ArrayList<>();
        for (Path file : files) {
            try {
                texts.add(ForeignText.read(file));
            } catch (InvalidInputException e) {
                problems.addAll(e.problems());
            }
        }
        return of(texts, problems);
    }

    static CardOutputs of(List<ForeignText> texts, List<Problem> problems) throws InvalidInputException {
        List<PerftestRun> runs = new ArrayList<>();
        List<Device> devices = new ArrayList<>();
        Map<String, ForeignText> byName = new LinkedHashMap<>();
        for (ForeignText text : texts) {
            byName.put(text.name(), text);
            if (text.text().stripLeading().startsWith("{")) {
                runs.addAll(new PerftestJson(text, problems).runs());
            } else {
                OutputText outputs = new OutputText(text, problems);
                outputs.read();
                runs.addAll(outputs.runs());
                devices.addAll(outputs.devices());
            }
        }
        checkEqual("Mtu", runs, byName, run -> run.settings().mtuBytes(), problems);
        checkEqual("Link type", runs, byName, run -> run.settings().link(), problems);
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems.stream().distinct().toList());
        }
        return new CardOutputs(runs, devices, warnings(runs));
    }

    private static void checkEqual(
            String name,
            List<PerftestRun> runs,
            Map<String, ForeignText> texts,
            Function<PerftestRun, @Nullable Object> setting,
            List<Problem> problems) {
        PerftestRun first = null;
        for (PerftestRun run : runs) {
            Object value = setting.apply(run);
            if (value == null) {
                continue;
            }
            if (first == null) {
                first = run;
            } else if (!value.equals(setting.apply(first))) {
                problems.add(Objects.requireNonNull(texts.get(run.origin().file()))
                        .problem(
                                run.origin().line(),
                                1,
                                name + " of this run is " + value + ", but " + setting.apply(first) + " in the run at "
                                        + first.origin() + ": all runs must use one network"));
            }
        }
    }

    private static List<String> warnings(List<PerftestRun> runs) {
        List<String> warnings = new ArrayList<>();
        for (PerftestRun.Warning kind : PerftestRun.Warning.values()) {
            List<String> places = runs.stream()
                    .filter(run -> run.warnings().contains(kind))
                    .map(run -> run.origin().toString())
                    .toList();
            if (!places.isEmpty()) {
                warnings.add(switch (kind) {
                            case LOOPBACK ->
                                "Both ends have the same address (loopback): one card serves both, without a network. ";
                            case SOFTWARE_RDMA -> "The device is software RDMA: times are of the CPU, not of a card. ";
                            case CPU_FREQUENCY ->
                                "perftest reports conflicting CPU frequencies: times in us may be wrong by their ratio. ";
                        }
                        + Quantities.list(places));
            }
        }
        return warnings;
    }
}
