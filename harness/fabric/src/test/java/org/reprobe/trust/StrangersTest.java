package org.reprobe.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class StrangersTest {
    private static final long SEED = Seeds.seed();

    private static InetAddress address(int last) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    @Test
    void theOldestFromWhereMostComeGoesFirst() throws Exception {
        Strangers<String> strangers = new Strangers<>(3);
        assertThat(strangers.admit("friend", address(1))).isNull();
        assertThat(strangers.admit("a", address(2))).isNull();
        assertThat(strangers.admit("b", address(2))).isNull();
        assertThat(strangers.admit("c", address(2))).isEqualTo("a");
        assertThat(strangers.admit("another friend", address(3))).isEqualTo("b");
        strangers.forget("friend");
        assertThat(strangers.admit("d", address(2))).isNull();
        assertThat(strangers.admit("e", address(2))).isEqualTo("c");
    }

    @Test
    void connectionsWithTheFirstProofGoLast() throws Exception {
        Strangers<String> strangers = new Strangers<>(3);
        strangers.admit("worker", address(1));
        strangers.expect("worker");
        for (int i = 0; i < 100; i++) {
            assertThat(strangers.admit("stranger " + i, address(1))).isNotEqualTo("worker");
        }
        strangers.expect("stranger 98");
        strangers.expect("stranger 99");
        strangers.expect("stranger 1"); // closed long ago
        assertThat(strangers.admit("one more", address(1))).isEqualTo("worker");
    }

    @Test
    void thereAreNeverMoreThanSoManyAndNobodyIsLostCount() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        Strangers<Integer> strangers = new Strangers<>(8);
        Set<Integer> open = new HashSet<>();
        for (int i = 0; i < 5_000; i++) {
            if (random.nextInt(3) == 0 && !open.isEmpty()) {
                Integer left = open.iterator().next();
                strangers.forget(left);
                strangers.forget(left); // a connection may end more than once
                open.remove(left);
            } else {
                Integer crowdedOut = strangers.admit(i, address(random.nextInt(3)));
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
