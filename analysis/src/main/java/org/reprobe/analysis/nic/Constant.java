package org.reprobe.analysis.nic;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A constant of a NIC profile, on the record component that it is bound to. Its key is the component's name in kebab case. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
@interface Constant {
    /** What it may be. */
    Range value();

    /** What it is in a file that leaves it out; NaN where no file may. */
    double byDefault() default Double.NaN;

    /**
     * What a constant may be. Times may be zero, to switch a stage off; prices of all operations, counts and rates may not. No
     * card takes a second for anything, and sums of longer times would not fit in 64 bits.
     */
    enum Range {
        TIME("number", "minimum", 0, 1_000_000_000),
        PRICE("number", "exclusiveMinimum", 0, 1_000_000_000),
        RATE("number", "minimum", 1, 1e15),
        FACTOR("number", "minimum", 1, 10),
        COUNT("integer", "minimum", 1, Integer.MAX_VALUE),
        BYTES("integer", "minimum", 0, Integer.MAX_VALUE),
        LONG_BYTES("integer", "minimum", 1, Long.MAX_VALUE),
        FLAG("integer", "minimum", 0, 1);

        final String type;
        final String bound;
        final int low;
        final long high;

        Range(String type, String bound, int low, double high) {
            this.type = type;
            this.bound = bound;
            this.low = low;
            this.high = (long) high;
        }
    }
}
