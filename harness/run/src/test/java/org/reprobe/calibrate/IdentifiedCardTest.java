package org.reprobe.calibrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.calibration.ProfileText.Constant;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.perftest.CardIdentification;
import org.reprobe.analysis.perftest.CardOutputs;
import org.reprobe.analysis.perftest.Recipe;
import org.reprobe.calibrate.PrintedPerftest.Result;
import org.reprobe.run.RunPlan;
import org.reprobe.run.SimulatedRun;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.testing.Project;
import org.reprobe.testing.Seeds;

/**
 * The commands of the recipe, run by the scenarios of perftest on a simulated card and printed as perftest does,
 * identify its constants with another card as the base.
 */
class IdentifiedCardTest {
    private static final Path SCENARIOS = Project.path("scenarios");
    private static final Path NICS = SCENARIOS.resolve("nics");
    private static final String SIZES = "verb.bytes=[2, 8, 64, 256, 1024, 2048, 4096, 65536, 1048576]";

    @TempDir
    Path dir;

    private record Command(Recipe step, String scenario, int clients, List<String> sets) {}

    private static final List<Command> COMMANDS = List.of(
            new Command(Recipe.LATENCY, "ib-read-lat", 1, List.of(SIZES)),
            new Command(Recipe.BANDWIDTH, "ib-read-bw", 1, List.of(SIZES)),
            new Command(
                    Recipe.ONE_OUTSTANDING,
                    "ib-read-bw",
                    1,
                    List.of("verb.bytes=[8]", "connection.outstanding-reads=1")),
            new Command(Recipe.WRITE_LATENCY, "ib-write-lat", 1, List.of(SIZES)),
            new Command(Recipe.WRITE_LATENCY, "ib-send-lat", 1, List.of("verb.bytes=[2]")),
            new Command(Recipe.POST, "ib-write-bw", 1, List.of("verb.bytes=[8]")),
            new Command(
                    Recipe.POST_LISTS,
                    "ib-write-bw",
                    1,
                    List.of("verb.bytes=[8]", "verb.batch=64", "verb.signal-every=64")),
            new Command(Recipe.ATOMICS, "ib-atomic-bw", 1, List.of("verb.kind=[fetch-and-add]")));

    /** The step of message rates: one client, then two at the same time. */
    private static Command messages(int clients) {
        return new Command(
                Recipe.MESSAGES,
                "ib-read-bw",
                clients,
                List.of(
                        "verb.bytes=[8]",
                        "verb.queue-pairs=16",
                        "verb.batch=16",
                        "verb.signal-every=16",
                        "clients.machines=" + clients));
    }

    private static String printed(Command command, NicProfile card, String link) throws Exception {
        ScenarioReader.Options options = new ScenarioReader.Options(command.sets(), "sim", card.name(), Scale.QUICK);
        Path file = SCENARIOS.resolve("perftest/" + command.scenario() + ".yaml");
        List<Result> results = new ArrayList<>();
        for (RunPlan.Unit unit : RunPlan.of(List.of(new ScenarioReader(NICS).read(file, options)), NICS)
                .units()) {
            if (unit.repeat() == 0) {
                results.add(new Result(
                        unit.settings(),
                        SimulatedRun.run(unit.settings(), card, null, 0, Seeds.seed())
                                .metrics()));
            }
        }
        PrintedPerftest text = new PrintedPerftest(link, card.link().mtuBytes());
        text.add(results, command.scenario().endsWith("-lat"), command.clients());
        return text.toString();
    }

    /** Text as of ibv_devinfo, ibstat and lspci. */
    private static String device(NicProfile card, String link) {
        boolean ethernet = link.equals("Ethernet");
        double bits = 8e-9 * card.link().bytesPerSecond();
        double rate = ethernet || bits > 45 ? bits : bits / 0.8;
        String slot = card.slot().bytesPerSecond() > 50e9
                ? "32GT/s, Width x16"
                : card.slot().bytesPerSecond() > 10e9 ? "8GT/s, Width x16" : "8GT/s, Width x8";
        return String.format(
                Locale.ROOT,
                """
                hca_id: mlx5_0
                    max_qp: %d
                    max_qp_wr: %d
                    max_qp_rd_atom: %d
                    max_msg_sz: 0x%x
                CA 'mlx5_0'
                    Port 1:
                        State: Active
                        Rate: %.0f
                        Link layer: %s
                01:00.0 Infiniband controller: Mellanox Technologies MT27800 Family
                        DevCtl: MaxPayload %d bytes, MaxReadReq 512 bytes
                        LnkSta: Speed %s
                """,
                card.limits().queuePairs(),
                card.limits().sendQueue(),
                card.limits().outstandingReads(),
                card.limits().messageBytes(),
                rate,
                ethernet ? "Ethernet" : "InfiniBand",
                card.slot().packetBytes(),
                slot);
    }

    private Path write(String name, String text) throws Exception {
        return Files.writeString(dir.resolve(name), text);
    }

    @ParameterizedTest
    @CsvSource({
        "connectx3, IB, connectx5",
        "connectx5, Ethernet, connectx7",
        "connectx7, IB, connectx5",
        "connectx5-edr, IB, connectx6-200g",
    })
    void aSimulatedCardsConstantsAreInTheirIntervals(String card, String link, String base) throws Exception {
        NicProfile simulated = NicProfiles.load(NICS, card);
        StringBuilder text = new StringBuilder(simulated.slot().bytesPerSecond() > 0 ? device(simulated, link) : "");
        for (Command command : COMMANDS) {
            text.append(printed(command, simulated, link));
        }
        text.append(printed(messages(1), simulated, link));
        CardOutputs half = CardOutputs.read(List.of(write("half.txt", printed(messages(2), simulated, link))));
        CardOutputs outputs = CardOutputs.read(List.of(write("all.txt", text.toString())));

        CardIdentification.Result result =
                CardIdentification.identify(outputs, List.of(half, half), NicProfiles.load(NICS, base));

        Map<String, Double> truth = NicProfiles.constants(simulated);
        SoftAssertions softly = new SoftAssertions();
        int measured = 0;
        for (Constant constant : result.constants()) {
            double value = truth.getOrDefault(constant.key(), Double.NaN);
            boolean comparable = result.identified().contains(constant.key())
                    && simulated.provenance().containsKey(constant.key());
            if (comparable && !constant.interval().isEmpty()) {
                measured += constant.basis() == Basis.MEASURED ? 1 : 0;
                softly.assertThat(value)
                        .as("%s of %s from %s, %s", constant.key(), card, constant.source(), Seeds.replay())
                        .isBetween(
                                constant.interval().getFirst(),
                                constant.interval().getLast());
            }
        }
        softly.assertAll();
        assertThat(measured).isGreaterThan(4);
    }
}
