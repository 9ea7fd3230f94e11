package org.reprobe.run.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.reprobe.system.Settings;

class SlurmNodesTest {
    private static List<String> clients(SlurmNodes nodes, boolean servers) {
        return List.of(0, 1, 2, 3, 4).stream()
                .map(machine -> nodes.client(machine, servers).name())
                .toList();
    }

    @Test
    void theServerHasTheFirstNodeAndClientsTakeTurnsOnTheOthers() {
        SlurmNodes nodes = SlurmNodes.of(List.of("a", "b", "c"), "8(x3)");
        assertThat(nodes.server().name()).isEqualTo("a");
        assertThat(clients(nodes, true)).containsExactly("b", "c", "b", "c", "b");
    }

    @Test
    void machinesThatServeAndSendAlternateOverAllNodes() {
        assertThat(clients(SlurmNodes.of(List.of("a", "b", "c"), "8(x3)"), false))
                .containsExactly("a", "b", "c", "a", "b");
    }

    @Test
    void aSingleNodeHasAll() {
        SlurmNodes nodes = SlurmNodes.of(List.of("a"), "8");
        assertThat(nodes.server().name()).isEqualTo("a");
        assertThat(clients(nodes, true)).containsOnly("a");
    }

    @Test
    void nodesHaveSlurmsCpus() {
        assertThat(SlurmNodes.of(List.of("a", "b", "c", "d"), "72(x2),36").nodes())
                .extracting(SlurmNodes.Node::cpus)
                .containsExactly(72, 72, 36, 1);
        assertThat(SlurmNodes.of(List.of("a", "b"), "").nodes())
                .extracting(SlurmNodes.Node::cpus)
                .containsExactly(1, 1);
    }

    @Test
    void linesOfAWrapperAreNoNodes() {
        String lines = "Welcome\n\nn08\n n09 \nn10\nlogin-1\nrack1n2.site.org\n====\nn8 is fine\nbye\n";
        assertThat(SlurmNodes.names(lines, "n[08-10],login-1,rack[1-2]n[2,4].site.org"))
                .containsExactly("n08", "n09", "n10", "login-1", "rack1n2.site.org");
    }

    @Test
    void aJobIsKnownByItsNumberAndItsNodes() {
        assertThat(SlurmNodes.isJob(Map.of("SLURM_JOB_ID", "7", "SLURM_JOB_NODELIST", "a")))
                .isTrue();
        assertThat(SlurmNodes.isJob(Map.of("SLURM_JOB_ID", "7"))).isFalse();
    }

    @Test
    void withoutAJobNothingIsLaunched() {
        assertThatThrownBy(() -> WorkerProcess.Hosts.of(
                        new Settings.Hosts(Settings.SLURM, List.of(Settings.SLURM), "all", List.of("all")), true))
                .isInstanceOf(IOException.class)
                .hasMessage("hosts: slurm needs a Slurm job, but this process runs in none");
    }
}
