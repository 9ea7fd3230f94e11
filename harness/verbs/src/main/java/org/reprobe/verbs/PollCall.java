package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import java.io.IOException;

/** Polls a completion queue into DiSNI's objects. */
final class PollCall extends SVCPollCq {
    private final CompletionQueue queue;
    private final IbvWC[] completions;
    private final int most;
    private long memory;
    private int polls;

    PollCall(CompletionQueue queue, IbvWC[] completions, int most) {
        this.queue = queue;
        this.completions = completions;
        this.most = Math.min(most, completions.length);
        this.memory = RdmaCore.allocate(this.most * Layout.Completion.BYTES);
    }

    @Override
    public SVCPollCq execute() throws IOException {
        CoreVerbs.open(queue, queue.isOpen(), "completion queue");
        CoreVerbs.open(this, isValid(), "call");
        polls = queue.poll(most, memory);
        if (polls < 0) {
            throw new IOException("ibv_poll_cq failed: the completion queue is broken");
        }
        for (int i = 0; i < polls; i++) {
            long from = memory + i * Layout.Completion.BYTES;
            IbvWC to = completions[i];
            to.setWr_id(RdmaCore.getLong(from + Layout.Completion.ID));
            to.setStatus(RdmaCore.getInt(from + Layout.Completion.STATUS));
            to.setOpcode(RdmaCore.getInt(from + Layout.Completion.OPCODE));
            to.setVendor_err(RdmaCore.getInt(from + Layout.Completion.VENDOR_ERROR));
            to.setByte_len(RdmaCore.getInt(from + Layout.Completion.BYTE_LENGTH));
            to.setImm_data(RdmaCore.getInt(from + Layout.Completion.IMMEDIATE));
            to.setQp_num(RdmaCore.getInt(from + Layout.Completion.QP_NUMBER));
            to.setSrc_qp(RdmaCore.getInt(from + Layout.Completion.SOURCE_QP));
            to.setWc_flags(RdmaCore.getInt(from + Layout.Completion.FLAGS));
            to.setPkey_index(RdmaCore.getShort(from + Layout.Completion.PKEY_INDEX));
            to.setSlid(RdmaCore.getShort(from + Layout.Completion.SLID));
            to.setSl(RdmaCore.getByte(from + Layout.Completion.SL));
            to.setDlid_path_bits(RdmaCore.getByte(from + Layout.Completion.DLID_PATH_BITS));
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
