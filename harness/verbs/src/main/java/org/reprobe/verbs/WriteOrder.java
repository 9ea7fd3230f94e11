package org.reprobe.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvQP;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.reprobe.verbs.RdmaCore.Call;

/**
 * Order in which the CPU sees the bytes of one RDMA WRITE: {@code ibv_query_qp_data_in_order} of the receiving queue
 * pair. It covers the bytes within one WRITE only, and only memory registered without relaxed ordering.
 */
public enum WriteOrder {
    /** Ascending addresses: once the last byte is visible, all are. */
    IN_ORDER,
    /** No guaranteed order. */
    ANY,
    /** The library is older than rdma-core 36, which introduced the query, or the query failed. */
    UNKNOWN;

    private static final int RDMA_WRITE = 0;
    private static final int NO_FLAGS = 0;

    /** Loads rdma-core on the first query. */
    private static final class Native {
        static final Optional<MethodHandle> QUERY = RdmaCore.optional(
                "ibv_query_qp_data_in_order", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT));
        static final Call ALLOCATE_DOMAIN = new Call("ibv_alloc_pd", JAVA_LONG, JAVA_LONG);
        static final Call FREE_DOMAIN = new Call("ibv_dealloc_pd", JAVA_INT, JAVA_LONG);
        static final Call CREATE_QUEUE =
                new Call("ibv_create_cq", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
        static final Call DESTROY_QUEUE = new Call("ibv_destroy_cq", JAVA_INT, JAVA_LONG);
        static final Call CREATE_PAIR = new Call("ibv_create_qp", JAVA_LONG, JAVA_LONG, JAVA_LONG);
        static final Call DESTROY_PAIR = new Call("ibv_destroy_qp", JAVA_INT, JAVA_LONG);
    }

    /** Queries the order of WRITEs that arrive at a queue pair of this provider. */
    public static WriteOrder of(IbvQP pair) {
        return ofPair(((ReliableQueuePair) pair).address());
    }

    private static WriteOrder ofPair(long pair) {
        if (Native.QUERY.isEmpty()) {
            return UNKNOWN;
        }
        try {
            int inOrder = (int) Native.QUERY.get().invokeExact(pair, RDMA_WRITE, NO_FLAGS);
            return inOrder == 1 ? IN_ORDER : ANY;
        } catch (Throwable thrown) {
            throw RdmaCore.unexpected(thrown);
        }
    }

    /** Queries a device through a temporary, unconnected queue pair. */
    public static WriteOrder of(IbvContext context) {
        return ofDevice(((DeviceContext) context).address());
    }

    static WriteOrder ofDevice(long context) {
        try (Arena arena = Arena.ofConfined()) {
            long domain = Native.ALLOCATE_DOMAIN.pointer(context);
            try {
                long queue = Native.CREATE_QUEUE.pointer(context, 1, 0, 0, 0);
                try {
                    return ofNewPair(domain, queue, arena);
                } finally {
                    Native.DESTROY_QUEUE.run(queue);
                }
            } finally {
                Native.FREE_DOMAIN.run(domain);
            }
        } catch (VerbsException _) {
            return UNKNOWN; // if the device has no free queue pair, creating a connection reports it
        }
    }

    private static WriteOrder ofNewPair(long domain, long queue, Arena arena) throws VerbsException {
        long attributes =
                arena.allocate(StructLayout.PairAttributes.BYTES, Long.BYTES).address();
        RdmaCore.putLong(attributes + StructLayout.PairAttributes.SEND_CQ, queue);
        RdmaCore.putLong(attributes + StructLayout.PairAttributes.RECEIVE_CQ, queue);
        RdmaCore.putInt(attributes + StructLayout.PairAttributes.MAX_SEND, 1);
        RdmaCore.putInt(attributes + StructLayout.PairAttributes.MAX_RECEIVE, 1);
        RdmaCore.putInt(attributes + StructLayout.PairAttributes.MAX_SEND_SGE, 1);
        RdmaCore.putInt(attributes + StructLayout.PairAttributes.MAX_RECEIVE_SGE, 1);
        RdmaCore.putInt(attributes + StructLayout.PairAttributes.TYPE, IbvQP.IBV_QPT_RC);
        long pair = Native.CREATE_PAIR.pointer(domain, attributes, 0, 0, 0);
        try {
            return ofPair(pair);
        } finally {
            Native.DESTROY_PAIR.run(pair);
        }
    }
}
