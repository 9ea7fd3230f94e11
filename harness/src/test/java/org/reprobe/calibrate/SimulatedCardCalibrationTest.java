package org.reprobe.calibrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.calibration.CardFit;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.fabric.sim.SimFabric;

/** Calibrating the simulated ConnectX-5 gives its own constants back; the fit sees nothing but times. */
class SimulatedCardCalibrationTest {
    private static final long SEED = Long.getLong("reprobe.seed", 1);

    private static CardFit.Result found;
    private static NicProfile truth;

    @BeforeAll
    static void calibrate() throws Exception {
        truth = NicProfiles.load(Path.of("../scenarios/nics"), "connectx5-edr");
        System.out.println("seed " + SEED);
        Procedure.Plan plan = new Procedure.Plan(28, 16, 16 << 20, 400_000, 20_000_000, 4000, 3, 0, SEED);
        Procedure.Findings findings = Procedure.run(seed -> new SimFabric(truth, 1, seed), plan, (repeat, probe) -> {});
        found = CardFit.fit(findings.observations(), findings.limits());
        found.estimates().values().forEach(System.out::println);
    }

    @Test
    void everyConstantThatTimesTellComesBackWithinTwoPercent() {
        Map<String, Double> constants = new LinkedHashMap<>();
        constants.put("responder.message-ns", truth.responder().messageNs());
        constants.put("responder.random-access-ns", truth.responder().randomAccessNs());
        constants.put("responder.payload-ns-per-byte", truth.responder().payloadNsPerByte());
        constants.put("responder.atomic-ns", truth.responder().atomicNs());
        constants.put("responder.atomic-same-address-ns", truth.responder().atomicSameAddressNs());
        constants.put("link.bytes-per-second", truth.link().bytesPerSecond());
        constants.put("link.mtu-bytes", (double) truth.link().mtuBytes());
        constants.put("link.request-header-bytes", (double) truth.link().requestHeaderBytes());
        constants.put("link.response-header-bytes", (double) truth.link().responseHeaderBytes());
        constants.put("requester.round-trip-ns", truth.requester().roundTripNs());
        constants.put("requester.host-ns", truth.requester().hostNs());
        constants.put("requester.work-request-fetch-ns", truth.requester().workRequestFetchNs());
        constants.put(
                "requester.work-request-prefetch", (double) truth.requester().workRequestPrefetch());
        constants.put("requester.jitter", truth.requester().jitter());
        constants.put("limits.send-queue", (double) truth.limits().sendQueue());
        constants.put("limits.outstanding-reads", (double) truth.limits().outstandingReads());
        constants.put("client.lookup-ns", truth.client().lookupNs());
        constants.put("client.post-ns", truth.client().postNs());
        constants.put("client.completion-ns", truth.client().completionNs());
        constants.put("client.slot-ns", truth.client().slotNs());
        constants.put("model.fixed-cost-ns", truth.model().fixedCostNs());
        constants.put("model.peak-messages-per-second", truth.model().peakMessagesPerSecond());
        constants.put("model.header-bytes", (double) truth.model().headerBytes());
        SoftAssertions softly = new SoftAssertions();
        constants.forEach((key, value) ->
                softly.assertThat(found.value(key) / value).as(key).isCloseTo(1, within(0.02)));
        softly.assertAll();
        assertThat(found.value("client.doorbell-ns")).isCloseTo(truth.client().doorbellNs(), within(0.1));
    }
}
