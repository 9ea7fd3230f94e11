package org.reprobe.findorput.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
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
import org.reprobe.fabric.Reconnection;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.findorput.ChunkSize;
import org.reprobe.findorput.FindOrPut;
import org.reprobe.findorput.SharedTable;
import org.reprobe.trial.Configuration;
import org.reprobe.trial.ConfigurationKind;
import org.reprobe.trial.Script;

final class FindOrPutTrial implements Trial {
    private static final int KEYS = 4;

    private final int[] homes;

    private final boolean atomicsOfCard;

    private final int servers;
    private final int buckets;
    private final int chunkBuckets;
    private final int chunks;
    private final Script script;
    private final long[] keys;
    private SharedTable table = new SharedTable(1, 1, List.of(), List.of());

    /**
     * Creates a trial whose buckets are distributed over {@code servers} machines. With several machines, each process
     * accesses the buckets of its own machine by the CPU. C is {@code chunkBuckets}, M {@code chunks}.
     */
    FindOrPutTrial(int servers, int buckets, int chunkBuckets, int chunks, Script script) {
        this(servers, buckets, chunkBuckets, chunks, lastBucket(buckets), false, script);
    }

    private FindOrPutTrial(
            int servers, int buckets, int chunkBuckets, int chunks, int[] homes, boolean atomicsOfCard, Script script) {
        this.atomicsOfCard = atomicsOfCard;
        this.homes = homes;
        this.keys = new long[homes.length];
        this.servers = servers;
        this.buckets = buckets;
        this.chunkBuckets = chunkBuckets;
        this.chunks = chunks;
        this.script = script;
    }

    private static int[] lastBucket(int buckets) {
        int[] homes = new int[KEYS];
        Arrays.fill(homes, buckets - 1);
        return homes;
    }

    static FindOrPutTrial of(Configuration configuration) {
        List<Integer> sizes = configuration.sizes();
        ConfigurationKind kind = configuration.kind();
        boolean card = kind.equals(FindOrPutTrials.CARD);
        return new FindOrPutTrial(
                card || kind.equals(FindOrPutTrials.LOCAL) || kind.equals(FindOrPutTrials.LOCAL_BREAKS) ? 2 : 1,
                sizes.get(0),
                sizes.get(1),
                sizes.get(2),
                configuration.keys().stream()
                        .mapToInt(key -> key.places().getFirst())
                        .toArray(),
                card,
                Script.of(configuration.script()));
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
        long next = 0;
        for (int i = 0; i < keys.length; i++) {
            while (table.home(next) != homes[i]) {
                next++;
            }
            keys[i] = next++;
        }
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        int index = client.index();
        FindOrPut process = new FindOrPut(client, table, new ChunkSize.Fixed(chunkBuckets), chunks, atomicsOfCard);
        for (Script.Step step : script.clients().get(index)) {
            int invocation = history.invoked(index, step.operation(), step.key(), 0);
            try {
                history.returned(
                        invocation,
                        switch (process.findOrPut(keys[step.key()])) {
                            case FOUND -> Event.FOUND;
                            case INSERTED -> Event.INSERTED;
                            case FULL -> Event.FULL;
                        });
            } catch (UnreachableException e) {
                Reconnection.untilDone(client, process::reconnect); // the operation stays pending
            }
        }
    }

    /** Checks linearizability, duplicate, lost and stray data, and inserts refused although there was room. */
    @Override
    public @Nullable String violation(History history) {
        if (new LinearizabilityCheck<>(new FindOrPutSet()).check(history) instanceof Verdict.NotLinearizable verdict) {
            return verdict.text();
        }
        Map<Long, Integer> found = new HashMap<>();
        for (MemorySegment part : table.memories()) {
            for (long bucket : part.toArray(ValueLayout.JAVA_LONG)) {
                if (bucket != 0) {
                    found.merge(bucket & Long.MAX_VALUE, 1, Integer::sum);
                }
            }
        }
        for (int key = 0; key < keys.length; key++) {
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
        String stray = strayed();
        return stray == null ? refusedWithRoom(history) : stray;
    }

    /** Checks that each key is within M chunks from its home bucket. */
    private @Nullable String strayed() {
        for (int number = 0; number < buckets; number++) {
            for (int key = 0; key < keys.length; key++) {
                boolean here = bucket(number) != 0 && (bucket(number) & Long.MAX_VALUE) == keys[key];
                if (here && Math.floorMod(number - homes[key], buckets) >= chunkBuckets * chunks) {
                    return "key " + key + " is in bucket " + number + ", beyond the chunks that it may be in";
                }
            }
        }
        return null;
    }

    /** Checks that all buckets of a refused key hold other keys; data never leaves a bucket. */
    private @Nullable String refusedWithRoom(History history) {
        for (Event event : history.events()) {
            if (!event.pending() && event.result() == Event.FULL) {
                int home = homes[(int) event.key()];
                for (int i = 0; i < Math.min(buckets, chunkBuckets * chunks); i++) {
                    long bucket = bucket((home + i) % buckets);
                    if (bucket == 0 || (bucket & Long.MAX_VALUE) == keys[(int) event.key()]) {
                        return "client " + event.client() + "'s " + event.text() + ", though there is room";
                    }
                }
            }
        }
        return null;
    }

    private long bucket(int number) {
        int machine = (int) (number / table.bucketsOfMachine());
        return table.memories()
                .get(machine)
                .getAtIndex(ValueLayout.JAVA_LONG, number - machine * table.bucketsOfMachine());
    }

    @Override
    public String place(int region, long offset) {
        return "b[" + (region * table.bucketsOfMachine() + offset / Long.BYTES) + "]";
    }
}
