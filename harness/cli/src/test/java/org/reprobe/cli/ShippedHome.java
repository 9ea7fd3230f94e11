package org.reprobe.cli;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.reprobe.run.TinyScenario;

/** Lets commands in the test's process find this project's scenarios, cards and published numbers. */
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ShippedHome.Property.class)
@interface ShippedHome {

    /** System property with their folder. */
    final class Property implements BeforeEachCallback, AfterEachCallback {
        private static final String NAME = "reprobe.home";

        @Override
        public void beforeEach(ExtensionContext context) {
            System.setProperty(NAME, TinyScenario.HOME.toString());
        }

        @Override
        public void afterEach(ExtensionContext context) {
            System.clearProperty(NAME);
        }
    }
}
