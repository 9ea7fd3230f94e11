package org.reprobe.analysis.cards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.Evidence;
import org.reprobe.analysis.claims.Relation;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.PredictedInterval;

class CardScoreTest {
    private static CardPoint point(String id, String profile, boolean fitted, String obstacle) {
        return new CardPoint(
                "f",
                id,
                "https://example.org",
                "p",
                "A card",
                profile,
                CardPoint.Kind.ATOMICS,
                fitted,
                Map.of(),
                "throughput_ops_per_s",
                100,
                "M/s",
                obstacle);
    }

    private static ClaimResult result(CardPoint point, double reproduced) {
        return new ClaimResult(
                point.claimId(),
                "s",
                "t",
                point.value(),
                reproduced,
                point.unit(),
                7,
                Double.isNaN(reproduced) ? ClaimResult.Status.NOT_MEASURED : ClaimResult.Status.HOLDS,
                ClaimResult.Role.PREDICTION,
                null,
                Double.NaN,
                Relation.EQUALS,
                Set.of(Kind.SIMULATED),
                Evidence.PERFORMANCE,
                false,
                null,
                3);
    }

    @Test
    void rowsAreCountedWhetherTheyAreScoredOrNot() {
        List<CardPoint> points = IntStream.rangeClosed(1, 10)
                .mapToObj(i -> point("p" + i, "nic", false, ""))
                .toList();
        List<ClaimResult> results = IntStream.rangeClosed(1, 10)
                .mapToObj(i -> result(points.get(i - 1), i == 10 ? Double.NaN : 100 + 4 * i))
                .toList();
        List<CardPoint> all = new ArrayList<>(points);
        all.add(point("lost", "nic", false, "no reason"));

        CardScore score = CardScore.of(all, results, Map.of(), ModelErrors.NONE).getFirst();

        // Errors 4, 8, ..., 36 %.
        assertThat(score.fields())
                .containsExactly(
                        "nic", "atomics", "held-out", "9", "20.0 %", "36.0 %", "22.2 %", "66.7 %", "-", "1", "1");
    }

    @Test
    void anIntervalIsWidenedByTheModelsErrorForTheRowsSource() {
        CardPoint a = point("a", "nic", false, "");
        CardPoint b = point("b", "nic", false, "");
        CardPoint c = point("c", "nic", false, "");
        Map<String, PredictedInterval> intervals = Map.of(
                a.claimId(), new PredictedInterval(95, 98, 99),
                b.claimId(), new PredictedInterval(120, 130, 140));
        List<ClaimResult> results = List.of(result(a, 98), result(b, 130), result(c, 100));

        assertThat(share(CardScore.of(List.of(a, b, c), results, intervals, ModelErrors.NONE)))
                .isEqualTo("0.0 %");
        assertThat(share(CardScore.of(List.of(a, b, c), results, intervals, errors(a.source(), 1.05))))
                .isEqualTo("50.0 %");
        assertThat(share(CardScore.of(List.of(a, b, c), results, intervals, errors(a.source(), 1.3))))
                .isEqualTo("100.0 %");
        assertThat(share(CardScore.of(List.of(a, b, c), results, intervals, errors("https://other.org", 1.3))))
                .isEqualTo("0.0 %");
    }

    private static ModelErrors errors(String source, double factor) {
        return new ModelErrors(List.of(new ModelErrors.Entry("rate", source, factor, 1, 1)));
    }

    private static String share(List<CardScore> scores) {
        return scores.getFirst().fields().get(8);
    }

    @Test
    void fittedRowsAndOtherProfilesAreApart() {
        CardPoint a = point("a", "nic", false, "");
        CardPoint b = point("b", "other", false, "");
        CardPoint c = point("c", "nic", true, "");
        CardPoint d = point("d", "", true, "no profile of this card");

        assertThat(CardScore.of(
                        List.of(a, b, c, d),
                        List.of(result(a, 90), result(b, 120), result(c, 101)),
                        Map.of(),
                        ModelErrors.NONE))
                .extracting(
                        CardScore::profile,
                        CardScore::kind,
                        CardScore::fitted,
                        score -> score.fields().get(4))
                .containsExactly(
                        tuple("nic", "atomics", false, "10.0 %"),
                        tuple("other", "atomics", false, "20.0 %"),
                        tuple("all", "atomics", false, "15.0 %"),
                        tuple("all", "all", false, "15.0 %"),
                        tuple("nic", "atomics", true, "1.0 %"),
                        tuple("no profile", "atomics", true, "-"),
                        tuple("all", "atomics", true, "1.0 %"),
                        tuple("all", "all", true, "1.0 %"));
    }
}
