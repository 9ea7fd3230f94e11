package org.reprobe.fabric.sim;

import java.util.Map;
import org.reprobe.analysis.nic.NicProfile;

/** Card with round constants, for expectations worked out by hand. */
public final class TestCard {
    private TestCard() {}

    /**
     * 10 ns per message, 5 ns more at random addresses, 0.1 ns per byte; 1 us round trip; no jitter; no client work.
     */
    public static NicProfile plain() {
        return of(
                new NicProfile.Requester(1000, 100, 500, 4, 0, 1),
                new NicProfile.Client(0, 0, 0, 0, 0, 0, 0),
                new NicProfile.Link(10e9, 1024, 0, 0));
    }

    /** {@link #plain} with transactions of up to {@code words} words: 20 ns each, 100 ns per commit. */
    public static NicProfile transactional(int words) {
        return plain().with(new NicProfile.Transactions(words, 20, 100));
    }

    public static NicProfile of(NicProfile.Requester requester, NicProfile.Client client, NicProfile.Link link) {
        return new NicProfile(
                "test",
                "Test card",
                new NicProfile.Responder(10, 5, 0.1, 1024, 20, 300),
                link,
                requester,
                new NicProfile.Limits(8192, 64, 1024, 1 << 30, 1),
                client,
                new NicProfile.Model(500, 100e6, 30),
                NicProfile.Contention.NONE,
                NicProfile.Transactions.NONE,
                NicProfile.Cluster.NONE,
                NicProfile.SetUp.NONE,
                NicProfile.Card.NONE,
                NicProfile.Slot.NONE,
                NicProfile.Transfer.NONE,
                NicProfile.Retransmission.NONE,
                Map.of());
    }
}
