package org.reprobe.testing;

import java.util.List;

/** Series with known changes. */
public final class AnnotatedSeries {
    /**
     * Yearly flow of the Nile at Aswan, 1871 to 1970, in 10^8 m^3, as tabulated by G. W. Cobb, "The problem of the
     * Nile: conditional solution to a changepoint problem", Biometrika 65, 1978. The dam was begun in 1898, so 1899 is
     * the first year after it.
     */
    private static final AnnotatedSeries NILE = new AnnotatedSeries(
            "Nile",
            new double[] {
                1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799,
                958, 1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692,
                1020, 1050, 969, 831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744,
                796, 1040, 759, 781, 865, 845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860,
                874, 848, 890, 744, 749, 838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919,
                718, 714, 740
            },
            28,
            5);

    /** Series from the tests of Hunter, now Apache Otava. */
    private static final AnnotatedSeries DROP_BY_HALF = new AnnotatedSeries(
            "Hunter, 20 values",
            new double[] {
                1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96, 0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49,
                0.51, 0.50, 0.49
            },
            10,
            5);

    private static final AnnotatedSeries SHORT_DROP = new AnnotatedSeries(
            "Hunter, 11 values, a drop by half",
            new double[] {1.02, 0.95, 0.99, 1.00, 1.12, 0.90, 0.50, 0.51, 0.48, 0.48, 0.55},
            6,
            3);

    private static final AnnotatedSeries SHORT_STEP = new AnnotatedSeries(
            "Hunter, 11 values, a drop by a tenth",
            new double[] {2.02, 2.03, 2.01, 2.04, 1.82, 1.85, 1.79, 1.81, 1.80, 1.76, 1.78},
            4,
            3);

    private final String name;
    private final double[] values;
    private final int change;
    private final int minSegment;

    private AnnotatedSeries(String name, double[] values, int change, int minSegment) {
        this.name = name;
        this.values = values;
        this.change = change;
        this.minSegment = minSegment;
    }

    public static List<AnnotatedSeries> all() {
        return List.of(NILE, DROP_BY_HALF, SHORT_DROP, SHORT_STEP);
    }

    public String name() {
        return name;
    }

    /** Returns a copy of the values in their order. */
    public double[] values() {
        return values.clone();
    }

    public int change() {
        return change;
    }

    /** Returns the least number of values on each side of a change. */
    public int minSegment() {
        return minSegment;
    }
}
