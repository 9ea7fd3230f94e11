package org.reprobe.analysis.regress;

import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.DocumentSchema;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Why something changed on a day: a new kernel, a new machine, a slowdown that is accepted.
 *
 * @param series what it explains: part of a scenario's, cell's or metric's name; "" for everything
 */
public record HistoryNote(LocalDate date, String text, String series) {
    private static final DocumentSchema SCHEMA =
            new DocumentSchema(JsonMapper.shared().readTree("""
            {"type": "object", "additionalProperties": false, "required": ["notes"], "properties": {
              "notes": {"type": "array", "items": {
                "type": "object", "additionalProperties": false, "required": ["date", "text"], "properties": {
                  "date": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
                           "x-allowed": "a day like 2026-11-30"},
                  "text": {"type": "string"},
                  "series": {"type": "string"}}}}}}
            """));

    /**
     * Reads a file of notes: {@code notes: [{date: 2026-11-30, text: kernel 6.12, series: throughput}]}.
     *
     * @throws InvalidInputException with all that is wrong in it
     */
    public static List<HistoryNote> read(Path file) throws InvalidInputException {
        Document document = Document.read(file);
        SCHEMA.require(document);
        List<HistoryNote> notes = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        JsonNode list = document.root().get("notes");
        for (int i = 0; i < list.size(); i++) {
            JsonNode note = list.get(i);
            try {
                notes.add(new HistoryNote(
                        LocalDate.parse(note.get("date").stringValue()),
                        note.get("text").stringValue(),
                        note.path("series").asString("")));
            } catch (DateTimeParseException e) {
                problems.add(document.problem("/notes/" + i + "/date", "there is no such day"));
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return List.copyOf(notes);
    }
}
