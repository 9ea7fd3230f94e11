package org.reprobe.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test, or those of a class, that an ordinary run leaves to the nightly one, since it takes long and a quicker test of the same feature
 * runs at all times: {@code ./run.sh test --nightly} or {@code -Dreprobe.nightly=true} runs all. An ordinary run ends by saying how many
 * were left out. Where only some cases of a test are to wait for the night, see {@link NightlyCases}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NightlyCondition.class)
public @interface Nightly {
    /** What of it runs at all times. */
    String besides();
}
