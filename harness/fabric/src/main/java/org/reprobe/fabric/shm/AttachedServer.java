package org.reprobe.fabric.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.trust.ProcessId;

/** Server on this machine as a client process accesses it: its mapped files. */
final class AttachedServer implements AutoCloseable {
    private final ServerFolder folder;
    private final ProcessId server;
    private final boolean sameProcess;
    private final ShmControl control;
    private final Arena arena;
    private final Map<Integer, MappedFile> files = new HashMap<>();
    private volatile ShmRegions regions = ShmRegions.NONE;
    private boolean closed;

    private record MappedFile(MemorySegment memory, Arena arena) {}

    private AttachedServer(ServerFolder folder, ShmControl control, Arena arena) {
        this.folder = folder;
        this.arena = arena;
        this.control = control;
        this.server = control.server();
        this.sameProcess = server.equals(ProcessId.current());
    }

    /** Attaches to the server of an {@link ShmServer#endpoint}. */
    static AttachedServer at(String endpoint) throws FabricException {
        ServerFolder folder = ServerFolder.of(endpoint);
        Arena arena = Arena.ofShared();
        boolean found = false;
        try {
            ShmControl control = ShmControl.open(Mapping.map(folder.file(ShmControl.FILE), ShmControl.BYTES, arena));
            if (control != null && !control.closed()) {
                AttachedServer attached = new AttachedServer(folder, control, arena);
                String gone = attached.gone();
                if (gone == null) {
                    found = true;
                    return attached;
                }
                attached.deleteLeftover();
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

    ShmControl control() {
        return control;
    }

    /** Returns the reason why the server is gone; null while it runs. */
    @Nullable
    String gone() {
        if (control.closed()) {
            String failure = control.failure();
            return failure == null ? "the server has ended" : "the server has ended: " + failure;
        }
        return sameProcess || server.alive() ? null : "the server process " + server.pid() + " has died";
    }

    void deleteLeftover() {
        if (!sameProcess && !server.alive()) {
            folder.delete();
        }
    }

    synchronized ShmRegions refreshed() {
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
                // The key is compared again because the server may have reused the entry since it was read.
                if (memory != null && control.regionKey(region) == key) {
                    memories[region] = memory;
                    keys[region] = key;
                }
            }
        }
        regions = new ShmRegions(version, memories, keys);
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
            boolean freed = !Files.exists(folder.file(file.getKey())) && gone() == null;
            if (freed) {
                file.getValue().arena().close();
            }
            return freed;
        });
    }

    /** Returns the message channel of a connection; null until the server has accepted it. */
    @Nullable
    MessageChannel channel(int connection, Arena runArena) {
        if (control.connectionState(connection) != ShmControl.ACCEPTED) {
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
            return null; // the server has ended; waiting threads detect this
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
}
