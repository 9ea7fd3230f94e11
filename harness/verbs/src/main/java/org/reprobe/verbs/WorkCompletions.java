package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvCQ;
import java.io.IOException;

/** Polled completions in preallocated native memory: entries 0 to {@link #count()} - 1. Not thread-safe. */
public final class WorkCompletions implements AutoCloseable {
    private final int capacity;
    private long memory;
    private int count;

    public WorkCompletions(int capacity) {
        this.capacity = capacity;
        this.memory = RdmaCore.allocate(capacity * StructLayout.Completion.BYTES);
    }

    /** Takes up to {@code max} completions, at most the capacity, and returns their number. */
    public int poll(IbvCQ queue, int max) throws IOException {
        count = ((CompletionQueue) queue).poll(Math.min(max, capacity), memory);
        if (count < 0) {
            count = 0;
            throw new IOException("ibv_poll_cq failed: the completion queue is broken");
        }
        return count;
    }

    public int count() {
        return count;
    }

    public long id(int i) {
        return RdmaCore.getLong(at(i) + StructLayout.Completion.ID);
    }

    /** {@code ibv_wc.status}: 0 is success; see {@link CompletionStatus}. */
    public int status(int i) {
        return RdmaCore.getInt(at(i) + StructLayout.Completion.STATUS);
    }

    public int receivedBytes(int i) {
        return RdmaCore.getInt(at(i) + StructLayout.Completion.BYTE_LENGTH);
    }

    public int vendorError(int i) {
        return RdmaCore.getInt(at(i) + StructLayout.Completion.VENDOR_ERROR);
    }

    private long at(int i) {
        return memory + i * StructLayout.Completion.BYTES;
    }

    @Override
    public void close() {
        if (memory != 0) {
            RdmaCore.free(memory);
            memory = 0;
        }
    }
}
