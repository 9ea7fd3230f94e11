package org.reprobe.scheme;

import java.util.LinkedHashMap;
import java.util.Map;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.system.PredictedRun;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Settings;

/** Read size of linear probing according to the model, without a run ({@code operation: predict}). */
record PredictedReadSize(Settings settings, ReadSizes sizes) implements PredictedRun {
    private static final double PREDICTION_S = 0.03;

    @Override
    public double simulationSeconds() {
        return PREDICTION_S;
    }

    @Override
    public RunOutcome predicted() {
        Map<String, Double> metrics = new LinkedHashMap<>();
        sizes.put(metrics, settings);
        return new RunOutcome(Kind.PREDICTED, true, null, metrics, null);
    }
}
