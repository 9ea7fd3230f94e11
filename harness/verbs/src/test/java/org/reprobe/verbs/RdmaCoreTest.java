package org.reprobe.verbs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;

class RdmaCoreTest {
    @Test
    @Needs(Need.RDMA_CORE)
    void aMissingLibraryIsNamedWithItsPackages() {
        assertThatThrownBy(() -> RdmaCore.libraries("libibverbs.so.1", "libmissing.so.1"))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("libibverbs.so.1 and libmissing.so.1 are needed")
                .hasMessageContaining("apt-get install libibverbs1 librdmacm1 ibverbs-providers");
    }
}
