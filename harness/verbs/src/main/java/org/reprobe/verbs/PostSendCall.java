package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import java.io.IOException;
import java.util.List;

/**
 * List of send requests in the device's format, posted by each {@link #execute()} until it is freed. {@link SendRing}
 * posts without allocation.
 */
final class PostSendCall extends SVCPostSend {
    private final ReliableQueuePair pair;
    private final long[] requests;
    private final long bad;
    private long memory;

    PostSendCall(ReliableQueuePair pair, List<IbvSendWR> list) {
        this.pair = pair;
        int sges = 0;
        for (IbvSendWR request : list) {
            sges += request.getSg_list() == null ? 0 : request.getSg_list().size();
        }
        int count = list.size();
        this.requests = new long[count];
        this.memory = RdmaCore.allocate(count * StructLayout.SendRequest.BYTES + sges * StructLayout.Sge.BYTES + 8);
        long sge = memory + count * StructLayout.SendRequest.BYTES;
        this.bad = sge + sges * StructLayout.Sge.BYTES;
        int i = 0;
        for (IbvSendWR request : list) {
            long to = memory + i * StructLayout.SendRequest.BYTES;
            requests[i++] = to;
            List<IbvSge> buffers = request.getSg_list() == null ? List.of() : request.getSg_list();
            RdmaCore.putLong(to + StructLayout.SendRequest.ID, request.getWr_id());
            RdmaCore.putLong(to + StructLayout.SendRequest.NEXT, i < count ? to + StructLayout.SendRequest.BYTES : 0);
            RdmaCore.putLong(to + StructLayout.SendRequest.SG_LIST, buffers.isEmpty() ? 0 : sge);
            RdmaCore.putInt(to + StructLayout.SendRequest.NUM_SGE, buffers.size());
            RdmaCore.putInt(to + StructLayout.SendRequest.OPCODE, request.getOpcode());
            RdmaCore.putInt(to + StructLayout.SendRequest.FLAGS, request.getSend_flags());
            RdmaCore.putInt(to + StructLayout.SendRequest.IMMEDIATE, request.getImm_data());
            switch (request.getOpcode()) {
                case IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP, IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD -> {
                    IbvSendWR.Atomic atomic = request.getAtomic();
                    RdmaCore.putLong(to + StructLayout.SendRequest.ATOMIC_ADDRESS, atomic.getRemote_addr());
                    RdmaCore.putLong(to + StructLayout.SendRequest.ATOMIC_COMPARE_ADD, atomic.getCompare_add());
                    RdmaCore.putLong(to + StructLayout.SendRequest.ATOMIC_SWAP, atomic.getSwap());
                    RdmaCore.putInt(to + StructLayout.SendRequest.ATOMIC_KEY, atomic.getRkey());
                }
                default -> {
                    RdmaCore.putLong(
                            to + StructLayout.SendRequest.RDMA_ADDRESS,
                            request.getRdma().getRemote_addr());
                    RdmaCore.putInt(
                            to + StructLayout.SendRequest.RDMA_KEY,
                            request.getRdma().getRkey());
                }
            }
            for (IbvSge buffer : buffers) {
                ScatterGatherEntry.write(sge, buffer);
                sge += StructLayout.Sge.BYTES;
            }
        }
    }

    @Override
    public SVCPostSend execute() throws IOException {
        CoreVerbs.open(pair, pair.isOpen(), "queue pair");
        CoreVerbs.open(this, isValid(), "call");
        if (requests.length > 0) {
            int result = pair.postSend(memory, bad);
            if (result != 0) {
                throw new VerbsException("ibv_post_send", result);
            }
        }
        return this;
    }

    @Override
    public boolean isValid() {
        return memory != 0;
    }

    @Override
    public SVCPostSend free() {
        if (memory != 0) {
            RdmaCore.free(memory);
            memory = 0;
        }
        return this;
    }

    @Override
    public SendWRMod getWrMod(int index) throws IOException {
        CoreVerbs.open(this, isValid(), "call");
        if (index < 0 || index >= requests.length) {
            throw new IOException("there are " + requests.length + " requests, none with index " + index);
        }
        return new Request(requests[index]);
    }

    private record Request(long at) implements SendWRMod {
        @Override
        public void setWr_id(long id) {
            RdmaCore.putLong(at + StructLayout.SendRequest.ID, id);
        }

        @Override
        public long getWr_id() {
            return RdmaCore.getLong(at + StructLayout.SendRequest.ID);
        }

        @Override
        public void setSend_flags(int flags) {
            RdmaCore.putInt(at + StructLayout.SendRequest.FLAGS, flags);
        }

        @Override
        public int getSend_flags() {
            return RdmaCore.getInt(at + StructLayout.SendRequest.FLAGS);
        }

        @Override
        public int getNum_sge() {
            return RdmaCore.getInt(at + StructLayout.SendRequest.NUM_SGE);
        }

        @Override
        public int getOpcode() {
            return RdmaCore.getInt(at + StructLayout.SendRequest.OPCODE);
        }

        @Override
        public RdmaMod getRdmaMod() {
            return new Remote(at);
        }

        @Override
        public SgeMod getSgeMod(int index) {
            return new ScatterGatherEntry(
                    RdmaCore.getLong(at + StructLayout.SendRequest.SG_LIST) + index * StructLayout.Sge.BYTES);
        }
    }

    private record Remote(long at) implements RdmaMod {
        private long key() {
            return switch (RdmaCore.getInt(at + StructLayout.SendRequest.OPCODE)) {
                case IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP, IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD ->
                    at + StructLayout.SendRequest.ATOMIC_KEY;
                default -> at + StructLayout.SendRequest.RDMA_KEY;
            };
        }

        @Override
        public void setRemote_addr(long address) {
            RdmaCore.putLong(at + StructLayout.SendRequest.RDMA_ADDRESS, address);
        }

        @Override
        public long getRemote_addr() {
            return RdmaCore.getLong(at + StructLayout.SendRequest.RDMA_ADDRESS);
        }

        @Override
        public void setRkey(int key) {
            RdmaCore.putInt(key(), key);
        }

        @Override
        public int getRkey() {
            return RdmaCore.getInt(key());
        }

        @Override
        public void setReserved(int reserved) {}

        @Override
        public int getReserved() {
            return 0;
        }
    }
}
