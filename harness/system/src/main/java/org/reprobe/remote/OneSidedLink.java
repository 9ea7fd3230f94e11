package org.reprobe.remote;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.RemoteTransactions;

/**
 * Queue pair of a client to one server, with batches. Operations are appended; {@link #roundTrip} posts them as one
 * batch and waits until all have taken effect. Only the last operation of a batch is signaled. Remote memory is
 * addressed by a region and a byte offset in it; {@code local} is a byte offset in the local memory. Not thread-safe.
 */
public final class OneSidedLink implements AutoCloseable {
    private static final int NONE = 0;
    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final int COMPARE_AND_SWAP = 3;
    private static final int BEGIN = 4;
    private static final int TRANSACTIONAL_READ = 5;
    private static final int TRANSACTIONAL_WRITE = 6;
    private static final int TRANSACTIONAL_READS = 7;
    private static final int TRANSACTIONAL_WRITES = 8;
    private static final int COMMIT = 9;

    private final Client client;
    private final int server;
    private final MemorySegment local;
    private final ConnectionOptions options;
    private QueuePair queuePair;
    private Optional<RemoteTransactions> transactions;
    private final Completions completions = new Completions(16);

    // The last appended operation. It is signaled unless another one follows before the doorbell.
    private int held = NONE;
    private long heldLocal;
    private long heldRemote;
    private int heldKey;
    private int heldBytes;
    private long heldExpected;
    private long heldDesired;

    private long posted;
    private long completed;
    private long roundTrips;
    private long requests;
    private long payloadBytes;
    private Status broken = Status.SUCCESS;

    /** @param local registered memory that the operations access */
    public OneSidedLink(Client client, int server, MemorySegment local, ConnectionOptions options)
            throws FabricException {
        this.client = client;
        this.server = server;
        this.local = local;
        this.options = options;
        this.queuePair = connect();
        this.transactions = queuePair.transactions();
    }

    private QueuePair connect() throws FabricException {
        return server == 0 ? client.connect(local, options) : client.connect(server, local, options);
    }

    /** Replaces a broken connection, without its appended operations; throws if the server is unreachable. */
    public void reconnect() throws FabricException {
        queuePair.close();
        queuePair = connect();
        transactions = queuePair.transactions();
        held = NONE;
        completed = posted;
        broken = Status.SUCCESS;
    }

    /** Returns the local memory that the operations access. */
    public MemorySegment local() {
        return local;
    }

    /** Appends a READ, whose bytes land at {@code local}. */
    public void read(RemoteRegion region, long offset, long local, int bytes) {
        hold(READ, region, offset, local, bytes);
    }

    /** Appends a WRITE. The local bytes must not change before the end of the round trip. */
    public void write(RemoteRegion region, long offset, long local, int bytes) {
        hold(WRITE, region, offset, local, bytes);
    }

    /** Appends a COMPARE_AND_SWAP; the previous value lands at {@code local}. */
    public void compareAndSwap(RemoteRegion region, long offset, long local, long expected, long desired) {
        hold(COMPARE_AND_SWAP, region, offset, local, Long.BYTES);
        heldExpected = expected;
        heldDesired = desired;
    }

    /** Returns true if the server's card supports transactions. Otherwise transactional operations throw. */
    public boolean hasTransactions() {
        return transactions.isPresent();
    }

    /** Appends the start of a transaction. */
    public void begin() {
        hold(BEGIN, 0, 0, 0, 0);
    }

    /** Appends a transactional read of an aligned word, which lands at {@code local}. */
    public void transactionalRead(RemoteRegion region, long offset, long local) {
        hold(TRANSACTIONAL_READ, region, offset, local, Long.BYTES);
    }

    /** Appends a transactional read of at least two aligned words. */
    public void transactionalRead(RemoteRegion region, long offset, long local, int bytes) {
        hold(TRANSACTIONAL_READS, region, offset, local, bytes);
    }

    /**
     * Appends a transactional write of at least two aligned words, which must not change before the round trip ends.
     */
    public void transactionalWrite(RemoteRegion region, long offset, long local, int bytes) {
        hold(TRANSACTIONAL_WRITES, region, offset, local, bytes);
    }

    /** Appends a transactional write of an aligned word. */
    public void transactionalWrite(RemoteRegion region, long offset, long value) {
        hold(TRANSACTIONAL_WRITE, region, offset, 0, Long.BYTES);
        heldDesired = value;
    }

    /** Appends a transaction's end. The word at {@code local} becomes 1 if it has taken effect, otherwise 0. */
    public void commit(long local) {
        hold(COMMIT, 0, 0, local, Long.BYTES);
    }

    /** Posts all appended operations and waits until they have taken effect, which is one round trip. */
    public void roundTrip() throws FabricException {
        await(post());
    }

    /** Posts all appended operations; returns the ticket for {@link #await}. */
    public long post() throws FabricException {
        flush(true);
        queuePair.doorbell();
        return posted;
    }

    /**
     * Waits until the operations of a {@link #post}, and all earlier ones, have taken effect. Throws a
     * {@link FabricException} if one of them failed; {@link #broken} returns the status.
     */
    public void await(long ticket) throws FabricException {
        if (completed >= ticket) {
            return;
        }
        roundTrips++;
        while (completed < ticket) {
            take(queuePair.await(completions));
        }
    }

    /** Returns true if an appended operation is not posted yet. */
    public boolean holding() {
        return held != NONE;
    }

    private void take(int count) throws FabricException {
        for (int i = 0; i < count; i++) {
            if (completions.status(i) != Status.SUCCESS) {
                // Only the first failure has a cause; later ones are flushes.
                broken = broken == Status.SUCCESS ? completions.status(i) : broken;
                throw broken.exception("client " + client.index() + ": an operation");
            }
            completed = completions.id(i);
        }
    }

    /** Returns the status that broke the connection; {@link Status#SUCCESS} while it is up. */
    public Status broken() {
        return broken;
    }

    private void hold(int operation, RemoteRegion region, long offset, long local, int bytes) {
        hold(operation, region.address() + offset, region.key(), local, bytes);
    }

    private void hold(int operation, long remote, int key, long local, int bytes) {
        flush(false);
        held = operation;
        heldLocal = local;
        heldRemote = remote;
        heldKey = key;
        heldBytes = bytes;
        requests++;
        payloadBytes += bytes;
    }

    private void flush(boolean signaled) {
        switch (held) {
            case NONE -> {
                return;
            }
            case READ -> queuePair.read(++posted, heldLocal, heldRemote, heldKey, heldBytes, signaled);
            case WRITE -> queuePair.write(++posted, heldLocal, heldRemote, heldKey, heldBytes, signaled);
            case COMPARE_AND_SWAP ->
                queuePair.compareAndSwap(++posted, heldLocal, heldRemote, heldKey, heldExpected, heldDesired, signaled);
            case BEGIN -> transactions.orElseThrow().begin(++posted, signaled);
            case TRANSACTIONAL_READ ->
                transactions.orElseThrow().read(++posted, heldLocal, heldRemote, heldKey, signaled);
            case TRANSACTIONAL_WRITE ->
                transactions.orElseThrow().write(++posted, heldRemote, heldKey, heldDesired, signaled);
            case TRANSACTIONAL_READS ->
                transactions.orElseThrow().read(++posted, heldLocal, heldRemote, heldKey, heldBytes, signaled);
            case TRANSACTIONAL_WRITES ->
                transactions.orElseThrow().write(++posted, heldLocal, heldRemote, heldKey, heldBytes, signaled);
            default -> transactions.orElseThrow().commit(++posted, heldLocal, signaled);
        }
        held = NONE;
    }

    /** Returns the number of waits for operations in flight so far. */
    public long roundTrips() {
        return roundTrips;
    }

    /** Returns the number of operations appended so far. */
    public long requests() {
        return requests;
    }

    /** Returns the number of payload bytes of the operations appended so far. */
    public long payloadBytes() {
        return payloadBytes;
    }

    @Override
    public void close() {
        queuePair.close();
    }
}
