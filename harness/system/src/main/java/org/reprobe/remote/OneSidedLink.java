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
 * One client's queue pair to one server, for protocols: operations are appended, {@link #roundTrip} hands them to the card
 * in one batch and waits until all have taken effect. Only the last operation of a batch is signaled. For one thread.
 *
 * <p>A place in remote memory is a region and a byte offset in it; {@code local} is a byte offset in the local memory.
 */
public final class OneSidedLink implements AutoCloseable {
    private static final int NONE = 0;
    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final int COMPARE_AND_SWAP = 3;
    private static final int BEGIN = 4;
    private static final int TRANSACTIONAL_READ = 5;
    private static final int TRANSACTIONAL_WRITE = 6;
    private static final int COMMIT = 7;

    private final Client client;
    private final int server;
    private final MemorySegment local;
    private final ConnectionOptions options;
    private QueuePair queuePair;
    private Optional<RemoteTransactions> transactions;
    private final Completions completions = new Completions(16);

    // The operation appended last: whether it is signaled is known only when the next one or the doorbell comes.
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

    /**
     * Connects.
     *
     * @param server number of the server, from 0
     * @param local registered memory that operations read and write
     */
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

    /** Begins anew with another queue pair after one that has {@link #broken}; counts go on. */
    public void reconnect() throws FabricException {
        queuePair.close();
        queuePair = connect();
        transactions = queuePair.transactions();
        held = NONE;
        completed = posted;
        broken = Status.SUCCESS;
    }

    /** The memory that offsets called {@code local} are in. */
    public MemorySegment local() {
        return local;
    }

    /** Appends a READ. */
    public void read(RemoteRegion region, long offset, long local, int bytes) {
        hold(READ, region, offset, local, bytes);
    }

    /** Appends a WRITE. The local bytes must stay as they are until the round trip has ended. */
    public void write(RemoteRegion region, long offset, long local, int bytes) {
        hold(WRITE, region, offset, local, bytes);
    }

    /** Appends a COMPARE_AND_SWAP; what was there before lands at {@code local}. */
    public void compareAndSwap(RemoteRegion region, long offset, long local, long expected, long desired) {
        hold(COMPARE_AND_SWAP, region, offset, local, Long.BYTES);
        heldExpected = expected;
        heldDesired = desired;
    }

    /** Whether the server's card has transactions; if not, their operations throw. */
    public boolean hasTransactions() {
        return transactions.isPresent();
    }

    /** Appends the begin of a transaction. */
    public void begin() {
        hold(BEGIN, 0, 0, 0, 0);
    }

    /** Appends a read of a word within the transaction. */
    public void transactionalRead(RemoteRegion region, long offset, long local) {
        hold(TRANSACTIONAL_READ, region, offset, local, Long.BYTES);
    }

    /** Appends a write of a word within the transaction. */
    public void transactionalWrite(RemoteRegion region, long offset, long value) {
        hold(TRANSACTIONAL_WRITE, region, offset, 0, Long.BYTES);
        heldDesired = value;
    }

    /** Appends the end of the transaction; 1 lands at {@code local} if it has taken effect, else 0. */
    public void commit(long local) {
        hold(COMMIT, 0, 0, local, Long.BYTES);
    }

    /** Posts all that was appended and waits until it has taken effect: one round trip. */
    public void roundTrip() throws FabricException {
        await(post());
    }

    /**
     * Posts all that was appended.
     *
     * @return the ticket with which to {@link #await} it
     */
    public long post() throws FabricException {
        flush(true);
        queuePair.doorbell();
        return posted;
    }

    /** Waits until what was posted with a ticket has taken effect. */
    public void await(long ticket) throws FabricException {
        if (completed >= ticket) {
            return;
        }
        roundTrips++;
        while (completed < ticket) {
            take(queuePair.await(completions));
        }
    }

    /** Whether something was appended and not posted. */
    public boolean holding() {
        return held != NONE;
    }

    private void take(int count) throws FabricException {
        for (int i = 0; i < count; i++) {
            if (completions.status(i) != Status.SUCCESS) {
                // What comes after the first failure is only flushed.
                broken = broken == Status.SUCCESS ? completions.status(i) : broken;
                throw broken.exception("client " + client.index() + ": an operation");
            }
            completed = completions.id(i);
        }
    }

    /** What ended the connection; {@link Status#SUCCESS} while nothing has. */
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
            default -> transactions.orElseThrow().commit(++posted, heldLocal, signaled);
        }
        held = NONE;
    }

    /** Times that the client has waited for the network. */
    public long roundTrips() {
        return roundTrips;
    }

    /** Operations appended. */
    public long requests() {
        return requests;
    }

    /** Bytes carried by them, headers not counted. */
    public long payloadBytes() {
        return payloadBytes;
    }

    @Override
    public void close() {
        queuePair.close();
    }
}
