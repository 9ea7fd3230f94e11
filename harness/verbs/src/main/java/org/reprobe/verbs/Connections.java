package org.reprobe.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.lang.foreign.Arena;
import org.reprobe.verbs.RdmaCore.Call;

/** What connections can do that DiSNI has no word for. */
public final class Connections {
    /** Private data of a rejection: InfiniBand's 148 bytes. */
    public static final int MAX_REJECT_BYTES = 148;

    private static final int MIN_RNR_TIMER_MASK = 1 << 15;

    private static final Call MODIFY = new Call("ibv_modify_qp", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);

    private Connections() {}

    /**
     * Refuses a connection request; the other side gets {@code RDMA_CM_EVENT_REJECTED}.
     *
     * @param privateData for the other side, at most {@value #MAX_REJECT_BYTES} bytes; arrives with zeros behind it
     */
    public static void reject(RdmaCmId id, byte[] privateData) throws IOException {
        if (privateData.length > MAX_REJECT_BYTES) {
            throw new IllegalArgumentException(
                    "private data is at most " + MAX_REJECT_BYTES + " bytes, not " + privateData.length);
        }
        CoreCm.reject(id, privateData);
    }

    /**
     * How long a sender waits before it tries again to send to a connected queue pair that had no RECEIVE posted. The
     * connection manager leaves it at 655 ms.
     *
     * @param code as in {@code ibv_modify_qp(3)}: 1 is 0.01 ms, 12 is 0.64 ms
     */
    public static void retryWithoutReceiveAfter(IbvQP pair, int code) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long attributes = arena.allocate(Layout.PairState.BYTES, 8).address();
            RdmaCore.putByte(attributes + Layout.PairState.MIN_RNR_TIMER, (byte) code);
            MODIFY.run(((ReliableQueuePair) pair).address(), attributes, MIN_RNR_TIMER_MASK);
        }
    }
}
