package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.run.TinyScenario;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@ShippedHome
class PlanCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private static CommandResult plan(String... more) {
        List<Object> command = new ArrayList<>(List.of(
                "plan",
                "--records",
                "1e6",
                "--value-bytes",
                "24",
                "--lookups-per-second",
                "5e6",
                "--memory-per-server-gib",
                "16",
                "--schemes",
                "linear-fixed",
                "-q"));
        command.addAll(List.of(more));
        return CommandResult.of(command.toArray());
    }

    @Test
    void theBestConfigurationOfEachCardIsSimulated() {
        CommandResult plan = plan(
                "--nics",
                "connectx5-edr,connectx5-roce",
                "--json",
                dir.resolve("plan.json").toString());

        assertThat(plan.exitCode()).isZero();
        assertThat(plan.out().lines().filter(line -> line.contains("simulated")))
                .hasSize(2)
                .allMatch(line -> line.contains("measured (rate "));
        assertThat(plan.out())
                .contains("4 client machines of 28 threads", "by default: client-machines, client-threads");
        JsonNode cards = JsonMapper.shared().readTree(dir.resolve("plan.json")).path("cards");
        assertThat(cards.size()).isEqualTo(2);
        assertThat(cards.get(0).path("kind").asString()).isEqualTo("simulated");
        double predicted = JsonMapper.shared()
                .readTree(dir.resolve("plan.json"))
                .path("options")
                .get(0)
                .path("throughput_per_server_ops_per_s")
                .asDouble();
        assertThat(cards.get(0).path("throughput_per_server_ops_per_s").asDouble())
                .isNotEqualTo(predicted)
                .isCloseTo(predicted, org.assertj.core.data.Percentage.withPercentage(10));
    }

    @Test
    void nothingIsSimulatedOnRequest() {
        CommandResult plan = plan("--nics", "connectx5-edr", "--no-simulation");

        assertThat(plan.exitCode()).isZero();
        assertThat(plan.out()).doesNotContain("simulated").contains("predicted");
    }

    @Test
    void undecidedAnswersHaveAnExitCodeOfTheirOwn() throws Exception {
        Path nic = dir.resolve("guess.yaml");
        Files.writeString(
                nic,
                Files.readString(TinyScenario.NICS.resolve("connectx5-edr.yaml"))
                        .replace(
                                "message-ns: {value: 11.472, basis: published",
                                "message-ns: {value: 11.472, basis: assumed"));
        CommandResult plan = plan("--nic", nic.toString(), "--no-simulation");
        assertThat(plan.exitCode()).isEqualTo(3);
        assertThat(plan.out()).contains("Can't tell: ", "responder.message-ns", "--allow-assumed");

        assertThat(plan("--nic", nic.toString(), "--no-simulation", "--allow-assumed")
                        .exitCode())
                .isZero();
        CommandResult none = plan("--nics", "connectx5-edr,efa", "--latency-limit-us", "0.5", "--no-simulation");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("ConnectX-5 EDR: the p99 latency exceeds", "AWS EFA: the p99 latency exceeds");
    }

    @Test
    void usualShortNamesOfCardsAreRecognized() {
        assertThat(plan("--nic", "cx7").err()).contains("did you mean \"connectx7\"?");
        assertThat(plan("--nic", "cx6").err()).contains("did you mean \"connectx6-200g\"?");
        assertThat(plan("--nics", "bf3").err()).contains("did you mean \"bluefield3\"?");
    }

    @Test
    void verificationIsOfTheClosedForm() {
        assertThat(plan("--nics", "connectx5-edr", "--no-simulation", "--verify", "1")
                        .out())
                .contains("checks the closed form against the simulator, not a card");
        assertThat(CommandResult.of("plan", "--help").out())
                .containsIgnoringWhitespaces("checks the closed form against the simulator, not a card");
    }

    @Test
    void aFileBehindVerifyIsThePlan() {
        assertThat(CommandResult.of("plan", "--verify", "no-such-plan.yaml").err())
                .contains("no-such-plan.yaml: there is no such file")
                .doesNotContain("--verify");
    }
}
