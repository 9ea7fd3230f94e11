package org.reprobe.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class UnauthenticatedConnectionsTest {
    private static final long SEED = Seeds.seed();

    private static InetAddress address(int last) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    @Test
    void theOldestFromWhereMostComeGoesFirst() throws Exception {
        UnauthenticatedConnections<String> connections = new UnauthenticatedConnections<>(3);
        assertThat(connections.admit("friend", address(1))).isNull();
        assertThat(connections.admit("a", address(2))).isNull();
        assertThat(connections.admit("b", address(2))).isNull();
        assertThat(connections.admit("c", address(2))).isEqualTo("a");
        assertThat(connections.admit("another friend", address(3))).isEqualTo("b");
        connections.forget("friend");
        assertThat(connections.admit("d", address(2))).isNull();
        assertThat(connections.admit("e", address(2))).isEqualTo("c");
    }

    @Test
    void connectionsWithTheFirstProofGoLast() throws Exception {
        UnauthenticatedConnections<String> connections = new UnauthenticatedConnections<>(3);
        connections.admit("worker", address(1));
        connections.expect("worker");
        for (int i = 0; i < 100; i++) {
            assertThat(connections.admit("stranger " + i, address(1))).isNotEqualTo("worker");
        }
        connections.expect("stranger 98");
        connections.expect("stranger 99");
        connections.expect("stranger 1"); // closed long ago
        assertThat(connections.admit("one more", address(1))).isEqualTo("worker");
    }

    @Test
    void theNumberOfConnectionsIsLimitedAndCounted() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        UnauthenticatedConnections<Integer> connections = new UnauthenticatedConnections<>(8);
        Set<Integer> open = new HashSet<>();
        for (int i = 0; i < 5_000; i++) {
            if (random.nextInt(3) == 0 && !open.isEmpty()) {
                Integer left = open.iterator().next();
                connections.forget(left);
                connections.forget(left); // a connection may end more than once
                open.remove(left);
            } else {
                Integer crowdedOut = connections.admit(i, address(random.nextInt(3)));
                assertThat(crowdedOut == null).as("-Dreprobe.seed=%d", SEED).isEqualTo(open.size() < 8);
                open.add(i);
                if (crowdedOut != null) {
                    assertThat(open.remove(crowdedOut)).isTrue();
                }
            }
            assertThat(open).hasSizeLessThanOrEqualTo(8);
        }
    }
}
