package org.reprobe.analysis.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Problem;
import org.reprobe.testing.Project;

class NicProfilesTest {
    private static final Path SHIPPED = Project.path("scenarios/nics");

    @TempDir
    Path dir;

    @Test
    void theShippedProfileServesAsManyEmptyReadsAsThePaperMeasured() throws Exception {
        NicProfile profile = NicProfiles.load(SHIPPED, "connectx5-edr");

        assertThat(1e9 / profile.responder().messageNs())
                .isCloseTo(
                        profile.model().peakMessagesPerSecond(), org.assertj.core.data.Percentage.withPercentage(0.01));
        assertThat(profile.requester().roundTripNs())
                .isEqualTo(2 * profile.model().fixedCostNs());
        assertThat(profile.link().bytesPerSecond()).isEqualTo(12.5e9);
        assertThat(profile.limits()).isEqualTo(new NicProfile.Limits(8192, 16, 131072, 1L << 30, 1));
    }

    @Test
    void everyShippedProfileIsReadAndEveryConstantHasASource() throws Exception {
        assertThat(NicProfiles.names(SHIPPED)).contains("connectx5-edr");
        for (String name : NicProfiles.names(SHIPPED)) {
            NicProfile profile = NicProfiles.load(SHIPPED, name);
            assertThat(profile.name()).isEqualTo(name);
            int required = 0;
            int all = 0;
            for (RecordComponent section : NicProfile.class.getRecordComponents()) {
                if (section.getType().isRecord() && !isNone(section, profile)) {
                    RecordComponent[] constants = section.getType().getRecordComponents();
                    all += constants.length;
                    required += (int) Arrays.stream(constants)
                            .filter(constant -> constant.getAnnotation(Key.class)
                                    .byDefault()
                                    .equals(Key.NONE))
                            .count();
                }
            }
            assertThat(profile.provenance().size()).as(name).isBetween(required, all);
            assertThat(profile.provenance().get("responder.payload-ns-per-byte").basis())
                    .isNotNull();
        }
    }

    private static boolean isNone(RecordComponent section, NicProfile profile) throws ReflectiveOperationException {
        return section.getAnnotation(Key.class).byDefault().equals("none")
                && section.getAccessor()
                        .invoke(profile)
                        .equals(section.getType().getField("NONE").get(null));
    }

    @Test
    void aCacheOfQueuePairsConsistsOfWholeSets() throws Exception {
        String text = Files.readString(SHIPPED.resolve("connectx3.yaml"));
        Files.writeString(dir.resolve("mine.yaml"), text.replace("ways: {value: 8,", "ways: {value: 7,"));
        assertThat(problem(dir, "mine").message())
                .isEqualTo("a cache of 80 queue pairs cannot have sets of 7 (contention.ways); use a multiple of 7");
    }

    @Test
    void sharesOfMissingStatesFollowFromQueuePairsPerSet() {
        NicProfile.Contention whole = new NicProfile.Contention(76, 0, 0, 4096, 0, 0);
        assertThat(whole.missShare(76)).isZero();
        assertThat(whole.missShare(152)).isEqualTo(0.5);
        // One queue pair per set: 1 - P(at least one), with a mean of two per set.
        NicProfile.Contention sets = new NicProfile.Contention(50, 0, 0, 4096, 0, 0, 1, 0, 0, 0, 0);
        assertThat(sets.missShare(100)).isCloseTo(1 - (1 - Math.exp(-2)) / 2, Offset.offset(1e-12));
        assertThat(NicProfile.Contention.NONE.missShare(1000)).isZero();
    }

    @Test
    void anIntervalHasTheValueBetweenItsEnds() throws Exception {
        String text = Files.readString(SHIPPED.resolve("connectx5-edr.yaml"));
        Path file = Files.writeString(
                dir.resolve("mine.yaml"), text.replace("value: 11.472,", "value: 11.472, interval: [9, 12.5],"));
        assertThat(NicProfiles.read(file, "mine")
                        .provenance()
                        .get("responder.message-ns")
                        .interval())
                .containsExactly(9.0, 12.5);

        Files.writeString(file, text.replace("value: 11.472,", "value: 11.472, interval: [12, 13],"));
        assertThat(problem(dir, "mine").message()).isEqualTo("interval must be [low, high] with value between them");
    }

    @Test
    void aCardIsCombinedWithAHostAndASlot() throws Exception {
        Files.copy(SHIPPED.resolve("connectx5-edr.yaml"), dir.resolve("connectx5-edr.yaml"));
        Files.writeString(dir.resolve("slot-narrow.yaml"), """
                title: PCIe 3 x8
                slot:
                  bytes-per-second: {value: 7.88e+9, basis: derived, source: specification}
                """);
        NicProfile card = NicProfiles.load(dir, "connectx5-edr");
        NicProfile nic = NicProfiles.load(dir, "connectx5-edr+slot-narrow");
        assertThat(nic.title()).isEqualTo("ConnectX-5 EDR, PCIe 3 x8");
        assertThat(nic.slot()).isEqualTo(new NicProfile.Slot(7.88e9, 256, 24));
        assertThat(nic.client()).isEqualTo(card.client());
        assertThat(nic.provenance()).containsKeys("slot.bytes-per-second", "client.post-ns");
        assertThat(NicProfiles.names(dir)).containsExactly("connectx5-edr");

        assertThat(problem(dir, "connectx5-edr+slot-narow").message())
                .isEqualTo(
                        "there is no host, link or slot \"slot-narow\" for a NIC profile; there are slot-narrow; did you mean"
                                + " \"slot-narrow\"?");
        assertThat(problem(dir, "slot-narrow").message())
                .startsWith("there is no NIC profile \"slot-narrow\"; there is only connectx5-edr");
    }

    @Test
    void aPartReplacesSingleConstants() throws Exception {
        Files.copy(SHIPPED.resolve("connectx5-edr.yaml"), dir.resolve("connectx5-edr.yaml"));
        Path part = Files.writeString(dir.resolve("host-slow.yaml"), """
                title: slow host
                requester:
                  round-trip-ns: {value: 4839, interval: [4000, 5000], basis: fitted, source: measured}
                """);
        NicProfile card = NicProfiles.load(dir, "connectx5-edr");
        NicProfile nic = NicProfiles.load(dir, "connectx5-edr+host-slow");
        assertThat(nic.requester().roundTripNs()).isEqualTo(4839);
        assertThat(nic.requester().hostNs()).isEqualTo(card.requester().hostNs());
        assertThat(nic.provenance().get("requester.round-trip-ns").interval()).containsExactly(4000.0, 5000.0);

        String text = Files.readString(part);
        Files.writeString(part, text.replace("round-trip-ns", "round-trip"));
        assertThat(problem(dir, "connectx5-edr+host-slow").toString())
                .contains("host-slow.yaml:3:3", "unknown key \"round-trip\"", "did you mean \"round-trip-ns\"?");
        Files.writeString(part, text.replace("[4000, 5000]", "[5000, 6000]"));
        assertThat(problem(dir, "connectx5-edr+host-slow").toString())
                .contains("host-slow.yaml:3", "interval must be [low, high] with value between them");
        Files.writeString(part, text.replace("title: slow host", ""));
        assertThat(problem(dir, "connectx5-edr+host-slow").toString())
                .contains("host-slow.yaml", "key \"title\" is missing");
    }

    @Test
    void everyShippedPartFitsAProfile() throws Exception {
        List<String> parts;
        try (Stream<Path> files = Files.list(SHIPPED)) {
            parts = files.map(file -> file.getFileName().toString().replace(".yaml", ""))
                    .filter(NicProfiles::isPart)
                    .sorted()
                    .toList();
        }
        assertThat(parts).contains("host-smart", "link-roce-100g", "slot-pcie5-x4");
        for (String part : parts) {
            assertThat(NicProfiles.load(SHIPPED, "connectx7+" + part).title()).startsWith("ConnectX-7 400G, ");
        }
    }

    /** Otherwise differences between the two would not be due to transactions. */
    @Test
    void theCardWithTransactionsIsConnectX3InEverythingElse() throws Exception {
        NicProfile with = NicProfiles.load(SHIPPED, "rhtm-40g");
        NicProfile without = NicProfiles.load(SHIPPED, "connectx3-40g");
        assertThat(with.transactions()).isNotEqualTo(NicProfile.Transactions.NONE);
        assertThat(with)
                .usingRecursiveComparison()
                .ignoringFields("name", "title", "transactions", "provenance")
                .isEqualTo(without);
    }

    @Test
    void onlyEfaHasNoAtomicsAndOnlyTheNewestCardsAreVendorCeilings() throws Exception {
        for (String name : NicProfiles.names(SHIPPED)) {
            NicProfile profile = NicProfiles.load(SHIPPED, name);
            assertThat(profile.hasAtomics()).as(name).isNotEqualTo(name.equals("efa"));
            boolean ceiling = profile.provenance().values().stream()
                    .anyMatch(provenance -> provenance.basis() == NicProfile.Basis.CEILING);
            assertThat(ceiling).as(name).isEqualTo(name.equals("connectx7") || name.equals("bluefield3"));
        }
    }

    @Test
    void contentionAndClusterAreReadAndOffWhereAFileHasNone() throws Exception {
        assertThat(NicProfiles.load(SHIPPED, "das5-fdr").contention()).isEqualTo(NicProfile.Contention.NONE);
        assertThat(NicProfiles.load(SHIPPED, "connectx3-56g").contention().pageBytes())
                .isEqualTo(4096);
        assertThat(NicProfiles.load(SHIPPED, "connectx5-edr").cluster()).isEqualTo(NicProfile.Cluster.NONE);
        assertThat(NicProfiles.load(SHIPPED, "das5-fdr").cluster().switchMachines())
                .isEqualTo(18);
    }

    @Test
    void aMissingProfileListsTheExistingOnes() throws IOException {
        assertThat(problem(dir, "x").message()).isEqualTo("there is no NIC profile \"x\"; there is none at all");
        Files.writeString(dir.resolve("connectx5-edr.yaml"), "");
        assertThat(problem(dir, "connectx5").message())
                .isEqualTo("there is no NIC profile \"connectx5\"; there is only connectx5-edr; did you mean"
                        + " \"connectx5-edr\"?");
        Files.writeString(dir.resolve("connectx6.yaml"), "");
        assertThat(problem(dir, "connectx5").message())
                .isEqualTo("there is no NIC profile \"connectx5\"; there are connectx5-edr, connectx6; did you mean"
                        + " \"connectx5-edr\"?");
        assertThat(problem(dir, "../nics/connectx6").message()).startsWith("there is no NIC profile");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            value: 11.472, | value: -1, | value must be a number above 0 and of at most 1000000000, but is -1
            value: 11.472, | value: 9223372036854775807, | value must be a number above 0 and of at most 1000000000, but is 9223372036854775807
            value: 1.085, | value: 0.5, | value must be a number from 1 to 10, but is 0.5
            value: 4096, | value: 0, | value must be a whole number from 1 to 2147483647, but is 0
            value: 11.472, | value: 11.472, interval: [11, 11.4], | interval must be [low, high] with value between them
            value: 11.472, | value: 11.472, interval: [11], | interval must be [low, high] with value between them
            value: 11.472, | value: 11.472, interval: wide, | interval must be a list, each a number, but is "wide"
            basis: fitted, | basis: fited, | basis must be one of measured, bound, published, fitted, derived, assumed, ceiling, but is "fited"; did you mean "fitted"?
            value: 8192, basis: published, | value: 8192, | key "basis" is missing in send-queue
            responder: | respnder: | key "responder" is missing
            """)
    void aBadConstantIsRefused(String right, String wrong, String expected) throws IOException {
        String text = Files.readString(SHIPPED.resolve("connectx5-edr.yaml"));
        assertThat(text).contains(right);
        int at = text.indexOf(right);
        String damaged = text.substring(0, at) + wrong + text.substring(at + right.length());
        Files.writeString(dir.resolve("mine.yaml"), damaged);

        assertThat(problem(dir, "mine").message()).isEqualTo(expected);
    }

    @Test
    void anEditedProfileIsReadAgain() throws Exception {
        String text = Files.readString(SHIPPED.resolve("connectx5-edr.yaml"));
        Path file = Files.writeString(dir.resolve("mine.yaml"), text);
        NicProfile before = NicProfiles.load(dir, "mine");
        assertThat(NicProfiles.load(dir, "mine")).isSameAs(before);

        Files.writeString(file, text.replace("value: 11.472,", "value: 22.472,"));

        assertThat(NicProfiles.load(dir, "mine").responder().messageNs()).isEqualTo(22.472);
        Files.writeString(file, "title: damaged\n");
        assertThat(problem(dir, "mine").message()).contains("is missing");
    }

    private static Problem problem(Path dir, String name) {
        InvalidInputException refused =
                catchThrowableOfType(InvalidInputException.class, () -> NicProfiles.load(dir, name));
        assertThat(refused).isNotNull();
        return refused.problems().getFirst();
    }
}
