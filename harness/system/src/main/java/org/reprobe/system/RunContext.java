package org.reprobe.system;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;

/** Clients' context in a process. The word is null if machines can't fail, or all are in this process. */
public record RunContext(@Nullable SharedWord word, Histories histories, Restarts restarts) {
    public static final RunContext NONE =
            new RunContext(null, _ -> HistoryRecorder.NONE, new Restarts(0, Map.of(), (_, _) -> {}));

    @FunctionalInterface
    public interface Histories {
        /** Returns a client's recorder by the client's index. Higher indices are for the final content of machines. */
        HistoryRecorder of(int client) throws FabricException;
    }

    /**
     * Single machines of a run whose process was killed, and another one joins the others.
     *
     * @param own number of this process of its machine; 0 if the machine has not failed
     * @param processes new processes that are ready for connections, by machine; concurrent, and extended during the
     *     run
     */
    public record Restarts(int own, Map<Integer, NewProcess> processes, Joined joined) {}

    /** Region of a restarted machine in its process, which is number {@code number} of the machine, from 1 on. */
    public record NewProcess(int number, RemoteRegion region) {}

    @FunctionalInterface
    public interface Joined {
        /** Called once this process's machine is a member again, with the cost of copying its content from others. */
        void joined(long copiedBytes, long copyNs);
    }
}
