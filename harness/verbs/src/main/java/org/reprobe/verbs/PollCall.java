package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import java.io.IOException;

final class PollCall extends SVCPollCq {
    private final CompletionQueue queue;
    private final IbvWC[] completions;
    private final int max;
    private long memory;
    private int polls;

    PollCall(CompletionQueue queue, IbvWC[] completions, int max) {
        this.queue = queue;
        this.completions = completions;
        this.max = Math.min(max, completions.length);
        this.memory = RdmaCore.allocate(this.max * StructLayout.Completion.BYTES);
    }

    @Override
    public SVCPollCq execute() throws IOException {
        CoreVerbs.open(queue, queue.isOpen(), "completion queue");
        CoreVerbs.open(this, isValid(), "call");
        polls = queue.poll(max, memory);
        if (polls < 0) {
            throw new IOException("ibv_poll_cq failed: the completion queue is broken");
        }
        for (int i = 0; i < polls; i++) {
            long from = memory + i * StructLayout.Completion.BYTES;
            IbvWC to = completions[i];
            to.setWr_id(RdmaCore.getLong(from + StructLayout.Completion.ID));
            to.setStatus(RdmaCore.getInt(from + StructLayout.Completion.STATUS));
            to.setOpcode(RdmaCore.getInt(from + StructLayout.Completion.OPCODE));
            to.setVendor_err(RdmaCore.getInt(from + StructLayout.Completion.VENDOR_ERROR));
            to.setByte_len(RdmaCore.getInt(from + StructLayout.Completion.BYTE_LENGTH));
            to.setImm_data(RdmaCore.getInt(from + StructLayout.Completion.IMMEDIATE));
            to.setQp_num(RdmaCore.getInt(from + StructLayout.Completion.QP_NUMBER));
            to.setSrc_qp(RdmaCore.getInt(from + StructLayout.Completion.SOURCE_QP));
            to.setWc_flags(RdmaCore.getInt(from + StructLayout.Completion.FLAGS));
            to.setPkey_index(RdmaCore.getShort(from + StructLayout.Completion.PKEY_INDEX));
            to.setSlid(RdmaCore.getShort(from + StructLayout.Completion.SLID));
            to.setSl(RdmaCore.getByte(from + StructLayout.Completion.SL));
            to.setDlid_path_bits(RdmaCore.getByte(from + StructLayout.Completion.DLID_PATH_BITS));
        }
        return this;
    }

    @Override
    public int getPolls() {
        return polls;
    }

    @Override
    public boolean isValid() {
        return memory != 0;
    }

    @Override
    public SVCPollCq free() {
        if (memory != 0) {
            RdmaCore.free(memory);
            memory = 0;
        }
        return this;
    }
}
