package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostRecv;
import java.io.IOException;
import java.util.List;

/** List of receive requests in the device's format, posted by each {@link #execute()} until it is freed. */
final class PostReceiveCall extends SVCPostRecv {
    private final ReliableQueuePair pair;
    private final int count;
    private final long bad;
    private long memory;

    PostReceiveCall(ReliableQueuePair pair, List<IbvRecvWR> list) {
        this.pair = pair;
        this.count = list.size();
        int sges = 0;
        for (IbvRecvWR request : list) {
            sges += request.getSg_list() == null ? 0 : request.getSg_list().size();
        }
        this.memory = RdmaCore.allocate(count * StructLayout.ReceiveRequest.BYTES + sges * StructLayout.Sge.BYTES + 8);
        long sge = memory + count * StructLayout.ReceiveRequest.BYTES;
        this.bad = sge + sges * StructLayout.Sge.BYTES;
        int i = 0;
        for (IbvRecvWR request : list) {
            long to = memory + i++ * StructLayout.ReceiveRequest.BYTES;
            List<IbvSge> buffers = request.getSg_list() == null ? List.of() : request.getSg_list();
            RdmaCore.putLong(to + StructLayout.ReceiveRequest.ID, request.getWr_id());
            RdmaCore.putLong(
                    to + StructLayout.ReceiveRequest.NEXT, i < count ? to + StructLayout.ReceiveRequest.BYTES : 0);
            RdmaCore.putLong(to + StructLayout.ReceiveRequest.SG_LIST, buffers.isEmpty() ? 0 : sge);
            RdmaCore.putInt(to + StructLayout.ReceiveRequest.NUM_SGE, buffers.size());
            for (IbvSge buffer : buffers) {
                ScatterGatherEntry.write(sge, buffer);
                sge += StructLayout.Sge.BYTES;
            }
        }
    }

    @Override
    public SVCPostRecv execute() throws IOException {
        CoreVerbs.open(pair, pair.isOpen(), "queue pair");
        CoreVerbs.open(this, isValid(), "call");
        if (count > 0) {
            int result = pair.postReceive(memory, bad);
            if (result != 0) {
                throw new VerbsException("ibv_post_recv", result);
            }
        }
        return this;
    }

    @Override
    public boolean isValid() {
        return memory != 0;
    }

    @Override
    public SVCPostRecv free() {
        if (memory != 0) {
            RdmaCore.free(memory);
            memory = 0;
        }
        return this;
    }

    @Override
    public RecvWRMod getWrMod(int index) throws IOException {
        CoreVerbs.open(this, isValid(), "call");
        if (index < 0 || index >= count) {
            throw new IOException("there are " + count + " requests, none with index " + index);
        }
        long at = memory + index * StructLayout.ReceiveRequest.BYTES;
        return () -> RdmaCore.getLong(at + StructLayout.ReceiveRequest.ID);
    }
}
