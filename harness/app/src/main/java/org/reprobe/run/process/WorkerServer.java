package org.reprobe.run.process;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.RunOverException;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.Servers;
import org.reprobe.fabric.Serving;
import org.reprobe.memory.Memory;
import org.reprobe.run.Fabrics;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.Counts;
import org.reprobe.system.Deployment;
import org.reprobe.system.RefusedException;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.SharedContent;

/**
 * The server that a worker process is while it is asked to be one: the server's half of a fabric, memory that clients reach, and a
 * program if the system has one. Content that runs only read is kept until other content is asked for, and registered for each run
 * anew; memory that is written is one run's, and so is its server where there is no content.
 */
final class WorkerServer implements AutoCloseable {
    private final MessageConnection connection;
    private final KnownScenarios scenarios;
    private final @Nullable Path tables;
    private final Opener opener;

    private @Nullable FabricServer server;
    private String served = "";
    private boolean closed;
    private @Nullable ServerSide half;
    private @Nullable Deployment deployed;
    private @Nullable Serving program;
    private @Nullable OtherServers others;
    private @Nullable BuiltContent content;
    /** Memory of the run that was prepared last, or was being prepared when that failed. */
    private @Nullable RunMemory ofRun;

    /**
     * Serves nothing yet.
     *
     * @param connection to the coordinator, by which endpoints are sealed
     * @param tables where tables are kept between runs; null to build them anew
     */
    WorkerServer(MessageConnection connection, KnownScenarios scenarios, @Nullable Path tables) {
        this(connection, scenarios, tables, Fabrics::serve);
    }

    /** The same with the server's half of fabrics of its own. */
    WorkerServer(MessageConnection connection, KnownScenarios scenarios, @Nullable Path tables, Opener opener) {
        this.connection = connection;
        this.scenarios = scenarios;
        this.tables = tables;
        this.opener = opener;
    }

    /** Opens the server's half of a fabric, as {@link Fabrics#serve} does. */
    interface Opener {
        FabricServer serve(String fabric, String address) throws FabricException;
    }

    /** The server half that was prepared last; null when there is none. */
    @Nullable
    ServerSide half() {
        return half;
    }

    /** What {@link #half} is one of. */
    Deployment deployment() {
        return Objects.requireNonNull(deployed);
    }

    /** Serves without a table. */
    Message open(Message.Open message) throws FabricException {
        FabricServer here = server(scenarios.settings(message.cell()).fabric(), message.address());
        return new Message.Opened(connection.seal(here.endpoint()));
    }

    /** Prepares memory that clients can reach, and starts the program. */
    Message prepare(Message.Prepare message)
            throws FabricException, InvalidInputException, RefusedException, InterruptedException {
        Settings settings = scenarios.settings(message.cell());
        Deployment deployment = scenarios.deployment(message.cell());
        Content wanted = SharedContent.of(deployment);
        BuiltContent kept = content;
        if (kept == null || !kept.content().equals(wanted) || !served.equals(settings.fabric())) {
            release();
            if (wanted == null) {
                endServer();
            }
        }
        withdraw();
        FabricServer fabric = server(settings.fabric(), message.address());
        if (wanted != null && content == null) {
            content = build(wanted, fabric, message.threads());
        }
        RunMemory memory = new RunMemory(fabric);
        ofRun = memory; // before anything is registered: what fails halfway has no half that would name its regions
        ServerSide here;
        try {
            here = deployment.serve(message.machine(), List.of(memory), content);
        } catch (IllegalArgumentException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
        half = here;
        ServerProgram answering =
                here.programs().isEmpty() ? null : here.programs().getFirst();
        if (answering != null) {
            OtherServers asked = new OtherServers(settings.fabric(), message.machine());
            others = asked;
            program = Serving.begin(fabric, settings.clients().total(), answering, asked, this::failed);
        }
        deployed = deployment;
        // The endpoint may hold a token: it goes sealed.
        return new Message.Prepared(
                connection.seal(server(settings.fabric(), message.address()).endpoint()),
                here.machines().getFirst());
    }

    /** Tells this server of the others, and its program, if there is one, how it reaches them. */
    Message meet(Message.Meet message) throws IOException {
        List<String> endpoints = connection.open(
                message.servers().stream().map(Message.Prepared::endpoint).toList());
        ServerSide here = Objects.requireNonNull(half);
        here.exchangeRegions(new Served(
                message.servers().stream().map(Message.Prepared::machine).toList(), here));
        if (others != null) {
            others.meet(endpoints);
        }
        return new Message.Met();
    }

    /**
     * Tells the coordinator of a program's failure at once: its clients may wait for its answers. Where a run is over for another
     * reason, such as a client that was killed, that reason is what the coordinator is to say.
     */
    private void failed(Throwable why) {
        if (why instanceof RunOverException) {
            return;
        }
        try {
            connection.send(
                    new Message.Failed(String.valueOf(Serving.failure(why).getMessage())));
        } catch (IOException e) {
            // Its coordinator has ended, and this process ends with it.
        }
    }

    /** Waits for the program, which ends when all clients have, and compares their counts with memory. */
    Message finish(Message.Finish message) throws FabricException, IOException, InterruptedException {
        Serving answering = program;
        if (answering != null) {
            answering.await();
        }
        Deployment deployment = Objects.requireNonNull(deployed);
        Counts all = deployment.counts();
        all.add(new DataInputStream(new ByteArrayInputStream(message.counts())));
        String failure = Objects.requireNonNull(half).verificationFailure(all);
        if (content == null || answering != null) {
            release(); // a program has ended, and the next run needs one of its own
            endServer();
        }
        return new Message.Finished(failure == null ? "" : failure);
    }

    private synchronized FabricServer server(String fabric, String asked) throws FabricException {
        if (closed) {
            throw new FabricException("the run was ended");
        }
        FabricServer here = server;
        if (here == null || !served.equals(fabric)) {
            release();
            endServer();
            here = opener.serve(fabric, asked.isEmpty() ? connection.localHost() : asked);
            server = here;
            served = fabric;
        }
        return here;
    }

    private synchronized void endServer() {
        if (program != null) {
            program.close();
            program = null;
        }
        if (others != null) {
            others.close();
            others = null;
        }
        if (server != null) {
            server.close();
            server = null;
        }
        endHalf();
    }

    private void endHalf() {
        ServerSide here = half;
        half = null;
        if (here != null) {
            here.close();
        }
    }

    private BuiltContent build(Content wanted, FabricServer server, int threads)
            throws FabricException, RefusedException {
        Memory memory = (bytes, arena) -> shared(server, bytes, arena);
        try {
            return wanted.build(new Content.Builder(threads, memory, tables, notice -> {}));
        } catch (SharedMemoryException e) {
            throw e.reason;
        }
    }

    @SuppressWarnings("restricted") // ties the fabric's memory to the table's arena
    private static MemorySegment shared(FabricServer server, long bytes, Arena arena) {
        try {
            MemorySegment memory = server.allocate(bytes);
            return memory.reinterpret(bytes, arena, _ -> server.free(memory));
        } catch (FabricException e) {
            throw new SharedMemoryException(e);
        }
    }

    /** Carries a fabric's refusal through the table builder. */
    private static final class SharedMemoryException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient FabricException reason;

        SharedMemoryException(FabricException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    /** The server's memory, as a run allocates of it and registers it: until it is {@link #withdraw withdrawn}. */
    private static final class RunMemory implements RegisteredMemory {
        private final FabricServer fabric;
        private final List<MemorySegment> allocated = new ArrayList<>();
        private final Set<RemoteRegion> registered = new LinkedHashSet<>();

        RunMemory(FabricServer fabric) {
            this.fabric = fabric;
        }

        @Override
        public MemorySegment allocate(long bytes) throws FabricException {
            MemorySegment memory = fabric.allocate(bytes);
            allocated.add(memory);
            return memory;
        }

        @Override
        public RemoteRegion register(MemorySegment memory) throws FabricException {
            RemoteRegion region = fabric.register(memory);
            registered.add(region);
            return region;
        }

        @Override
        public void deregister(RemoteRegion region) throws FabricException {
            fabric.deregister(region);
            registered.remove(region);
        }

        /** Ends access to all of it, and frees it. */
        void release() throws FabricException {
            for (RemoteRegion region : List.copyOf(registered)) {
                deregister(region);
            }
            allocated.forEach(fabric::free);
        }

        @Override
        public boolean writesLandInOrder() {
            return fabric.writesLandInOrder();
        }
    }

    /**
     * Servers of a run in other processes, for the program of this one. The program starts before all are prepared: its first request
     * waits for their endpoints.
     */
    private static final class OtherServers implements Peers, AutoCloseable {
        private final String fabric;
        private final int own;
        private final CompletableFuture<List<String>> endpoints = new CompletableFuture<>();
        private volatile @Nullable FabricClients half;

        /** @param own the number of the server of this process */
        OtherServers(String fabric, int own) {
            this.fabric = fabric;
            this.own = own;
        }

        /** All of them are prepared. */
        void meet(List<String> endpoints) {
            this.endpoints.complete(endpoints);
        }

        @Override
        public int own() {
            return own;
        }

        @Override
        public Peer join() throws FabricException, InterruptedException {
            try {
                FabricClients here = Fabrics.connect(fabric, new Servers(endpoints.get(), own));
                half = here;
                return here.join(own);
            } catch (CancellationException | ExecutionException e) {
                throw new RunOverException("the run was ended", e);
            }
        }

        /** Ends the program's connections to them, after the program. */
        @Override
        public void close() {
            endpoints.cancel(false);
            FabricClients here = half;
            if (here != null) {
                here.close();
            }
        }
    }

    /**
     * Ends access to what the run before has registered, and frees what it has allocated, also where that run failed before it was
     * prepared: content alone outlives a run.
     */
    private void withdraw() throws FabricException {
        RunMemory before = ofRun;
        ofRun = null;
        if (before != null && server != null) {
            if (content == null) {
                endServer(); // which a program may have registered more of
            } else {
                before.release();
            }
        }
        endHalf();
    }

    private void release() throws FabricException {
        withdraw();
        if (content != null) {
            content.close();
            content = null;
        }
    }

    /** Ends the server, and its program. */
    @Override
    public synchronized void close() {
        closed = true; // what is asked for now would stay when this process has ended
        endServer();
    }
}
