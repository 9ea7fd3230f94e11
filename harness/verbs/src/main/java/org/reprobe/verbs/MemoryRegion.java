package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Registered memory: {@code struct ibv_mr}. Unlike DiSNI's it may exceed 2 GiB. */
public final class MemoryRegion extends IbvMr {
    private final long region;
    private final long lengthBytes;

    MemoryRegion(ProtectionDomain domain, long region, long address, long lengthBytes, int access) throws IOException {
        super(
                domain.getContext(),
                address,
                (int) Math.min(lengthBytes, Integer.MAX_VALUE),
                access,
                RdmaCore.getInt(region + StructLayout.Region.LOCAL_KEY),
                RdmaCore.getInt(region + StructLayout.Region.REMOTE_KEY),
                RdmaCore.getInt(region + StructLayout.Region.HANDLE));
        this.region = region;
        this.lengthBytes = lengthBytes;
        LayoutCheck.same("ibv_mr.addr", address, RdmaCore.getLong(region + StructLayout.Region.ADDRESS));
        LayoutCheck.same("ibv_mr.length", lengthBytes, RdmaCore.getLong(region + StructLayout.Region.LENGTH));
    }

    /** Registers native memory, which must outlive the region; access is an or of {@code IbvMr.IBV_ACCESS_*}. */
    public static MemoryRegion register(IbvPd domain, MemorySegment memory, int access) throws IOException {
        return CoreVerbs.register(domain, memory.address(), memory.byteSize(), access);
    }

    /** Length in bytes; {@link #getLength()} is capped at 2 GiB. */
    public long lengthBytes() {
        return lengthBytes;
    }

    long region() {
        return region;
    }
}
