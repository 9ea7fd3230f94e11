package org.reprobe.longrun;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.reprobe.check.Event;
import org.reprobe.check.Operation;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Servers;
import org.reprobe.nessie.Nessie;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.Rules;
import org.reprobe.nessie.ServerLink;
import org.reprobe.remote.Result;
import org.reprobe.run.Fabrics;

/**
 * A process of clients. Time goes in windows; at the beginning of each all clients work as fast as they can on the window's few
 * keys and those of the two before, so that they collide, then wait for the next. Keys of older windows are deleted. So each
 * key has a short history, however long the run is.
 */
public final class LongRunClients {
    private static final long WINDOW_NS = 50_000_000;
    private static final int OPERATIONS_A_WINDOW = 100;
    private static final int KEYS_A_WINDOW = 12;
    private static final int WINDOWS_IN_USE = 3;
    private static final long BACK_OFF_NS = 2_000;
    private static final int TRIES_TO_COME_BACK = 200;
    private static final long TRY_AGAIN_NS = 50_000_000;
    private static final long START_POLL_NS = 2_000_000;

    private final Assignment assignment;

    private LongRunClients(Assignment assignment) {
        this.assignment = assignment;
    }

    /** Does what a line that {@link LongRun} has written says, until the run's end or its own. */
    public static void run(String line) throws FabricException, InterruptedException {
        Assignment assignment = Assignment.parse(line);
        LongRunClients here = new LongRunClients(assignment);
        FabricClients.Crew crew =
                new FabricClients.Crew(assignment.first(), assignment.clients(), assignment.clients(), () -> {
                    throw new FabricException("clients of a long run do not wait for each other");
                });
        try (FabricClients half = Fabrics.connect(assignment.fabric(), Servers.one(assignment.endpoint()))) {
            half.run(crew, here::client);
        }
    }

    /** The most events of one client. */
    private static int mostEvents(Assignment assignment) {
        long windows = assignment.durationNs() / WINDOW_NS + 2;
        return Math.toIntExact(windows * (OPERATIONS_A_WINDOW + KEYS_A_WINDOW));
    }

    private void client(Client client) throws FabricException {
        if (client.index() == assignment.first() && assignment.dead() >= 0) {
            comeBackAs(client, assignment.dead());
        }
        Nessie table = new Nessie(
                assignment.geometry(),
                new RemoteRegion(0, assignment.geometry().bytes(), 0), // the server tells
                new int[assignment.geometry().owners()],
                Rules.CORRECTED,
                BACK_OFF_NS,
                Nessie.ATTEMPTS);
        try (Arena arena = Arena.ofConfined();
                NessieClient nessie = new NessieClient(
                        client, table, client.index(), assignment.seed(), new ServerLink(client, client.index()))) {
            EventLog log =
                    EventLog.create(Assignment.log(assignment.folder(), client.index()), mostEvents(assignment), arena);
            work(client, nessie, log);
        } catch (IOException e) {
            throw new FabricException("no history can be written: " + e.getMessage(), e);
        }
    }

    private void work(Client client, NessieClient nessie, EventLog log) throws FabricException, IOException {
        long startNs = awaitStart(client);
        SplittableRandom random = new SplittableRandom(assignment.seed() * 31 + client.index());
        int share = assignment.place() * assignment.clients() + client.index() - assignment.first();
        int shares = assignment.places() * assignment.clients();
        long value = (long) (client.index() + 1) << 32;
        while (client.nowNs() - startNs < assignment.durationNs()) {
            long window = (client.nowNs() - startNs) / WINDOW_NS;
            for (int i = 0; i < OPERATIONS_A_WINDOW && log.hasRoom(); i++) {
                long of = Math.max(0, window - random.nextInt(WINDOWS_IN_USE));
                long key = of * KEYS_A_WINDOW + random.nextInt(KEYS_A_WINDOW);
                int what = random.nextInt(20);
                Operation operation = what < 9 ? Operation.WRITE : what < 12 ? Operation.DELETE : Operation.READ;
                operation(nessie, log, client.index(), operation, key, ++value);
            }
            for (int i = share; i < KEYS_A_WINDOW && window >= WINDOWS_IN_USE && log.hasRoom(); i += shares) {
                long key = (window - WINDOWS_IN_USE) * KEYS_A_WINDOW + i;
                operation(nessie, log, client.index(), Operation.DELETE, key, 0);
            }
            client.pause(Math.max(1, startNs + (window + 1) * WINDOW_NS - client.nowNs()));
        }
    }

    private long awaitStart(Client client) throws FabricException, IOException {
        Path start = Assignment.start(assignment.folder());
        while (!Files.exists(start)) {
            client.pause(START_POLL_NS);
        }
        return Long.parseLong(Files.readString(start));
    }

    private static void operation(
            NessieClient nessie, EventLog log, int client, Operation operation, long key, long value)
            throws FabricException {
        int event = log.invoked(client, operation, key, operation == Operation.WRITE ? value : 0);
        Result result = switch (operation) {
            case WRITE -> nessie.write(key, value);
            case DELETE -> nessie.delete(key);
            default -> nessie.read(key);
        };
        switch (result) {
            case DONE -> log.returned(event, operation == Operation.READ ? nessie.firstWord() : Event.DONE);
            case ABSENT -> log.returned(event, Event.ABSENT);
            case FULL -> log.returned(event, Event.REFUSED);
            case GAVE_UP ->
                throw new FabricException("client " + client + " tried " + operation.words() + "(" + key
                        + ") again and again in vain: somebody or something stands in its way");
        }
    }

    /** Under the number of a client that was killed: refused once its death is known, which takes the fabric a moment. */
    private static void comeBackAs(Client client, int dead) throws FabricException {
        for (int i = 0; i < TRIES_TO_COME_BACK; i++) {
            try (ServerLink link = new ServerLink(client, dead)) {
                link.settle();
            } catch (FabricException e) {
                if (String.valueOf(e.getMessage()).contains("declared dead")) {
                    return;
                }
                throw e;
            }
            client.pause(TRY_AGAIN_NS);
        }
        throw new FabricException("client " + dead + " was killed, and yet the server takes its requests");
    }
}
