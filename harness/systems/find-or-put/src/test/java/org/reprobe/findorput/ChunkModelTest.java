package org.reprobe.findorput;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.testing.Project;

class ChunkModelTest {
    private static final Path NICS = Project.path("scenarios/nics");

    @Test
    void theModelsChunksGrowWithTheLoad() throws Exception {
        int[] buckets = ChunkModel.bucketsByPercent(NicProfiles.load(NICS, "das5-fdr"));
        assertThat(buckets).isSorted();
        assertThat(Arrays.stream(buckets)).allMatch(c -> c % 8 == 0);
        assertThat(buckets[50]).isLessThanOrEqualTo(16);
        assertThat(buckets[90]).isBetween(32, 128);
    }
}
