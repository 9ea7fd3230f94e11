package org.reprobe.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.lang.foreign.Arena;
import org.reprobe.verbs.RdmaCore.Call;

/** Connection operations missing in DiSNI. */
public final class Connections {
    /** Maximum length of a rejection's private data in InfiniBand, in bytes. */
    public static final int MAX_REJECT_BYTES = 148;

    private static final int MIN_RNR_TIMER_MASK = 1 << 15;

    private static final Call MODIFY = new Call("ibv_modify_qp", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);

    private Connections() {}

    /**
     * Refuses a connection request; the other side gets {@code RDMA_CM_EVENT_REJECTED} with the private data: at most
     * {@value #MAX_REJECT_BYTES} bytes, padded with zeros.
     */
    public static void reject(RdmaCmId id, byte[] privateData) throws IOException {
        if (privateData.length > MAX_REJECT_BYTES) {
            throw new IllegalArgumentException(
                    "private data is at most " + MAX_REJECT_BYTES + " bytes, not " + privateData.length);
        }
        CoreCm.reject(id, privateData);
    }

    /**
     * Sets the interval at which a sender retries a message while this connected queue pair has no RECEIVE posted (RNR
     * timer). Codes are those of {@code ibv_modify_qp(3)}: 1 is 0.01 ms, 12 is 0.64 ms. The connection manager's
     * default is 655 ms.
     */
    public static void retryWithoutReceiveAfter(IbvQP pair, int code) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long attributes = arena.allocate(StructLayout.PairState.BYTES, 8).address();
            RdmaCore.putByte(attributes + StructLayout.PairState.MIN_RNR_TIMER, (byte) code);
            MODIFY.run(((ReliableQueuePair) pair).address(), attributes, MIN_RNR_TIMER_MASK);
        }
    }
}
