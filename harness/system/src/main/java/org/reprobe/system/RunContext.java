package org.reprobe.system;

import org.jspecify.annotations.Nullable;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.FabricException;

/** Clients' context in a process. The word is null if machines can't fail, or all are in this process. */
public record RunContext(@Nullable SharedWord word, Histories histories) {
    public static final RunContext NONE = new RunContext(null, _ -> HistoryRecorder.NONE);

    @FunctionalInterface
    public interface Histories {
        /** Returns a client's recorder by the client's index. Higher indices are for the final content of machines. */
        HistoryRecorder of(int client) throws FabricException;
    }
}
