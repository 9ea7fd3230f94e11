package org.reprobe.longrun;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.reprobe.check.Operation;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.FabricException;
import org.reprobe.system.CrashTest;
import org.reprobe.system.Served;

/**
 * Clients of one process of a {@link CrashTest}. Time is divided into windows: at the beginning of each, all clients
 * work as fast as they can on the window's few keys and those of the two before, so that they collide, then wait for
 * the next. Keys of older windows are deleted. So each key has a short history, however long the run is.
 */
public final class HistoryClients implements ClientProgram {
    private static final long WINDOW_NS = 50_000_000;
    private static final int OPERATIONS_A_WINDOW = 100;
    private static final int KEYS_A_WINDOW = 12;
    private static final int WINDOWS_IN_USE = 3;
    private static final int TRIES_TO_COME_BACK = 200;
    private static final long TRY_AGAIN_NS = 50_000_000;

    private final Part part;
    private final CrashTest system;
    private final Served.Machine machine;
    private final Path folder;
    private final LongSupplier startNs;

    /**
     * This process' part of a run.
     *
     * @param clients all of the run, as {@link CrashTest.Size} counts them
     * @param first number of the first client here
     * @param place number of this process, or of the one that it replaces, from 0
     * @param places number of concurrent processes
     * @param durationNs working time once all clients may begin
     * @param crashed killed client in whose name this process sends requests again; -1 for none
     */
    public record Part(
            int clients, int first, int count, int place, int places, long durationNs, long seed, int crashed) {}

    /** @param startNs start of the run by {@link System#nanoTime}; valid after the clients' barrier */
    public HistoryClients(Part part, CrashTest system, Served.Machine machine, Path folder, LongSupplier startNs) {
        this.part = part;
        this.system = system;
        this.machine = machine;
        this.folder = folder;
        this.startNs = startNs;
    }

    public static CrashTest.Size size(int clients, long durationNs) {
        return new CrashTest.Size(clients, (durationNs / WINDOW_NS + 2) * KEYS_A_WINDOW);
    }

    private int maxEvents() {
        return Math.toIntExact((part.durationNs() / WINDOW_NS + 2) * (OPERATIONS_A_WINDOW + KEYS_A_WINDOW));
    }

    @Override
    public void run(Client client) throws FabricException {
        if (client.index() == part.first() && part.crashed() >= 0 && system.refusesCrashed()) {
            returnAs(client, part.crashed());
        }
        try (Arena arena = Arena.ofConfined();
                CrashTest.Session session =
                        system.connect(client, machine, size(part.clients(), part.durationNs()), part.seed())) {
            EventLog log = EventLog.create(EventLog.file(folder, client.index()), maxEvents(), arena);
            client.barrier();
            work(client, session, log);
        } catch (IOException e) {
            throw new FabricException("the history can't be written: " + e.getMessage(), e);
        }
    }

    private void work(Client client, CrashTest.Session session, EventLog log) throws FabricException {
        long beganNs = startNs.getAsLong();
        List<Operation> operations = system.operations();
        boolean deletes = operations.contains(Operation.DELETE);
        SplittableRandom random = new SplittableRandom(part.seed() * 31 + client.index());
        int share = part.place() * part.count() + client.index() - part.first();
        int shares = part.places() * part.count();
        long value = (long) (client.index() + 1) << 32;
        while (client.nowNs() - beganNs < part.durationNs()) {
            long window = (client.nowNs() - beganNs) / WINDOW_NS;
            for (int i = 0; i < OPERATIONS_A_WINDOW && log.hasRoom(); i++) {
                long of = Math.max(0, window - random.nextInt(WINDOWS_IN_USE));
                long key = of * KEYS_A_WINDOW + random.nextInt(KEYS_A_WINDOW);
                Operation operation = operations.get(random.nextInt(operations.size()));
                perform(session, log, client.index(), operation, key, ++value);
            }
            for (int i = share;
                    deletes && i < KEYS_A_WINDOW && window >= WINDOWS_IN_USE && log.hasRoom();
                    i += shares) {
                long key = (window - WINDOWS_IN_USE) * KEYS_A_WINDOW + i;
                perform(session, log, client.index(), Operation.DELETE, key, 0);
            }
            client.pause(Math.max(1, beganNs + (window + 1) * WINDOW_NS - client.nowNs()));
        }
    }

    private static void perform(
            CrashTest.Session session, EventLog log, int client, Operation operation, long key, long value)
            throws FabricException {
        int event = log.invoked(client, operation, key, operation == Operation.WRITE ? value : 0);
        log.returned(event, session.perform(operation, key, value));
    }

    /** Uses the number of a killed client: refused once its failure is detected, which takes the fabric a moment. */
    private void returnAs(Client client, int crashed) throws FabricException {
        for (int i = 0; i < TRIES_TO_COME_BACK; i++) {
            if (system.isRefused(client, crashed)) {
                return;
            }
            client.pause(TRY_AGAIN_NS);
        }
        throw new FabricException("client " + crashed + " was killed, but the server accepts its requests");
    }
}
