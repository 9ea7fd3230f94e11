package org.reprobe.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.reprobe.verbs.RdmaCore.Call;

/** Connection manager: librdmacm. */
final class CoreCm extends RdmaCm {
    /** {@code RDMA_MAX_INIT_DEPTH} and {@code RDMA_MAX_RESP_RES}: the device's maximum. */
    private static final byte MAX_OF_DEVICE = (byte) 0xff;

    /** Maximum time between checks for a closed channel during a wait. */
    private static final int LOOK_UP_MS = 250;

    private static final int AGAIN = 11;

    private static final Call CREATE_CHANNEL = new Call("rdma_create_event_channel", JAVA_LONG);
    private static final Call CREATE_ID =
            new Call("rdma_create_id", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final Call DESTROY_ID = new Call("rdma_destroy_id", JAVA_INT, JAVA_LONG);
    private static final Call BIND = new Call("rdma_bind_addr", JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final Call LISTEN = new Call("rdma_listen", JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final Call RESOLVE_ADDRESS =
            new Call("rdma_resolve_addr", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final Call RESOLVE_ROUTE = new Call("rdma_resolve_route", JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final Call CREATE_PAIR = new Call("rdma_create_qp", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final Call CONNECT = new Call("rdma_connect", JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final Call ACCEPT = new Call("rdma_accept", JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final Call REJECT = new Call("rdma_reject", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final Call DISCONNECT = new Call("rdma_disconnect", JAVA_INT, JAVA_LONG);
    private static final Call GET_EVENT = new Call("rdma_get_cm_event", JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final Call ACK_EVENT = new Call("rdma_ack_cm_event", JAVA_INT, JAVA_LONG);
    private static final RdmaCore.Action DESTROY_CHANNEL = new RdmaCore.Action("rdma_destroy_event_channel");
    private static final RdmaCore.Action DESTROY_PAIR = new RdmaCore.Action("rdma_destroy_qp");

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
        return new CmChannel(CREATE_CHANNEL.pointer(0));
    }

    @Override
    public RdmaCmId createId(RdmaEventChannel channel, short portSpace) throws IOException {
        CmChannel events = (CmChannel) CoreVerbs.open(channel, channel.isOpen(), "event channel");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment place = arena.allocate(ValueLayout.JAVA_LONG);
            CREATE_ID.run(events.address(), place.address(), 0, portSpace);
            CmId id = new CmId(events, place.get(ValueLayout.JAVA_LONG, 0));
            LayoutCheck.same("rdma_cm_id.ps", portSpace, id.getPs());
            events.add(id);
            return id;
        }
    }

    @Override
    public IbvQP createQP(RdmaCmId id, IbvPd domain, IbvQPInitAttr attributes) throws IOException {
        CmId opened = open(id);
        ProtectionDomain pd = (ProtectionDomain) CoreVerbs.open(domain, domain.isOpen(), "protection domain");
        DeviceContext context = (DeviceContext) opened.getVerbs();
        if (context == null) {
            throw new IOException("a queue pair needs a device: resolve or bind the address first");
        }
        try (Arena arena = Arena.ofConfined()) {
            long to = arena.allocate(StructLayout.PairAttributes.BYTES, 8).address();
            RdmaCore.putLong(
                    to + StructLayout.PairAttributes.SEND_CQ, ((CompletionQueue) attributes.getSend_cq()).address());
            RdmaCore.putLong(
                    to + StructLayout.PairAttributes.RECEIVE_CQ, ((CompletionQueue) attributes.getRecv_cq()).address());
            RdmaCore.putInt(
                    to + StructLayout.PairAttributes.MAX_SEND, attributes.cap().getMax_send_wr());
            RdmaCore.putInt(
                    to + StructLayout.PairAttributes.MAX_RECEIVE,
                    attributes.cap().getMax_recv_wr());
            RdmaCore.putInt(
                    to + StructLayout.PairAttributes.MAX_SEND_SGE,
                    Math.max(1, attributes.cap().getMax_send_sge()));
            RdmaCore.putInt(
                    to + StructLayout.PairAttributes.MAX_RECEIVE_SGE,
                    Math.max(1, attributes.cap().getMax_recv_sge()));
            RdmaCore.putInt(
                    to + StructLayout.PairAttributes.MAX_INLINE,
                    attributes.cap().getMax_inline_data());
            RdmaCore.putInt(to + StructLayout.PairAttributes.TYPE, attributes.getQp_type());
            RdmaCore.putInt(to + StructLayout.PairAttributes.SIGNAL_ALL, attributes.getSq_sig_all());
            CREATE_PAIR.run(opened.address(), pd.address(), to);
            // At least the requested capacity was granted.
            attributes.cap().setMax_send_wr(RdmaCore.getInt(to + StructLayout.PairAttributes.MAX_SEND));
            attributes.cap().setMax_recv_wr(RdmaCore.getInt(to + StructLayout.PairAttributes.MAX_RECEIVE));
            attributes.cap().setMax_inline_data(RdmaCore.getInt(to + StructLayout.PairAttributes.MAX_INLINE));
            ReliableQueuePair pair = new ReliableQueuePair(
                    context, domain, attributes, RdmaCore.getLong(opened.address() + StructLayout.Id.PAIR));
            opened.setQp(pair);
            return pair;
        }
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            BIND.run(open(id).address(), SocketAddresses.write(address, arena));
        }
    }

    @Override
    public void listen(RdmaCmId id, int backlog) throws IOException {
        LISTEN.run(open(id).address(), backlog);
    }

    @Override
    public void resolveAddr(RdmaCmId id, @Nullable SocketAddress source, SocketAddress destination, int timeoutMs)
            throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            RESOLVE_ADDRESS.run(
                    open(id).address(),
                    source == null ? 0 : SocketAddresses.write(source, arena),
                    SocketAddresses.write(destination, arena),
                    timeoutMs);
        }
    }

    @Override
    public void resolveRoute(RdmaCmId id, int timeoutMs) throws IOException {
        RESOLVE_ROUTE.run(open(id).address(), timeoutMs);
    }

    /** Returns the next event, acknowledged; null after {@code timeoutMs} (-1: no limit), an interrupt or a close. */
    @Override
    public @Nullable RdmaCmEvent getCmEvent(RdmaEventChannel channel, int timeoutMs) throws IOException {
        CmChannel events = (CmChannel) CoreVerbs.open(channel, channel.isOpen(), "event channel");
        long endNs = System.nanoTime() + timeoutMs * 1_000_000L;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment place = arena.allocate(ValueLayout.JAVA_LONG);
            while (events.isOpen()) {
                long leftMs =
                        timeoutMs < 0 ? LOOK_UP_MS : Math.max(0, (endNs - System.nanoTime() + 999_999) / 1_000_000);
                if (RdmaCore.readable(events.getFd(), (int) Math.min(leftMs, LOOK_UP_MS))) {
                    if (GET_EVENT.raw(events.address(), place.address(), 0) == 0) {
                        return take(events, place.get(ValueLayout.JAVA_LONG, 0));
                    }
                    if (RdmaCore.lastErrno() != AGAIN) {
                        throw new VerbsException("rdma_get_cm_event", RdmaCore.lastErrno());
                    }
                }
                if ((timeoutMs >= 0 && System.nanoTime() >= endNs)
                        || Thread.currentThread().isInterrupted()) {
                    return null;
                }
            }
        }
        return null;
    }

    private static RdmaCmEvent take(CmChannel events, long event) throws IOException {
        try {
            long id = RdmaCore.getLong(event + StructLayout.Event.ID);
            CmId known = events.find(id);
            if (known == null) { // the id of a new connection
                known = new CmId(events, id);
                events.add(known);
            }
            return new CmEvent(event, events.find(RdmaCore.getLong(event + StructLayout.Event.LISTENER)), known);
        } finally {
            ACK_EVENT.run(event);
        }
    }

    /** Does nothing: an id with an unacknowledged event could not be destroyed. */
    @Override
    public int ackCmEvent(RdmaCmEvent event) {
        return 0;
    }

    @Override
    public void connect(RdmaCmId id, RdmaConnParam parameters) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            CONNECT.run(open(id).address(), write(parameters, arena));
        }
    }

    @Override
    public void accept(RdmaCmId id, RdmaConnParam parameters) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            ACCEPT.run(open(id).address(), write(parameters, arena));
        }
    }

    static void reject(RdmaCmId id, byte[] privateData) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long data = arena.allocate(Math.max(1, privateData.length)).address();
            RdmaCore.put(data, privateData);
            REJECT.run(open(id).address(), data, privateData.length);
        }
    }

    private static long write(RdmaConnParam parameters, Arena arena) {
        long to = arena.allocate(StructLayout.Parameters.BYTES, 8).address();
        byte initiator = parameters.getInitiator_depth();
        byte responder = parameters.getResponder_resources();
        if (parameters instanceof ConnectionParameters ours) {
            byte[] data = ours.privateData();
            if (data.length > 0) {
                long place = arena.allocate(data.length).address();
                RdmaCore.put(place, data);
                RdmaCore.putLong(to + StructLayout.Parameters.DATA, place);
                RdmaCore.putByte(to + StructLayout.Parameters.DATA_LENGTH, (byte) data.length);
            }
        } else {
            if (initiator == 0
                    && responder == 0) { // DiSNI's class has no setters for them, and with 0 no READ is possible
                initiator = MAX_OF_DEVICE;
                responder = MAX_OF_DEVICE;
            }
            RdmaCore.putLong(to + StructLayout.Parameters.DATA, parameters.getPrivate_data());
            RdmaCore.putByte(to + StructLayout.Parameters.DATA_LENGTH, parameters.getPrivate_data_len());
        }
        RdmaCore.putByte(to + StructLayout.Parameters.INITIATOR_DEPTH, initiator);
        RdmaCore.putByte(to + StructLayout.Parameters.RESPONDER_RESOURCES, responder);
        RdmaCore.putByte(to + StructLayout.Parameters.FLOW_CONTROL, parameters.getFlow_control());
        RdmaCore.putByte(to + StructLayout.Parameters.RETRIES, parameters.getRetry_count());
        RdmaCore.putByte(to + StructLayout.Parameters.RNR_RETRIES, parameters.getRnr_retry_count());
        RdmaCore.putByte(to + StructLayout.Parameters.SRQ, parameters.getSrq());
        RdmaCore.putInt(to + StructLayout.Parameters.QP_NUMBER, parameters.getQp_num());
        return to;
    }

    @Override
    public int disconnect(RdmaCmId id) throws IOException {
        DISCONNECT.run(open(id).address());
        return 0;
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel channel) throws IOException {
        CmChannel events = (CmChannel) CoreVerbs.open(channel, channel.isOpen(), "event channel");
        events.close();
        DESTROY_CHANNEL.run(events.address());
        return 0;
    }

    @Override
    public int destroyCmId(RdmaCmId id) throws IOException {
        CmId opened = open(id);
        opened.close();
        ((CmChannel) opened.getCmChannel()).remove(opened);
        DESTROY_ID.run(opened.address());
        return 0;
    }

    @Override
    public int destroyQP(RdmaCmId id) throws IOException {
        CmId opened = open(id);
        if (opened.getQp() instanceof ReliableQueuePair pair && pair.isOpen()) {
            pair.close();
            DESTROY_PAIR.run(opened.address());
        }
        return 0;
    }

    @Override
    public SocketAddress getSrcAddr(RdmaCmId id) throws IOException {
        return address(open(id).address() + StructLayout.Id.SOURCE);
    }

    @Override
    public SocketAddress getDstAddr(RdmaCmId id) throws IOException {
        return address(open(id).address() + StructLayout.Id.DESTINATION);
    }

    private static SocketAddress address(long place) throws IOException {
        SocketAddress address = SocketAddresses.read(place);
        if (address == null) {
            throw new IOException("the id has no such address yet");
        }
        return address;
    }

    @Override
    public int destroyEp(RdmaCmId id) throws IOException {
        destroyQP(id);
        return destroyCmId(id);
    }

    private static CmId open(RdmaCmId id) throws IOException {
        return (CmId) CoreVerbs.open(id, id.isOpen(), "id");
    }
}
