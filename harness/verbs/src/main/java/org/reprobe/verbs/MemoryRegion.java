package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Registered memory: {@code struct ibv_mr}. Unlike DiSNI's it may be longer than 2 GiB. */
public final class MemoryRegion extends IbvMr {
    private final long region;
    private final long lengthBytes;

    MemoryRegion(ProtectionDomain domain, long region, long address, long lengthBytes, int access) throws IOException {
        super(
                domain.getContext(),
                address,
                (int) Math.min(lengthBytes, Integer.MAX_VALUE),
                access,
                RdmaCore.getInt(region + Layout.Region.LOCAL_KEY),
                RdmaCore.getInt(region + Layout.Region.REMOTE_KEY),
                RdmaCore.getInt(region + Layout.Region.HANDLE));
        this.region = region;
        this.lengthBytes = lengthBytes;
        LayoutCheck.same("ibv_mr.addr", address, RdmaCore.getLong(region + Layout.Region.ADDRESS));
        LayoutCheck.same("ibv_mr.length", lengthBytes, RdmaCore.getLong(region + Layout.Region.LENGTH));
    }

    /**
     * Registers memory of any length.
     *
     * @param domain of this provider
     * @param memory native memory, which must outlive the region
     * @param access an or of {@code IbvMr.IBV_ACCESS_*}
     */
    public static MemoryRegion register(IbvPd domain, MemorySegment memory, int access) throws IOException {
        return CoreVerbs.register(domain, memory.address(), memory.byteSize(), access);
    }

    /** The true length in bytes; {@link #getLength()} ends at 2 GiB. */
    public long lengthBytes() {
        return lengthBytes;
    }

    long region() {
        return region;
    }
}
