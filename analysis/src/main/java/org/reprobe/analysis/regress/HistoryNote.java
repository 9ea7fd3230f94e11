package org.reprobe.analysis.regress;

import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.reprobe.analysis.document.Binder;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/** Explanation of a change on a day: a new kernel, a new machine, an accepted slowdown. */
@Section(meaning = "Explanation of a change on a day.")
public record HistoryNote(
        @Key(meaning = "The day.") LocalDate date,
        @Key(meaning = "The reason: kernel 6.12.") String text,

        @Key(byDefault = "", meaning = """
                Explained series: part of a scenario's, cell's or metric's name; empty for all series.""") String series) {

    /** Files of notes: {@code notes: [{date: 2026-11-30, text: kernel 6.12, series: throughput}]}. */
    public static final Binder<Notes> FILES = Binder.of(Notes.class);

    @Section(meaning = "Notes on a history: explanations of changes, which then no longer count.")
    public record Notes(
            @Key(byDefault = "[]", allowed = "a list of notes", meaning = "All notes.")
            List<HistoryNote> notes) {
        public Notes {
            notes = List.copyOf(notes);
        }
    }

    public static List<HistoryNote> read(Path file) throws InvalidInputException {
        return FILES.read(Document.read(file)).notes();
    }
}
