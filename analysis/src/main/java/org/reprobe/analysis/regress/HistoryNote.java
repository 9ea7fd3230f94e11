package org.reprobe.analysis.regress;

import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.reprobe.analysis.document.Binder;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/** Why something changed on a day: a new kernel, a new machine, a slowdown that is accepted. */
@Section(meaning = "Why something changed on a day.")
public record HistoryNote(
        @Key(meaning = "The day.") LocalDate date,
        @Key(meaning = "The reason: kernel 6.12.") String text,

        @Key(byDefault = "", meaning = """
                What it explains: part of a scenario's, cell's or metric's name; empty for everything.""") String series) {

    /** Files of notes: {@code notes: [{date: 2026-11-30, text: kernel 6.12, series: throughput}]}. */
    public static final Binder<Notes> FILES = Binder.of(Notes.class);

    /** A file of notes. */
    @Section(meaning = "Notes on a history: what explains a change, so that it no longer counts as one.")
    public record Notes(
            @Key(byDefault = "[]", allowed = "a list of notes", meaning = "All notes.")
            List<HistoryNote> notes) {
        public Notes {
            notes = List.copyOf(notes);
        }
    }

    /**
     * Reads a file of notes.
     *
     * @throws InvalidInputException with all that is wrong in it
     */
    public static List<HistoryNote> read(Path file) throws InvalidInputException {
        return FILES.read(Document.read(file)).notes();
    }
}
