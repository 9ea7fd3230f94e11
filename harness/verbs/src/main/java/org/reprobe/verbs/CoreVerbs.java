package org.reprobe.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.verbs.RdmaCore.Call;

/** Verbs: libibverbs. */
final class CoreVerbs extends RdmaVerbs {
    private static final int LOOK_UP_MS = 250;
    private static final int AGAIN = 11;
    private static final int BUSY = 16;

    private static final Call ALLOC_PD = new Call("ibv_alloc_pd", JAVA_LONG, JAVA_LONG);
    private static final Call DEALLOC_PD = new Call("ibv_dealloc_pd", JAVA_INT, JAVA_LONG);
    private static final Call REG_MR = new Call("ibv_reg_mr", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final Call DEREG_MR = new Call("ibv_dereg_mr", JAVA_INT, JAVA_LONG);
    private static final Call CREATE_CHANNEL = new Call("ibv_create_comp_channel", JAVA_LONG, JAVA_LONG);
    private static final Call DESTROY_CHANNEL = new Call("ibv_destroy_comp_channel", JAVA_INT, JAVA_LONG);
    private static final Call CREATE_CQ =
            new Call("ibv_create_cq", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final Call DESTROY_CQ = new Call("ibv_destroy_cq", JAVA_INT, JAVA_LONG);
    private static final Call GET_CQ_EVENT = new Call("ibv_get_cq_event", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final RdmaCore.CountAction ACK_CQ_EVENTS = new RdmaCore.CountAction("ibv_ack_cq_events");

    @Override
    public IbvPd allocPd(IbvContext context) throws IOException {
        DeviceContext device = (DeviceContext) context;
        return new ProtectionDomain(device, ALLOC_PD.pointer(device.address()));
    }

    @Override
    public int deallocPd(IbvPd domain) throws IOException {
        ProtectionDomain pd = (ProtectionDomain) open(domain, domain.isOpen(), "protection domain");
        pd.close();
        DEALLOC_PD.run(pd.address());
        return 0;
    }

    static MemoryRegion register(IbvPd domain, long address, long bytes, int access) throws IOException {
        ProtectionDomain pd = (ProtectionDomain) open(domain, domain.isOpen(), "protection domain");
        long region = REG_MR.pointer(pd.address(), address, bytes, access, 0);
        return new MemoryRegion(pd, region, address, bytes, access);
    }

    @Override
    public SVCRegMr regMr(IbvPd domain, ByteBuffer buffer, int access) throws IOException {
        if (!buffer.isDirect()) {
            throw new IOException("only direct buffers can be registered");
        }
        // From the buffer's start, as in libdisni, whatever its position.
        MemorySegment memory = MemorySegment.ofBuffer(buffer.duplicate().clear());
        return regMr(domain, memory.address(), Math.toIntExact(memory.byteSize()), access);
    }

    @Override
    public SVCRegMr regMr(IbvPd domain, long address, int bytes, int access) throws IOException {
        return new SVCRegMr() {
            private @Nullable IbvMr region;

            @Override
            public SVCRegMr execute() throws IOException {
                region = register(domain, address, bytes, access);
                return this;
            }

            @Override
            public IbvMr getMr() {
                IbvMr registered = region;
                if (registered == null) {
                    throw new IllegalStateException("execute() first");
                }
                return registered;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCRegMr free() {
                return this;
            }
        };
    }

    @Override
    public SVCDeregMr deregMr(IbvMr region) throws IOException {
        return new SVCDeregMr() {
            @Override
            public SVCDeregMr execute() throws IOException {
                MemoryRegion opened = (MemoryRegion) open(region, region.isOpen(), "region");
                opened.close();
                DEREG_MR.run(opened.region());
                return this;
            }

            @Override
            public boolean isValid() {
                return region.isOpen();
            }

            @Override
            public SVCDeregMr free() {
                return this;
            }
        };
    }

    /** Returns 0, no on-demand paging, so that DiSNI does not use it. */
    @Override
    public int queryOdpSupport(IbvContext context) {
        return 0;
    }

    @Override
    public int expPrefetchMr(IbvMr region, long address, int bytes) throws IOException {
        throw new IOException("prefetching is part of on-demand paging, which this provider does not use");
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
        DeviceContext device = (DeviceContext) context;
        return new CompletionChannel(device, CREATE_CHANNEL.pointer(device.address()));
    }

    /**
     * Closes a channel. If its queue still exists, the channel is destroyed with the queue: DiSNI's groups destroy the
     * channel first, which libibverbs refuses.
     */
    @Override
    public int destroyCompChannel(IbvCompChannel channel) throws IOException {
        CompletionChannel opened = (CompletionChannel) open(channel, channel.isOpen(), "completion channel");
        opened.close();
        return destroyIfUnused(opened);
    }

    private static int destroyIfUnused(CompletionChannel channel) throws IOException {
        try {
            DESTROY_CHANNEL.run(channel.address());
        } catch (VerbsException failed) {
            if (failed.errno() != BUSY) {
                throw failed;
            }
        }
        return 0;
    }

    @Override
    public IbvCQ createCQ(IbvContext context, @Nullable IbvCompChannel channel, int entries, int vector)
            throws IOException {
        DeviceContext device = (DeviceContext) context;
        CompletionChannel events = (CompletionChannel) channel;
        long queue = CREATE_CQ.pointer(device.address(), entries, 0, events == null ? 0 : events.address(), vector);
        return new CompletionQueue(device, events, queue);
    }

    @Override
    public int destroyCQ(IbvCQ queue) throws IOException {
        CompletionQueue opened = (CompletionQueue) open(queue, queue.isOpen(), "completion queue");
        opened.close();
        DESTROY_CQ.run(opened.address());
        if (opened.getChannel() instanceof CompletionChannel channel && !channel.isOpen()) {
            destroyIfUnused(channel);
        }
        return 0;
    }

    /** Waits for a notification; returns false after the timeout, an interrupt or a closed channel. */
    @Override
    public boolean getCqEvent(IbvCompChannel channel, IbvCQ queue, int timeoutMs) throws IOException {
        CompletionChannel opened = (CompletionChannel) open(channel, channel.isOpen(), "completion channel");
        long endNs = System.nanoTime() + timeoutMs * 1_000_000L;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment places = arena.allocate(ValueLayout.JAVA_LONG, 2);
            while (opened.isOpen()) {
                long leftMs =
                        timeoutMs < 0 ? LOOK_UP_MS : Math.max(0, (endNs - System.nanoTime() + 999_999) / 1_000_000);
                if (RdmaCore.readable(opened.getFd(), (int) Math.min(leftMs, LOOK_UP_MS))) {
                    if (GET_CQ_EVENT.raw(opened.address(), places.address(), places.address() + 8) == 0) {
                        return true;
                    }
                    if (RdmaCore.lastErrno() != AGAIN) {
                        throw new VerbsException("ibv_get_cq_event", RdmaCore.lastErrno());
                    }
                }
                if ((timeoutMs >= 0 && System.nanoTime() >= endNs)
                        || Thread.currentThread().isInterrupted()) {
                    return false;
                }
            }
        }
        return false;
    }

    @Override
    public int ackCqEvents(IbvCQ queue, int count) throws IOException {
        ACK_CQ_EVENTS.run(((CompletionQueue) queue).address(), count);
        return 0;
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ queue, boolean solicitedOnly) throws IOException {
        return new SVCReqNotify() {
            @Override
            public SVCReqNotify execute() throws IOException {
                ((CompletionQueue) open(queue, queue.isOpen(), "completion queue")).requestNotify(solicitedOnly);
                return this;
            }

            @Override
            public boolean isValid() {
                return queue.isOpen();
            }

            @Override
            public SVCReqNotify free() {
                return this;
            }
        };
    }

    @Override
    public SVCPostSend postSend(IbvQP pair, List<IbvSendWR> requests, @Nullable List<IbvSendWR> bad) {
        return new PostSendCall((ReliableQueuePair) pair, requests);
    }

    @Override
    public SVCPostRecv postRecv(IbvQP pair, List<IbvRecvWR> requests, @Nullable List<IbvRecvWR> bad) {
        return new PostReceiveCall((ReliableQueuePair) pair, requests);
    }

    @Override
    public SVCPollCq pollCQ(IbvCQ queue, IbvWC[] completions, int max) {
        return new PollCall((CompletionQueue) queue, completions, max);
    }

    static <T> T open(T thing, boolean isOpen, String name) throws IOException {
        if (!isOpen) {
            throw new IOException("this " + name + " has been closed");
        }
        return thing;
    }
}
