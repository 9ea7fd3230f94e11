package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Server;
import org.reprobe.table.Storage;
import org.reprobe.table.TableGeometry;
import org.reprobe.workload.Hashing;

/**
 * Server program of two-sided linear probing (linear-probing paper, section 7): it receives keys, probes the table in
 * its own memory and sends back the matching records. The program is one thread.
 *
 * <p>A request has the key, the number of matches that the client already has and the number of the lookup, 4 bytes
 * each. A reply has the number of the lookup, the number of all matches, and as many further records as fit.
 */
final class LookupServer {
    static final int REQUEST_BYTES = 12;
    static final int SKIPPED_AT = 4;
    static final int LOOKUP_AT = 8;

    static final int MATCHES_AT = 4;
    static final int RECORDS_AT = 8;

    private static final int REPLY_AT = 16;
    private static final int USUAL_REPLY_BYTES = 256;
    private static final int LINE_BYTES = 64;
    private static final int BATCH = 64;
    private static final int NONE = -1;

    private final Server server;
    private final TableGeometry geometry;
    private final MemorySegment table;
    private final @Nullable MemorySegment heap;
    private final boolean inline;
    private final int buffers;
    private final int bufferBytes;
    private final int replyBytes;
    private final long lookupPs;
    private final long comparisonPs;
    private final List<Link> links = new ArrayList<>();
    private int compared;

    private record Link(QueuePair queuePair, MemorySegment local) {}

    /** @param inFlight maximum number of lookups in flight of a client */
    LookupServer(
            Server server, TableGeometry geometry, MemorySegment table, @Nullable MemorySegment heap, int inFlight) {
        this.server = server;
        this.geometry = geometry;
        this.table = table;
        this.heap = heap;
        this.inline = geometry.storage() == Storage.INLINE;
        this.buffers = 2 * inFlight;
        this.bufferBytes = bufferBytes(geometry);
        this.replyBytes = replyBytes(geometry);
        this.lookupPs = server.cpuCosts().operationPs();
        this.comparisonPs = server.cpuCosts().comparisonPs();
    }

    /**
     * Returns the number of lookups that a client keeps in flight. There are two buffers for each: a buffer receives
     * again once its reply has been sent, and a client may send its next request before.
     */
    static int inFlight(int sendQueue) {
        return Math.max(1, sendQueue / 2);
    }

    /** Returns the size of a buffer for a request and its reply. */
    static int bufferBytes(TableGeometry geometry) {
        return (REPLY_AT + replyBytes(geometry) + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    }

    /** Returns the maximum size of a reply, which has room for at least one record. */
    static int replyBytes(TableGeometry geometry) {
        return Math.max(USUAL_REPLY_BYTES, RECORDS_AT + geometry.recordBytes());
    }

    /** Serves all clients until they have ended. */
    void run() throws FabricException {
        Completions completions = new Completions(BATCH);
        while (true) {
            switch (server.next(completions)) {
                case CONNECTION -> accept();
                case COMPLETIONS -> serve(completions);
                case GONE -> {
                    while (server.gone() >= 0) {
                        // Clients leave no state to clean up.
                    }
                }
                case WORDS, DEADLINE -> throw new IllegalStateException("unexpected wake reason");
                case END -> {
                    return;
                }
            }
        }
    }

    private void accept() throws FabricException {
        MemorySegment local = server.allocate((long) buffers * bufferBytes);
        QueuePair queuePair = server.accept(local, new ConnectionOptions(buffers, 1, buffers));
        if (queuePair != null) {
            for (int buffer = 0; buffer < buffers; buffer++) {
                queuePair.receive(buffer, (long) buffer * bufferBytes, REQUEST_BYTES);
            }
            links.add(new Link(queuePair, local));
        }
    }

    /** Replies to the requests among the completions, with one doorbell per batch of a connection. */
    private void serve(Completions completions) {
        int replied = NONE;
        for (int i = 0; i < completions.count(); i++) {
            if (completions.status(i) != Status.SUCCESS) {
                continue; // of a client that has ended
            }
            int connection = completions.connection(i);
            if (replied != NONE && replied != connection) {
                ring(replied);
                replied = NONE;
            }
            Link link = links.get(connection);
            long at = completions.id(i) * bufferBytes;
            if (completions.received(i)) {
                int bytes = answer(link.local(), at, at + REPLY_AT);
                server.spendCpu(lookupPs + compared * comparisonPs);
                link.queuePair().send(completions.id(i), at + REPLY_AT, bytes, true);
                replied = connection;
            } else {
                link.queuePair().receive(completions.id(i), at, REQUEST_BYTES);
            }
        }
        if (replied != NONE) {
            ring(replied);
        }
    }

    private void ring(int connection) {
        try {
            links.get(connection).queuePair().doorbell();
        } catch (FabricException _) {
            // The client is lost, which the fabric reports separately.
        }
    }

    /** Probes up to the first empty slot, writes the reply and returns its size. */
    private int answer(MemorySegment local, long request, long reply) {
        int key = local.get(LookupAlgorithm.INT, request);
        int skipped = local.get(LookupAlgorithm.INT, request + SKIPPED_AT);
        byte signature = Hashing.signature(key);
        int mark = inline ? 0 : geometry.slotHeapOffset();
        long slot = Hashing.home(key, geometry.slots());
        long to = reply + RECORDS_AT;
        int matches = 0;
        boolean full = false;
        for (compared = 1; compared <= geometry.slots(); compared++) {
            long at = slot * geometry.slotBytes();
            int keyOrOffset = table.get(LookupAlgorithm.INT, at + mark);
            if (keyOrOffset == 0) {
                break;
            }
            byte found = inline ? 0 : table.get(ValueLayout.JAVA_BYTE, at);
            MemorySegment memory = found == 0 ? table : Objects.requireNonNull(heap);
            long record = found == 0 ? at + mark : found == signature ? geometry.heapOffset(keyOrOffset) : -1;
            if (record >= 0 && memory.get(LookupAlgorithm.INT, record) == key) {
                int bytes = geometry.recordBytes(ordinal(memory, record));
                full |= to + bytes > reply + replyBytes;
                if (matches++ >= skipped && !full) {
                    MemorySegment.copy(memory, record, local, to, bytes);
                    to += bytes;
                }
            }
            slot = slot + 1 == geometry.slots() ? 0 : slot + 1;
        }
        local.set(LookupAlgorithm.INT, reply, local.get(LookupAlgorithm.INT, request + LOOKUP_AT));
        local.set(LookupAlgorithm.INT, reply + MATCHES_AT, matches);
        return (int) (to - reply);
    }

    static long ordinal(MemorySegment memory, long record) {
        return Integer.toUnsignedLong(memory.get(LookupAlgorithm.INT, record + LookupAlgorithm.ORDINAL_AT));
    }
}
