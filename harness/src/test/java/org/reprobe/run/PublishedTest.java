package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.claims.Claim;
import org.reprobe.analysis.claims.ClaimFile;

class PublishedTest {
    @Test
    void aTimeMeasuredHereIsHeldAgainstAClaimOnlyIfTheClaimNamesTheFabric() throws Exception {
        Published all = new Published(ClaimFile.read(Path.of("../results/published/nessie.yaml")));
        assertThat(all.comparableOn(Set.of("sim"))).isEqualTo(all);
        assertThat(all.comparableOn(Set.of("sim", "tcp")).claims())
                .extracting(Claim::id)
                .contains("nessie/figure-1/tcp-read", "nessie/section-4/write-alone-0.75")
                .doesNotContain("nessie/abstract/write-latency");
    }
}
