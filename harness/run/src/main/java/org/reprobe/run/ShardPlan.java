package org.reprobe.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.scenario.Scenario;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code shards/plan.json}: content of a run in shards, with each shard's units by their position in the plan. The
 * first process writes it, and it never changes; all others compare their plan with it.
 *
 * @param digest of scenarios, NIC profiles, units, their seeds and the shards
 * @param maxMemoryBytes for tables; the same everywhere, since a run refused for it is a result
 */
record ShardPlan(
        int format,
        String reprobe,
        String commit,
        String digest,
        String command,
        boolean combined,
        long maxMemoryBytes,
        List<String> scenarios,
        Map<String, String> facts,
        List<List<Integer>> shards) {
    static final String NAME = "plan.json";
    private static final int FORMAT = 1;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    ShardPlan {
        scenarios = List.copyOf(scenarios);
        facts = new LinkedHashMap<>(facts);
        shards = shards.stream().map(List::copyOf).toList();
    }

    static ShardPlan of(
            RunPlan plan,
            Shards shards,
            boolean combined,
            long maxMemoryBytes,
            String commit,
            String command,
            Map<String, String> facts,
            Path nics)
            throws IOException {
        return new ShardPlan(
                FORMAT,
                Environment.version(),
                commit,
                digest(plan, shards, nics),
                command,
                combined,
                maxMemoryBytes,
                plan.scenarios().stream().map(Scenario::name).toList(),
                facts,
                indices(shards));
    }

    private static List<List<Integer>> indices(Shards shards) {
        return shards.parts().stream()
                .map(part -> part.stream().map(RunPlan.Unit::index).toList())
                .toList();
    }

    /** Returns a hash that differs for plans whose results may differ, and for other divisions of one plan. */
    static String digest(RunPlan plan, Shards shards, Path nics) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
        List<Object> all = new ArrayList<>();
        for (Scenario scenario : plan.scenarios()) {
            all.add(scenario.name());
            all.add(scenario.resolvedYaml());
        }
        for (RunPlan.Unit unit : plan.units()) {
            all.add(unit.index() + " " + unit.name() + " " + unit.repeat() + " " + unit.runSeed());
        }
        // From files: the text of maps differs between processes.
        List<String> profiles =
                plan.units().stream().map(unit -> unit.nic().name()).distinct().toList();
        for (String profile : profiles) {
            all.add(Files.readString(nics.resolve(profile + ".yaml")));
        }
        all.add(indices(shards));
        for (Object part : all) {
            digest.update(String.valueOf(part).getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    Shards shards(RunPlan plan, Path file, Path nics) throws InvalidInputException, IOException {
        List<RunPlan.Unit> units = plan.units();
        List<List<RunPlan.Unit>> parts = new ArrayList<>();
        for (List<Integer> shard : shards) {
            if (shard.stream().anyMatch(index -> index < 0 || index >= units.size())) {
                throw otherPlan(file);
            }
            parts.add(shard.stream().map(units::get).toList());
        }
        Shards all = new Shards(parts);
        if (!digest(plan, all, nics).equals(digest)) {
            throw otherPlan(file);
        }
        return all;
    }

    private static InvalidInputException otherPlan(Path file) {
        return new InvalidInputException(
                file,
                "was written by another version of Reprobe, whose runs differ. Use that version, or a new folder");
    }

    /** Writes the file unless it exists: then the existing one is valid. */
    void writeFirst(Path file) throws IOException {
        Path own = file.resolveSibling("." + NAME + "." + Environment.host() + "."
                + ProcessHandle.current().pid());
        WholeFile.write(own, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n");
        try {
            Files.createLink(file, own); // fails for all processes but one, also on network file systems
        } catch (FileAlreadyExistsException e) {
            // Another process was first.
        } catch (IOException | UnsupportedOperationException e) { // a file system without links
            if (!Files.exists(file)) {
                Files.copy(own, file);
            }
        } finally {
            Files.deleteIfExists(own);
        }
    }

    static ShardPlan read(Path file) throws InvalidInputException {
        try {
            ShardPlan plan = JSON.readValue(Document.text(file), ShardPlan.class);
            if (plan.format != FORMAT) {
                throw new InvalidInputException(
                        file,
                        "was written by another version of Reprobe (format " + plan.format + "; this one reads format "
                                + FORMAT + "). Use that version, or a new folder");
            }
            return plan;
        } catch (JacksonException e) {
            throw new InvalidInputException(file, "is damaged: start again in a new folder");
        }
    }
}
