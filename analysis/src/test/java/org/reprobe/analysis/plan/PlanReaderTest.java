package org.reprobe.analysis.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.testing.Project;

class PlanReaderTest {
    private static final PlanReader READER = new PlanReader(List.of(new OneRead()));
    private static final Path NICS = Project.path("scenarios/nics");

    private static final Map<String, String> LEAST =
            Map.of("records", "1e9", "value-bytes", "24", "lookups-per-second", "60e6", "memory-per-server-gib", "64");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    /** Returns the required options, with pairs of key and value added or replaced. */
    private static Map<String, String> options(String... more) {
        Map<String, String> options = new LinkedHashMap<>(LEAST);
        for (int i = 0; i < more.length; i += 2) {
            options.put(more[i], more[i + 1]);
        }
        return options;
    }

    private static PlanInput read(@Nullable Path file, Map<String, String> options) throws Exception {
        return READER.read(file, options, NICS);
    }

    private static List<String> problems(@Nullable Path file, Map<String, String> options) {
        return catchThrowableOfType(InvalidInputException.class, () -> read(file, options)).problems().stream()
                .map(Problem::toString)
                .map(text -> text.lines().findFirst().orElseThrow())
                .toList();
    }

    private Path file(String text) throws Exception {
        return Files.writeString(folder.resolve("plan.yaml"), text);
    }

    @Test
    void optionsAloneMakeAPlanWithTheOtherKeysDefaults() throws Exception {
        PlanInput input = read(null, options());
        assertThat(input.file().records()).isEqualTo(1_000_000_000L);
        assertThat(input.largestRecordBytes()).isEqualTo(8 + 24);
        assertThat(input.meanRecordBytes()).isEqualTo(8 + 24);
        assertThat(input.peakPerSecond()).isEqualTo(60e6);
        assertThat(input.percentile()).isEqualTo(0.99);
        assertThat(input.latencyLimitNs()).isEmpty();
        assertThat(input.memoryBytes()).isEqualTo(64L << 30);
        assertThat(input.file().serversThatMayFail()).isZero();
        assertThat(input.copies()).isEqualTo(1);
        assertThat(input.file().pricePerServer()).isEmpty();
        assertThat(input.nics()).extracting(NicProfile::name).containsExactly("connectx5-edr");
        assertThat(input.schemes()).containsExactly(new OneRead());
        assertThat(input.file().maxUtilisation()).isEqualTo(0.8);
        assertThat(input.file().maxServers()).isEqualTo(1024);
    }

    @Test
    void valuesBecomeNanosecondsSharesAndBytes() throws Exception {
        PlanInput input = read(
                null,
                options(
                        "latency-limit-us", "15",
                        "percentile", "99.9",
                        "growth-percent-per-year", "40",
                        "peak-lookups-per-second", "150e6",
                        "price-per-server", "9000"));
        assertThat(input.latencyLimitNs()).hasValue(15_000);
        assertThat(input.percentile()).isCloseTo(0.999, within(1e-12));
        assertThat(input.percentileWords()).isEqualTo("99.9");
        assertThat(input.growth()).isEqualTo(0.4);
        assertThat(input.peakPerSecond()).isEqualTo(150e6);
        assertThat(input.file().pricePerServer()).hasValue(9000);
    }

    @Test
    void aMixOfSizesHasALargestAndAMean() throws Exception {
        PlanInput input = read(
                null,
                options("key-bytes", "16", "value-bytes", "[{bytes: 100, share: 0.25}, {bytes: 20, share: 0.75}]"));
        assertThat(input.largestRecordBytes()).isEqualTo(116);
        assertThat(input.meanRecordBytes()).isCloseTo(16 + 25 + 15, within(1e-9));
    }

    @Test
    void eachServerThatMayFailNeedsOneMoreCopyUnlessCopiesAreGiven() throws Exception {
        assertThat(read(null, options("servers-that-may-fail", "2")).copies()).isEqualTo(3);
        assertThat(read(null, options("servers-that-may-fail", "2", "copies", "2"))
                        .copies())
                .isEqualTo(2);
    }

    @Test
    void anOptionReplacesTheKeyOfTheFile() throws Exception {
        Path file = file("""
                title: A shop
                records: 2e9
                value-bytes: 24
                lookups-per-second: 60e6
                memory-per-server-gib: 64
                nics: [connectx6-200g]
                """);
        assertThat(read(file, Map.of()).file().records()).isEqualTo(2_000_000_000L);
        PlanInput input = read(file, Map.of("records", "5", "nics", "connectx5-edr, connectx6-200g"));
        assertThat(input.file().records()).isEqualTo(5);
        assertThat(input.file().lookupsPerSecond()).isEqualTo(60e6);
        assertThat(input.nics()).extracting(NicProfile::name).containsExactly("connectx5-edr", "connectx6-200g");
    }

    @Test
    void problemsHaveThePlaceInTheFileOrTheNameOfTheOption() throws Exception {
        Path file = file("""
                records: many
                value-bytes: 24
                lookups-per-second: 60e6
                memory-per-server-gib: 64
                nics: [connectx5-edr,
                  connectx9]
                """);
        assertThat(problems(file, Map.of("skew", "3")))
                .anyMatch(problem -> problem.startsWith(file + ":1:10: records must be a whole number"))
                .anyMatch(problem -> problem.startsWith(file + ":6:3: ") && problem.contains("connectx9"))
                .anyMatch(problem -> problem.startsWith("--skew: skew must be"))
                .hasSize(3);
    }

    @Test
    void aMissingKeyIsNamedUnlessAnOptionStandsForIt() throws Exception {
        Path file = file("""
                value-bytes: 24
                lookups-per-second: 60e6
                memory-per-server-gib: 64
                """);
        assertThat(problems(file, Map.of())).singleElement().asString().contains("records");
        assertThat(read(file, Map.of("records", "7")).file().records()).isEqualTo(7);
    }

    @Test
    void valuesThatDoNotFitTogetherAreRefusedTogether() {
        assertThat(problems(
                        null,
                        options(
                                "peak-lookups-per-second", "1e6",
                                "servers-that-may-fail", "4",
                                "max-servers", "4",
                                "client-machines", "10000",
                                "client-threads", "65536",
                                "value-bytes", "[{bytes: 1, share: 0.5}, {bytes: 2, share: 0.4}]")))
                .satisfiesExactlyInAnyOrder(
                        peak -> assertThat(peak)
                                .isEqualTo("--peak-lookups-per-second: peak-lookups-per-second is 1000000, less than"
                                        + " lookups-per-second, 60000000: a peak is no less than the mean"),
                        failures -> assertThat(failures)
                                .isEqualTo("--servers-that-may-fail: servers-that-may-fail is 4, but max-servers is 4:"
                                        + " none would be left"),
                        threads -> assertThat(threads)
                                .startsWith("--client-threads: 655360000 client threads need as many queue pairs"),
                        shares -> assertThat(shares)
                                .isEqualTo("--value-bytes: the shares of value-bytes add up to 0.9, but must add up"
                                        + " to 1"));
    }

    @Test
    void aCardWithOneEngineForAllPacketsIsRefused() {
        assertThat(problems(null, options("nics", "connectx3-farm")))
                .singleElement()
                .asString()
                .startsWith("--nics: ")
                .contains("card.packet-ns");
    }

    @Test
    void everyKeyButTheTitleIsAnOption() {
        assertThat(READER.keys())
                .extracting(PlanReader.Key::name)
                .containsAll(LEAST.keySet())
                .doesNotContain("title");
        assertThat(READER.keys())
                .filteredOn(key -> key.name().equals("max-servers"))
                .singleElement()
                .extracting(PlanReader.Key::meaning)
                .asString()
                .endsWith("; 1024 by default.");
    }
}
