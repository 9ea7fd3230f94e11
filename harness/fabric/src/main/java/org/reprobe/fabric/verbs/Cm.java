package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.verbs.CmEvent;
import org.reprobe.verbs.Connections;
import org.reprobe.verbs.VerbsException;

/** Descriptions of the connection manager's events and errors for users. */
@SuppressWarnings("EnumOrdinal") // DiSNI numbers its enums as the library does
final class Cm {
    private static final int RESOLVE_MS = 5_000;

    /** Rejection reason of InfiniBand, from the kernel's {@code enum ib_cm_rej_reason} (include/rdma/ib_cm.h). */
    private static final int NO_SUCH_SERVICE = 8;

    /** Constant of the same enum: the remote program called {@code rdma_reject}. */
    private static final int REFUSED_BY_PROGRAM = 28;

    /** Reason that replaces both constants on iWARP networks. */
    private static final int REFUSED_OVER_TCP = -111;

    private Cm() {}

    /** Sets the timeout of a connection that is about to be made. */
    static void acknowledgeWithin(RdmaCmId id, int exponent) throws FabricException {
        if (exponent == VerbsClients.MANAGERS_TIMEOUT || Provider.chosen() != Provider.RDMA_CORE) {
            return;
        }
        try {
            Connections.acknowledgeWithin(id, exponent);
        } catch (IOException e) {
            throw failed("setting connection.timeout", e);
        }
    }

    /** Resolves the device and the route to an address. */
    static void resolve(RdmaEventChannel channel, RdmaCmId id, InetSocketAddress to, String peer)
            throws IOException, FabricException, InterruptedException {
        id.resolveAddr(null, to, RESOLVE_MS);
        expect(channel, RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_RESOLVED, peer);
        id.resolveRoute(RESOLVE_MS);
        expect(channel, RdmaCmEvent.EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, peer);
    }

    /** Waits for one kind of event; throws a {@link FabricException} on any other or after the time limit. */
    static RdmaCmEvent expect(RdmaEventChannel channel, RdmaCmEvent.EventType expected, String peer)
            throws FabricException, InterruptedException {
        RdmaCmEvent event;
        try {
            event = channel.getCmEvent(Waits.CONNECT_MS);
        } catch (IOException e) {
            throw failed("waiting for " + peer, e);
        }
        if (event == null) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw new FabricException("no " + expected + " from " + peer + " within " + Waits.CONNECT_MS / 1000
                    + " s: is the server running, and does the network carry RDMA between the two (./run.sh doctor)?");
        }
        if (event.getEvent() != expected.ordinal()) {
            throw new FabricException("no connection to " + peer + ": " + text(event));
        }
        return event;
    }

    /** Returns the verbs name of the event, and a hint. */
    static String text(RdmaCmEvent event) {
        return text(
                event.getEvent(), event.getStatus(), event instanceof CmEvent ours ? ours.privateData() : new byte[0]);
    }

    static String text(int kind, int status, byte[] privateData) {
        RdmaCmEvent.EventType[] types = RdmaCmEvent.EventType.values();
        String name = CmEvent.name(kind);
        if (kind < 0 || kind >= types.length) {
            return name;
        }
        String error = status == 0 ? "" : " (" + VerbsException.text(status) + ")";
        return name
                + switch (types[kind]) {
                    case RDMA_CM_EVENT_ADDR_ERROR ->
                        error + ": no RDMA device of this machine leads to that address; ip route get ADDRESS shows the"
                                + " route, ./run.sh doctor the devices";
                    case RDMA_CM_EVENT_ROUTE_ERROR ->
                        error + ": the network has no RDMA route there; on InfiniBand, does a subnet manager run?";
                    case RDMA_CM_EVENT_UNREACHABLE ->
                        error + ": no reply; is the server up, and UDP port 4791 (RoCE) open?";
                    case RDMA_CM_EVENT_REJECTED -> rejection(status, ConnectionRefusal.parse(privateData));
                    case RDMA_CM_EVENT_CONNECT_ERROR ->
                        error + ": the two sides could not agree on parameters; are their depths within limits?";
                    case RDMA_CM_EVENT_DEVICE_REMOVAL -> ": the device was removed";
                    case RDMA_CM_EVENT_DISCONNECTED -> ": the other side ended the connection, or its process died";
                    default -> error;
                };
    }

    private static String rejection(int status, @Nullable ConnectionRefusal ours) {
        if (ours != null) {
            return ": the server refuses: " + ours.why();
        }
        return switch (status) {
            case NO_SUCH_SERVICE -> ": no server listens at this port; use the endpoint that the server printed last";
            case REFUSED_BY_PROGRAM ->
                ": the program at this port refuses the connection; use the endpoint that a server of Reprobe printed last";
            case REFUSED_OVER_TCP -> ": no server listens at this port, or it refuses";
            default -> " (reason " + status + " of the kernel's ib_cm_rej_reason)";
        };
    }

    static FabricException failed(String doing, IOException e) {
        return new FabricException(doing + " failed: " + e.getMessage(), e);
    }
}
