package org.reprobe.verbs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

class RdmaCoreTest {
    @Test
    void aMissingLibraryIsNamedWithItsPackages() {
        assumeTrue(isHere(), "rdma-core is not installed");
        assertThatThrownBy(() -> RdmaCore.libraries("libibverbs.so.1", "libmissing.so.1"))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("libibverbs.so.1 and libmissing.so.1 are needed")
                .hasMessageContaining("apt-get install libibverbs1 librdmacm1 ibverbs-providers");
    }

    private static boolean isHere() {
        try {
            DisniProvider.install();
            return true;
        } catch (UnsatisfiedLinkError | NoClassDefFoundError _) {
            return false;
        }
    }
}
