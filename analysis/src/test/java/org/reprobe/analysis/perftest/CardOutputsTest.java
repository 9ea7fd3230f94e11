package org.reprobe.analysis.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.foreign.ForeignText;
import org.reprobe.analysis.perftest.PerftestRun.Latency;
import org.reprobe.analysis.perftest.PerftestRun.Rate;
import org.reprobe.analysis.perftest.PerftestRun.Warning;
import org.reprobe.testing.Seeds;

/**
 * Outputs of perftest, ibv_devinfo, ibstat and lspci. The files beside this class name the sources of their numbers.
 */
class CardOutputsTest {

    static Path file(String name) {
        try {
            return Path.of(Objects.requireNonNull(CardOutputsTest.class.getResource(name), name)
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static CardOutputs read(String... names) throws InvalidInputException {
        return CardOutputs.read(Arrays.stream(names).map(CardOutputsTest::file).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "connectx3-read-bw.txt, READ_BW, 23, 2, 8388608",
        "connectx3-read-lat.txt, READ_LAT, 23, 2, 8388608",
        "connectx3-write-bw.txt, WRITE_BW, 23, 2, 8388608",
        "connectx3-write-lat.txt, WRITE_LAT, 23, 2, 8388608",
        "connectx3-send-bw.txt, SEND_BW, 23, 2, 8388608",
        "connectx3-send-lat.txt, SEND_LAT, 23, 2, 8388608",
        "connectx3-atomic-bw.txt, ATOMIC_BW, 1, 8, 8",
        "connectx3-atomic-lat.txt, ATOMIC_LAT, 1, 8, 8",
        "connectx3-read-lat-old.txt, READ_LAT, 8, 2, 256",
        "connectx6-read-bw.txt, READ_BW, 7, 2, 128",
        "pollara-write-both-ways.txt, WRITE_BW, 6, 2, 64",
        "connectx5-read-lat-duration.txt, READ_LAT, 1, 2, 2",
        "connectx5-write-bw-4.5.json, WRITE_BW, 1, 1048576, 1048576",
        "connectx5-write-lat.json, WRITE_LAT, 1, 8, 8",
        "all-times-read-lat.txt, READ_LAT, 1, 8, 8"
    })
    void theOutputOfEachProgramAndVersionIsRead(String name, PerftestProgram program, int rows, long first, long last)
            throws Exception {
        CardOutputs outputs = read(name);
        assertThat(outputs.runs()).singleElement().satisfies(run -> {
            assertThat(run.program()).isEqualTo(program);
            assertThat(run.rows()).hasSize(rows);
            assertThat(run.rows().getFirst().bytes()).isEqualTo(first);
            assertThat(run.rows().getLast().bytes()).isEqualTo(last);
        });
    }

    @Test
    void settingsUnitsAndPlacesAreThoseOfTheText() throws Exception {
        PerftestRun run = read("connectx3-read-bw.txt").runs().getFirst();
        assertThat(run.settings())
                .isEqualTo(new PerftestRun.Settings("mlx4_0", "RC", "IB", 1, 1, false, 128, 100, 2048, null, 16));
        assertThat(run.origin().line()).isEqualTo(4);
        Rate rate = run.rates().get(2);
        assertThat(rate.origin().line()).isEqualTo(22);
        assertThat(rate.messagesPerSecond()).isEqualTo(6_207_736);
        assertThat(rate.bytesPerSecond()).isEqualTo(47.36 * (1 << 20));

        Latency latency =
                read("connectx3-read-lat.txt").runs().getFirst().latencies().getFirst();
        assertThat(latency.medianNs()).isEqualTo(1990);
        assertThat(latency.p99Ns()).isEqualTo(2130);
        assertThat(latency.iterations()).isEqualTo(20_000);

        Latency old =
                read("connectx3-read-lat-old.txt").runs().getFirst().latencies().getFirst();
        assertThat(old.medianNs()).isEqualTo(1990);
        assertThat(old.p99Ns()).isNaN();
    }

    @Test
    void bandwidthsInGigabitsAndMebibytesAreTheSame() throws Exception {
        Rate gigabits = read("connectx5-session.txt").runs().getFirst().rates().getFirst();
        assertThat(gigabits.bytesPerSecond()).isCloseTo(166_427 * 65_536.0, within(2e6));
        Rate mebibytes = read("connectx6-read-bw.txt").runs().getFirst().rates().getLast();
        assertThat(mebibytes.bytesPerSecond()).isCloseTo(2_539_960 * 128.0, within(1e4));
        Rate json =
                read("connectx5-write-bw-4.5.json").runs().getFirst().rates().getFirst();
        assertThat(json.bytesPerSecond()).isCloseTo(6660.0 * (1 << 20), within(1e4));
    }

    @Test
    void aTerminalSessionHasSeveralRunsAndWarnings() throws Exception {
        CardOutputs outputs = read("connectx5-session.txt");
        assertThat(outputs.runs())
                .extracting(PerftestRun::program)
                .containsExactly(PerftestProgram.READ_BW, PerftestProgram.READ_LAT, PerftestProgram.WRITE_LAT);
        assertThat(outputs.runs().getFirst().warnings()).containsExactly(Warning.CPU_FREQUENCY);
        assertThat(outputs.warnings())
                .singleElement()
                .asString()
                .contains("CPU frequencies", "connectx5-session.txt:6");
    }

    @Test
    void allTimesAreSortedAndBelongToTheirRow() throws Exception {
        Latency latency =
                read("all-times-read-lat.txt").runs().getFirst().latencies().getFirst();
        assertThat(latency.samplesNs()).hasSize(200).isSorted();
        assertThat(latency.samplesNs().get(99)).isEqualTo(latency.medianNs());
    }

    @Test
    void devicesAreReadWithTheirActivePort() throws Exception {
        CardOutputs outputs = read("connectx6-devinfo.txt", "connectx6-ibstat.txt", "connectx6-lspci.txt");
        assertThat(outputs.devices()).extracting(Device::program).containsExactly(Device.Program.values());
        CardPort port = new CardPort(outputs);
        assertThat(port.limit("max_qp_wr"))
                .hasValueSatisfying(limit -> assertThat(limit.value()).isEqualTo(32768));
        assertThat(port.limit("max_msg_sz"))
                .hasValueSatisfying(limit -> assertThat(limit.value()).isEqualTo(1 << 30));
        assertThat(port.rateGb()).hasValueSatisfying(rate -> {
            assertThat(rate.value()).isEqualTo(200);
            assertThat(rate.source()).contains("connectx6-ibstat.txt:16");
        });
        assertThat(port.slotBytesPerSecond())
                .hasValueSatisfying(slot -> assertThat(slot.value()).isCloseTo(31.5e9, within(0.02e9)));
        assertThat(NearestCard.of(outputs).profile()).isEqualTo("connectx6-200g");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            LID 0x0a | LID 0x03 | loopback
            : mlx4_0 | : rxe0 | software RDMA
            """)
    void loopbackAndSoftwareRdmaAreReported(String right, String other, String expected) throws Exception {
        String text = Files.readString(file("connectx3-read-lat.txt")).replace(right, other);
        CardOutputs outputs = CardOutputs.of(List.of(new ForeignText("a.txt", text)), new ArrayList<>());
        assertThat(outputs.warnings()).singleElement().asString().contains(expected, "a.txt:4");
    }

    /** Each line of the table replaces a text in a file; the last column is the first problem. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            connectx3-read-lat.txt | 2.02    \t| | 24:102: 9 numbers are expected (#bytes, #iterations, t_min, t_max, t_typical, t_avg, t_stdev, 99% percentile, 99.9% percentile), not 8: the line is cut off, wrapped or has two numbers run together
            connectx3-read-bw.txt | 6.281505 | 6.2815 | 25:61: MsgRate has 4 decimals where perftest prints 6: the number is cut off
            connectx3-read-bw.txt | 6.281505 | 9.281505 | 25:2: MsgRate x 64 bytes is 5.94016e+08 bytes/s, but BW average is 4.02014e+08: a digit is wrong, or the unit
            connectx3-read-bw.txt | 6.281505 | nan | 25:61: MsgRate must be a number of at least 0, but is "nan"
            connectx3-read-lat.txt | 64      20000 | 32      20000 | 24:2: 32 bytes are twice in this table, with different numbers; the first is in line 23
            connectx3-read-bw.txt | average[MB/sec] | average | 19:47: the unit of BW average is missing: MB/sec or MiB/sec or Gb/sec is expected in brackets
            connectx3-read-bw.txt | average[MB/sec] | average[KB/sec] | 19:47: the unit of BW average must be MB/sec or MiB/sec or Gb/sec, but is "KB/sec"
            connectx3-read-bw.txt | RDMA_Read BW | RDMA_Read Latency | 19:2: columns of ib_read_lat are expected, among them #iterations and t_avg: the line is cut off, or belongs to another program
            connectx3-read-bw.txt | RDMA_Read BW | Raw BW | 4:21: "Raw" is not a known verb of a perftest program: one of RDMA_Read, RDMA_Write, Send, Atomic
            connectx3-read-bw.txt | RDMA_Read BW Test | RDMA_Read | 19:2: the lines above this table are missing: the heading, as "RDMA_Read BW Test", determines the program
            connectx3-read-bw.txt | TX depth        : 128 | TX depth        : many | 8:20: TX depth must be a whole number, but is "many"
            all-times-read-lat.txt | 17, | 18, | 38:1: time number 17 is expected, but this is number 18: lines are missing
            all-times-read-lat.txt | #, usec | #, cycles | 21:4: times must be in usec, but are in cycles: run ib_read_lat without -C
            connectx6-devinfo.txt | 32768 | | 14:15: max_qp_wr needs a number, but has none
            connectx6-lspci.txt | LnkSta:\tSpeed 16GT/s (ok), Width x16 (ok) | LnkSta: unknown | 14:3: speed and width of the slot are expected, as "Speed 16GT/s, Width x16"
            connectx6-lspci.txt | [60] Express (v2) Endpoint, MSI 00 | <access denied> | 8:16: LnkSta is hidden here: run lspci -vv as root
            connectx5-write-lat.json | "t_avg": 0.99, | "t_avg": 0.99 "x" | 24:10: t_avg must be a number of at least 0, but is "0.99 "x""
            connectx5-write-lat.json | RDMA_Write_Latency_Test | Latency_Test | 3:9: the test must be one of ib_read_bw, ib_read_lat, ib_write_bw, ib_write_lat, ib_send_bw, ib_send_lat, ib_atomic_bw, ib_atomic_lat, but is "Latency_Test"
            connectx5-write-bw-4.5.json | MsgRate: 0.006660, | | 21:10: "MsgRate" is missing in results
            connectx5-write-bw-4.5.json | MsgRate: 0.006660 | MsgRate: 0.016660 | 21:10: MsgRate x MsgSize is 1.746927616E10 bytes/s, but BW_average 6660.00 is neither MiB/s nor Gb/s of that
            """)
    void aDamagedFileIsRefusedAtItsPlace(String name, String right, @Nullable String wrong, String expected)
            throws Exception {
        String text = Files.readString(file(name));
        String from = right.replace("\\t", "\t");
        assertThat(text).contains(from);
        int at = text.indexOf(from);
        String damaged = text.substring(0, at) + (wrong == null ? "" : wrong) + text.substring(at + from.length());
        assertThat(problems(damaged).getFirst()).isEqualTo(expected);
    }

    private static List<String> problems(String... texts) {
        List<ForeignText> files = new ArrayList<>();
        for (String text : texts) {
            files.add(new ForeignText("file" + (files.size() + 1), text));
        }
        InvalidInputException refused =
                catchThrowableOfType(InvalidInputException.class, () -> CardOutputs.of(files, new ArrayList<>()));
        assertThat(refused).as("is refused").isNotNull();
        return refused.problems().stream()
                .map(problem -> problem.line() + ":" + problem.column() + ": " + problem.message())
                .toList();
    }

    @Test
    void anOutputCutOffBeforeItsRowsIsRefused() throws Exception {
        String text = Files.readString(file("connectx3-read-bw.txt"));
        assertThat(problems(text.substring(0, text.indexOf(" 2      "))))
                .containsExactly("19:1: no row follows these columns: the output is cut off, or the run failed");
        assertThat(problems(text.substring(0, text.indexOf(" #bytes"))))
                .containsExactly(
                        "4:1: no results follow this heading: a table that begins with #bytes is expected; the output is cut off,"
                                + " or the run failed");
        assertThat(problems("nothing\n")).singleElement().asString().startsWith("1:1: no output of perftest,");
    }

    @Test
    void allErrorsOfAllFilesAreReportedAtOnce() throws Exception {
        String text = Files.readString(file("connectx3-read-bw.txt"));
        assertThat(problems(text.replace("4.446564", "4.4").replace("2.849648", "2.8"), "nothing\n"))
                .hasSize(3);
    }

    @Test
    void networksThatDifferAreRefused() throws Exception {
        String text = Files.readString(file("connectx3-read-bw.txt"));
        assertThat(problems(text, text.replace("2048[B]", "4096[B]")))
                .containsExactly(
                        "4:1: Mtu of this run is 4096, but 2048 in the run at file1:4: all runs must use one network");
        assertThat(problems(text, text.replace("Link type       : IB", "Link type : Ethernet")))
                .containsExactly(
                        "4:1: Link type of this run is Ethernet, but IB in the run at file1:4: all runs must use one"
                                + " network");
    }

    /** The server of a latency test prints no results. */
    @Test
    void theServersOutputOfALatencyTestIsIgnored() throws Exception {
        String client = Files.readString(file("connectx3-read-lat.txt"));
        String server = client.substring(0, client.indexOf(" #bytes")).replace(" TX depth        : 1\n", "");
        CardOutputs outputs = CardOutputs.of(List.of(new ForeignText("both", server + client)), new ArrayList<>());
        assertThat(outputs.runs()).hasSize(1);
    }

    @Test
    void printedRunsAreReadBack() throws Exception {
        Random random = new Random(Seeds.seed());
        for (int i = 0; i < 300; i++) {
            PerftestRun run = random(random);
            String unit = List.of("MB/sec", "MiB/sec", "Gb/sec").get(random.nextInt(3));
            PerftestRun read = CardOutputs.of(
                            List.of(new ForeignText("text", PrintedRun.of(rounded(run, unit), unit))),
                            new ArrayList<>())
                    .runs()
                    .getFirst();
            assertThat(withoutPlaces(read)).as(Seeds.replay()).isEqualTo(rounded(run, unit));
        }
    }

    private static final Origin NOWHERE = new Origin("", 0);

    private static PerftestRun random(Random random) {
        PerftestProgram program = PerftestProgram.values()[random.nextInt(8)];
        List<PerftestRun.Row> rows = new ArrayList<>();
        for (long bytes = 1L << random.nextInt(4); bytes <= 1 << 23 && random.nextInt(8) > 0; bytes *= 2) {
            double ns = 100 + 100_000 * random.nextDouble();
            List<Double> samples = new ArrayList<>();
            for (int i = 0; random.nextInt(4) == 0 && i < 20; i++) {
                samples.add((double) random.nextInt(1_000_000));
            }
            rows.add(
                    program.isLatency()
                            ? new Latency(
                                    bytes,
                                    samples.isEmpty() ? 1 + random.nextInt(100_000) : samples.size(),
                                    10.0 * random.nextInt(1_000_000),
                                    10.0 * random.nextInt(1_000_000),
                                    10.0 * random.nextInt(1_000_000),
                                    10.0 * random.nextInt(1_000_000),
                                    samples.stream().sorted().toList(),
                                    NOWHERE)
                            : new Rate(bytes, 1 + random.nextInt(100_000), bytes * 1e9 / ns, 1e9 / ns, NOWHERE));
        }
        if (rows.isEmpty()) {
            return random(random);
        }
        List<Warning> warnings = new ArrayList<>();
        if (random.nextBoolean()) {
            warnings.add(Warning.LOOPBACK);
        }
        boolean software = random.nextInt(4) == 0;
        if (software) {
            warnings.add(Warning.SOFTWARE_RDMA);
        }
        if (random.nextBoolean()) {
            warnings.add(Warning.CPU_FREQUENCY);
        }
        return new PerftestRun(
                program,
                new PerftestRun.Settings(
                        software ? "rxe0" : "mlx5_" + random.nextInt(4),
                        "RC",
                        random.nextBoolean() ? "IB" : "Ethernet",
                        1 + random.nextInt(100),
                        random.nextBoolean() ? 1 : 2 + random.nextInt(100),
                        random.nextBoolean(),
                        1 + random.nextInt(128),
                        random.nextBoolean() ? null : 1 + random.nextInt(100),
                        random.nextBoolean() ? null : 1 << (8 + random.nextInt(5)),
                        random.nextBoolean() ? null : random.nextInt(300),
                        random.nextBoolean() ? null : 1 + random.nextInt(16)),
                rows,
                warnings,
                NOWHERE);
    }

    /** Returns a run with rates in the digits that a text has. */
    private static PerftestRun rounded(PerftestRun run, String unit) {
        return with(
                run,
                run.rows().stream()
                        .map(row -> row instanceof Rate rate
                                ? new Rate(
                                        rate.bytes(),
                                        rate.iterations(),
                                        PerftestTable.scaled(
                                                String.format(
                                                        Locale.ROOT,
                                                        "%.2f",
                                                        rate.bytesPerSecond() / PerftestTable.unit(unit)),
                                                new BigDecimal(PerftestTable.unit(unit))),
                                        new BigDecimal(String.format(
                                                        Locale.ROOT, "%.6f", rate.messagesPerSecond() / 1e6))
                                                .movePointRight(6)
                                                .doubleValue(),
                                        NOWHERE)
                                : row)
                        .toList());
    }

    private static PerftestRun withoutPlaces(PerftestRun run) {
        return with(run, run.rows().stream().map(row -> row.at(NOWHERE)).toList());
    }

    private static PerftestRun with(PerftestRun run, List<PerftestRun.Row> rows) {
        return new PerftestRun(run.program(), run.settings(), rows, run.warnings(), NOWHERE);
    }
}
