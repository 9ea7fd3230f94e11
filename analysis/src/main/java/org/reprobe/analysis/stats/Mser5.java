package org.reprobe.analysis.stats;

/**
 * End of a series' initial transient, by MSER-5: K. P. White, "An effective truncation heuristic for bias reduction in
 * simulation output", Simulation 69(6), 1997; K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five steady-state
 * truncation heuristics for simulation", Winter Simulation Conference, 2000. The transient ends at the point after
 * which the mean of the rest has the smallest standard error, with batch means of five observations treated as
 * independent.
 *
 * <p>If the point is in the second half, the series is too short. The last five batches are not candidates, since a few
 * similar ones look like the end of the transient (K. Hoad, S. Robinson, R. Davies, "Automating warm-up length
 * estimation", Journal of the Operational Research Society 61, 2010).
 */
public final class Mser5 {
    private static final int BATCH = 5;
    private static final int MIN_LEFT = 5;
    /** Least number of batches for a result. */
    private static final int MIN_BATCHES = 10;

    private Mser5() {}

    /** Returns true if the first {@code count} observations have a transient that ends in their first half. */
    public static boolean isSteady(double[] series, int count) {
        int batches = count / BATCH;
        return batches >= MIN_BATCHES && truncation(series, count) <= batches / 2 * BATCH;
    }

    /** Returns the length of the transient in the first {@code count} observations: a multiple of five. */
    public static int truncation(double[] series, int count) {
        int batches = count / BATCH;
        double shift = batches == 0 ? 0 : mean(series, batches - 1);
        double sum = 0;
        double squares = 0;
        double min = Double.POSITIVE_INFINITY;
        int at = 0;
        for (int first = batches - 1; first >= 0; first--) {
            double deviation = mean(series, first) - shift;
            sum += deviation;
            squares += deviation * deviation;
            int left = batches - first;
            if (left >= MIN_LEFT) {
                double statistic = Math.max(0, squares - sum * sum / left) / ((double) left * left);
                // Nothing is cut off a series without variation.
                if (statistic <= min) {
                    min = statistic;
                    at = first;
                }
            }
        }
        return at * BATCH;
    }

    private static double mean(double[] series, int batch) {
        double sum = 0;
        for (int i = 0; i < BATCH; i++) {
            sum += series[batch * BATCH + i];
        }
        return sum / BATCH;
    }
}
