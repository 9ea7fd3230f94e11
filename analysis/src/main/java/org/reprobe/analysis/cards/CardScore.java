package org.reprobe.analysis.cards;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.measurement.PredictedInterval;

/**
 * Errors of one profile, or of all, against measurements of one kind. Shares of the scored rows; NaN without any.
 *
 * @param fitted false: the rows that no constant was fitted to
 * @param inInterval share, of the rows with an interval over drawn profiles, in which it contains the measured value
 *     when widened by the {@link ModelErrors model's error}
 * @param notExpressible rows that no cell repeats
 * @param notRun rows whose cell was not run, failed, or has other settings
 */
public record CardScore(
        String profile,
        String kind,
        boolean fitted,
        int scored,
        double medianError,
        double error90,
        double within10,
        double within25,
        double inInterval,
        int notExpressible,
        int notRun) {
    public static final String ALL = "all";

    private static final String NO_PROFILE = "no profile";

    /** Returns the scores by profile and kind, then by kind, then of all; held-out rows first. */
    public static List<CardScore> of(
            Collection<CardPoint> points,
            Collection<ClaimResult> results,
            Map<String, PredictedInterval> intervals,
            ModelErrors errors) {
        Map<String, Boolean> contained = new HashMap<>();
        for (CardPoint point : points) {
            PredictedInterval interval = intervals.get(point.claimId());
            if (interval != null) {
                contained.put(point.claimId(), errors.contains(point, interval));
            }
        }
        Map<String, ClaimResult> byId = new HashMap<>();
        results.forEach(result -> byId.put(result.id(), result));
        List<CardScore> scores = new ArrayList<>();
        for (boolean fitted : new boolean[] {false, true}) {
            Map<String, Map<CardPoint.Kind, List<CardPoint>>> groups = new TreeMap<>();
            Map<CardPoint.Kind, List<CardPoint>> kinds = new TreeMap<>();
            List<CardPoint> all =
                    points.stream().filter(point -> point.fitted() == fitted).toList();
            for (CardPoint point : all) {
                String profile = point.profile().isEmpty() ? NO_PROFILE : point.profile();
                groups.computeIfAbsent(profile, _ -> new TreeMap<>())
                        .computeIfAbsent(point.kind(), _ -> new ArrayList<>())
                        .add(point);
                kinds.computeIfAbsent(point.kind(), _ -> new ArrayList<>()).add(point);
            }
            groups.forEach((profile, ofProfile) -> ofProfile.forEach(
                    (kind, own) -> scores.add(score(profile, kind.words(), fitted, own, byId, contained))));
            if (groups.size() > 1) {
                kinds.forEach((kind, own) -> scores.add(score(ALL, kind.words(), fitted, own, byId, contained)));
            }
            if (!all.isEmpty()) {
                scores.add(score(ALL, ALL, fitted, all, byId, contained));
            }
        }
        return List.copyOf(scores);
    }

    private static CardScore score(
            String profile,
            String kind,
            boolean fitted,
            List<CardPoint> points,
            Map<String, ClaimResult> results,
            Map<String, Boolean> contained) {
        int expressible = 0;
        List<Double> found = new ArrayList<>();
        for (CardPoint point : points) {
            expressible += point.isExpressible() ? 1 : 0;
            ClaimResult result = results.get(point.claimId());
            if (result != null && Double.isFinite(result.relativeError())) {
                found.add(result.relativeError());
            }
        }
        double[] errors =
                found.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        List<Boolean> inInterval = points.stream()
                .map(point -> contained.get(point.claimId()))
                .filter(Objects::nonNull)
                .toList();
        int rank = Math.ceilDiv(errors.length * 9, 10) - 1;
        return new CardScore(
                profile,
                kind,
                fitted,
                errors.length,
                errors.length == 0 ? Double.NaN : new Median().evaluate(errors),
                errors.length == 0 ? Double.NaN : errors[rank],
                share(errors, 0.10),
                share(errors, 0.25),
                inInterval.isEmpty()
                        ? Double.NaN
                        : (double) Collections.frequency(inInterval, true) / inInterval.size(),
                points.size() - expressible,
                expressible - errors.length);
    }

    private static double share(double[] errors, double limit) {
        return errors.length == 0
                ? Double.NaN
                : (double) Arrays.stream(errors).filter(error -> error <= limit).count() / errors.length;
    }

    /** Returns the table's titles. */
    public static List<String> titles() {
        return List.of(
                "profile",
                "measurements",
                "used",
                "n",
                "median error",
                "90 % of errors below",
                "within 10 %",
                "within 25 %",
                "in 90 % interval",
                "not expressible",
                "not run");
    }

    /** Returns the table's row. */
    public List<String> fields() {
        return List.of(
                profile,
                kind,
                fitted ? "fitted" : "held-out",
                Integer.toString(scored),
                percent(medianError),
                percent(error90),
                percent(within10),
                percent(within25),
                percent(inInterval),
                Integer.toString(notExpressible),
                Integer.toString(notRun));
    }

    private static String percent(double share) {
        return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}
