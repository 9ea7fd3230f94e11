package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;

/** {@code struct ibv_pd}. */
final class ProtectionDomain extends IbvPd {
    private final long address;

    ProtectionDomain(DeviceContext context, long address) throws IOException {
        super(context);
        this.address = address;
        this.handle = RdmaCore.getInt(address + Layout.Domain.HANDLE);
        LayoutCheck.same("ibv_pd.context", context.address(), RdmaCore.getLong(address + Layout.Domain.CONTEXT));
    }

    long address() {
        return address;
    }
}
