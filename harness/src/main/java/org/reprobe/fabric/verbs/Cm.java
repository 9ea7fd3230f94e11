package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import org.reprobe.fabric.FabricException;
import org.reprobe.verbs.CmEvent;
import org.reprobe.verbs.VerbsException;

/** The connection manager's events and errors in a user's words. */
@SuppressWarnings("EnumOrdinal") // DiSNI numbers its enums as the library does
final class Cm {
    private Cm() {}

    /** Waits for one kind of event; any other is an error. */
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
            throw new FabricException("no connection to " + peer + ": " + CmEvent.name(event) + hint(event));
        }
        return event;
    }

    private static String hint(RdmaCmEvent event) {
        int kind = event.getEvent();
        if (kind < 0 || kind >= RdmaCmEvent.EventType.values().length) {
            return "";
        }
        String status = event.getStatus() == 0 ? "" : " (" + VerbsException.words(event.getStatus()) + ")";
        return switch (RdmaCmEvent.EventType.values()[kind]) {
            case RDMA_CM_EVENT_ADDR_ERROR ->
                status + ": no RDMA device of this machine leads to that address; ip route get ADDRESS names the way,"
                        + " ./run.sh doctor the devices";
            case RDMA_CM_EVENT_ROUTE_ERROR ->
                status + ": the network has no RDMA route there; on InfiniBand, does a subnet manager run?";
            case RDMA_CM_EVENT_UNREACHABLE ->
                status + ": nobody answers there; is the server up, and UDP port 4791 (RoCE) open?";
            case RDMA_CM_EVENT_REJECTED ->
                // 8 is the number of "no listener" in InfiniBand's specification, table 107; 28 is the consumer's own
                // no.
                event.getStatus() == 28
                        ? ": the server refused; is the endpoint the one that it printed last?"
                        : " (reason " + event.getStatus() + "): no server listens at this port any more";
            case RDMA_CM_EVENT_CONNECT_ERROR ->
                status + ": the two sides could not agree; are their depths within limits?";
            case RDMA_CM_EVENT_DEVICE_REMOVAL -> ": the device was removed";
            case RDMA_CM_EVENT_DISCONNECTED -> ": the other side ended the connection";
            default -> status;
        };
    }

    /** A call of the library that failed. */
    static FabricException failed(String doing, IOException e) {
        return new FabricException(doing + " failed: " + e.getMessage(), e);
    }
}
