package org.reprobe.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients.Group;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Servers;
import org.reprobe.fabric.tcp.TcpClients;
import org.reprobe.fabric.tcp.TcpServer;
import org.reprobe.fabric.tcp.TcpSettings;
import org.reprobe.fabric.verbs.ServerInGuest.Served;

/**
 * A link that delays packets and loses some, by the kernel's netem (tc-netem(8)), which must cost only time. Atomics
 * show operations that are repeated or lost: the other end must recognize retransmissions. The host's kernel may have
 * no netem, the virtual machine's has; {@link VerbsInGuestTest} starts this before {@link TwoGuests}, in whose machines
 * it runs.
 */
class SlowLinkInGuest {
    private static final int WORDS = 64;
    private static final int MAX_TIMES = 500;

    /** Packets that must have been lost. A card takes seconds for a retransmission. */
    private static final int LOSSES = 2;

    private static final int LOOKS_EVERY = 10;

    /** Word of {@link ServerInGuest} that no other test changes. */
    private static final int COUNTED = 700;

    private static final List<String> SLOW = List.of("netem", "delay", "4ms", "2ms", "loss", "3%");

    /** A slow link until it is closed. */
    private record SlowLink(String device) implements AutoCloseable {
        static SlowLink on(String device) {
            List<String> command = new ArrayList<>(List.of("tc", "qdisc", "add", "dev", device, "root"));
            command.addAll(SLOW);
            said(command);
            return new SlowLink(device);
        }

        int dropped() {
            String statistics = said(List.of("tc", "-s", "qdisc", "show", "dev", device));
            String[] words = statistics.replaceAll("(?s).*dropped ", "").split("[^0-9]", 2);
            return Integer.parseInt(words[0]);
        }

        @Override
        public void close() {
            said(List.of("tc", "qdisc", "del", "dev", device, "root"));
        }

        private static String said(List<String> command) {
            try {
                Process process =
                        new ProcessBuilder(command).redirectErrorStream(true).start();
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(process.onExit().join().exitValue())
                        .as("%s: %s", command, output)
                        .isZero();
                return output;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Reads words, each of which is three times its number except the first, and increments one, until enough packets
     * were lost; returns the number of increments.
     */
    private static int work(Client client, RemoteRegion region, int counted, SlowLink link) throws FabricException {
        MemorySegment local = client.allocate(64);
        QueuePair queuePair = client.connect(local, new ConnectionOptions(16, 4));
        int times = 0;
        for (; times < MAX_TIMES && (times % LOOKS_EVERY > 0 || link.dropped() < LOSSES); times++) {
            int word = 1 + times % (WORDS - 1);
            queuePair.read(0, 0, region.address() + word * 8L, region.key(), 8, true);
            VerbsFailuresInGuest.succeeds(queuePair);
            assertThat(local.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(3L * word);
            queuePair.fetchAndAdd(0, 8, region.address() + counted * 8L, region.key(), 1, true);
            VerbsFailuresInGuest.succeeds(queuePair);
            assertThat(local.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(3L * counted + times);
        }
        assertThat(link.dropped()).isGreaterThanOrEqualTo(LOSSES);
        return times;
    }

    /** Between two machines: packets of the clients' one are slow, acknowledgements as well as requests. */
    @Test
    void cardsRepeatWhatIsLost() throws Exception {
        Served served = Served.await(Path.of(System.getProperty("reprobe.vm.folder")));
        String device = Stream.of(new File("/sys/class/net").list())
                .filter(name -> name.startsWith("e"))
                .findFirst()
                .orElseThrow();
        try (SlowLink link = SlowLink.on(device);
                VerbsClients clients = new VerbsClients(Servers.one(served.endpoint()))) {
            clients.run(Group.alone(1), client -> work(client, served.region(), COUNTED, link));
        }
    }

    /** Over the loopback device, both ways. */
    @Test
    void tcpRepeatsWhatIsLost() throws Exception {
        try (TcpServer server = TcpServer.onLoopback(TcpSettings.defaults())) {
            MemorySegment memory = server.allocate(WORDS * 8);
            for (int i = 0; i < WORDS; i++) {
                memory.setAtIndex(ValueLayout.JAVA_LONG, i, 3L * i);
            }
            RemoteRegion region = server.register(memory);
            try (SlowLink link = SlowLink.on("lo");
                    TcpClients clients = new TcpClients(Servers.one(server.endpoint()), TcpSettings.defaults())) {
                clients.run(
                        Group.alone(1),
                        client -> assertThat(work(client, region, 0, link))
                                .isEqualTo(memory.get(ValueLayout.JAVA_LONG, 0)));
            }
        }
    }
}
