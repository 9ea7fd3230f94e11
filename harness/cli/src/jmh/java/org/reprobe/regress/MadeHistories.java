package org.reprobe.regress;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.reprobe.analysis.regress.ChangePoint;
import org.reprobe.analysis.regress.ChangePoints;
import org.reprobe.testing.AnnotatedSeries;

/**
 * False alarms and finds of {@code regress history} in generated histories, beside Otava's algorithm, in Markdown.
 * Logarithms of the nights are a first-order autoregression with a standard deviation of the noise.
 */
final class MadeHistories {
    private static final double[] CORRELATIONS = {0, 0.3, 0.6};
    private static final int[] LENGTHS = {10, 20, 40, 60, 120};
    private static final int[][] NIGHTS = {{5, 5}, {5, 20}, {14, 10}, {20, 5}, {60, 5}, {15, 15}, {60, 60}};
    /** Noise and step. */
    private static final double[][] STEPS = {{0.01, 0.05}, {0.01, 0.1}, {0.05, 0.3}, {0.1, 0.5}, {0.1, 1}};

    private MadeHistories() {}

    private interface Detector {
        List<Integer> find(double[] series);
    }

    private static List<Integer> ours(double[] series) {
        return ChangePoints.find(series, ChangePoints.Options.DEFAULT).stream()
                .map(ChangePoint::index)
                .toList();
    }

    static void print(int histories) {
        System.out.printf("%d made histories per cell; Reprobe / Otava's algorithm.%n%n", histories);
        System.out.println("Share of histories without a step in which a change is found, noise 10 %:\n");
        System.out.println("| correlation | " + join(IntStream.of(LENGTHS).mapToObj(n -> n + " nights")) + " |");
        System.out.println("|---" + "|--:".repeat(LENGTHS.length) + "|");
        for (double correlation : CORRELATIONS) {
            System.out.println("| " + correlation + " | "
                    + join(IntStream.of(LENGTHS)
                            .mapToObj(n -> both(
                                    histories,
                                    detector -> (seed) -> !detector.find(series(n, n, 0.1, 0, correlation, seed))
                                            .isEmpty())))
                    + " |");
        }
        System.out.println(
                "\nShare of steps that are found within one night of where they begin, by nights before + after:\n");
        System.out.println("| correlation | noise | step | "
                + join(IntStream.range(0, NIGHTS.length).mapToObj(i -> NIGHTS[i][0] + " + " + NIGHTS[i][1])) + " |");
        System.out.println("|---|--:|--:" + "|--:".repeat(NIGHTS.length) + "|");
        for (double correlation : CORRELATIONS) {
            for (double[] step : STEPS) {
                System.out.printf(
                        Locale.ROOT, "| %s | %.0f %% | %.0f %% | ", correlation, 100 * step[0], 100 * step[1]);
                System.out.println(join(IntStream.range(0, NIGHTS.length).mapToObj(i -> {
                            int before = NIGHTS[i][0];
                            int length = before + NIGHTS[i][1];
                            return both(
                                    histories,
                                    detector -> seed -> found(
                                            detector.find(series(length, before, step[0], step[1], correlation, seed)),
                                            before));
                        }))
                        + " |");
            }
        }
        System.out.println(
                "\nShare of steps of 30 %, noise 5 %, found after 14 + 5 nights, that a later night up to 14 + 40 forgets:\n");
        System.out.println("| correlation | forgotten |");
        System.out.println("|---|--:|");
        for (double correlation : CORRELATIONS) {
            System.out.println("| " + correlation + " | "
                    + both(histories / 5, detector -> seed -> forgets(detector, correlation, seed)) + " |");
        }
        System.out.println("\n| real series | change at | Reprobe | Otava's algorithm |");
        System.out.println("|---|--:|--:|--:|");
        for (AnnotatedSeries series : AnnotatedSeries.all()) {
            List<Integer> ours =
                    ChangePoints.find(series.values(), new ChangePoints.Options(series.minSegment(), 0.04, 0.05))
                            .stream()
                            .map(ChangePoint::index)
                            .toList();
            System.out.println("| " + series.name() + " | " + series.change() + " | " + ours + " | "
                    + OtavaChangePoints.find(series.values()) + " |");
        }
    }

    private static boolean forgets(Detector detector, double correlation, int seed) {
        double[] series = series(54, 14, 0.05, 0.3, correlation, seed);
        boolean before = false;
        for (int now = 19; now <= series.length; now += 3) {
            boolean found = found(detector.find(Arrays.copyOf(series, now)), 14);
            if (before && !found) {
                return true;
            }
            before |= found;
        }
        return false;
    }

    private static boolean found(List<Integer> changes, int at) {
        return changes.stream().anyMatch(index -> Math.abs(index - at) <= 1);
    }

    private interface Trial {
        boolean succeeds(int seed);
    }

    private interface TrialOf {
        Trial of(Detector detector);
    }

    private static String both(int histories, TrialOf trials) {
        return share(histories, trials.of(MadeHistories::ours)) + " / "
                + share(histories, trials.of(OtavaChangePoints::find));
    }

    private static String share(int histories, Trial trial) {
        long hits = IntStream.range(0, histories).filter(trial::succeeds).count();
        return String.format(Locale.ROOT, "%.1f %%", 100.0 * hits / histories);
    }

    private static String join(Stream<String> cells) {
        return String.join(" | ", cells.toList());
    }

    private static double[] series(int length, int at, double noise, double step, double correlation, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] series = new double[length];
        double value = random.nextGaussian();
        for (int night = 0; night < length; night++) {
            series[night] = 10_000 * Math.exp(noise * value) * (night < at ? 1 : 1 + step);
            value = correlation * value + Math.sqrt(1 - correlation * correlation) * random.nextGaussian();
        }
        return series;
    }
}
