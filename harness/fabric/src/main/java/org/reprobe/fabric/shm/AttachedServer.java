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

/** A server on this machine, as a process of clients sees it: its files, as far as they are mapped here. */
final class AttachedServer implements AutoCloseable {
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

    private AttachedServer(ServerFolder folder, Control control, Arena arena) {
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
    static AttachedServer at(String endpoint) throws FabricException {
        ServerFolder folder = ServerFolder.of(endpoint);
        Arena arena = Arena.ofShared();
        boolean found = false;
        try {
            Control control = Control.open(Mapping.map(folder.file(Control.FILE), Control.BYTES, arena));
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

    Control control() {
        return control;
    }

    /** Why there is no server any more; null while there is one. */
    @Nullable
    String gone() {
        if (control.closed()) {
            String failure = control.failure();
            return failure == null ? "the server has ended" : "the server has ended: " + failure;
        }
        return sameProcess || server.alive() ? null : "the server process " + server.pid() + " has died";
    }

    /** A killed server can't remove its files itself. */
    void deleteLeftover() {
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
            boolean freed = !Files.exists(folder.file(file.getKey())) && gone() == null;
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
