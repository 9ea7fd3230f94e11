package org.reprobe.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that computes for long, as exploring schedules does, or those of a class. On a machine that is many times slower than
 * usual it is left out once the build has taken too long, so that the build ends and tells what it has tested; what was left out
 * is told at its end. {@code -Dreprobe.costly=always} leaves nothing out.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(CostlyCondition.class)
public @interface Costly {
    /** Minutes from the build's beginning within which it begins or is left out. An undisturbed build is over within 15. */
    int withinMinutes();
}
