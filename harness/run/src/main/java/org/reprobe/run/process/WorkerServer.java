package org.reprobe.run.process;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
import org.reprobe.fabric.RunEndedException;
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
import org.reprobe.system.Restartable;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.SharedContent;

/**
 * Server in a worker process: the server side of a fabric, memory that clients reach, and a program if the system has
 * one. Shared content is kept until other content is needed, and registered anew for each run; written memory belongs
 * to one run, and so does its server if there is no content.
 */
final class WorkerServer implements AutoCloseable {
    private final MessageConnection connection;
    private final KnownScenarios scenarios;
    private final Worker.Folders folders;
    private final Opener opener;

    private @Nullable FabricServer server;
    private String served = "";
    private boolean closed;
    private @Nullable ServerSide serverSide;
    private @Nullable Deployment deployed;
    private @Nullable Serving program;
    private @Nullable OtherServers others;
    private @Nullable BuiltContent content;
    private @Nullable RunMemory ofRun;

    /** @param connection to the coordinator, by which endpoints are sealed */
    WorkerServer(MessageConnection connection, KnownScenarios scenarios, Worker.Folders folders) {
        this(connection, scenarios, folders, Fabrics::serve);
    }

    WorkerServer(MessageConnection connection, KnownScenarios scenarios, Worker.Folders folders, Opener opener) {
        this.connection = connection;
        this.scenarios = scenarios;
        this.folders = folders;
        this.opener = opener;
    }

    interface Opener {
        FabricServer serve(String fabric, String address) throws FabricException;
    }

    @Nullable
    ServerSide serverSide() {
        return serverSide;
    }

    Deployment deployment() {
        return Objects.requireNonNull(deployed);
    }

    Message open(Message.Open message) throws FabricException {
        FabricServer current = server(scenarios.settings(message.cell()).fabric(), message.address());
        return new Message.Opened(connection.seal(current.endpoint()));
    }

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
        if (folders.logs() != null && deployment instanceof Restartable restartable) {
            restartable.keepLogs(folders.logs(), folders.earlierLogs());
        }
        ofRun = memory; // before registration: a failed preparation has no server side with its regions
        ServerSide current;
        try {
            current = deployment.serve(message.machine(), List.of(memory), content);
        } catch (IllegalArgumentException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
        serverSide = current;
        ServerProgram answering =
                current.programs().isEmpty() ? null : current.programs().getFirst();
        if (answering != null) {
            OtherServers asked = new OtherServers(settings, message.machine());
            others = asked;
            program = Serving.begin(fabric, settings.clients().total(), answering, asked, this::failed);
        }
        deployed = deployment;
        // Sealed: the endpoint may contain a token.
        return new Message.Prepared(
                connection.seal(server(settings.fabric(), message.address()).endpoint()),
                current.machines().getFirst());
    }

    /** Passes the addresses of all servers to this server program, if there is one. */
    Message exchangeRegions(Message.ExchangeRegions message) throws IOException {
        List<String> endpoints = connection.open(
                message.servers().stream().map(Message.Prepared::endpoint).toList());
        ServerSide current = Objects.requireNonNull(serverSide);
        current.exchangeRegions(new Served(
                message.servers().stream().map(Message.Prepared::machine).toList(), current));
        if (others != null) {
            others.exchangeRegions(endpoints);
        }
        return new Message.RegionsExchanged();
    }

    /** Reports a program's failure to the coordinator at once, since its clients may wait for replies. */
    private void failed(Throwable why) {
        if (why instanceof RunEndedException) {
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
        String failure = Objects.requireNonNull(serverSide).verificationFailure(all);
        if (content == null || answering != null) {
            release(); // the next run needs a new program
            endServer();
        }
        return new Message.Finished(failure == null ? "" : failure);
    }

    /** Returns when no request of an ended process's clients can change memory any more. */
    void awaitEnded(Message.ProcessEnded message) throws FabricException, InterruptedException {
        FabricServer current;
        synchronized (this) {
            current = server;
        }
        if (current != null) {
            current.awaitEnded(message.first(), message.count());
        }
    }

    private synchronized FabricServer server(String fabric, String asked) throws FabricException {
        if (closed) {
            throw new FabricException("the run was ended");
        }
        FabricServer current = server;
        if (current == null || !served.equals(fabric)) {
            release();
            endServer();
            current = opener.serve(fabric, asked.isEmpty() ? connection.localHost() : asked);
            server = current;
            served = fabric;
        }
        return current;
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
        endServerSide();
    }

    private void endServerSide() {
        ServerSide current = serverSide;
        serverSide = null;
        if (current != null) {
            current.close();
        }
    }

    private BuiltContent build(Content wanted, FabricServer server, int threads)
            throws FabricException, RefusedException {
        Memory memory = (bytes, arena) -> shared(server, bytes, arena);
        try {
            return wanted.build(new Content.Builder(threads, memory, folders.tables(), notice -> {}));
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

    /** Fabric's refusal, passed through the table builder. */
    private static final class SharedMemoryException extends RuntimeException {
        private final FabricException reason;

        SharedMemoryException(FabricException reason) {
            super(reason);
            this.reason = reason;
        }
    }

    /** The server's memory, allocated and registered by a run until it is {@link #withdraw withdrawn}. */
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

    /** Other servers of a run, for this one's program, whose first request waits for their endpoints. */
    private static final class OtherServers implements Peers, AutoCloseable {
        private final Settings settings;
        private final int own;
        private final CompletableFuture<List<String>> endpoints = new CompletableFuture<>();
        private volatile @Nullable FabricClients clients;

        OtherServers(Settings settings, int own) {
            this.settings = settings;
            this.own = own;
        }

        void exchangeRegions(List<String> endpoints) {
            this.endpoints.complete(endpoints);
        }

        @Override
        public int own() {
            return own;
        }

        @Override
        public Peer join() throws FabricException, InterruptedException {
            try {
                FabricClients current = Fabrics.connect(settings, new Servers(endpoints.get(), own));
                clients = current;
                return current.join(own);
            } catch (CancellationException | ExecutionException e) {
                throw new RunEndedException("the run was ended", e);
            }
        }

        @Override
        public void close() {
            endpoints.cancel(false);
            FabricClients current = clients;
            if (current != null) {
                current.close();
            }
        }
    }

    /** Ends access to the previous run's memory and frees it, even if its preparation failed; content stays. */
    private void withdraw() throws FabricException {
        RunMemory before = ofRun;
        ofRun = null;
        if (before != null && server != null) {
            if (content == null) {
                endServer(); // its program may have registered more
            } else {
                before.release();
            }
        }
        endServerSide();
    }

    private void release() throws FabricException {
        withdraw();
        if (content != null) {
            content.close();
            content = null;
        }
    }

    @Override
    public synchronized void close() {
        closed = true; // memory allocated from now on would outlive this process
        endServer();
    }
}
