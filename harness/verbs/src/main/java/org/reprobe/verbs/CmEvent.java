package org.reprobe.verbs;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Copy of a {@code struct rdma_cm_event}, which is acknowledged on receipt. */
public final class CmEvent extends RdmaCmEvent {
    private final byte[] privateData;

    CmEvent(long event, @Nullable RdmaCmId listener, @Nullable RdmaCmId id) throws IOException {
        super(RdmaCore.getInt(event + StructLayout.Event.KIND), listener, id);
        this.status = RdmaCore.getInt(event + StructLayout.Event.STATUS);
        long parameters = event + StructLayout.Event.PARAMETERS;
        this.conn = new Received(parameters);
        long data = RdmaCore.getLong(parameters + StructLayout.Parameters.DATA);
        int length = Byte.toUnsignedInt(RdmaCore.getByte(parameters + StructLayout.Parameters.DATA_LENGTH));
        this.privateData = data == 0 ? new byte[0] : RdmaCore.bytes(data, length);
    }

    /** Returns the private data of the other side. It is padded with zeros, so its format must include its length. */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** Returns the verbs name of an event by its {@link RdmaCmEvent#getEvent() number}. */
    public static String name(int kind) {
        EventType[] types = EventType.values();
        return kind >= 0 && kind < types.length ? types[kind].name() : "event " + kind;
    }

    private static final class Received extends RdmaConnParam {
        Received(long parameters) {
            this.responder_resources = RdmaCore.getByte(parameters + StructLayout.Parameters.RESPONDER_RESOURCES);
            this.initiator_depth = RdmaCore.getByte(parameters + StructLayout.Parameters.INITIATOR_DEPTH);
            this.flow_control = RdmaCore.getByte(parameters + StructLayout.Parameters.FLOW_CONTROL);
            this.retry_count = RdmaCore.getByte(parameters + StructLayout.Parameters.RETRIES);
            this.rnr_retry_count = RdmaCore.getByte(parameters + StructLayout.Parameters.RNR_RETRIES);
            this.srq = RdmaCore.getByte(parameters + StructLayout.Parameters.SRQ);
            this.qp_num = RdmaCore.getInt(parameters + StructLayout.Parameters.QP_NUMBER);
        }
    }
}
