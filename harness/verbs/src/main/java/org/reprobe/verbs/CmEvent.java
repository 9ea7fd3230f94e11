package org.reprobe.verbs;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A copy of a {@code struct rdma_cm_event}, which was acknowledged when it was taken. */
public final class CmEvent extends RdmaCmEvent {
    private final byte[] privateData;

    CmEvent(long event, @Nullable RdmaCmId listener, @Nullable RdmaCmId id) throws IOException {
        super(RdmaCore.getInt(event + Layout.Event.KIND), listener, id);
        this.status = RdmaCore.getInt(event + Layout.Event.STATUS);
        long parameters = event + Layout.Event.PARAMETERS;
        this.conn = new Received(parameters);
        long data = RdmaCore.getLong(parameters + Layout.Parameters.DATA);
        int length = Byte.toUnsignedInt(RdmaCore.getByte(parameters + Layout.Parameters.DATA_LENGTH));
        this.privateData = data == 0 ? new byte[0] : RdmaCore.bytes(data, length);
    }

    /** What the other side sent along, with zeros behind it: it has to say its own length. */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** The verbs name of an event, by its {@link RdmaCmEvent#getEvent() number}. */
    public static String name(int kind) {
        EventType[] types = EventType.values();
        return kind >= 0 && kind < types.length ? types[kind].name() : "event " + kind;
    }

    private static final class Received extends RdmaConnParam {
        Received(long parameters) {
            this.responder_resources = RdmaCore.getByte(parameters + Layout.Parameters.RESPONDER_RESOURCES);
            this.initiator_depth = RdmaCore.getByte(parameters + Layout.Parameters.INITIATOR_DEPTH);
            this.flow_control = RdmaCore.getByte(parameters + Layout.Parameters.FLOW_CONTROL);
            this.retry_count = RdmaCore.getByte(parameters + Layout.Parameters.RETRIES);
            this.rnr_retry_count = RdmaCore.getByte(parameters + Layout.Parameters.RNR_RETRIES);
            this.srq = RdmaCore.getByte(parameters + Layout.Parameters.SRQ);
            this.qp_num = RdmaCore.getInt(parameters + Layout.Parameters.QP_NUMBER);
        }
    }
}
