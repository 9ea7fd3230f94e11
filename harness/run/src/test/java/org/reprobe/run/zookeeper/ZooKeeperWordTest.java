package org.reprobe.run.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.testing.Nightly;

class ZooKeeperWordTest {
    private static OwnZooKeeper server;

    @BeforeAll
    static void start() throws Exception {
        server = OwnZooKeeper.start(InetAddress.getLoopbackAddress());
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Test
    void replaceSucceedsWithTheCurrentValueAndReturnsItOtherwise() throws Exception {
        ZooKeeperAddress address =
                ZooKeeperAddress.parse(ZooKeeperAddress.anew(server.hosts()).text());
        try (ZooKeeperWord one = ZooKeeperWord.connect(address, true);
                ZooKeeperWord other = ZooKeeperWord.connect(address, false)) {
            assertThat(one.replace(7, 8)).isEqualTo(8);
            assertThat(other.replace(7, 9)).isEqualTo(8);
            assertThat(other.replace(8, 9)).isEqualTo(9);
            assertThat(one.replace(9, 9)).isEqualTo(9);
        }
    }

    @Test
    void ofManyThatReplaceTheSameValueOneWins() throws Exception {
        ZooKeeperAddress address = ZooKeeperAddress.anew(server.hosts());
        try (ExecutorService threads = Executors.newFixedThreadPool(4);
                ZooKeeperWord owner = ZooKeeperWord.connect(address, true)) {
            long present = owner.replace(0, 1);
            for (long round = 1; round < 20; round++) {
                long known = present;
                List<Callable<Long>> all = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    long next = 100 * round + i;
                    all.add(() -> owner.replace(known, next));
                }
                List<Long> seen = new ArrayList<>();
                for (Future<Long> each : threads.invokeAll(all)) {
                    seen.add(each.get());
                }
                present = owner.replace(0, 0);
                assertThat(present).isNotEqualTo(known);
                assertThat(seen).as("round " + round).containsOnly(present);
            }
        }
    }

    @Test
    void noAccessWithoutTheSecret() throws Exception {
        ZooKeeperAddress address = ZooKeeperAddress.anew(server.hosts());
        try (ZooKeeperWord owner = ZooKeeperWord.connect(address, true);
                ZooKeeperWord stranger =
                        ZooKeeperWord.connect(new ZooKeeperAddress(address.hosts(), address.path(), "guess"), true)) {
            assertThat(owner.replace(1, 2)).isEqualTo(2);
            assertThatThrownBy(() -> stranger.replace(2, 3))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("belongs to another run");
        }
    }

    @Test
    @Nightly(besides = "the other tests of the word")
    void anEndedServerIsReportedAsUnreachable() throws Exception {
        OwnZooKeeper ends = OwnZooKeeper.start(InetAddress.getLoopbackAddress());
        ZooKeeperAddress address = ZooKeeperAddress.anew(ends.hosts());
        try (ZooKeeperWord word = ZooKeeperWord.connect(address, false)) {
            assertThat(word.replace(1, 2)).isEqualTo(2);
            ends.close();
            assertThatThrownBy(() -> word.replace(2, 3)).isInstanceOf(UnreachableException.class);
        }
        assertThatThrownBy(() -> ZooKeeperWord.connect(address, false))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("no reply from ZooKeeper at " + address.hosts());
    }
}
