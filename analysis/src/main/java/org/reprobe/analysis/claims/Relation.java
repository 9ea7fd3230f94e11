package org.reprobe.analysis.claims;

/** Required relation of a reproduced number to the published one. */
public enum Relation {
    /** The two differ by the tolerance at most. */
    EQUALS("equals"),
    /** Equality that is stated in words: 1, or 0 for a difference in percent, within a margin. */
    EQUIVALENT("equivalent to"),
    /** Not smaller by more than the tolerance. */
    AT_LEAST("at least"),
    /** Not larger by more than the tolerance. */
    AT_MOST("at most"),
    /** Strictly larger, up to the tolerance. */
    ABOVE("above"),
    /** Strictly smaller, up to the tolerance. */
    BELOW("below");

    /** Relative difference up to which doubles count as equal. */
    private static final double ROUNDING = 1e-9;

    private final String words;

    Relation(String words) {
        this.words = words;
    }

    public String words() {
        return words;
    }

    /** Returns the requirement in words: the number alone if it is printed, otherwise "at least 145". */
    public String of(String number) {
        return this == EQUALS ? number : words + " " + number;
    }

    /** Returns true for a limit on one side. */
    public boolean isBound() {
        return this != EQUALS && this != EQUIVALENT;
    }

    /** Returns true if the relation holds or is violated by at most {@code tolerance}; all in one unit. */
    public boolean holds(double reproduced, double published, double tolerance) {
        double difference = reproduced - published;
        double rounding = ROUNDING * Math.max(Math.abs(published), tolerance);
        return switch (this) {
            case EQUALS, EQUIVALENT -> Math.abs(difference) <= tolerance + rounding;
            case AT_LEAST -> difference >= -tolerance - rounding;
            case AT_MOST -> difference <= tolerance + rounding;
            case ABOVE -> difference > -tolerance + rounding;
            case BELOW -> difference < tolerance - rounding;
        };
    }

    /** Returns the verdict of a 95 % interval (NaN if unknown): holds, or is missed, only if all of it does. */
    ClaimResult.Status judge(double reproduced, double halfWidth, double published, double tolerance) {
        double spread = Double.isFinite(halfWidth) ? halfWidth : 0;
        boolean low = holds(reproduced - spread, published, tolerance);
        boolean high = holds(reproduced + spread, published, tolerance);
        if (low && high) {
            return ClaimResult.Status.HOLDS;
        }
        boolean somewhere = low || high || (!isBound() && holds(reproduced, published, tolerance + spread));
        return somewhere ? ClaimResult.Status.CANT_TELL : ClaimResult.Status.MISSED;
    }

    /** Returns true if {@code left} is further than {@code right} from agreement with the published number. */
    boolean worse(double left, double right, double published) {
        return switch (this) {
            case EQUALS, EQUIVALENT -> Math.abs(left - published) > Math.abs(right - published);
            case AT_LEAST, ABOVE -> left < right;
            case AT_MOST, BELOW -> left > right;
        };
    }
}
