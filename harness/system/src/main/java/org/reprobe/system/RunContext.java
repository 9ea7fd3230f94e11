package org.reprobe.system;

import org.jspecify.annotations.Nullable;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.FabricException;

/** Context of a process's clients: shared word (null if machines can't fail or are all here) and histories. */
public record RunContext(@Nullable SharedWord word, Histories histories) {
    public static final RunContext NONE = new RunContext(null, _ -> HistoryRecorder.NONE);

    @FunctionalInterface
    public interface Histories {
        /** Returns a client's recorder by its index; higher indices are for machines' final content. */
        HistoryRecorder of(int client) throws FabricException;
    }
}
