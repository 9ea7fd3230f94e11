package org.reprobe.nessie.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.nessie.Contents;
import org.reprobe.nessie.Fill;
import org.reprobe.nessie.FreeItems;
import org.reprobe.nessie.Geometry;
import org.reprobe.nessie.IndexEntry;
import org.reprobe.nessie.Item;
import org.reprobe.nessie.Nessie;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.NessieServer;
import org.reprobe.nessie.RecoveryState;
import org.reprobe.nessie.Rules;
import org.reprobe.nessie.ServerCalls;
import org.reprobe.nessie.ServerLink;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.trials.KeyValueTrial;
import org.reprobe.trial.Configuration;
import org.reprobe.trial.ConfigurationKind;
import org.reprobe.trial.Script;

class NessieTrial extends KeyValueTrial {
    private static final int ITEMS = 3;
    private static final int WORD = 8;
    private static final int ATTEMPTS = 60;

    /** Number of attempts of operations that may wait forever. */
    private static final int FEW_ATTEMPTS = 3;

    private final Rules rules;
    private final Geometry geometry;
    private final Fill.Places stands;
    private final long maxSlots;
    /** True if connections break or machines fail, and no server program ends operations in progress. */
    private final boolean mayBeStuck;

    private final boolean cutOff;
    private final FreeItems[] items;
    private boolean hasItems;
    /** True if in the end no item is lost: no client dies or loses access before it has written its notices. */
    private boolean keepsItems;

    private Nessie table;
    private MemorySegment memory = MemorySegment.NULL;
    private MemorySegment kept = MemorySegment.NULL;
    private @Nullable Fabric fabric;
    private @Nullable NessieServer server;

    /**
     * @param maxSlots size to which the server program may grow the index table; 0 for no server program
     * @param places primary and secondary slot of each key
     * @param loaded number of keys, the first ones, that are in the table from the start
     * @param cutOff true if connections may break or machines fail
     */
    NessieTrial(Rules rules, int slots, long maxSlots, int[][] places, int loaded, boolean cutOff, Script script) {
        this(
                rules,
                new Geometry(slots, script.clients().size() + 1, ITEMS, WORD),
                maxSlots,
                keys(new Geometry(slots, 1, 1, WORD), places),
                Fill.Places.IN_TURN,
                loaded,
                cutOff,
                script);
    }

    private NessieTrial(
            Rules rules,
            Geometry geometry,
            long maxSlots,
            long[] keys,
            Fill.Places stands,
            int loaded,
            boolean cutOff,
            Script script) {
        super(script, keys, loaded);
        this.cutOff = cutOff;
        this.mayBeStuck = cutOff && maxSlots == 0 && rules == Rules.CORRECTED;
        this.rules = rules;
        this.maxSlots = maxSlots;
        this.geometry = geometry;
        this.stands = stands;
        this.items = new FreeItems[script.clients().size()];
        this.table = new Nessie(
                geometry, new RemoteRegion(0, geometry.bytes(), 0), new int[geometry.owners()], rules, 1, attempts());
    }

    private int attempts() {
        return mayBeStuck ? FEW_ATTEMPTS : ATTEMPTS;
    }

    @Override
    protected boolean mayBeStuck() {
        return mayBeStuck;
    }

    private static long[] keys(Geometry geometry, int[][] places) {
        long[] keys = new long[places.length];
        long next = FIRST_KEY;
        for (int i = 0; i < keys.length; i++) {
            while (geometry.primary(next) != places[i][0] || geometry.secondary(next) != places[i][1]) {
                next++;
            }
            keys[i] = next++;
        }
        return keys;
    }

    /** Returns a derived trial. As a rule a client has one item more than keys, so that it reuses items soon. */
    static NessieTrial of(Configuration configuration) {
        ConfigurationKind kind = configuration.kind();
        Script script = Script.of(configuration.script());
        int slots = configuration.slots();
        boolean fewItems = NessieTrials.SHORT_OF_ITEMS.contains(kind);
        int items = fewItems
                ? Math.ceilDiv(configuration.loaded(), script.clients().size()) + 1
                : configuration.keys().size() + 1;
        Geometry geometry = new Geometry(slots, script.clients().size() + 1, items, WORD);
        long[] keys = new long[configuration.keys().size()];
        long next = FIRST_KEY;
        for (int i = 0; i < keys.length; i++) {
            Configuration.Key key = configuration.keys().get(i);
            while (geometry.primary(next) != key.places().get(0)
                    || geometry.secondary(next) != key.places().get(1)
                    || Fill.atPrimary(next) != (key.at() == Configuration.At.PRIMARY)) {
                next++;
            }
            keys[i] = next++;
        }
        NessieTrial trial = new NessieTrial(
                NessieTrials.BY_TRANSACTIONS.contains(kind) ? Rules.RHTM : Rules.CORRECTED,
                geometry,
                NessieTrials.GROWING.contains(kind) ? 2L * slots : NessieTrials.SERVED.contains(kind) ? slots : 0,
                keys,
                Fill.Places.EITHER,
                configuration.loaded(),
                kind.limits().breaks() > 0,
                script);
        trial.hasItems = !fewItems
                && (NessieTrials.SERVED.contains(kind) || kind.limits().breaks() == 0);
        trial.keepsItems = kind.limits().faults() == 0 && !NessieTrials.SERVED.contains(kind);
        return trial;
    }

    /**
     * {@inheritDoc} With a server, a write may be refused only if not all keys fit into the largest table. Without a
     * server, it must succeed if one of the key's places belongs to no other key or, for the last operation, if one of
     * them is free or can be freed by one migration. Clients that may run out of items may be refused.
     */
    @Override
    protected boolean mayBeRefused(int number, boolean last) {
        if (!hasItems) {
            return true;
        }
        if (maxSlots > 0) {
            Geometry largest = geometry.withSlots(maxSlots);
            int[][] places = new int[keys()][];
            for (int i = 0; i < places.length; i++) {
                places[i] = new int[] {(int) largest.primary(key(i)), (int) largest.secondary(key(i))};
            }
            return !Configuration.allFit(places);
        }
        for (long slot : new long[] {geometry.primary(key(number)), geometry.secondary(key(number))}) {
            boolean own = true;
            for (int other = 0; other < keys(); other++) {
                own &= other == number
                        || (geometry.primary(key(other)) != slot && geometry.secondary(key(other)) != slot);
            }
            if (own || (last && canBeFreed(slot))) {
                return false;
            }
        }
        return true;
    }

    private boolean canBeFreed(long slot) {
        if (!isFilled(slot)) {
            return true;
        }
        int index = IndexEntry.index(memory.get(ValueLayout.JAVA_LONG, geometry.slotOffset(slot)));
        return !isFilled(geometry.other(Item.key(memory, geometry.itemOffset(index)), slot));
    }

    private boolean isFilled(long slot) {
        return IndexEntry.filled(memory.get(ValueLayout.JAVA_LONG, geometry.slotOffset(slot)));
    }

    @Override
    public @Nullable ServerProgram server() {
        if (maxSlots == 0) {
            return null;
        }
        return here -> {
            Runnable step = cutOff ? () -> here.accesses(Long.BYTES) : () -> {};
            NessieServer fresh = new NessieServer(Objects.requireNonNull(fabric), memory, table, kept, step);
            server = fresh;
            fresh.run(here);
        };
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        this.fabric = fabric;
        memory = fabric.allocate(
                geometry.withSlots(Math.max(geometry.slots(), maxSlots)).bytes());
        kept = fabric.allocate(RecoveryState.bytes(geometry.slots(), maxSlots));
        Fill fill = Fill.of(
                memory,
                geometry,
                rules,
                stands,
                (double) loadedKeys() / geometry.slots(),
                ordinal -> key((int) ordinal));
        RemoteRegion region = fabric.register(memory.asSlice(0, geometry.bytes()));
        table = new Nessie(geometry, region, fill.loaded(), rules, 1, attempts());
    }

    @Override
    protected KeyValueClient connect(Client client) throws FabricException {
        int me = client.index();
        ServerCalls calls = maxSlots == 0 ? ServerCalls.NONE : new ServerLink(client, me);
        boolean connected = true;
        while (true) {
            try {
                if (!connected) {
                    calls.reconnect();
                }
                NessieClient made = new NessieClient(client, table, me, 1, calls);
                items[me] = made.items();
                return made;
            } catch (UnreachableException e) {
                connected = false;
                client.pause(1);
            }
        }
    }

    @Override
    public @Nullable String violation(History history) {
        String wrong = super.violation(history);
        return wrong == null && keepsItems ? lostItem() : wrong;
    }

    /** Returns an item that is neither free nor in the table, without a notice to its owner. */
    private @Nullable String lostItem() {
        Set<Long> there = new HashSet<>();
        for (long slot = 0; slot < geometry.slots(); slot++) {
            there.add(memory.get(ValueLayout.JAVA_LONG, geometry.slotOffset(slot)));
        }
        for (FreeItems each : items) {
            for (int item = 0; item < each.size(); item++) {
                long entry = each.inUse(item);
                int index = IndexEntry.index(entry);
                if (entry != IndexEntry.EMPTY
                        && !there.contains(rules.placed(entry))
                        && (int) memory.get(ValueLayout.JAVA_LONG, geometry.noticeOffset(index))
                                != IndexEntry.version(entry)) {
                    return "D[" + index + "] is lost: it is not in the table, and there is no notice to its owner";
                }
            }
        }
        return null;
    }

    /** Returns false for {@link Rules#PRINTED}: interrupted writes look like writes in progress. */
    @Override
    protected boolean revealsContent() {
        return rules != Rules.PRINTED;
    }

    @Override
    protected OptionalLong finalValue(long key) {
        NessieServer last = server;
        return Contents.firstWord(memory, last == null ? geometry : last.geometry(), rules, key);
    }

    @Override
    public String place(int region, long offset) {
        long items = (long) geometry.owners() * geometry.itemsPerOwner();
        long item = offset / geometry.itemBytes();
        if (item < items) {
            long word = offset % geometry.itemBytes() / WORD;
            return "D[" + (item + 1) + "]" + (word == 0 ? "" : " word " + word);
        }
        long behind = (offset - items * geometry.itemBytes()) / WORD;
        return behind < items ? "notice " + (behind + 1) : "I[" + (behind - items) + "]";
    }
}
