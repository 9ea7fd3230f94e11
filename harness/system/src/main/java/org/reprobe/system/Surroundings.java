package org.reprobe.system;

import org.jspecify.annotations.Nullable;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.FabricException;

/**
 * What the clients of one process are given besides settings.
 *
 * @param word null where machines can't fail, or all are in this process
 * @param histories where clients write down what they ask and are told
 */
public record Surroundings(@Nullable SharedWord word, Histories histories) {
    /** Nothing. */
    public static final Surroundings NONE = new Surroundings(null, _ -> HistoryRecorder.NONE);

    /** Histories by their clients. */
    @FunctionalInterface
    public interface Histories {
        /** A client's, by its index; of what a machine has in the end by a number behind all clients'. */
        HistoryRecorder of(int client) throws FabricException;
    }
}
