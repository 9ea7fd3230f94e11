package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.perftest.Recipe;
import org.reprobe.analysis.plan.Advice;
import org.reprobe.analysis.plan.CardAnswer;
import org.reprobe.analysis.plan.CardAnswer.Verdict;
import org.reprobe.analysis.plan.PlanInput;
import org.reprobe.analysis.plan.PlanOption;
import org.reprobe.analysis.plan.PlanReader;
import org.reprobe.analysis.plan.Planner;
import org.reprobe.analysis.plan.Simulated;
import org.reprobe.system.Systems;
import org.reprobe.testing.Project;

/** Answers for cards whose constants are changed copies of a shipped profile's. */
class CardAnswerTest {
    private static final PlanReader READER = new PlanReader(Systems.planned());
    private static final String MESSAGE = "message-ns: {value: 11.472, basis: published";
    private static final String ROUND_TRIP = "round-trip-ns: {value: 2580, basis: derived";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path nics;

    private String profile = "";

    @BeforeEach
    void copyCards() throws Exception {
        profile = Files.readString(Project.path("scenarios/nics/connectx5-edr.yaml"));
        assertThat(profile).contains(MESSAGE, ROUND_TRIP);
        card("known", profile);
    }

    private void card(String name, String text) throws Exception {
        Files.writeString(nics.resolve(name + ".yaml"), text.replaceFirst("title: .*", "title: Card " + name));
    }

    private static String assumed(String text) {
        return text.replaceAll("basis: [a-z]+", "basis: assumed");
    }

    private PlanInput input(String... more) throws Exception {
        Map<String, String> options = new LinkedHashMap<>(Map.of(
                "records", "1e8",
                "value-bytes", "24",
                "lookups-per-second", "20e6",
                "memory-per-server-gib", "64",
                "nics", "known"));
        for (int i = 0; i < more.length; i += 2) {
            options.put(more[i], more[i + 1]);
        }
        return READER.read(null, options, nics);
    }

    private static CardAnswer.All answers(PlanInput input) {
        return CardAnswer.all(input, new Planner(input).plan(), Map.of());
    }

    private static List<String> names(CardAnswer.All answers) {
        return answers.cards().stream().map(card -> card.nic().name()).toList();
    }

    @Test
    void assumedConstantsAreNeverFirstUnlessAllowed() throws Exception {
        card("guessed", assumed(profile).replace("message-ns: {value: 11.472", "message-ns: {value: 2"));
        PlanInput input = input("nics", "guessed,known", "lookups-per-second", "90e6");

        CardAnswer.All answers = answers(input);
        assertThat(names(answers)).containsExactly("known", "guessed");
        assertThat(answers.result().options().getFirst().nic().name()).isEqualTo("known");
        assertThat(answers.cards().getFirst().isMeasured()).isTrue();
        assertThat(answers.cards().getLast().isMeasured()).isFalse();
        CardAnswer.All allowed = answers(input.allowingAssumed());
        assertThat(names(allowed)).containsExactly("guessed", "known");
        assertThat(Advice.of(input.allowingAssumed(), allowed.result(), allowed.ranks())
                        .why())
                .first()
                .asString()
                .startsWith(allowed.cards().getFirst().configuration().servers() + " server");
    }

    @Test
    void aCardAloneWithAssumedConstantsIsUndecided() throws Exception {
        card("guessed", assumed(profile));
        PlanInput input = input("nics", "guessed", "lookups-per-second", "1e6");
        CardAnswer.All answers = answers(input);

        assertThat(answers.cards().getFirst().verdict()).isEqualTo(Verdict.YES);
        assertThat(answers.isSure(input)).isFalse();
        assertThat(answers.undecided(input)).contains("responder.message-ns", "--allow-assumed");
        assertThat(answers.isSure(input.allowingAssumed())).isTrue();
    }

    @Test
    void theLatencyCountsOnlyWithALimit() throws Exception {
        String[] parts = profile.split("(?m)^(?=(requester|limits):)");
        card("late", parts[0] + assumed(parts[1]) + parts[2]);

        assertThat(answers(input("nics", "late")).cards().getFirst().isMeasured())
                .isTrue();
        assertThat(answers(input("nics", "late", "latency-limit-us", "40", "schemes", "hopscotch"))
                        .cards()
                        .getFirst()
                        .isMeasured())
                .isFalse();
    }

    @Test
    void aLimitInsideTheIntervalCantBeTold() throws Exception {
        card("wide", profile.replace(ROUND_TRIP, "round-trip-ns: {value: 2580, interval: [2000, 9000], basis: fitted"));
        PlanInput unlimited = input("nics", "wide");
        double p99Us = answers(unlimited).cards().getFirst().percentileNs() / 1e3;

        CardAnswer above = answers(input("nics", "wide", "latency-limit-us", String.valueOf(1.5 * p99Us)))
                .cards()
                .getFirst();
        assertThat(above.verdict()).isEqualTo(Verdict.CANT_TELL);
        assertThat(above.words()).contains("can't tell", "p99");
        PlanInput below = input("nics", "wide", "latency-limit-us", "3.9", "schemes", "hopscotch");
        CardAnswer.All infeasible = answers(below);
        assertThat(infeasible.cards().getFirst().option()).isNull();
        assertThat(infeasible.cards().getFirst().words())
                .startsWith("can't tell: p99 of ")
                .endsWith("limit 3.9");
        assertThat(infeasible.isSure(below)).isFalse();
        assertThat(infeasible.isPossible()).isTrue();
        PlanInput far = input("nics", "wide", "latency-limit-us", "90");
        assertThat(answers(far).isSure(far)).isTrue();
    }

    @Test
    void anotherNumberOfServersIsNamedWhereTheRateIsInsideTheInterval() throws Exception {
        card("wide", profile.replace(MESSAGE, "message-ns: {value: 11.472, interval: [6, 25], basis: fitted"));
        CardAnswer card = answers(input(
                        "nics",
                        "wide",
                        "lookups-per-second",
                        "100e6",
                        "client-machines",
                        "16",
                        "schemes",
                        "linear-fixed"))
                .cards()
                .getFirst();

        assertThat(card.verdict()).isEqualTo(Verdict.YES);
        int most = Objects.requireNonNull(card.prediction()).mostServers();
        assertThat(most).isGreaterThan(card.configuration().servers());
        assertThat(card.words())
                .isEqualTo("can't tell with " + card.configuration().servers() + " (rate), yes with " + most);
    }

    @Test
    void everyCardHasARowThatNamesItsLimit() throws Exception {
        card("slow", profile.replace("round-trip-ns: {value: 2580", "round-trip-ns: {value: 25800"));
        card("plain", profile.replace("limits:", "limits:\n  atomics: {value: 0, basis: assumed, source: a test}"));
        CardAnswer.All answers = answers(input("nics", "slow,plain,known", "latency-limit-us", "12", "reads", "0.9"));

        assertThat(names(answers)).containsExactly("known", "slow", "plain");
        CardAnswer slow = answers.cards().get(1);
        assertThat(slow.verdict()).isEqualTo(Verdict.NO);
        assertThat(slow.words()).matches("no: p99 of [0-9.]+ us, limit 12.0");
        assertThat(answers.cards().get(2).words()).isEqualTo("no: no atomics for writes");
    }

    @Test
    void theConstantThatMovesTheLatencyMostComesWithItsCommand() throws Exception {
        card("wide", profile.replace(ROUND_TRIP, "round-trip-ns: {value: 2580, interval: [2000, 9000], basis: fitted"));
        var influence = answers(input("nics", "wide", "latency-limit-us", "90"))
                .cards()
                .getFirst()
                .influences()
                .getFirst();

        assertThat(influence.constant()).isEqualTo("requester.round-trip-ns");
        assertThat(influence.recipe()).isEqualTo(Recipe.LATENCY);
        assertThat(influence.latencyNs().high() - influence.latencyNs().low()).isGreaterThan(5_000);
    }

    @Test
    void simulatedNumbersReplacePredictedOnes() throws Exception {
        PlanInput input = input("latency-limit-us", "20");
        Planner.Result result = new Planner(input).plan();
        PlanOption option = result.options().getFirst();
        Simulated late = new Simulated(option.perServerPerSecond(), 15_000, 21_000);
        CardAnswer card =
                CardAnswer.all(input, result, Map.of("known", late)).cards().getFirst();

        assertThat(card.percentileNs()).isEqualTo(21_000);
        assertThat(card.verdict()).isNotEqualTo(Verdict.YES);
        Simulated fast = new Simulated(option.perServerPerSecond(), 3_000, 5_000);
        assertThat(CardAnswer.all(input, result, Map.of("known", fast)).isSure(input))
                .isTrue();
    }
}
