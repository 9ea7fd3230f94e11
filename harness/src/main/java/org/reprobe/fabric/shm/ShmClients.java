package org.reprobe.fabric.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;

/**
 * Clients of a server on this machine, of one process. They map the server's memory and do their operations themselves.
 * While they run, the thread that runs them looks after the server's process.
 */
public final class ShmClients implements FabricClients {
    private static final long LOOK_EVERY_MS = 200;
    /** Clients that have been told to end are given this long. */
    private static final long END_WITHIN_MS = 5_000;

    private final ServerFolder folder;
    private final ProcessId server;
    private final boolean sameProcess;
    private final Control control;
    private final Arena arena;
    private final Map<Integer, MappedFile> files = new HashMap<>();
    private volatile Regions regions = Regions.NONE;
    private boolean closed;

    /** A file of the server's, mapped here. */
    private record MappedFile(MemorySegment memory, Arena arena) {}

    private ShmClients(ServerFolder folder, Control control, Arena arena) {
        this.folder = folder;
        this.arena = arena;
        this.control = control;
        this.server = control.server();
        this.sameProcess = server.equals(ProcessId.current());
    }

    /**
     * Finds a server.
     *
     * @param endpoint what {@link ShmServer#endpoint} says
     */
    public static ShmClients connect(String endpoint) throws FabricException {
        ServerFolder folder = ServerFolder.of(endpoint);
        Arena arena = Arena.ofShared();
        boolean found = false;
        try {
            Control control = Control.open(Mapping.map(folder.file(Control.FILE), Control.BYTES, arena));
            if (control != null && !control.closed()) {
                ShmClients clients = new ShmClients(folder, control, arena);
                String gone = clients.serverGone();
                if (gone == null) {
                    found = true;
                    return clients;
                }
                clients.deleteLeftover();
                throw new FabricException(gone);
            }
        } catch (IOException e) {
            throw new FabricException("there is no server at " + endpoint + ": it has ended", e);
        } finally {
            if (!found) {
                arena.close();
            }
        }
        throw new FabricException("there is no server at " + endpoint + ": it has ended");
    }

    Control control() {
        return control;
    }

    /** Why there is no server any more; null while there is one. */
    private @Nullable String serverGone() {
        if (control.closed()) {
            String failure = control.failure();
            return failure == null ? "the server has ended" : "the server has ended: " + failure;
        }
        return sameProcess || server.alive() ? null : "the server process " + server.pid() + " has died";
    }

    /** A killed server can't remove its files itself. */
    private void deleteLeftover() {
        if (!sameProcess && !server.alive()) {
            folder.delete();
        }
    }

    /** The regions as they are now. */
    synchronized Regions refreshed() {
        long version = control.regionsVersion();
        if (version == regions.version()) {
            return regions;
        }
        int count = control.regionCount();
        @Nullable MemorySegment[] memories = new MemorySegment[count];
        int[] keys = new int[count];
        for (int region = 0; region < count; region++) {
            int key = control.regionKey(region);
            if (key != 0) {
                MemorySegment memory = memory(region);
                // If it has been given to another meanwhile, the version says so.
                if (memory != null && control.regionKey(region) == key) {
                    memories[region] = memory;
                    keys[region] = key;
                }
            }
        }
        regions = new Regions(version, memories, keys);
        unmapFreed();
        return regions;
    }

    private @Nullable MemorySegment memory(int region) {
        int file = control.regionFile(region);
        long offset = control.regionFileOffset(region);
        long bytes = control.regionBytes(region);
        MappedFile mapped = files.get(file);
        if (mapped == null) {
            Arena own = Arena.ofShared();
            try {
                var path = folder.file(file);
                mapped = new MappedFile(Mapping.map(path, Files.size(path), own), own);
            } catch (IOException _) {
                own.close();
                return null;
            }
            files.put(file, mapped);
        }
        boolean inside =
                offset >= 0 && bytes >= 0 && offset + bytes <= mapped.memory().byteSize();
        return inside ? mapped.memory().asSlice(offset, bytes) : null;
    }

    private void unmapFreed() {
        files.entrySet().removeIf(file -> {
            boolean freed = !Files.exists(folder.file(file.getKey())) && serverGone() == null;
            if (freed) {
                file.getValue().arena().close();
            }
            return freed;
        });
    }

    /** The way of a connection's messages once the server has accepted it; null before. */
    @Nullable
    MessageChannel channel(int connection, Arena runArena) {
        if (control.connectionState(connection) != Control.ACCEPTED) {
            return null;
        }
        int clientReceives = control.clientReceiveQueue(connection);
        int serverReceives = control.serverReceiveQueue(connection);
        try {
            MemorySegment memory = Mapping.map(
                    folder.file(control.channelFile(connection)),
                    MessageChannel.bytes(clientReceives, serverReceives),
                    runArena);
            return MessageChannel.atClient(memory, clientReceives, serverReceives);
        } catch (IOException _) {
            return null; // the server has ended: whoever waits is told so
        }
    }

    @Override
    public void run(Crew crew, ClientProgram program) throws FabricException, InterruptedException {
        ClientRun run = new ClientRun(this, crew, control.addCrew(ProcessId.current(), crew.first(), crew.count()));
        try {
            run.run(program);
        } finally {
            control.crewHasEnded(run.crewNumber);
            run.close();
            deleteLeftover();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            files.values().forEach(file -> file.arena().close());
            files.clear();
        }
        deleteLeftover();
        arena.close();
    }

    /** One run of clients. */
    static final class ClientRun {
        private final ShmClients clients;
        private final Crew crew;
        private final int crewNumber;
        private final Arena arena = Arena.ofShared();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        /** Why all are to end; null while they are not. */
        private volatile @Nullable String over;

        private final List<Thread> threads = new ArrayList<>();

        ClientRun(ShmClients clients, Crew crew, int crewNumber) {
            this.clients = clients;
            this.crew = crew;
            this.crewNumber = crewNumber;
        }

        ShmClients clients() {
            return clients;
        }

        Crew crew() {
            return crew;
        }

        int crewNumber() {
            return crewNumber;
        }

        Arena arena() {
            return arena;
        }

        @Nullable
        String over() {
            return over;
        }

        void run(ClientProgram program) throws FabricException, InterruptedException {
            CountDownLatch running = new CountDownLatch(crew.count());
            for (int i = 0; i < crew.count(); i++) {
                ShmClient client = new ShmClient(this, crew.first() + i);
                threads.add(Thread.ofPlatform()
                        .daemon()
                        .name("client-" + client.index())
                        .unstarted(() -> {
                            try {
                                program.run(client);
                            } catch (Throwable e) {
                                fail(e);
                            } finally {
                                clients.control().clientHasEnded(crewNumber);
                                running.countDown();
                            }
                        }));
            }
            threads.forEach(Thread::start);
            try {
                while (!running.await(LOOK_EVERY_MS, TimeUnit.MILLISECONDS)) {
                    String gone = clients.serverGone();
                    if (gone != null) {
                        fail(new FabricException(gone));
                    }
                    if (over != null) {
                        endWithin(running);
                        break;
                    }
                }
            } catch (InterruptedException e) {
                fail(e);
                endWithin(running);
                throw e;
            }
            switch (failure.get()) {
                case null -> {}
                case FabricException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new FabricException("a client failed: " + e, e);
            }
        }

        /** The first failure is the run's; the others are ended. */
        private void fail(Throwable e) {
            if (failure.compareAndSet(null, e)) {
                over = "the run was ended";
                threads.forEach(Thread::interrupt);
            }
        }

        private static void endWithin(CountDownLatch running) throws InterruptedException {
            boolean _ = running.await(END_WITHIN_MS, TimeUnit.MILLISECONDS);
        }

        /** What a client that waits must know: nobody will answer it. */
        void checkOtherEnd(ShmQueuePair waiting) throws FabricException {
            if (clients.control().servedCrews() > crewNumber && waiting.waitsInVain()) {
                String why = clients.control().failure();
                throw new FabricException(
                        why == null
                                ? "a client waits for the server's program, which has ended"
                                : "the server's program failed: " + why);
            }
        }

        void close() {
            arena.close();
        }
    }
}
