package org.reprobe.trial;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.FindOrPutSet;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Verdict;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.findorput.ChunkSize;
import org.reprobe.findorput.FindOrPut;
import org.reprobe.findorput.SharedTable;

/** Processes of a tiny find-or-put table whose data all want the same bucket, the last one. */
final class FindOrPutTrial implements Trial {
    private static final int KEYS = 4;

    private final int servers;
    private final int buckets;
    private final int chunkBuckets;
    private final int chunks;
    private final Script script;
    private final long[] keys = new long[KEYS];
    private SharedTable table = new SharedTable(1, 1, List.of(), List.of());

    /**
     * @param servers machines that the buckets are spread over; each process accesses its own machine's by the CPU if there
     *     are several
     * @param chunkBuckets C
     * @param chunks M
     */
    FindOrPutTrial(int servers, int buckets, int chunkBuckets, int chunks, Script script) {
        this.servers = servers;
        this.buckets = buckets;
        this.chunkBuckets = chunkBuckets;
        this.chunks = chunks;
        this.script = script;
    }

    @Override
    public int clients() {
        return script.clients().size();
    }

    @Override
    public int servers() {
        return servers;
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        table = SharedTable.on(fabric, buckets);
        long next = 1;
        for (int i = 0; i < KEYS; i++) {
            while (table.home(next) != buckets - 1) {
                next++;
            }
            keys[i] = next++;
        }
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        int me = client.index();
        FindOrPut process = new FindOrPut(client, table, new ChunkSize.Fixed(chunkBuckets), chunks, false);
        for (Script.Ask ask : script.clients().get(me)) {
            int invocation = history.invoked(me, ask.operation(), ask.key(), 0);
            history.returned(
                    invocation,
                    switch (process.findOrPut(keys[ask.key()])) {
                        case FOUND -> Event.FOUND;
                        case INSERTED -> Event.INSERTED;
                        case FULL -> Event.FULL;
                    });
        }
    }

    /** The answers, and the table: nothing twice, nothing that nobody has put, nothing lost. */
    @Override
    public @Nullable String wrong(History history) {
        if (new LinearizabilityCheck<>(new FindOrPutSet()).check(history) instanceof Verdict.NotLinearizable verdict) {
            return verdict.words();
        }
        Map<Long, Integer> found = new HashMap<>();
        for (MemorySegment part : table.memories()) {
            for (long bucket : part.toArray(ValueLayout.JAVA_LONG)) {
                if (bucket != 0) {
                    found.merge(bucket & Long.MAX_VALUE, 1, Integer::sum);
                }
            }
        }
        for (int key = 0; key < KEYS; key++) {
            int times = found.getOrDefault(keys[key], 0);
            if (times > 1) {
                return "key " + key + " is in the table " + times + " times";
            }
            int number = key;
            boolean known = history.events().stream()
                    .anyMatch(event -> event.key() == number && !event.pending() && event.result() != Event.FULL);
            if (known && times == 0) {
                return "key " + key + " is lost";
            }
        }
        return null;
    }

    @Override
    public String place(int region, long offset) {
        return "b[" + (region * table.bucketsOfMachine() + offset / Long.BYTES) + "]";
    }
}
