package org.reprobe.analysis.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;

/**
 * Answer of a plan for one card: its best configuration, or the limit that all fail, and the certainty of either.
 *
 * @param option null if no configuration is feasible with the profile's values
 * @param shortfall limit that the nearest configuration fails; null with an option
 * @param evidence null without an option
 * @param prediction null if no constant decides, as for a card without atomics
 * @param influences constants of the card by their effect on the option, the largest first
 * @param simulated null if all numbers are predicted
 */
public record CardAnswer(
        NicProfile nic,
        @Nullable PlanOption option,
        Planner.@Nullable Nearest shortfall,
        @Nullable Evidence evidence,
        @Nullable Prediction prediction,
        List<Influence> influences,
        @Nullable Simulated simulated,
        Verdict verdict,
        String words) {

    public enum Verdict {
        YES,
        CANT_TELL,
        NO
    }

    public CardAnswer {
        influences = List.copyOf(influences);
    }

    /** Answers of a plan, the best first, and its options in the same order. */
    public record All(List<CardAnswer> cards, Planner.Result result, Map<String, Integer> ranks) {
        /** Returns true if a card keeps all limits for sure, by constants that may decide. */
        public boolean isSure(PlanInput input) {
            return cards.stream()
                    .anyMatch(card -> card.verdict == Verdict.YES && (input.allowsAssumed() || card.isMeasured()));
        }

        /** Returns true if a card has a configuration but no rank, because of its assumed constants. */
        public boolean hasUnranked(PlanInput input) {
            return !input.allowsAssumed() && cards.stream().anyMatch(card -> card.option != null && !card.isMeasured());
        }

        /** Returns the best configurations that are not a card's best, at most {@code shown} with those. */
        public List<PlanOption> others(int shown) {
            return result.options().stream()
                    .filter(option -> cards.stream().noneMatch(card -> option.equals(card.option)))
                    .limit(Math.max(0, shown - cards.size()))
                    .toList();
        }

        /** Returns the reason why no card is sure to keep all limits; "" if one is. */
        public String undecided(PlanInput input) {
            if (isSure(input)) {
                return "";
            }
            return cards.stream()
                    .filter(card -> card.verdict == Verdict.YES)
                    .findFirst()
                    .map(card -> card.nic.title()
                            + " keeps all limits, but by assumed constants (" + card.assumed()
                            + "). Measure them, or accept them by --allow-assumed.")
                    .orElse(
                            "no card keeps all limits for sure; those that can't be told depend on the constants above.");
        }

        /** Returns true if at least one card keeps all limits, or may. */
        public boolean isPossible() {
            return cards.stream().anyMatch(card -> card.verdict != Verdict.NO);
        }
    }

    /** Returns the assumed constants that decide its numbers. */
    private String assumed() {
        return evidence == null ? "" : String.join(", ", evidence.assumed());
    }

    /** Returns true if constants that were measured decide its numbers. */
    public boolean isMeasured() {
        return evidence != null && evidence.isMeasured();
    }

    /** Returns the throughput of a saturated server, simulated if it was. */
    public double perServerPerSecond() {
        return simulated != null
                ? simulated.perServerPerSecond()
                : configuration().perServerPerSecond();
    }

    /** Returns the median latency at the peak with failed servers, simulated if it was. */
    public double medianNs() {
        return simulated != null ? simulated.medianNs() : configuration().downNs()[0];
    }

    /** Returns the limited percentile of that latency, simulated if it was. */
    public double percentileNs() {
        return simulated != null ? simulated.percentileNs() : configuration().downNs()[1];
    }

    /** Returns the best configuration of a card that has one. */
    public PlanOption configuration() {
        return Objects.requireNonNull(option);
    }

    /** Returns {@code measured (rate 97 %, p99 60 %)}. */
    public String basis(PlanInput input) {
        Evidence known = Objects.requireNonNull(evidence);
        return String.format(
                Locale.ROOT,
                "%s (rate %.0f %%, p%s %.0f %%)",
                known.isMeasured() ? "measured" : "assumed",
                100 * known.rateKnown(),
                input.percentileWords(),
                100 * known.latencyKnown());
    }

    /** Judges the cards of a plan; {@code simulated} are results of their best options by name. */
    public static All all(PlanInput input, Planner.Result result, Map<String, Simulated> simulated) {
        List<CardAnswer> cards = new ArrayList<>(input.nics().parallelStream()
                .map(nic -> {
                    Planner planner = Planner.ranking(input);
                    PlanOption option = result.best(nic.name());
                    return option == null
                            ? infeasible(planner, nic, result)
                            : of(planner, input, option, simulated.get(nic.name()));
                })
                .toList());
        Map<String, Integer> ranks = new HashMap<>();
        for (CardAnswer card : cards) {
            ranks.put(card.nic.name(), card.rank(input));
        }
        Planner.Result ranked = result.ranked(ranks);
        cards.sort(Comparator.<CardAnswer>comparingInt(card -> ranks.getOrDefault(card.nic.name(), 0))
                .thenComparingInt(
                        card -> card.option == null ? 0 : ranked.options().indexOf(card.option)));
        return new All(List.copyOf(cards), ranked, Map.copyOf(ranks));
    }

    /** Returns the position by certainty: sure before undecided, measured before assumed, cards without option last. */
    private int rank(PlanInput input) {
        int behind = option == null ? 6 : input.allowsAssumed() || isMeasured() ? 0 : 3;
        return behind
                + switch (verdict) {
                    case YES -> 0;
                    case CANT_TELL -> 1;
                    case NO -> 2;
                };
    }

    private static CardAnswer of(Planner planner, PlanInput input, PlanOption option, @Nullable Simulated simulated) {
        Prediction prediction = Prediction.of(planner, option.nic(), option.shape(), option, simulated);
        Verdict verdict = prediction.feasible() >= Prediction.SURE
                ? Verdict.YES
                : prediction.feasible() > 1 - Prediction.SURE ? Verdict.CANT_TELL : Verdict.NO;
        String words;
        if (verdict == Verdict.NO) {
            words = String.format(
                    Locale.ROOT,
                    "no: simulated %.1f M/s and p%s of %.1f us",
                    prediction.perServerPerSecond().high() / 1e6,
                    input.percentileWords(),
                    prediction.percentileNs().low() / 1e3);
        } else if (prediction.keeps() >= Prediction.SURE) {
            words = "yes";
        } else if (verdict == Verdict.YES) {
            words = String.format(
                    Locale.ROOT,
                    "can't tell with %d (%s), yes with %d",
                    option.servers(),
                    String.join(", ", unsure(planner, input, option, prediction)),
                    prediction.mostServers());
        } else {
            words = "can't tell (" + String.join(", ", unsure(planner, input, option, prediction)) + ")";
        }
        return new CardAnswer(
                option.nic(),
                option,
                null,
                Evidence.of(planner, option, input),
                prediction,
                Influence.of(planner, option, input),
                simulated,
                verdict,
                words);
    }

    /** Returns the requirements that lie inside an option's intervals. */
    private static List<String> unsure(Planner planner, PlanInput input, PlanOption option, Prediction prediction) {
        List<String> all = new ArrayList<>();
        if (prediction.perServerPerSecond().low() < planner.neededPerSecond(option.servers())) {
            all.add("rate");
        }
        if (prediction.percentileNs().high() > input.latencyLimitNs().orElse(Double.POSITIVE_INFINITY)) {
            all.add("p" + input.percentileWords());
        }
        if (all.isEmpty()) {
            all.add("number of servers");
        }
        return all;
    }

    private static CardAnswer infeasible(Planner planner, NicProfile nic, Planner.Result result) {
        Planner.Nearest shortfall = result.shortfall(nic.name());
        TableShape shape = shortfall == null ? null : shortfall.shape();
        Prediction prediction = shape == null ? null : Prediction.of(planner, nic, shape, null, null);
        boolean may = prediction != null && prediction.feasible() > 1 - Prediction.SURE;
        String reason = shortfall == null ? "no table" : shortfall.brief();
        return new CardAnswer(
                nic,
                null,
                shortfall,
                null,
                prediction,
                List.of(),
                null,
                may ? Verdict.CANT_TELL : Verdict.NO,
                (may ? "can't tell: " : "no: ") + reason);
    }
}
