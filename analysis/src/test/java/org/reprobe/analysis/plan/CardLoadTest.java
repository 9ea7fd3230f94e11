package org.reprobe.analysis.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.testing.Project;

class CardLoadTest {

    /** Batches are simulated request by request up to a number of outstanding READs; beyond, the time must not jump. */
    @Test
    void aListsTimeIsContinuousBeyondTheExactModel() throws Exception {
        for (String name : List.of("connectx5-edr", "connectx6-200g", "das5-fdr", "shm-here")) {
            NicProfile nic = NicProfiles.load(Project.path("scenarios/nics"), name);
            TableShape shape = new OneRead.Table(new OneRead(), 0.8, 16);
            for (int requests : new int[] {100, 1000, 10_000, 100_000}) {
                double followed = batchNs(nic, shape, requests, 512);
                double beyond = batchNs(nic, shape, requests, 513);
                assertThat(beyond).as("%s, %d requests", name, requests).isCloseTo(followed, withinPercentage(2));
            }
        }
    }

    private static double batchNs(NicProfile nic, TableShape shape, int requests, int places) {
        CardLoad load = new CardLoad(nic, shape, shape.demand(), new CardLoad.Clients(1, 28, 1 << 20, places), 1e9, 0);
        return load.batchNs(requests, load.costs(0));
    }
}
