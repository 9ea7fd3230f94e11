package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.verbs.ConnectionParameters;
import org.reprobe.verbs.Connections;
import org.reprobe.verbs.DeviceLimits;
import org.reprobe.verbs.MemoryRegion;
import org.reprobe.verbs.VerbsException;
import org.reprobe.verbs.WriteOrder;

/** Open RDMA device: its protection domain, limits and resources. */
final class Card implements AutoCloseable {
    // Relaxed ordering is never requested: with it a card may land a WRITE's bytes in any order.
    private static final int LOCAL = IbvMr.IBV_ACCESS_LOCAL_WRITE;
    private static final int REMOTE = LOCAL | IbvMr.IBV_ACCESS_REMOTE_READ | IbvMr.IBV_ACCESS_REMOTE_WRITE;

    /** Usual requested maximum size of inline data; a card may grant more, or none. */
    private static final int INLINE_BYTES = 64;

    private static final int POLLED = 64;

    /** Number of retries of a SEND without a RECEIVE; 7 is without end. */
    private static final byte MAX_RETRIES = 7;

    /** Code of a retry interval of 0.64 ms. */
    private static final int RETRY_CODE = 12;

    private final Provider provider;
    private final IbvContext context;
    private final IbvPd domain;
    private final @Nullable DeviceLimits limits;
    /** Queried once and on demand, since the query creates a queue pair. */
    private @Nullable WriteOrder writes;

    /** @param context of an id that is bound or resolved */
    Card(Provider provider, IbvContext context) throws FabricException {
        this.provider = provider;
        this.context = context;
        try {
            this.domain = context.allocPd();
            this.limits = provider == Provider.RDMA_CORE ? DeviceLimits.of(context) : null;
        } catch (IOException e) {
            throw Cm.failed("opening the RDMA device", e);
        }
    }

    Provider provider() {
        return provider;
    }

    boolean hasAtomics() {
        return provider == Provider.RDMA_CORE && limits != null && limits.atomics();
    }

    /** Returns true if the card, without a connection, guarantees that WRITEs to its memory land in address order. */
    synchronized boolean writesLandInOrder() {
        if (writes == null) {
            writes = provider == Provider.RDMA_CORE ? WriteOrder.of(context) : WriteOrder.UNKNOWN;
        }
        return writes == WriteOrder.IN_ORDER;
    }

    boolean writesLandInOrder(Pair pair) {
        return provider == Provider.RDMA_CORE && WriteOrder.of(pair.pair()) == WriteOrder.IN_ORDER;
    }

    void check(ConnectionOptions options) throws FabricException {
        DeviceLimits current = limits;
        int sendLimit = current == null ? Integer.MAX_VALUE : current.maxRequests();
        int readLimit = current == null ? 255 : Math.min(255, current.maxOutstandingReads());
        String name = current == null ? "the device" : current.name();
        limit("a send queue of " + options.sendQueue(), options.sendQueue(), 1, sendLimit, name);
        limit(options.outstandingReads() + " outstanding READs", options.outstandingReads(), 1, readLimit, name);
        limit("a receive queue of " + options.receiveQueue(), options.receiveQueue(), 0, sendLimit, name);
        if (current != null && options.sendQueue() + options.receiveQueue() > current.maxCompletions()) {
            throw new FabricException("the send and the receive queue together exceed the " + current.maxCompletions()
                    + " entries of a completion queue of " + name);
        }
    }

    private static void limit(String what, int value, int min, int max, String name) throws FabricException {
        if (value < min || value > max) {
            throw new FabricException(what + (what.startsWith("a ") ? " is" : " are") + " not possible: " + name
                    + " allows " + min + " to " + max);
        }
    }

    /** Returns the number of READs in flight that a queue pair can serve, at most {@code wanted}. */
    int served(int wanted) {
        return limits == null ? wanted : Math.min(wanted, Math.min(255, limits.maxOutstandingReadsServed()));
    }

    /** Returns the number of requests that a queue pair can hold, at most {@code wanted}. */
    int requests(int wanted) {
        return limits == null ? wanted : Math.min(wanted, limits.maxRequests());
    }

    IbvMr registerLocal(MemorySegment memory) throws FabricException {
        return register(memory, LOCAL);
    }

    IbvMr registerRemote(MemorySegment memory) throws FabricException {
        return register(memory, hasAtomics() ? REMOTE | IbvMr.IBV_ACCESS_REMOTE_ATOMIC : REMOTE);
    }

    private IbvMr register(MemorySegment memory, int access) throws FabricException {
        long bytes = memory.byteSize();
        try {
            if (provider == Provider.RDMA_CORE) {
                return MemoryRegion.register(domain, memory, access);
            }
            if (bytes > Integer.MAX_VALUE) {
                throw new FabricException(provider.cannot("regions beyond 2 GiB"));
            }
            ByteBuffer buffer = memory.asByteBuffer();
            return domain.regMr(buffer, access).execute().free().getMr();
        } catch (VerbsException e) {
            throw new FabricException(
                    "registering " + bytes + " bytes failed: " + e.getMessage()
                            + (e.errno() == 12 ? " (ulimit -l shows the limit of locked memory)" : ""),
                    e);
        } catch (IOException e) {
            throw Cm.failed("registering " + bytes + " bytes", e);
        }
    }

    static void deregister(IbvMr region) {
        try {
            region.deregMr().execute().free();
        } catch (IOException _) {
            // It is freed with the process.
        }
    }

    /** @param inlineBytes granted maximum size of inline data; negative for none */
    record Pair(IbvQP pair, IbvCQ queue, int inlineBytes) {}

    /** @throws FabricException also if the card does not grant {@code inlineBytes} */
    Pair pair(RdmaCmId id, int sendQueue, int receiveQueue, int inlineBytes) throws FabricException {
        int wanted = inlineBytes == ConnectionOptions.USUAL_INLINE ? INLINE_BYTES : inlineBytes;
        try {
            IbvCQ queue = context.createCQ(null, sendQueue + receiveQueue, 0);
            try {
                try {
                    return granted(id, create(id, queue, sendQueue, receiveQueue, wanted), inlineBytes);
                } catch (VerbsException _) { // some devices refuse inline data instead of granting less
                    return granted(id, create(id, queue, sendQueue, receiveQueue, 0), inlineBytes);
                }
            } catch (IOException | FabricException e) {
                queue.destroyCQ();
                throw e;
            }
        } catch (IOException e) {
            throw Cm.failed("making a queue pair of " + sendQueue + " requests", e);
        }
    }

    private static Pair granted(RdmaCmId id, Pair made, int inlineBytes) throws IOException, FabricException {
        if (inlineBytes > Math.max(0, made.inlineBytes())) {
            id.destroyQP();
            throw new FabricException("payloads of " + inlineBytes + " bytes can't be posted inline: the card allows "
                    + Math.max(0, made.inlineBytes()));
        }
        return made;
    }

    private Pair create(RdmaCmId id, IbvCQ queue, int sendQueue, int receiveQueue, int inlineBytes) throws IOException {
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.cap().setMax_send_wr(sendQueue);
        attributes.cap().setMax_recv_wr(Math.max(1, receiveQueue));
        attributes.cap().setMax_send_sge(1);
        attributes.cap().setMax_recv_sge(1);
        attributes.cap().setMax_inline_data(inlineBytes);
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.setSend_cq(queue);
        attributes.setRecv_cq(queue);
        IbvQP pair = id.createQP(domain, attributes);
        int granted = provider == Provider.RDMA_CORE ? attributes.cap().getMax_inline_data() : 0;
        return new Pair(pair, queue, granted == 0 ? -1 : granted);
    }

    /** Shortens the interval at which the other side retries messages while this pair has no RECEIVE posted. */
    void retryWithoutReceiveSoon(Pair pair) {
        if (provider == Provider.RDMA_CORE) {
            try {
                Connections.retryWithoutReceiveAfter(pair.pair(), RETRY_CODE);
            } catch (IOException _) {
                // Some devices don't support this; messages without a RECEIVE are then slower.
            }
        }
    }

    Posting posting(Pair pair, int sendQueue, int receiveQueue, int localKey) throws FabricException {
        int polled = Math.min(POLLED, sendQueue + receiveQueue);
        try {
            return provider == Provider.RDMA_CORE && !Boolean.getBoolean("reprobe.verbs.plain-disni")
                    ? new CorePosting(pair.pair(), pair.queue(), sendQueue, polled, localKey)
                    : new DisniPosting(pair.pair(), pair.queue(), sendQueue, polled, localKey, hasAtomics());
        } catch (IOException e) {
            throw Cm.failed("making a queue pair", e);
        }
    }

    RdmaConnParam parameters(int initiatorDepth, int responderResources, byte[] privateData, int retryCount)
            throws FabricException {
        if (provider == Provider.RDMA_CORE) {
            return new ConnectionParameters(initiatorDepth, responderResources)
                    .withPrivateData(privateData)
                    .withRetries(retryCount);
        }
        RdmaConnParam parameters = new RdmaConnParam();
        try {
            parameters.setRetry_count((byte) retryCount);
            parameters.setRnr_retry_count(MAX_RETRIES);
        } catch (IOException e) {
            throw Cm.failed("setting the connection's retries", e);
        }
        return parameters;
    }

    @Override
    public void close() {
        try {
            domain.deallocPd();
        } catch (Exception _) {
            // All DiSNI calls declare it. Resources still in use are freed with the process.
        }
    }
}
