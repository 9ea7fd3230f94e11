package org.reprobe.analysis.cards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.PredictedInterval;

class ModelErrorsTest {
    @TempDir
    Path dir;

    private static CardPoint point(String id, String source, CardPoint.Kind kind) {
        return point(id, source, kind, false);
    }

    private static CardPoint point(String id, String source, CardPoint.Kind kind, boolean fitted) {
        return new CardPoint(
                "f", id, source, "p", "A card", "nic", kind, fitted, Map.of(), "latency_ns.p50", 100, "us", "");
    }

    @Test
    void aSourcesFactorComesFromTheRowsOfAllOthers() {
        List<CardPoint> points = new ArrayList<>();
        Map<String, PredictedInterval> intervals = new HashMap<>();
        for (int i = 1; i <= 10; i++) {
            for (String source : List.of("a", "b")) {
                CardPoint point = point(source + i, source, CardPoint.Kind.LATENCY_BY_SIZE);
                double error = source.equals("a") ? 1 + i / 100.0 : 1 / (1 + i / 10.0);
                points.add(point);
                intervals.put(point.claimId(), new PredictedInterval(100 * error, 100 * error, 100 * error));
            }
        }

        List<ModelErrors.Entry> entries = ModelErrors.of(points, intervals).entries();

        assertThat(entries).extracting(ModelErrors.Entry::leftOut).containsExactly("", "a", "b");
        assertThat(entries.get(1).factor()).isCloseTo(1.9, within(1e-9));
        assertThat(entries.get(2).factor()).isCloseTo(1.09, within(1e-9));
        assertThat(entries.get(0).factor()).isCloseTo(1.8, within(1e-9));
    }

    @Test
    void aQuantityOfOneSourceHasTheFactorOfItsFittedRows() {
        CardPoint fitted = point("a", "s", CardPoint.Kind.FAILURE_TIMES, true);
        CardPoint heldOut = point("b", "s", CardPoint.Kind.FAILURE_TIMES);

        List<ModelErrors.Entry> entries = ModelErrors.of(
                        List.of(fitted, heldOut),
                        Map.of(
                                fitted.claimId(), new PredictedInterval(50, 50, 50),
                                heldOut.claimId(), new PredictedInterval(25, 25, 25)))
                .entries();

        assertThat(entries)
                .extracting(ModelErrors.Entry::leftOut, ModelErrors.Entry::rows)
                .containsExactly(tuple("", 2), tuple("s", 1));
        assertThat(entries.getLast().factor()).isCloseTo(2, within(1e-9));
    }

    @Test
    void whatTheConstantsExplainIsNoErrorOfTheModel() {
        CardPoint low = point("low", "a", CardPoint.Kind.TAIL_LATENCY);
        CardPoint high = point("high", "b", CardPoint.Kind.TAIL_LATENCY);
        // Ends at factors of e^3 and of 2; the measured 100 are e^5 below the first median, and 2 above the second.
        PredictedInterval far = new PredictedInterval(100 * Math.exp(2), 100 * Math.exp(5), 100 * Math.exp(6));

        List<ModelErrors.Entry> entries = ModelErrors.of(
                        List.of(low, high),
                        Map.of(low.claimId(), far, high.claimId(), new PredictedInterval(49, 50, 100)))
                .entries();

        assertThat(Math.log(entries.get(2).factor())).isCloseTo(4, within(1e-9));
        assertThat(entries.get(1).factor()).isCloseTo(1, within(1e-9));
    }

    @Test
    void theFileIsReadAsItWasWritten() throws Exception {
        ModelErrors errors = new ModelErrors(List.of(
                new ModelErrors.Entry("latency", "", 1.25, 40, 3),
                new ModelErrors.Entry("tail latency", "https://example.org/a", 2.125, 30, 2)));

        assertThat(ModelErrors.read(dir)).isEqualTo(ModelErrors.NONE);
        errors.write(dir);
        assertThat(ModelErrors.read(dir)).isEqualTo(errors);

        Files.writeString(dir.resolve(ModelErrors.NAME), "quantity,left_out,factor,rows,sources\nlatency,,wide,1,1\n");
        assertThatThrownBy(() -> ModelErrors.read(dir))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("model-errors.csv:2:1: expected quantity,left_out,factor,rows,sources");
    }
}
