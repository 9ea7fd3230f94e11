package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.remote.RequestLoop;

/**
 * Server program of Nessie with {@link Rules#CORRECTED} (Nessie paper, sections 3 and 3.4). A client that cannot place
 * a key sends a message to the server, "which must revoke access to its local memory and perform a chain of migrations
 * or a table resize before allowing clients to proceed" (section 3.4). "If a client fails, it is the responsibility of
 * the server to detect the failure, and clean up any invalid state left behind" (section 3).
 *
 * <p>Chains, resizes and failures are handled by the same steps: {@link #revoke}, {@link CleanUp}, a chain or a resize
 * if required, {@link #admit}. Access is revoked by deregistering the memory, and restored under a new key, so that no
 * earlier request takes effect later. Requests of live clients are then refused; these clients request the new layout,
 * determine the result of their operation, and continue. A client that was declared dead receives
 * {@link ServerMessage#DECLARED_DEAD} as the reply to every request, and the new key only after it has reconnected,
 * which ends all its earlier operations.
 *
 * <p>A server that replaces a failed one with preserved memory continues from {@link RecoveryState}. It rolls back an
 * incomplete resize, ends operations in progress as if all clients had died, and completes an interrupted move. Notices
 * need no recovery: a client that received only some of them requests the others again.
 */
public final class NessieServer implements ServerProgram {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /** CPU time in ps to clean up a slot and its item, from CleanUpBenchmark (results/benchmarks/writes.md). */
    private static final long SLOT_PS = 26_000;

    private final RegisteredMemory fabric;
    private final MemorySegment memory;
    private final long maxSlots;
    /** Owner numbers of clients, by connection. */
    private final Map<Integer, Integer> owners = new HashMap<>();

    /** Latest connection of each client, by owner number. */
    private final Map<Integer, Integer> newest = new HashMap<>();

    private final BitSet dead = new BitSet();
    private final RecoveryState recovery;
    private final Runnable step;
    private Geometry geometry;
    private RemoteRegion region;
    private long generation;
    /** True if a previous server failed, perhaps after it had revoked access. */
    private boolean perhapsRevoked;

    private volatile Counts counts = new Counts(0, 0, 0, 0, 0);

    /**
     * Work of the server: {@code moves} of entries along chains, without those of resizes, {@code deaths} of clients,
     * and clients' operations {@code ended} by completion or rollback.
     */
    public record Counts(long revocations, long moves, long resizes, long deaths, long ended) {}

    /**
     * Creates the server of a filled and registered table with {@link Rules#CORRECTED}; other rules are an
     * {@link IllegalArgumentException}. The memory includes space for the growth of the index table.
     */
    public NessieServer(RegisteredMemory fabric, MemorySegment memory, Nessie table) {
        this(fabric, memory, table, MemorySegment.ofArray(new long[keptWords(memory, table)]), () -> {});
    }

    private static int keptWords(MemorySegment memory, Nessie table) {
        Geometry geometry = table.geometry();
        return Math.toIntExact(RecoveryState.bytes(geometry.slots(), geometry.slotsIn(memory.byteSize())) / Long.BYTES);
    }

    /**
     * Creates a server that another one can replace after a failure.
     *
     * @param kept memory of {@link RecoveryState#bytes}: zeroed, or the state of the failed server to continue from
     * @param step called before each change of {@code memory} and {@code kept}, where the machine may fail in
     *     explorations
     */
    public NessieServer(
            RegisteredMemory fabric, MemorySegment memory, Nessie table, MemorySegment kept, Runnable step) {
        this.step = step;
        if (table.rules() != Rules.CORRECTED) {
            throw new IllegalArgumentException(
                    "a server program requires rules corrected: other rules do not leave the state that it needs to clean up");
        }
        this.fabric = fabric;
        this.memory = memory;
        this.recovery = new RecoveryState(kept, step);
        this.generation = this.recovery.generation();
        this.perhapsRevoked = this.recovery.isPresent();
        this.geometry =
                this.recovery.isPresent() ? table.geometry().withSlots(this.recovery.slots()) : table.geometry();
        this.region = this.recovery.isPresent() ? this.recovery.region() : table.memory();
        this.maxSlots = geometry.slotsIn(memory.byteSize());
    }

    /** Returns the current layout, for checks after all clients have ended. */
    public Geometry geometry() {
        return geometry;
    }

    /** Returns the work done so far. Thread-safe. */
    public Counts counts() {
        return counts;
    }

    @Override
    public void run(Server server) throws FabricException {
        if (generation == 0) {
            generation = 1;
            recovery.admitted(region, geometry.slots(), generation);
        } else {
            recovery.endResize(memory, geometry);
            revoke(server);
            new Chains(memory, geometry, step).endMove();
            admit();
        }
        RequestLoop.run(server, ServerMessage.REQUEST_BYTES, ServerMessage.REPLY_BYTES, new RequestLoop.Handler() {
            @Override
            public void handle(int connection, MemorySegment request, MemorySegment reply) throws FabricException {
                NessieServer.this.answer(server, connection, request, reply);
            }

            @Override
            public void gone(List<Integer> connections) throws FabricException {
                declareDead(server, connections);
            }
        });
    }

    private void answer(Server server, int connection, MemorySegment request, MemorySegment reply)
            throws FabricException {
        int owner = ServerMessage.owner(request);
        owners.put(connection, owner);
        boolean joins = newest.merge(owner, connection, Math::max) == connection
                && ServerMessage.what(request) == ServerMessage.JOIN;
        if (joins) {
            revoke(server);
            admit();
            dead.clear(owner);
        }
        boolean current = ServerMessage.requestedGeneration(request) == generation;
        int how = dead.get(owner)
                ? ServerMessage.DECLARED_DEAD
                : switch (ServerMessage.what(request)) {
                    case ServerMessage.MAKE_ROOM ->
                        !current || makeRoom(server, ServerMessage.key(request))
                                ? ServerMessage.DONE
                                : ServerMessage.FULL;
                    case ServerMessage.SETTLE -> {
                        if (current) {
                            revoke(server);
                            admit();
                        }
                        yield ServerMessage.DONE;
                    }
                    // A request of an older generation came over a broken connection; the client may be writing again.
                    case ServerMessage.COLLECT -> !current || collect(owner) ? ServerMessage.DONE : ServerMessage.FULL;
                    default -> ServerMessage.DONE;
                };
        ServerMessage.reply(reply, how, generation, new TableLayout(geometry.slots(), region));
    }

    // ------------------------------------------------------------------------------------------- 3.4 Migrate

    /** Empties a place of the key by a chain of migrations, else by a resize; returns false if neither is possible. */
    private boolean makeRoom(Server server, long key) throws FabricException {
        Chains chains = new Chains(memory, geometry, step);
        if (chains.holdKey(key)) {
            return true; // another client has written the key meanwhile
        }
        boolean hopeless = !chains.mayExist(key);
        if (hopeless && geometry.slots() == maxSlots) {
            return false; // refused without interrupting clients
        }
        revoke(server);
        boolean room = chains.holdKey(key) || chains.emptyPlaceOf(key) >= 0 || grow(key);
        count(0, chains.moves(), 0, 0, 0);
        admit();
        return room;
    }

    private boolean grow(long key) {
        if (geometry.slots() == maxSlots) {
            return false;
        }
        recovery.copyEntries(memory, geometry);
        for (long slots = geometry.slots(); slots < maxSlots; ) {
            slots = Math.min(2 * slots, maxSlots);
            Geometry larger = geometry.withSlots(slots);
            if (layOut(larger) && new Chains(memory, larger, step).emptyPlaceOf(key) >= 0) {
                recovery.resized(slots);
                geometry = larger;
                count(0, 0, 1, 0, 0);
                return true;
            }
        }
        recovery.takeBack(memory, geometry);
        return false;
    }

    private boolean layOut(Geometry larger) {
        step.run();
        memory.asSlice(larger.slotOffset(0), larger.slots() * Long.BYTES).fill((byte) 0);
        Chains chains = new Chains(memory, larger, step);
        for (long slot = 0; slot < geometry.slots(); slot++) {
            long entry = recovery.copied(slot);
            if (IndexEntry.filled(entry) && !chains.put(entry)) {
                return false;
            }
        }
        return true;
    }

    // -------------------------------------------------------------------------------------- 3, access, failures

    /** Revokes the access of all clients and ends their operations in progress. */
    private void revoke(Server server) throws FabricException {
        step.run();
        deregister();
        server.spendCpu(geometry.slots() * SLOT_PS); // meanwhile clients continue, and their requests are refused
        CleanUp.Done done = CleanUp.of(memory, geometry, step);
        count(1, 0, 0, 0, done.completed() + done.takenBack());
    }

    private void deregister() throws FabricException {
        try {
            fabric.deregister(region);
        } catch (FabricException e) {
            if (!perhapsRevoked) {
                throw e;
            }
        }
        perhapsRevoked = false;
    }

    /** Registers the memory under a new key, with which clients may proceed. */
    private void admit() throws FabricException {
        region = fabric.register(memory.asSlice(0, geometry.bytes()));
        generation++;
        recovery.admitted(region, geometry.slots(), generation);
    }

    /** Declares clients dead whose latest connection is gone, and ends their operations. */
    private void declareDead(Server server, List<Integer> connections) throws FabricException {
        int deaths = 0;
        for (int connection : connections) {
            Integer owner = owners.get(connection);
            if (owner != null && Objects.equals(newest.get(owner), connection)) {
                dead.set(owner);
                deaths++;
            }
        }
        if (deaths > 0) {
            revoke(server);
            admit();
            count(0, 0, 0, deaths, 0);
        }
    }

    /**
     * Writes notices for the items of an owner that are not in the table; returns false if all are. A notice is lost if
     * the client that should have written it dies or loses its access. The owner waits for the reply, so none of its
     * items enters the table meanwhile.
     */
    private boolean collect(int owner) {
        int first = geometry.firstItem(owner);
        BitSet used = new BitSet(geometry.itemsPerOwner());
        for (long slot = 0; slot < geometry.slots(); slot++) {
            long entry = memory.get(WORD, geometry.slotOffset(slot));
            if (IndexEntry.filled(entry) && geometry.owner(IndexEntry.index(entry)) == owner) {
                used.set(IndexEntry.index(entry) - first);
            }
        }
        for (int item = used.nextClearBit(0); item < geometry.itemsPerOwner(); item = used.nextClearBit(item + 1)) {
            long entry = Item.entry(memory, geometry.itemOffset(first + item));
            step.run();
            memory.set(WORD, geometry.noticeOffset(first + item), Integer.toUnsignedLong(IndexEntry.version(entry)));
        }
        return used.cardinality() < geometry.itemsPerOwner();
    }

    private void count(long revocations, long moves, long resizes, long deaths, long ended) {
        Counts before = counts;
        counts = new Counts(
                before.revocations + revocations,
                before.moves + moves,
                before.resizes + resizes,
                before.deaths + deaths,
                before.ended + ended);
    }
}
