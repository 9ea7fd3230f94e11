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
 * A Nessie server's part, for {@link Rules#CORRECTED}. A client that can't place a key sends a message to the server, "which
 * must revoke access to its local memory and perform a chain of migrations or a table resize before allowing clients to
 * proceed" (section 3.4); and "if a client fails, it is the responsibility of the server to detect the failure, and clean up
 * any invalid state left behind" (section 3).
 *
 * <p>All three go the same way: {@link #revoke}, {@link CleanUp}, a chain or a resize if one is wanted, {@link #admit}. Access
 * is revoked by deregistering the memory and given back under a new key, so that nothing posted before takes effect after.
 * Clients that are alive find their operations refused, ask where the table is, see what has become of the operation, and go
 * on. One that was declared dead is told so whatever it asks, and never learns the new key, unless it connects again: then all that
 * it had under way has been ended for it.
 *
 * <p>A server whose machine has failed, and whose memory was kept, goes on from what it keeps beside the table ({@link RecoveryState}): it takes
 * back a resize that has not come to its end, ends what was under way as if all clients had died, and a move of its own. Notices
 * need no end: who was given some of them gets the others when it asks again.
 */
public final class NessieServer implements ServerProgram {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /** What a slot and its item take the CPU to clean up: measured once by CleanUpBenchmark, see results/benchmarks/writes.md. */
    private static final long SLOT_PS = 26_000;

    private final RegisteredMemory fabric;
    private final MemorySegment memory;
    private final long maxSlots;
    /** By connection: the number as an owner of items that its client goes by. */
    private final Map<Integer, Integer> owners = new HashMap<>();

    /** By number of a client: the last of its connections. */
    private final Map<Integer, Integer> newest = new HashMap<>();

    private final BitSet dead = new BitSet();
    private final RecoveryState recovery;
    private final Runnable step;
    private Geometry geometry;
    private RemoteRegion region;
    private long generation;
    /** Another server was cut off, perhaps after it had revoked access. */
    private boolean perhapsRevoked;

    private volatile Counts counts = new Counts(0, 0, 0, 0, 0);

    /**
     * What the server has done.
     *
     * @param revocations times that it has taken all clients' access away
     * @param moves entries moved along chains, those of resizes not counted
     * @param resizes times that the index table has grown
     * @param deaths clients declared dead
     * @param ended operations of others that it has completed or taken back
     */
    public record Counts(long revocations, long moves, long resizes, long deaths, long ended) {}

    /**
     * A server of a table whose memory is filled.
     *
     * @param memory all that the index table may grow into: at least the table's
     * @param table as it is registered; follows {@link Rules#CORRECTED}
     */
    public NessieServer(RegisteredMemory fabric, MemorySegment memory, Nessie table) {
        this(fabric, memory, table, MemorySegment.ofArray(new long[keptWords(memory, table)]), () -> {});
    }

    private static int keptWords(MemorySegment memory, Nessie table) {
        Geometry geometry = table.geometry();
        return Math.toIntExact(RecoveryState.bytes(geometry.slots(), geometry.slotsIn(memory.byteSize())) / Long.BYTES);
    }

    /**
     * A server that another one takes the place of when its machine comes back.
     *
     * @param kept of {@link RecoveryState#bytes}: zeroed, or as another server of the table has left it
     * @param step runs before each change of the table, and of what is kept, that a failure of the machine may come before
     */
    public NessieServer(
            RegisteredMemory fabric, MemorySegment memory, Nessie table, MemorySegment kept, Runnable step) {
        this.step = step;
        if (table.rules() != Rules.CORRECTED) {
            throw new IllegalArgumentException("the printed algorithms leave nothing to clean up by");
        }
        this.fabric = fabric;
        this.memory = memory;
        this.recovery = new RecoveryState(kept, step);
        this.generation = this.recovery.generation();
        this.perhapsRevoked = this.recovery.isThere();
        this.geometry = this.recovery.isThere() ? table.geometry().withSlots(this.recovery.slots()) : table.geometry();
        this.region = this.recovery.isThere() ? this.recovery.region() : table.memory();
        this.maxSlots = geometry.slotsIn(memory.byteSize());
    }

    /** How the table lies now, for those who look at its memory when all clients have ended. */
    public Geometry geometry() {
        return geometry;
    }

    /** What was done so far. From any thread. */
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
        RequestLoop.run(server, ServerMessage.REQUEST_BYTES, ServerMessage.ANSWER_BYTES, new RequestLoop.Handler() {
            @Override
            public void answer(int connection, MemorySegment request, MemorySegment answer) throws FabricException {
                NessieServer.this.answer(server, connection, request, answer);
            }

            @Override
            public void gone(List<Integer> connections) throws FabricException {
                declareDead(server, connections);
            }
        });
    }

    private void answer(Server server, int connection, MemorySegment request, MemorySegment answer)
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
                    // One from before comes of a broken connection: the client may be writing again.
                    case ServerMessage.COLLECT -> !current || collect(owner) ? ServerMessage.DONE : ServerMessage.FULL;
                    default -> ServerMessage.DONE;
                };
        ServerMessage.answer(answer, how, generation, new TableLayout(geometry.slots(), region));
    }

    // ------------------------------------------------------------------------------------------- 3.4 Migrate

    /** Empties a place of a key by a chain of migrations, else by a resize. */
    private boolean makeRoom(Server server, long key) throws FabricException {
        Chains chains = new Chains(memory, geometry, step);
        if (chains.holdKey(key)) {
            return true; // another client has written it meanwhile: it needs no more room
        }
        boolean hopeless = !chains.mayExist(key);
        if (hopeless && geometry.slots() == maxSlots) {
            return false; // nobody need be disturbed to find that out
        }
        revoke(server);
        boolean room = chains.holdKey(key) || chains.emptyPlaceOf(key) >= 0 || grow(key);
        count(0, chains.moves(), 0, 0, 0);
        admit();
        return room;
    }

    /** A larger index table, in which the key has a place. */
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

    /** Puts all entries of the copy into a larger index table. */
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

    /** Takes all clients' access away, and ends what they had under way. */
    private void revoke(Server server) throws FabricException {
        step.run();
        deregister();
        server.spendCpu(geometry.slots() * SLOT_PS); // others go on meanwhile, and are refused
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

    /** Lets clients proceed, those that learn the new key. */
    private void admit() throws FabricException {
        region = fabric.register(memory.asSlice(0, geometry.bytes()));
        generation++;
        recovery.admitted(region, geometry.slots(), generation);
    }

    /** Declares clients dead whose last connection is gone, and cleans up after them. */
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
     * Gives notice of an owner's items that are not in the table: a notice is lost when the client that owes it dies or is
     * refused. The owner waits for the answer, so none of its items comes into the table meanwhile.
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
