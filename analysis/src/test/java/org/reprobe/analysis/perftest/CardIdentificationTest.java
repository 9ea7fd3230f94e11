package org.reprobe.analysis.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.calibration.ProfileText;
import org.reprobe.analysis.calibration.ProfileText.Constant;
import org.reprobe.analysis.foreign.ForeignText;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.perftest.PerftestRun.Latency;
import org.reprobe.analysis.perftest.PerftestRun.Rate;
import org.reprobe.testing.Project;

class CardIdentificationTest {
    private static final Path NICS = Project.path("scenarios/nics");

    private static final List<String> CONNECTX3 = List.of(
            "connectx3-read-bw.txt",
            "connectx3-read-lat.txt",
            "connectx3-write-bw.txt",
            "connectx3-write-lat.txt",
            "connectx3-send-bw.txt",
            "connectx3-send-lat.txt",
            "connectx3-atomic-bw.txt",
            "connectx3-atomic-lat.txt");

    @TempDir
    Path dir;

    private static CardIdentification.Result identify(CardOutputs outputs, String base) throws Exception {
        return CardIdentification.identify(outputs, List.of(), NicProfiles.load(NICS, base));
    }

    private static Constant constant(CardIdentification.Result result, String key) {
        return result.constants().stream()
                .filter(constant -> constant.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private static CardOutputs outputs(PerftestRun... runs) {
        return new CardOutputs(List.of(runs), List.of(), List.of());
    }

    private static CardOutputs texts(String... texts) throws Exception {
        List<ForeignText> files = new ArrayList<>();
        for (String text : texts) {
            files.add(new ForeignText("file" + (files.size() + 1), text));
        }
        return CardOutputs.of(files, new ArrayList<>());
    }

    private static final Origin PLACE = new Origin("a.txt", 9);

    private static PerftestRun rate(
            PerftestProgram program, long bytes, double ns, int queuePairs, int postList, int outstanding) {
        return new PerftestRun(
                program,
                new PerftestRun.Settings(
                        "mlx5_0", "RC", "IB", queuePairs, postList, false, 128, 100, 4096, null, outstanding),
                List.of(new Rate(bytes, 5000, bytes * 1e9 / ns, 1e9 / ns, PLACE)),
                List.of(),
                PLACE);
    }

    private static PerftestRun latency(double ns) {
        return new PerftestRun(
                PerftestProgram.READ_LAT,
                new PerftestRun.Settings("mlx5_0", "RC", "IB", 1, 1, false, 1, null, 4096, null, 16),
                List.of(new Latency(2, 1000, ns, ns, 50, ns * 1.1, List.of(), PLACE)),
                List.of(),
                PLACE);
    }

    @Test
    void aConnectX3HasTheConstantsThatWereReadOffByHand() throws Exception {
        CardIdentification.Result result =
                identify(CardOutputsTest.read(CONNECTX3.toArray(String[]::new)), "connectx3-40g");

        Constant link = constant(result, "link.bytes-per-second");
        assertThat(link.value()).isCloseTo(3.904e9, within(0.02e9));
        assertThat(link.basis()).isEqualTo(Basis.BOUND);
        Constant post = constant(result, "client.post-ns");
        assertThat(post.value()).isCloseTo(134.3, within(0.2));
        assertThat(post.basis()).isEqualTo(Basis.BOUND);
        Constant roundTrip = constant(result, "requester.round-trip-ns");
        // One READ of 2 bytes takes 1990 ns, including 154 ns of the client's work.
        assertThat(roundTrip.value()).isCloseTo(1990 - 154.3, within(2.0));
        assertThat(roundTrip.interval().getLast()).isCloseTo(1990, within(10.0));
        assertThat(roundTrip.source()).endsWith("connectx3-read-lat.txt:19 ib_read_lat 2 B t_typical");
        assertThat(constant(result, "link.mtu-bytes").value()).isEqualTo(2048);
        assertThat(constant(result, "responder.atomic-same-address-ns").value()).isCloseTo(408.7, within(0.1));
        assertThat(constant(result, "responder.atomic-same-address-ns").basis()).isEqualTo(Basis.MEASURED);
        assertThat(constant(result, "requester.jitter").value()).isCloseTo(1.038, within(0.001));
        // 4 work requests per fetch, and a WRITE takes 128 ns.
        assertThat(constant(result, "requester.work-request-fetch-ns").value()).isCloseTo(513.2, within(0.2));
        Constant message = constant(result, "responder.message-ns");
        assertThat(message.basis()).isEqualTo(Basis.ASSUMED);
        assertThat(message.value()).isEqualTo(37.7);
        assertThat(message.interval().getLast()).isCloseTo(159.2 * 1.02, within(0.1));
        assertThat(result.beside())
                .singleElement()
                .satisfies(slope -> assertThat(slope.value()).isCloseTo((3450 - 1990) / 2046.0, within(1e-6)));
    }

    @Test
    void theSlowerOfLinkAndSlotIsMeasuredAndTheOtherOneIsKnown() throws Exception {
        String bandwidth = Files.readString(CardOutputsTest.file("connectx3-read-bw.txt"));
        CardIdentification.Result ofLink = identify(
                texts(
                        bandwidth,
                        "CA 'mlx4_0'\n\tCA type: MT4099\n\tPort 1:\n\t\tState: Active\n\t\tRate: 40\n"
                                + "\t\tLink layer: InfiniBand\n"),
                "connectx3-40g");
        assertThat(constant(ofLink, "link.bytes-per-second").basis()).isEqualTo(Basis.MEASURED);
        assertThat(constant(ofLink, "link.bytes-per-second").value()).isCloseTo(3.904e9, within(0.02e9));

        // ConnectX-5 in a slot of PCIe 3 x8: github.com/morrismeyer/warpforge, CONNECTX5.md (848da07).
        PerftestRun run = rate(PerftestProgram.READ_BW, 1 << 20, 1e3 / 0.006672, 1, 1, 16);
        CardOutputs devices = texts(
                "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tRate: 100\n\t\tLink layer: Ethernet\n",
                "01:00.0 Ethernet controller: Mellanox Technologies MT27800 Family [ConnectX-5]\n"
                        + "\t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n\t\tLnkSta:\tSpeed 8GT/s, Width x8\n");
        CardIdentification.Result ofSlot =
                identify(new CardOutputs(List.of(run), devices.devices(), List.of()), "connectx5-roce");
        Constant payload = constant(ofSlot, "responder.payload-ns-per-byte");
        assertThat(payload.basis()).isEqualTo(Basis.MEASURED);
        assertThat(payload.value()).isCloseTo(1 / 6.996, within(1e-4));
        assertThat(constant(ofSlot, "link.bytes-per-second").value()).isEqualTo(12.5e9);
        assertThat(constant(ofSlot, "link.bytes-per-second").basis()).isEqualTo(Basis.DERIVED);
    }

    @Test
    void listsSeparateTheDoorbellFromPosting() throws Exception {
        PerftestRun single = rate(PerftestProgram.WRITE_BW, 8, 180, 1, 1, 16);
        PerftestRun lists = rate(PerftestProgram.WRITE_BW, 8, 52, 1, 64, 16);
        CardIdentification.Result result = identify(outputs(single, lists, latency(2000)), "connectx5-edr");
        Constant doorbell = constant(result, "client.doorbell-ns");
        Constant post = constant(result, "client.post-ns");
        assertThat(doorbell.value()).isCloseTo(130, within(0.1));
        assertThat(post.value() + doorbell.value() / 64 + 0.2).isCloseTo(52, within(0.01));
        assertThat(post.basis()).isEqualTo(Basis.MEASURED);
        assertThat(constant(result, "requester.round-trip-ns").value())
                .isCloseTo(2000 - post.value() - doorbell.value() - 20, within(1.0));
    }

    @Test
    void aRateOfReadsIsTheTimeToPostUnlessRequestsInFlightExplainIt() throws Exception {
        Constant post = constant(
                identify(outputs(rate(PerftestProgram.READ_BW, 8, 160, 1, 1, 16), latency(1990)), "connectx5-edr"),
                "client.post-ns");
        assertThat(post.basis()).isEqualTo(Basis.BOUND);
        // The base has no doorbell, and 20 ns per completion, of which there is one for 100 READs.
        assertThat(post.value()).isCloseTo(160 - 0.2, within(0.01));

        // 16 in flight with a round trip of 2600 ns end every 162.5 ns.
        Constant unknown = constant(
                identify(outputs(rate(PerftestProgram.READ_BW, 8, 170, 1, 1, 16), latency(2600)), "connectx5-edr"),
                "client.post-ns");
        assertThat(unknown.basis()).isEqualTo(Basis.ASSUMED);
    }

    @Test
    void oneOutstandingReadShowsThePartBetweenHostAndCard() throws Exception {
        PerftestRun waiting = rate(PerftestProgram.READ_BW, 2, 1300, 1, 1, 1);
        CardIdentification.Result result = identify(outputs(latency(2000), waiting), "connectx5-edr");
        // Of 2000 ns, 40 ns are the client's.
        assertThat(constant(result, "requester.host-ns").value()).isCloseTo(660, within(1.0));
        assertThat(constant(result, "requester.host-ns").basis()).isEqualTo(Basis.MEASURED);
    }

    @Test
    void clientsAtTheSameTimeMeasureTheServerOnlyIfTheyAreNotTheLimit() throws Exception {
        NicProfile base = NicProfiles.load(NICS, "connectx5-edr");
        PerftestRun alone = rate(PerftestProgram.READ_BW, 8, 40, 16, 16, 16);
        PerftestRun half = rate(PerftestProgram.READ_BW, 8, 76, 16, 16, 16);
        CardIdentification.Result saturated =
                CardIdentification.identify(outputs(alone), List.of(outputs(half), outputs(half)), base);
        assertThat(constant(saturated, "responder.message-ns").basis()).isEqualTo(Basis.MEASURED);
        assertThat(constant(saturated, "responder.message-ns").value()).isCloseTo(38 - 8 * 0.0658, within(0.01));
        assertThat(constant(saturated, "model.peak-messages-per-second").basis())
                .isEqualTo(Basis.DERIVED);

        CardIdentification.Result bound =
                CardIdentification.identify(outputs(alone), List.of(outputs(alone), outputs(alone)), base);
        assertThat(constant(bound, "responder.message-ns").basis()).isEqualTo(Basis.ASSUMED);
        assertThat(constant(bound, "responder.message-ns").interval().getLast())
                .isCloseTo((20 - 8 * 0.0658) * 1.02, within(0.01));
    }

    @Test
    void aBaseBeyondABoundIsReplacedByTheBound() throws Exception {
        PerftestRun fast = rate(PerftestProgram.READ_BW, 8, 5, 64, 16, 16);
        Constant message = constant(identify(outputs(fast), "connectx5-edr"), "responder.message-ns");
        assertThat(message.basis()).isEqualTo(Basis.BOUND);
        assertThat(message.value()).isEqualTo(5);
    }

    /** One queue pair with 16 atomics in flight may be limited by the round trip, not by the address. */
    @Test
    void atomicsThatTheRoundTripLimitsAreABound() throws Exception {
        PerftestRun one = rate(PerftestProgram.ATOMIC_BW, 8, 165, 1, 1, 16);
        Constant atomic =
                constant(identify(outputs(one, latency(2600)), "connectx5-edr"), "responder.atomic-same-address-ns");
        assertThat(atomic.basis()).isEqualTo(Basis.BOUND);
    }

    @Test
    void jitterComesFromAllTimesWhereTheyWerePrinted() throws Exception {
        Constant jitter =
                constant(identify(CardOutputsTest.read("all-times-read-lat.txt"), "connectx5-edr"), "requester.jitter");
        // The times are log-normal with sigma 0.03.
        assertThat(jitter.interval().getFirst()).isLessThan(Math.exp(1.2816 * 0.03));
        assertThat(jitter.interval().getLast()).isGreaterThan(Math.exp(1.2816 * 0.03));
        assertThat(jitter.source()).contains("all times");
    }

    @Test
    void limitsAreThoseOfTheDevice() throws Exception {
        CardIdentification.Result result = identify(
                CardOutputsTest.read("connectx6-devinfo.txt", "connectx6-ibstat.txt", "connectx6-lspci.txt"),
                "connectx5-edr");
        assertThat(constant(result, "limits.send-queue").value()).isEqualTo(32768);
        assertThat(constant(result, "limits.queue-pairs").value()).isEqualTo(131072);
        assertThat(constant(result, "limits.message-bytes").source()).endsWith(":26 ibv_devinfo max_msg_sz");
        assertThat(constant(result, "link.bytes-per-second").value()).isEqualTo(25e9);
    }

    @ParameterizedTest
    @ValueSource(strings = {"connectx3-40g", "connectx5-edr", "connectx6-200g", "connectx7", "efa", "shm-here"})
    void everyProfileIsValidWithValuesInTheirIntervals(String base) throws Exception {
        CardIdentification.Result result = identify(CardOutputsTest.read(CONNECTX3.toArray(String[]::new)), base);
        Path file = Files.writeString(
                dir.resolve("mine.yaml"),
                ProfileText.of(
                        "Measured",
                        List.of("a comment"),
                        result.constants(),
                        NicProfiles.lists(NicProfiles.load(NICS, base)),
                        "as in " + base));
        NicProfile profile = NicProfiles.read(file, "mine");
        assertThat(profile.provenance())
                .hasSize(result.constants().size() + NicProfiles.lists(profile).size());
        assertThat(profile.provenance().get("requester.round-trip-ns").interval())
                .hasSize(2);
        assertThat(profile.provenance().get("client.lookup-ns").source()).isEqualTo("as in " + base);
        for (Constant constant : result.constants()) {
            if (!constant.interval().isEmpty()) {
                assertThat(constant.value())
                        .as(constant.key())
                        .isBetween(
                                constant.interval().getFirst(),
                                constant.interval().getLast());
            }
        }
    }

    @Test
    void aBaseWithASlotGetsStagesAndSharesOfItsBandwidth() throws Exception {
        String shipped = Files.readString(NICS.resolve("connectx5-edr.yaml"));
        String text = shipped.replace("value: 0.0658,", "value: 0,")
                + "slot:\n  bytes-per-second: {value: 15.75e+9, basis: derived, source: \"PCIe 3 x16\"}\n"
                + "transfer:\n  stages: {value: 3, basis: assumed, source: \"the rule\"}\n";
        NicProfile base = NicProfiles.read(Files.writeString(dir.resolve("base.yaml"), text), "base");
        CardOutputs runs = CardOutputsTest.read(CONNECTX3.toArray(String[]::new));
        CardOutputs port = texts("CA 'mlx4_0'\nPort 1:\nState: Active\nRate: 40\nLink layer: InfiniBand\n");

        CardIdentification.Result result =
                CardIdentification.identify(new CardOutputs(runs.runs(), port.devices(), List.of()), List.of(), base);

        assertThat(constant(result, "link.bytes-per-second").value()).isEqualTo(4e9);
        assertThat(constant(result, "transfer.read-efficiency").value()).isCloseTo(0.976, within(0.001));
        assertThat(constant(result, "transfer.stages").value()).isCloseTo(2.75, within(0.01));
        assertThat(constant(result, "transfer.write-share").value()).isCloseTo(0.98 / 1.99, within(1e-6));
        assertThat(constant(result, "transfer.send-share").value()).isCloseTo((1070 - 134.3) / 1990, within(1e-3));
        assertThat(constant(result, "transfer.payload-fetch-ns").value()).isCloseTo(679, within(2.0));
        Path file = Files.writeString(
                dir.resolve("mine.yaml"),
                ProfileText.of("Measured", List.of(), result.constants(), NicProfiles.lists(base), "as in base"));
        assertThat(NicProfiles.read(file, "mine").transfer().stages()).isCloseTo(2.75, within(0.01));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            hca_id: mlx4_0\\n vendor_part_id: 4099 | connectx3
            CA 'mlx5_0'\\nCA type: MT4129 | connectx7
            CA 'mlx5_0'\\nCA type: MT41692 | bluefield3
            CA 'x'\\nCA type: other\\nPort 1:\\nState: Active\\nRate: 200 | connectx6-200g
            CA 'x'\\nPort 1:\\nState: Active\\nRate: 100\\nLink layer: Ethernet | connectx5
            CA 'x'\\nPort 1:\\nState: Active\\nRate: 56 | connectx3
            """)
    void theNearestCardIsFoundByNameOrSpeed(String text, String profile) throws Exception {
        assertThat(NearestCard.of(texts(text.replace("\\n", "\n"))).profile()).isEqualTo(profile);
        assertThat(NicProfiles.names(NICS)).contains(profile);
    }

    @Test
    void theRecipeHasOnlyWhatIsMissing() throws Exception {
        assertThat(Recipe.all(NicProfiles.constants(NicProfiles.load(NICS, "connectx5-edr"))
                        .keySet()))
                .extracting(Recipe.Step::recipe)
                .contains(Recipe.DEVICE, Recipe.LATENCY, Recipe.OWN_PROGRAM);
        List<Recipe.Step> afterAll =
                Recipe.missing(identify(CardOutputsTest.read(CONNECTX3.toArray(String[]::new)), "connectx3-40g")
                        .constants());
        assertThat(afterAll)
                .extracting(Recipe.Step::recipe)
                .containsExactly(
                        Recipe.DEVICE, Recipe.ONE_OUTSTANDING, Recipe.POST_LISTS, Recipe.MESSAGES, Recipe.OWN_PROGRAM);
        assertThat(afterAll.getFirst().keys()).contains("link.bytes-per-second", "limits.send-queue");
        CardOutputs devices =
                CardOutputsTest.read("connectx6-devinfo.txt", "connectx6-ibstat.txt", "connectx6-lspci.txt");
        assertThat(Recipe.missing(identify(devices, "connectx5-edr").constants()))
                .extracting(Recipe.Step::recipe)
                .doesNotContain(Recipe.DEVICE)
                .contains(Recipe.BANDWIDTH, Recipe.POST);
    }
}
