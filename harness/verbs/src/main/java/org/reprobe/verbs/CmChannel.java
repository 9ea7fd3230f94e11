package org.reprobe.verbs;

import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** {@code struct rdma_event_channel} and the ids whose events arrive on it. */
final class CmChannel extends RdmaEventChannel {
    private final long address;
    private final Map<Long, CmId> ids = new ConcurrentHashMap<>();

    CmChannel(long address) throws IOException {
        super(RdmaCore.getInt(address)); // its only field is the file descriptor
        this.address = address;
        RdmaCore.unblock(getFd());
    }

    long address() {
        return address;
    }

    void add(CmId id) {
        ids.put(id.address(), id);
    }

    void remove(CmId id) {
        ids.remove(id.address());
    }

    @Nullable
    CmId find(long address) {
        return address == 0 ? null : ids.get(address);
    }
}
