package org.reprobe.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Bounds, both inclusive, of the whole number that an option takes. {@link ArgumentErrors} holds values against them. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
@interface Range {
    long min() default Long.MIN_VALUE;

    long max() default Long.MAX_VALUE;
}
