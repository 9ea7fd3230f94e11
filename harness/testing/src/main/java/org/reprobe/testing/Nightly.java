package org.reprobe.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Slow test, or those of a class, that only the nightly run includes, since a quicker test of the same feature runs
 * always: {@code ./run.sh test --nightly} or {@code -Dreprobe.nightly=true} runs all. An ordinary run ends with the
 * number of skipped ones. For single cases of a test, see {@link NightlyCases}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NightlyCondition.class)
public @interface Nightly {
    /** Name of the quicker test. */
    String besides();
}
