package org.reprobe.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.WholeFile;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code status.json}: state of a result folder with its numbers of runs. */
public record Status(
        State state, int done, int failed, int planned, String command, List<String> scenarios, boolean combined) {
    /** Version of result folders that is written and read. */
    public static final int FORMAT = 1;

    public static final String NAME = "status.json";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    public Status {
        scenarios = List.copyOf(scenarios);
    }

    public enum State {
        RUNNING,
        COMPLETE,
        INTERRUPTED,
        FAILED;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    Status with(State newState, int newDone, int newFailed) {
        return new Status(newState, newDone, newFailed, planned, command, scenarios, combined);
    }

    /** Returns the state with its counts: "complete, 2 runs failed", "interrupted, 3 of 8 runs". */
    public String words() {
        String runs = state == State.COMPLETE ? "" : ", " + done + " of " + Quantities.count(planned, "run");
        return state.word() + runs + (failed == 0 ? "" : ", " + failed(failed));
    }

    public static String failed(int runs) {
        return Quantities.count(runs, "run") + " failed";
    }

    void write(Path folder) throws IOException {
        WholeFile.write(folder.resolve(NAME), text() + "\n");
    }

    /** Overwrites the file in place: a full disk has space for that, but not for a second file. */
    void overwrite(Path folder) throws IOException {
        try (FileChannel file = FileChannel.open(folder.resolve(NAME), StandardOpenOption.WRITE)) {
            String text = text();
            String blanks = " ".repeat(Math.max(0, Math.toIntExact(file.size()) - text.length() - 1));
            file.write(ByteBuffer.wrap((text + blanks + "\n").getBytes(StandardCharsets.UTF_8)), 0);
        }
    }

    private String text() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("format", FORMAT);
        object.put("status", state.word());
        object.put("done", done);
        object.put("failed", failed);
        object.put("planned", planned);
        object.put("command", command);
        object.put("scenarios", scenarios);
        object.put("combined", combined);
        return JSON.writeValueAsString(object);
    }

    /**
     * Reads a folder's status. A run whose process no longer exists is {@link State#INTERRUPTED}, even if that was not
     * written. Fails if the folder is damaged or of another version.
     */
    public static Status read(Path folder) throws InvalidInputException {
        String name = folder.toString();
        if (!Files.isDirectory(folder)) {
            throw new InvalidInputException(name, "no such folder");
        }
        Path file = folder.resolve(NAME);
        if (!Files.exists(file) && ShardFolder.isOne(folder)) {
            throw new InvalidInputException(name, "has shards that are not merged: ./run.sh merge " + name);
        }
        if (!Files.exists(file)) {
            throw new InvalidInputException(
                    Problem.of(name, "is not a result folder: it has no " + NAME + ". Result folders are in results/"));
        }
        try {
            JsonNode node = JSON.readTree(Document.text(file));
            int format = node.path("format").asInt(0);
            if (format != FORMAT) {
                throw new InvalidInputException(
                        name,
                        "was written by another version of Reprobe (folder format " + node.path("format") + "; this one"
                                + " reads format " + FORMAT + "). Use that version, or run the experiment again");
            }
            State state = null;
            for (State candidate : State.values()) {
                if (candidate.word().equals(node.path("status").asString(""))) {
                    state = candidate;
                }
            }
            List<String> scenarios = new ArrayList<>();
            node.path("scenarios").forEach(scenario -> scenarios.add(scenario.asString("")));
            if (state == null || scenarios.isEmpty()) {
                throw damaged(file);
            }
            return new Status(
                    state == State.RUNNING && FolderLock.isAbandoned(folder) ? State.INTERRUPTED : state,
                    node.path("done").asInt(0),
                    node.path("failed").asInt(0),
                    node.path("planned").asInt(0),
                    node.path("command").asString(""),
                    scenarios,
                    node.path("combined").asBoolean(false));
        } catch (JacksonException e) {
            throw damaged(file);
        }
    }

    private static InvalidInputException damaged(Path file) {
        return new InvalidInputException(file, "is damaged; run the experiment again");
    }
}
