package org.reprobe.longrun;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.FabricException;
import org.reprobe.system.RunContext;

/** Histories of a process's clients, one {@link EventLog} per client, which outlive the process. */
public final class EventLogs implements RunContext.Histories, AutoCloseable {
    /** Upper bound on events per second of a client. */
    private static final int EVENTS_PER_S = 2_000_000;

    private static final double NS_PER_S = 1e9;
    private static final int MIN_EVENTS = 10_000_000;
    private static final int MAX_EVENTS = 200_000_000;

    private final Path folder;
    private final Arena arena = Arena.ofShared();
    private final int maxEvents;

    public EventLogs(Path folder, long durationNs) {
        this.folder = folder;
        this.maxEvents = (int) Math.clamp(durationNs / NS_PER_S * EVENTS_PER_S, MIN_EVENTS, MAX_EVENTS);
    }

    @Override
    public HistoryRecorder of(int client) throws FabricException {
        try {
            return EventLog.create(EventLog.file(folder, client), maxEvents, arena);
        } catch (IOException e) {
            throw new FabricException("the history can't be written: " + e.getMessage(), e);
        }
    }

    /** Closes the logs. Only after all clients have ended. */
    @Override
    public void close() {
        arena.close();
    }
}
