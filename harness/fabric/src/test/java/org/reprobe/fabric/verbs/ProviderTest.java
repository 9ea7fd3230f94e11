package org.reprobe.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.FabricException;

class ProviderTest {
    private static final String PROPERTY = "reprobe.verbs.provider";

    @AfterEach
    void chooseNone() {
        System.clearProperty(PROPERTY);
    }

    @Test
    void anUnknownProviderIsRefusedWithTheExistingOnes() {
        System.setProperty(PROPERTY, "disni");
        assertThatThrownBy(Provider::chosen)
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("rdma-core or libdisni, not \"disni\"");
    }

    @Test
    void missingLibdisniIsReported() {
        assumeTrue(!isThere(), "libdisni is installed");
        System.setProperty(PROPERTY, "libdisni");
        assertThatThrownBy(Provider::chosen)
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("libdisni is missing")
                .hasMessageContaining("rdma-core needs none");
    }

    @SuppressWarnings("restricted")
    private static boolean isThere() {
        try {
            System.loadLibrary("disni");
            return true;
        } catch (UnsatisfiedLinkError _) {
            return false;
        }
    }
}
