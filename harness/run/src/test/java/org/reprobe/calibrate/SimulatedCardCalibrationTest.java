package org.reprobe.calibrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.calibration.CardFit;
import org.reprobe.analysis.calibration.ProfileText;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;
import org.reprobe.testing.Seeds;

/** Calibrating a simulated card returns its constants, although the fit uses times only. */
@Nightly(besides = "RoundTimesTest, CurvesTest and ServiceTimesTest")
class SimulatedCardCalibrationTest {
    private static final long SEED = Seeds.seed();
    private static final double TOLERANCE = 0.02;

    private static CardFit.Result connectX5;
    private static NicProfile truth;

    @BeforeAll
    static void calibrateTheConnectX5() throws Exception {
        NicProfile shipped = NicProfiles.load(Project.path("scenarios/nics"), "connectx5-edr");
        NicProfile.Responder card = shipped.responder();
        // With a cost of random addresses, which the shipped card has only on cache misses of translations.
        truth = shipped.with(NicProfile.Contention.NONE)
                .with(new NicProfile.Responder(
                        card.messageNs(),
                        4.9,
                        card.payloadNsPerByte(),
                        32768,
                        card.atomicNs(),
                        card.atomicSameAddressNs()));
        connectX5 = calibrate(truth);
    }

    private static CardFit.Result calibrate(NicProfile card) throws Exception {
        return calibrate(card, 28, 4000);
    }

    /** Constants and sections that times can't identify. */
    private static final Set<String> UNIDENTIFIABLE = Set.of(
            "responder.sequential-streams",
            "requester.message-ns",
            "requester.fetch-per-doorbell",
            "client.read-ns",
            "client.write-ns",
            "client.send-ns",
            "client.slowdown-per-thread",
            "client.write-slowdown-per-thread",
            "client.message-ns",
            "limits.queue-pairs",
            "limits.message-bytes",
            "limits.atomics",
            "contention.",
            "transactions.",
            "cluster.",
            "set-up.",
            "card.",
            "slot.",
            "transfer.",
            "retransmission.");

    private static CardFit.Result calibrate(NicProfile card, int clients, int lists) throws Exception {
        Procedure.Parameters plan =
                new Procedure.Parameters(clients, 16, 8 << 20, 400_000, 20_000_000, lists, 2, 0, SEED);
        Procedure.Findings findings = Procedure.run(seed -> new SimFabric(card, 1, seed), plan, (repeat, probe) -> {});
        return CardFit.fit(findings.observations(), findings.limits(), findings.clients());
    }

    private static void assertSame(CardFit.Result found, NicProfile card) {
        SoftAssertions softly = new SoftAssertions();
        NicProfiles.constants(card).forEach((key, value) -> {
            if (UNIDENTIFIABLE.stream().anyMatch(key::startsWith)) {
                return;
            }
            if (value == 0) {
                softly.assertThat(found.value(key)).as(key).isCloseTo(0, within(0.1));
            } else if (key.endsWith("header-bytes")) {
                softly.assertThat(found.value(key))
                        .as("%s of %s, -Dreprobe.seed=%d", key, card, SEED)
                        .isCloseTo(value, within(1.0));
            } else {
                softly.assertThat(found.value(key) / value)
                        .as("%s of %s, -Dreprobe.seed=%d", key, card, SEED)
                        .isCloseTo(1, within(TOLERANCE));
            }
            softly.assertThat(found.estimates().get(key).identified()).as(key).isTrue();
        });
        softly.assertAll();
        assertThat(found.warnings()).isEmpty();
    }

    @Test
    void everyIdentifiableConstantIsEstimatedWithinTwoPercent() {
        assertSame(connectX5, truth);
    }

    @Test
    void aFictitiousCardIsEstimatedToo() throws Exception {
        Random random = new Random(SEED);
        double payload = uniform(random, .03, .06);
        double message = uniform(random, 8, 20);
        double fetch = uniform(random, 600, 1200);
        NicProfile card = new NicProfile(
                "random",
                "Random card",
                new NicProfile.Responder(
                        message,
                        uniform(random, 3, 10),
                        payload,
                        32768,
                        uniform(random, 20, 40),
                        uniform(random, 100, 500)),
                new NicProfile.Link(
                        1e9 / (payload * uniform(random, 1.3, 2)),
                        1024 << random.nextInt(3),
                        30 + random.nextInt(40),
                        30 + random.nextInt(40)),
                new NicProfile.Requester(
                        uniform(random, 1500, 3000),
                        uniform(random, 400, 800),
                        fetch,
                        8,
                        2,
                        uniform(random, 1.05, 1.2)),
                new NicProfile.Limits(4096, 16, 1024, 1 << 30, 1),
                new NicProfile.Client(
                        uniform(random, 100, 300),
                        uniform(random, 5, 30),
                        0,
                        uniform(random, 5, 50),
                        uniform(random, 5, 30),
                        uniform(random, .5, 2),
                        0),
                truth.model(),
                NicProfile.Contention.NONE,
                NicProfile.Transactions.NONE,
                NicProfile.Cluster.NONE,
                NicProfile.SetUp.NONE,
                NicProfile.Card.NONE,
                NicProfile.Slot.NONE,
                NicProfile.Transfer.NONE,
                NicProfile.Retransmission.NONE,
                Map.of());
        CardFit.Result found = calibrate(card);
        NicProfile expected = new NicProfile(
                card.name(),
                card.title(),
                card.responder(),
                card.link(),
                card.requester(),
                card.limits(),
                card.client(),
                new NicProfile.Model(
                        card.requester().roundTripNs() / 2,
                        1e9 / message,
                        card.link().responseHeaderBytes()),
                NicProfile.Contention.NONE,
                NicProfile.Transactions.NONE,
                NicProfile.Cluster.NONE,
                NicProfile.SetUp.NONE,
                NicProfile.Card.NONE,
                NicProfile.Slot.NONE,
                NicProfile.Transfer.NONE,
                NicProfile.Retransmission.NONE,
                Map.of());
        assertSame(found, expected);
    }

    /** Like shared memory: there is no card, and the time of a single READ varies widely. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void clientsThatDoTheOperationsThemselvesGetTheirTimesBack() throws Exception {
        NicProfile card = new NicProfile(
                "none",
                "No card",
                new NicProfile.Responder(.001, 0, 0, 32768, 110, 110),
                new NicProfile.Link(1e15, 4096, 0, 0),
                new NicProfile.Requester(90, 90, 0, 16, 0, 2.2),
                new NicProfile.Limits(4096, 1024, 1024, 1 << 30, 1),
                new NicProfile.Client(40, 80, .05, 0, 2.5, 1, 0),
                truth.model(),
                NicProfile.Contention.NONE,
                NicProfile.Transactions.NONE,
                NicProfile.Cluster.NONE,
                NicProfile.SetUp.NONE,
                NicProfile.Card.NONE,
                NicProfile.Slot.NONE,
                NicProfile.Transfer.NONE,
                NicProfile.Retransmission.NONE,
                Map.of());
        CardFit.Result found = calibrate(card, 2, 1000);
        assertThat(found.value("client.post-ns")).isCloseTo(80, within(80 * TOLERANCE));
        assertThat(found.value("client.payload-ns-per-byte")).isCloseTo(.05, within(.05 * TOLERANCE));
        assertThat(found.value("client.lookup-ns")).isCloseTo(40, within(40 * TOLERANCE));
        assertThat(found.value("client.slot-ns")).isCloseTo(1, within(TOLERANCE));
        assertThat(found.value("client.completion-ns")).isCloseTo(2.5, within(2.5 * TOLERANCE));
        assertThat(found.value("responder.message-ns")).isLessThan(1);
    }

    private static double uniform(Random random, double from, double to) {
        return Math.rint(1000 * (from + (to - from) * random.nextDouble())) / 1000;
    }

    @Test
    void unidentifiableConstantsAreMarkedAssumed() {
        assertThat(connectX5.estimates().values().stream()
                        .filter(estimate -> estimate.basis() == Basis.ASSUMED)
                        .map(estimate -> estimate.key()))
                .containsExactlyInAnyOrder(
                        "responder.sequential-streams",
                        "requester.message-ns",
                        "limits.queue-pairs",
                        "limits.message-bytes");
    }

    @Test
    void theProfileThatIsWrittenIsReadBack(@TempDir Path dir) throws Exception {
        Files.writeString(
                dir.resolve("found.yaml"), ProfileText.of("A \"card\"", List.of("Where from"), connectX5.estimates()));
        NicProfile read = NicProfiles.load(dir, "found");
        assertThat(read.title()).isEqualTo("A \"card\"");
        Map<String, Double> constants = NicProfiles.constants(read);
        constants.keySet().retainAll(read.provenance().keySet());
        assertThat(constants).hasSizeGreaterThan(20);
        constants.forEach((key, value) -> {
            // Rounding errors of 0 are written as 0.
            double error = Math.max(1e-12, 1e-5 * connectX5.value(key));
            assertThat(value).as(key).isCloseTo(connectX5.value(key), within(error));
            assertThat(read.provenance().get(key).basis())
                    .isEqualTo(connectX5.estimates().get(key).basis());
        });
    }
}
