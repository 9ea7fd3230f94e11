package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvCompChannel;
import java.io.IOException;

/** {@code struct ibv_comp_channel}. */
final class CompletionChannel extends IbvCompChannel {
    private final long address;

    CompletionChannel(DeviceContext context, long address) throws IOException {
        super(RdmaCore.getInt(address + Layout.CompletionEvents.FD), context);
        this.address = address;
        LayoutCheck.same(
                "ibv_comp_channel.context",
                context.address(),
                RdmaCore.getLong(address + Layout.CompletionEvents.CONTEXT));
        RdmaCore.unblock(getFd());
    }

    long address() {
        return address;
    }
}
