package org.reprobe.findorput;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.CpuCosts;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.remote.OneSidedLink;

/**
 * Operation find-or-put of one process (find-or-put paper, section 3.3, Fig. 1), with the names of the paper. Chunk i
 * of C buckets begins at bucket h + i C, and two queries are in flight. A chunk that wraps, or that is on several
 * machines, is queried in parts. The CPU reads parts on the process's own machine. Numbers in comments are lines of
 * Fig. 1. Not thread-safe.
 */
public final class FindOrPut implements AutoCloseable {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final VarHandle BUCKET = WORD.varHandle();
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(32, 16);

    /** Number of query buffers: more than the two in flight, since an operation leaves superfluous queries behind. */
    private static final int QUERIES = 8;

    private final Client client;
    private final CpuCosts costs;
    private final SharedTable table;
    private final ChunkSize chunkSize;
    private final int maxBuckets;
    private final int chunks;
    /** C and M of the current operation. */
    private int c;

    private int m;
    private final boolean atomicsOfCard;
    private final MemorySegment local;
    private final @Nullable OneSidedLink[] connections;
    private final Query[] queries = new Query[QUERIES];
    private final long casAnswer;
    private int nextQuery;
    private long queriesSynchronised;
    private long chunksOfLast;

    /**
     * Prepares a process and connects it to all other machines.
     *
     * @param chunkSize C; in the paper a multiple of 8 buckets, a cache line
     * @param chunks M
     * @param atomicsOfCard true if the process sets buckets of its own machine through the card, because atomics of the
     *     card are not atomic with respect to those of the CPU
     * @throws IllegalArgumentException if C or M is less than 1
     */
    public FindOrPut(Client client, SharedTable table, ChunkSize chunkSize, int chunks, boolean atomicsOfCard)
            throws FabricException {
        if (chunkSize.buckets() < 1 || chunks < 1) {
            throw new IllegalArgumentException(chunks + " chunks of " + chunkSize.buckets() + " buckets");
        }
        this.client = client;
        this.costs = client.cpuCosts();
        this.table = table;
        this.chunkSize = chunkSize;
        this.chunks = chunks;
        this.maxBuckets = (int) Math.min(chunkSize.max(), table.buckets());
        this.atomicsOfCard = atomicsOfCard;
        long chunkBytes = (long) maxBuckets * Long.BYTES;
        this.casAnswer = QUERIES * chunkBytes;
        this.local = client.allocate(localBytes(maxBuckets));
        this.connections = new OneSidedLink[table.regions().size()];
        for (int i = 0; i < QUERIES; i++) {
            queries[i] = new Query(i * chunkBytes);
        }
        for (int machine = 0; machine < connections.length; machine++) {
            if (atomicsOfCard || !client.isLocal(machine)) {
                connections[machine] = new OneSidedLink(client, machine, local, OPTIONS);
            }
        }
    }

    public static long localBytes(int maxBuckets) {
        return (long) QUERIES * maxBuckets * Long.BYTES + 64;
    }

    /** Buffer P_i of the paper and the parts of a query that are in flight. */
    private final class Query {
        final long at;
        final @Nullable OneSidedLink[] on = new OneSidedLink[8];
        final long[] tickets = new long[8];
        int parts;

        Query(long at) {
            this.at = at;
        }

        long bucket(int j) {
            return local.get(WORD, at + j * 8L);
        }

        void await() throws FabricException {
            for (int part = 0; part < parts; part++) {
                OneSidedLink connection = on[part];
                if (connection != null) {
                    connection.await(tickets[part]);
                }
            }
            parts = 0;
        }

        /** Waits for outstanding replies, so that none overwrites a later query; a lost connection has none. */
        void abandon() throws FabricException {
            for (int part = 0; part < parts; part++) {
                OneSidedLink connection = on[part];
                if (connection != null && connection.broken() == Status.SUCCESS) {
                    try {
                        connection.await(tickets[part]);
                    } catch (FabricException _) {
                        // This connection is lost, too; the failure of the operation is reported.
                    }
                }
            }
            parts = 0;
        }
    }

    /**
     * Finds {@code data}, 63 bits, in the table or inserts it; throws {@link IllegalArgumentException} if it is
     * negative.
     *
     * @throws UnreachableException if a required machine is unreachable; the data may have been inserted. The next
     *     operation that requires the machine reconnects
     */
    public FindOrPutResult findOrPut(long data) throws FabricException {
        if (data < 0) {
            throw new IllegalArgumentException("data has 63 bits: " + data + " is negative");
        }
        try {
            return find(data);
        } catch (FabricException e) {
            for (Query query : queries) {
                query.abandon();
            }
            throw e;
        }
    }

    /** Returns {@code SUCCESS}, {@code REMOTE_ACCESS_ERROR} if one was refused, else a lost connection's status. */
    public Status broken() {
        Status broken = Status.SUCCESS;
        for (OneSidedLink connection : connections) {
            if (connection != null && connection.broken() != Status.SUCCESS && broken != Status.REMOTE_ACCESS_ERROR) {
                broken = connection.broken();
            }
        }
        return broken;
    }

    private FindOrPutResult find(long data) throws FabricException {
        // More buckets than the table has would be examined twice.
        c = Math.min(chunkSize.buckets(), maxBuckets);
        m = (int) Math.min(chunks, Math.ceilDiv(table.buckets(), c));
        long h = table.home(data); // 2
        client.spendCpu(costs.operationPs());
        Query s = queryChunk(0, h); // 3
        for (int i = 0; i < m; i++) { // 4
            Query next = i < m - 1 ? queryChunk(i + 1, h) : s; // 6
            sync(s); // 7
            chunksOfLast = i + 1L;
            if (i == 0) {
                notice(s);
            }
            for (int j = 0; j < c; j++) { // 8
                long p = s.bucket(j);
                if (!SharedTable.occupied(p)) { // 9
                    long addr = (h + (long) i * c + j) % table.buckets(); // 10
                    long val = cas(addr, p, SharedTable.bucketOf(data)); // 12
                    if (val == p) { // 13
                        client.spendCpu((j + 1) * costs.comparisonPs());
                        return FindOrPutResult.INSERTED;
                    } else if (val == SharedTable.bucketOf(data)) { // 15
                        client.spendCpu((j + 1) * costs.comparisonPs());
                        return FindOrPutResult.FOUND;
                    }
                } else if (p == SharedTable.bucketOf(data)) { // 17
                    client.spendCpu((j + 1) * costs.comparisonPs());
                    return FindOrPutResult.FOUND;
                }
            }
            client.spendCpu(c * costs.comparisonPs());
            s = next;
        }
        return FindOrPutResult.FULL; // 19
    }

    /** Posts the READs of chunk i, split at wraps and machine boundaries. */
    private Query queryChunk(int i, long h) throws FabricException {
        Query query = queries[nextQuery];
        nextQuery = (nextQuery + 1) % QUERIES;
        query.await(); // an old query may still be in flight, and must not overwrite the new one
        long start = (h + (long) i * c) % table.buckets();
        int j = 0;
        while (j < c) {
            int machine = table.machine(start);
            long inMachine = start - machine * table.bucketsOfMachine();
            long end = Math.min(table.buckets(), (machine + 1) * table.bucketsOfMachine());
            int count = (int) Math.min(c - j, end - start);
            long to = query.at + j * 8L;
            if (client.isLocal(machine)) {
                client.accesses(count * (long) Long.BYTES);
                MemorySegment.copy(
                        table.memories().get(machine), inMachine * Long.BYTES, local, to, count * (long) Long.BYTES);
            } else {
                if (query.parts == query.tickets.length) {
                    query.await();
                }
                OneSidedLink connection = connection(machine);
                connection.read(table.regions().get(machine), inMachine * Long.BYTES, to, count * Long.BYTES);
                query.on[query.parts] = connection;
                query.tickets[query.parts++] = connection.post();
            }
            j += count;
            start = end == table.buckets() && count == end - start ? 0 : start + count;
        }
        return query;
    }

    /** Reports an operation's first chunk; later ones are not representative, because they follow full ones. */
    private void notice(Query query) {
        if (chunkSize instanceof ChunkSize.Fixed) {
            return;
        }
        int occupied = 0;
        for (int j = 0; j < c; j++) {
            occupied += SharedTable.occupied(query.bucket(j)) ? 1 : 0;
        }
        client.spendCpu(c * costs.comparisonPs());
        chunkSize.seen(occupied, c);
    }

    private void sync(Query query) throws FabricException {
        if (query.parts > 0) {
            queriesSynchronised++;
            query.await();
        }
    }

    private long cas(long bucket, long expected, long desired) throws FabricException {
        int machine = table.machine(bucket);
        long offset = table.offset(bucket);
        if (client.isLocal(machine) && !atomicsOfCard) {
            client.accesses(Long.BYTES);
            return (long) BUCKET.compareAndExchange(table.memories().get(machine), offset, expected, desired);
        }
        OneSidedLink connection = connection(machine);
        connection.compareAndSwap(table.regions().get(machine), offset, casAnswer, expected, desired);
        connection.roundTrip();
        return local.get(WORD, casAnswer);
    }

    private OneSidedLink connection(int machine) throws FabricException {
        OneSidedLink connection = Objects.requireNonNull(connections[machine], "no connection to the own machine");
        if (connection.broken() != Status.SUCCESS) {
            connection.reconnect();
        }
        return connection;
    }

    /** Returns the chunks that the last operation examined: the paper's round trips without compare-and-swap. */
    public long chunksOfLast() {
        return chunksOfLast;
    }

    /** Returns the number of queries of other machines that all operations have waited for. */
    public long queriesSynchronised() {
        return queriesSynchronised;
    }

    public long requests() {
        long requests = 0;
        for (OneSidedLink connection : connections) {
            requests += connection == null ? 0 : connection.requests();
        }
        return requests;
    }

    public long payloadBytes() {
        long bytes = 0;
        for (OneSidedLink connection : connections) {
            bytes += connection == null ? 0 : connection.payloadBytes();
        }
        return bytes;
    }

    /**
     * Reconnects after an {@link UnreachableException}, which it throws again while a machine is unreachable. The data
     * of the operation may be in the table, or may still be inserted by a delayed request. It is inserted at most once,
     * even if any process inserts it again, because that process examines the same bucket first.
     */
    public void reconnect() throws FabricException {
        for (int machine = 0; machine < connections.length; machine++) {
            if (connections[machine] != null) {
                connection(machine);
            }
        }
    }

    @Override
    public void close() {
        for (OneSidedLink connection : connections) {
            if (connection != null) {
                connection.close();
            }
        }
    }
}
