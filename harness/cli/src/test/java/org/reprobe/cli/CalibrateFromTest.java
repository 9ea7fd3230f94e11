package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.nic.ConstantRange;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.nic.SampledProfiles;
import tools.jackson.databind.JsonNode;

/** {@code calibrate --from}: a profile from outputs of perftest, with the row of each number. */
@ShippedHome
class CalibrateFromTest {
    private static final String SESSION = """
            $ ib_read_lat -d mlx5_0 10.0.0.2
            ---------------------------------------------------------------------------------------
                                RDMA_Read Latency Test
             Dual-port       : OFF          Device         : mlx5_0
             Number of qps   : 1            Transport type : IB
             TX depth        : 1
             Mtu             : 1024[B]
             Link type       : Ethernet
             Outstand reads  : 16
            ---------------------------------------------------------------------------------------
             #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
             2       1000          2.65           9.11         2.69            2.70          0.05            2.75            3.02
            ---------------------------------------------------------------------------------------
            $ ib_atomic_bw -d mlx5_0 10.0.0.2
            ---------------------------------------------------------------------------------------
                                Atomic FETCH_AND_ADD BW Test
             Number of qps   : 1            Transport type : IB
             TX depth        : 128
             Mtu             : 1024[B]
             Link type       : Ethernet
             Outstand reads  : 16
            ---------------------------------------------------------------------------------------
             #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
             8          1000             16.70              16.56            2.170493
            ---------------------------------------------------------------------------------------
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @SuppressWarnings("NullAway.Init")
    private Path session;

    @BeforeEach
    void write() throws IOException {
        session = Files.writeString(dir.resolve("session.txt"), SESSION);
    }

    @Test
    void aProfileNamesTheRowOfEachMeasuredConstant() throws Exception {
        Path file = dir.resolve("mine.yaml");
        CommandResult made =
                CommandResult.of("calibrate", "--from", session, "--base", "connectx5-roce", "--out", file);
        assertThat(made.err()).isEmpty();
        assertThat(made.exitCode()).isZero();
        assertThat(made.out())
                .contains(
                        "# base: connectx5-roce",
                        "session.txt:12 ib_read_lat 2 B t_typical",
                        "session.txt:24 ib_atomic_bw 8 B MsgRate",
                        "As in connectx5-roce: ",
                        "    ib_read_bw -a -F SERVER",
                        "Profile: " + file);
        NicProfile profile = NicProfiles.read(file, "mine");
        assertThat(profile.responder().atomicSameAddressNs()).isBetween(460.0, 461.0);
        NicProfile.Provenance roundTrip = profile.provenance().get("requester.round-trip-ns");
        assertThat(roundTrip.basis()).isEqualTo(Basis.MEASURED);
        assertThat(roundTrip.source()).endsWith("session.txt:12 ib_read_lat 2 B t_typical");
        assertThat(profile.provenance().get("client.lookup-ns").source()).isEqualTo("as in connectx5-roce");
        ConstantRange range = Objects.requireNonNull(ConstantRange.of(profile).get("requester.round-trip-ns"));
        assertThat(range.low()).isEqualTo(roundTrip.interval().getFirst());
        assertThat(SampledProfiles.of(profile, 20, 1))
                .doesNotHaveDuplicates()
                .allSatisfy(drawn -> assertThat(drawn.requester().roundTripNs()).isBetween(range.at(-2), range.at(2)));
        CommandResult used = CommandResult.of("validate", "figure-07", "--nic", file);
        assertThat(used.exitCode()).isZero();
    }

    @Test
    void anExistingProfileIsReplacedOnlyOnRequest() throws Exception {
        Path file = Files.writeString(dir.resolve("mine.yaml"), "title: other\n");
        CommandResult refused = CommandResult.of("calibrate", "--from", session, "--out", file);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("--out " + file + ": exists; ", "--overwrite");
        assertThat(file).hasContent("title: other");
        assertThat(CommandResult.of("calibrate", "--from", session, "--out", file, "--overwrite")
                        .exitCode())
                .isZero();
        assertThat(NicProfiles.read(file, "mine").title()).endsWith(", measured by perftest");
    }

    @Test
    void allProblemsOfFilesAndOptionsAreReportedAtOnce() throws Exception {
        Path damaged = Files.writeString(dir.resolve("damaged.txt"), SESSION.replace("2.170493", "2.17"));
        CommandResult refused = CommandResult.of(
                "calibrate",
                "--from",
                damaged,
                session,
                dir.resolve("none.txt"),
                "--base",
                "connectx9",
                "--fabric",
                "sim",
                "--together",
                session,
                "--out",
                dir);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains(
                        "--fabric: only for timing a fabric",
                        damaged + ":24:66: MsgRate has 2 decimals",
                        "none.txt: there is no such file",
                        "there is no NIC profile \"connectx9\"",
                        "--together: needs the outputs of two or more clients",
                        "--out " + dir + ": is a folder");
    }

    @Test
    void theRecipeIsShorterAfterMeasurements() {
        CommandResult all = CommandResult.of("calibrate", "--recipe");
        assertThat(all.exitCode()).isZero();
        assertThat(all.out()).contains("ib_read_lat -a -F SERVER", "ib_atomic_bw -F SERVER", "ibv_devinfo -v");
        CommandResult rest = CommandResult.of("calibrate", "--recipe", "--from", session);
        assertThat(rest.exitCode()).isZero();
        assertThat(rest.out())
                .contains("ib_read_bw -a -F SERVER", "ibv_devinfo -v")
                .doesNotContain("requester.round-trip-ns", "ib_atomic_bw", "Profile:");
        assertThat(CommandResult.of("calibrate", "--recipe", "--base", "connectx7")
                        .err())
                .contains("--base: only with --from");
    }

    @Test
    void jsonHasConstantsAndMissingCommands() {
        JsonNode json = CommandResult.of(
                        "calibrate", "--from", session, "--out", dir.resolve("mine.yaml"), "--json", "-")
                .json();
        assertThat(json.path("base").stringValue()).isEqualTo("connectx5");
        List<String> keys = json.path("constants")
                .valueStream()
                .map(constant -> constant.path("key").stringValue())
                .toList();
        assertThat(keys).contains("requester.round-trip-ns", "client.lookup-ns").doesNotHaveDuplicates();
        assertThat(json.path("missing")
                        .valueStream()
                        .map(step -> step.path("command").stringValue()))
                .contains("ib_read_bw -a -F SERVER");
    }
}
