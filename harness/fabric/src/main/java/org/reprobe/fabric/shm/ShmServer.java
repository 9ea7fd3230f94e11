package org.reprobe.fabric.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.trust.ProcessId;

/**
 * Server whose memory consists of files that its clients map, in a private folder of the user. They are deleted when
 * the server is closed or its process exits; after a kill, by its clients, its coordinator process or the next server
 * that starts. Thread-safe, except that {@link #serve} must not be called concurrently.
 */
public final class ShmServer implements FabricServer {
    private static final long MIB = 1L << 20;
    private static final long END_WITHIN_MS = 5_000;

    private final ServerFolder folder;
    private final Arena arena = Arena.ofShared();
    private final ShmControl control;
    private final Thread atExit;
    private final long usableAtStartBytes;
    private final ReentrantLock serving = new ReentrantLock();
    private final SplittableRandom keys = new SplittableRandom(System.nanoTime());

    private final Map<Long, Block> blocks = new HashMap<>();
    private final Map<RemoteRegion, Block> registered = new HashMap<>();
    private final Deque<Integer> freeRegions = new ArrayDeque<>();
    private int regions;
    private long allocatedBytes;
    private int nextGroup;
    private volatile boolean closed;

    private record Block(int file, MemorySegment memory, Arena arena) {}

    private ShmServer(ServerFolder folder) throws IOException {
        this.folder = folder;
        Path file = folder.file(ShmControl.FILE);
        folder.create(file, ShmControl.BYTES);
        this.control = ShmControl.create(Mapping.map(file, ShmControl.BYTES, arena), ProcessId.current());
        this.usableAtStartBytes = usableBytes();
        this.atExit = new Thread(() -> {
            control.close();
            deleteFiles();
        });
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Starts a server in this machine's shared memory. */
    public static ShmServer open() throws FabricException {
        return open(ServerFolder.place());
    }

    static ShmServer open(Path place) throws FabricException {
        ServerFolder folder = ServerFolder.create(place);
        try {
            return new ShmServer(folder);
        } catch (IOException e) {
            folder.delete();
            throw new FabricException("no server can start with shared memory in " + place + ": " + e.getMessage(), e);
        }
    }

    /** Deletes files of this user's killed servers from this machine's shared memory. */
    public static void deleteLeftovers() {
        ServerFolder.deleteLeftovers(ServerFolder.place());
    }

    private long usableBytes() throws IOException {
        return Files.getFileStore(folder.path()).getUsableSpace();
    }

    @Override
    public synchronized MemorySegment allocate(long bytes) throws FabricException {
        checkOpen();
        long roundTo = bytes < Mapping.HUGE_PAGE_BYTES ? 4096 : Mapping.HUGE_PAGE_BYTES;
        long fileBytes = Math.max(1, Math.ceilDiv(bytes, roundTo)) * roundTo;
        int number = folder.nextFile();
        Arena own = Arena.ofShared();
        boolean done = false;
        try {
            // A write to a page that can't be allocated kills the process (SIGBUS), so the size is checked here.
            long usableBytes = Math.min(usableBytes(), usableAtStartBytes - allocatedBytes);
            if (fileBytes > usableBytes) {
                throw new FabricException("no shared memory for " + Math.ceilDiv(bytes, MIB) + " MiB: "
                        + folder.path().getParent() + " has " + Math.max(0, usableBytes) / MIB + " MiB left");
            }
            folder.create(folder.file(number), fileBytes);
            Block block = new Block(number, Mapping.map(folder.file(number), fileBytes, own), own);
            blocks.put(block.memory().address(), block);
            allocatedBytes += fileBytes;
            done = true;
            return block.memory().asSlice(0, bytes);
        } catch (IOException e) {
            throw new FabricException("no shared memory for " + bytes + " bytes: " + e.getMessage(), e);
        } finally {
            if (!done) {
                own.close();
            }
        }
    }

    @Override
    public synchronized void free(MemorySegment memory) {
        Block block = blockOf(memory);
        if (registered.containsValue(block)) {
            throw new IllegalStateException("memory can't be freed while it is registered");
        }
        blocks.remove(block.memory().address());
        allocatedBytes -= block.memory().byteSize();
        try {
            Files.deleteIfExists(folder.file(block.file()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        block.arena().close();
    }

    private Block blockOf(MemorySegment memory) {
        for (Block block : blocks.values()) {
            long offset = memory.address() - block.memory().address();
            if (offset >= 0 && offset + memory.byteSize() <= block.memory().byteSize()) {
                return block;
            }
        }
        throw new IllegalArgumentException("the memory was not allocated by this server");
    }

    @Override
    public synchronized RemoteRegion register(MemorySegment memory) throws FabricException {
        checkOpen();
        Block block = blockOf(memory);
        if (regions == ShmControl.REGIONS && freeRegions.isEmpty()) {
            throw new FabricException("this server has reached its limit of " + ShmControl.REGIONS + " regions");
        }
        Mapping.collapse(memory);
        int index = freeRegions.isEmpty() ? regions++ : freeRegions.removeFirst();
        int key = keys.nextInt(1, Integer.MAX_VALUE);
        long offset = memory.address() - block.memory().address();
        control.publishRegion(index, block.file(), offset, memory.byteSize(), key);
        RemoteRegion region = new RemoteRegion((index + 1L) << ShmControl.REGION_SHIFT, memory.byteSize(), key);
        registered.put(region, block);
        return region;
    }

    @Override
    public synchronized void deregister(RemoteRegion region) throws FabricException {
        checkOpen();
        if (registered.remove(region) == null) {
            throw new FabricException("the region is not registered");
        }
        int index = (int) (region.address() >>> ShmControl.REGION_SHIFT) - 1;
        control.withdrawRegion(index);
        awaitAccesses();
        freeRegions.addLast(index);
    }

    /** Waits for accesses that may have found the region before it was deregistered. Killed processes are skipped. */
    private void awaitAccesses() {
        int connections = control.connectionCount();
        for (int connection = 0; connection < connections; connection++) {
            Idle idle = new Idle();
            while (control.accesses(connection)) {
                if (idle.once()
                        && !control.groupProcess(control.connectionGroup(connection))
                                .alive()) {
                    break;
                }
            }
        }
    }

    /** Must be called before each run: clients that have ended by then do not count for the next {@link #serve}. */
    @Override
    public synchronized String endpoint() {
        while (nextGroup < control.groupCount()
                && control.isGroupPresent(nextGroup)
                && control.groupEnded(nextGroup) >= control.groupClients(nextGroup)) {
            nextGroup++;
        }
        return folder.endpoint();
    }

    private void checkOpen() throws FabricException {
        if (closed) {
            throw new FabricException("the server is closed");
        }
    }

    @Override
    public void serve(int clients, ServerProgram program, Peers peers) throws FabricException, InterruptedException {
        serving.lockInterruptibly();
        try {
            int firstGroup;
            synchronized (this) {
                checkOpen();
                firstGroup = nextGroup;
            }
            control.fail(null);
            ShmServing server = new ShmServing(this, folder, control, firstGroup, clients, peers);
            try {
                program.run(server);
            } catch (FabricException e) {
                if (server.interrupted()) {
                    throw (InterruptedException) new InterruptedException().initCause(e);
                }
                control.fail(e.getMessage());
                throw e;
            } catch (RuntimeException | Error e) {
                control.fail(e.toString());
                throw e;
            } finally {
                if (!closed) {
                    int groups = server.groupsOfRun();
                    synchronized (this) {
                        nextGroup = Math.max(nextGroup, groups);
                    }
                    control.stopServing(groups);
                }
                server.close();
            }
        } finally {
            serving.unlock();
        }
    }

    boolean closed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        control.close();
        boolean waited = false;
        try {
            waited = serving.tryLock(END_WITHIN_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            if (waited) {
                serving.unlock();
            }
        }
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException _) {
            // The process is exiting; the shutdown hook deletes the files as well.
        }
        deleteFiles();
        synchronized (this) {
            List<Block> all = new ArrayList<>(blocks.values());
            blocks.clear();
            all.forEach(block -> block.arena().close());
        }
        arena.close();
    }

    private void deleteFiles() {
        folder.delete();
    }

    Path path() {
        return folder.path();
    }

    @Nullable
    String whyClosed() {
        return closed ? "the server was closed" : null;
    }
}
