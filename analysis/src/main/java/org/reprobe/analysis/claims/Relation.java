package org.reprobe.analysis.claims;

/** How a reproduced number must stand to the published one. */
public enum Relation {
    /** The two differ by the tolerance at most. */
    EQUALS("equals"),
    /** Not smaller; the tolerance is forgiven. */
    AT_LEAST("at least"),
    /** Not larger; the tolerance is forgiven. */
    AT_MOST("at most"),
    /** Strictly larger; the tolerance is forgiven. */
    ABOVE("above"),
    /** Strictly smaller; the tolerance is forgiven. */
    BELOW("below");

    /** Differences this small, relative to the published number, are the rounding of doubles. */
    private static final double ROUNDING = 1e-9;

    private final String words;

    Relation(String words) {
        this.words = words;
    }

    /** The words used in files and reports. */
    public String words() {
        return words;
    }

    /**
     * Whether the relation holds.
     *
     * @param tolerance the largest difference to the wrong side that still agrees, in the numbers' unit
     */
    public boolean holds(double reproduced, double published, double tolerance) {
        double difference = reproduced - published;
        double rounding = ROUNDING * Math.max(Math.abs(published), tolerance);
        return switch (this) {
            case EQUALS -> Math.abs(difference) <= tolerance + rounding;
            case AT_LEAST -> difference >= -tolerance - rounding;
            case AT_MOST -> difference <= tolerance + rounding;
            case ABOVE -> difference > -tolerance + rounding;
            case BELOW -> difference < tolerance - rounding;
        };
    }

    /**
     * What can be said of a number that is known up to an interval: that it holds or is missed only when that is so all over
     * the interval.
     *
     * @param halfWidth of the 95 % interval; NaN where there is none
     */
    ClaimResult.Status judge(double reproduced, double halfWidth, double published, double tolerance) {
        double spread = Double.isFinite(halfWidth) ? halfWidth : 0;
        boolean low = holds(reproduced - spread, published, tolerance);
        boolean high = holds(reproduced + spread, published, tolerance);
        if (low && high) {
            return ClaimResult.Status.HOLDS;
        }
        boolean somewhere = low || high || (this == EQUALS && holds(reproduced, published, tolerance + spread));
        return somewhere ? ClaimResult.Status.CANT_TELL : ClaimResult.Status.MISSED;
    }

    /** True when {@code left} is further than {@code right} from agreeing with the published number. */
    boolean worse(double left, double right, double published) {
        return switch (this) {
            case EQUALS -> Math.abs(left - published) > Math.abs(right - published);
            case AT_LEAST, ABOVE -> left < right;
            case AT_MOST, BELOW -> left > right;
        };
    }
}
