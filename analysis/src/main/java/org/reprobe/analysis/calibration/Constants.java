package org.reprobe.analysis.calibration;

import java.util.LinkedHashMap;
import java.util.Map;
import org.reprobe.analysis.nic.NicProfile;

/** A profile's constants by dotted key, as far as a calibration can tell them. */
public final class Constants {
    private Constants() {}

    /** The constants of a known card. */
    public static Map<String, Double> of(NicProfile nic) {
        Map<String, Double> constants = new LinkedHashMap<>();
        constants.put("responder.message-ns", nic.responder().messageNs());
        constants.put("responder.random-access-ns", nic.responder().randomAccessNs());
        constants.put("responder.payload-ns-per-byte", nic.responder().payloadNsPerByte());
        constants.put("responder.atomic-ns", nic.responder().atomicNs());
        constants.put("responder.atomic-same-address-ns", nic.responder().atomicSameAddressNs());
        constants.put("link.bytes-per-second", nic.link().bytesPerSecond());
        constants.put("link.mtu-bytes", (double) nic.link().mtuBytes());
        constants.put("link.request-header-bytes", (double) nic.link().requestHeaderBytes());
        constants.put("link.response-header-bytes", (double) nic.link().responseHeaderBytes());
        constants.put("requester.round-trip-ns", nic.requester().roundTripNs());
        constants.put("requester.host-ns", nic.requester().hostNs());
        constants.put("requester.work-request-fetch-ns", nic.requester().workRequestFetchNs());
        constants.put(
                "requester.work-request-prefetch", (double) nic.requester().workRequestPrefetch());
        constants.put("requester.jitter", nic.requester().jitter());
        constants.put("limits.send-queue", (double) nic.limits().sendQueue());
        constants.put("limits.outstanding-reads", (double) nic.limits().outstandingReads());
        constants.put("client.lookup-ns", nic.client().lookupNs());
        constants.put("client.post-ns", nic.client().postNs());
        constants.put("client.payload-ns-per-byte", nic.client().payloadNsPerByte());
        constants.put("client.doorbell-ns", nic.client().doorbellNs());
        constants.put("client.completion-ns", nic.client().completionNs());
        constants.put("client.slot-ns", nic.client().slotNs());
        constants.put("model.fixed-cost-ns", nic.model().fixedCostNs());
        constants.put("model.peak-messages-per-second", nic.model().peakMessagesPerSecond());
        constants.put("model.header-bytes", (double) nic.model().headerBytes());
        return constants;
    }
}
