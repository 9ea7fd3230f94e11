package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** {@code struct rdma_cm_id}. */
final class CmId extends RdmaCmId {
    private final long address;

    CmId(CmChannel channel, long address) throws IOException {
        super(channel, null);
        this.address = address;
        LayoutCheck.same("rdma_cm_id.channel", channel.address(), RdmaCore.getLong(address + StructLayout.Id.CHANNEL));
        this.ps = RdmaCore.getInt(address + StructLayout.Id.PORT_SPACE);
    }

    long address() {
        return address;
    }

    /** Returns the device of the address; null before the id is bound or resolved. */
    @Override
    public @Nullable IbvContext getVerbs() throws IOException {
        if (verbs == null) {
            long context = RdmaCore.getLong(address + StructLayout.Id.CONTEXT);
            if (context == 0) {
                return null;
            }
            verbs = Contexts.of(context);
        }
        return verbs;
    }

    @Override
    public byte getPort_num() {
        return RdmaCore.getByte(address + StructLayout.Id.PORT);
    }

    @Override
    public void setQp(IbvQP pair) {
        super.setQp(pair);
    }
}
