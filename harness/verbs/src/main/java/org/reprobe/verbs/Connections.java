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

    /** {@code RDMA_OPTION_ID} and {@code RDMA_OPTION_ID_ACK_TIMEOUT}. */
    private static final int OPTION_OF_ID = 0;

    private static final int ACK_TIMEOUT = 3;

    private static final Call MODIFY = new Call("ibv_modify_qp", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);

    private static final Call SET_OPTION =
            new Call("rdma_set_option", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);

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
     * Sets the timeout of the queue pairs at both ends of a connection. The route must not have been resolved yet.
     * Requires Linux 5.1.
     *
     * @param exponent as {@code timeout} of {@code ibv_modify_qp(3)}: 4.096 us x 2^exponent
     */
    public static void acknowledgeWithin(RdmaCmId id, int exponent) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long value = arena.allocate(1).address();
            RdmaCore.putByte(value, (byte) exponent);
            SET_OPTION.run(((CmId) id).address(), OPTION_OF_ID, ACK_TIMEOUT, value, 1);
        }
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
