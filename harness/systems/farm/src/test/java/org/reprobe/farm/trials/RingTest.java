package org.reprobe.farm.trials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.LocalFabric;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.shm.ShmClients;
import org.reprobe.fabric.shm.ShmServer;
import org.reprobe.fabric.sim.Placement;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.tcp.TcpClients;
import org.reprobe.fabric.tcp.TcpServer;
import org.reprobe.fabric.tcp.TcpSettings;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.messages.RingReceiver;
import org.reprobe.farm.messages.RingSender;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;
import org.reprobe.testing.SeededFaults;
import org.reprobe.testing.Seeds;
import org.reprobe.trial.CheckedSystem;

/** Server 1 sends messages of all lengths to server 0. */
class RingTest {
    private static final int MESSAGES = 2000;
    private static final ConnectionOptions OPTIONS = ConnectionOptions.oneSided(16, 16);

    private final long seed = Seeds.seed();
    private final AtomicReference<RemoteRegion> ring = new AtomicReference<>();
    private final AtomicReference<RemoteRegion> head = new AtomicReference<>();
    private final AtomicInteger received = new AtomicInteger();

    /** Returns a message whose content both ends derive from its number. */
    private byte[] message(int number, int maxBytes) {
        SplittableRandom random = new SplittableRandom(seed + number);
        byte[] bytes = new byte[random.nextInt(4) == 0 ? maxBytes : random.nextInt(1, maxBytes + 1)];
        random.nextBytes(bytes);
        if (number % 3 == 0) {
            Arrays.fill(bytes, (byte) 0);
        }
        return bytes;
    }

    private void receive(Server server, RingLayout layout) throws FabricException {
        MemorySegment memory = server.memory().allocate(layout.roomBytes() + 64);
        ring.set(server.memory().register(memory));
        while (head.get() == null) {
            server.pause(100);
        }
        QueuePair queuePair = server.connect(1, memory, OPTIONS);
        RingReceiver receiver = new RingReceiver(
                server, layout, memory, 0, queuePair, 1, memory, layout.roomBytes(), head.get(), layout.roomBytes());
        MemorySegment message = MemorySegment.ofArray(new byte[layout.bytes()]);
        Completions completions = new Completions(16);
        while (received.get() < MESSAGES) {
            server.watch(0, memory, receiver.awaitedAt(), 0);
            server.next(completions);
            server.changed();
            for (int i = 0; i < completions.count(); i++) {
                assertThat(completions.status(i)).isEqualTo(Completions.Status.SUCCESS);
                receiver.completed();
            }
            while (receiver.nextBytes() > 0) {
                byte[] expected = message(received.get(), layout.maxMessageBytes());
                assertThat(receiver.nextBytes()).as(Seeds.replay()).isEqualTo(expected.length);
                receiver.copy(message);
                assertThat(message.asSlice(0, expected.length).toArray(ValueLayout.JAVA_BYTE))
                        .as("message %d, %s", received.get(), Seeds.replay())
                        .isEqualTo(expected);
                receiver.processed();
                received.incrementAndGet();
                if (receiver.publishHead()) {
                    queuePair.doorbell();
                }
            }
            if (receiver.publishHead()) {
                queuePair.doorbell();
            }
        }
        assertThat(memory.asSlice(0, layout.roomBytes()).toArray(ValueLayout.JAVA_BYTE))
                .as("an empty ring")
                .containsOnly(0);
    }

    private void send(Server server, RingLayout layout) throws FabricException {
        MemorySegment local = server.memory().allocate(layout.roomBytes() + 64);
        head.set(server.memory().register(local));
        while (ring.get() == null) {
            server.pause(100);
        }
        QueuePair queuePair = server.connect(0, local, OPTIONS);
        assertThat(queuePair.writesLandInOrder()).isTrue();
        RingSender sender = new RingSender(
                server, layout, queuePair, OPTIONS.sendQueue(), 2, local, 0, layout.roomBytes(), ring.get(), 0);
        Completions completions = new Completions(16);
        for (int number = 0; number < MESSAGES; number++) {
            MemorySegment message = MemorySegment.ofArray(message(number, layout.maxMessageBytes()));
            while (!sender.send(message)) {
                server.pause(server.inVirtualTime() ? 200 : 150_000);
                queuePair.poll(completions);
                for (int i = 0; i < completions.count(); i++) {
                    assertThat(completions.status(i)).isEqualTo(Completions.Status.SUCCESS);
                    sender.completed();
                }
            }
            queuePair.doorbell();
        }
        assertThatThrownBy(() -> sender.send(MemorySegment.ofArray(new byte[layout.maxMessageBytes() + 1])))
                .hasMessage("a message of %d bytes: a ring of %d takes 1 to %d"
                        .formatted(layout.maxMessageBytes() + 1, layout.bytes(), layout.maxMessageBytes()));
    }

    /** Opens a fabric with two servers that are each other's clients. */
    private static Fabric open(String fabric) throws Exception {
        TcpSettings settings = TcpSettings.defaults();
        return switch (fabric) {
            case "sim" ->
                new SimFabric(
                        NicProfiles.load(Project.path("scenarios/nics"), "connectx3-farm"), Placement.together(2), 1);
            case "shm" -> new LocalFabric("shm", List.of(ShmServer.open(), ShmServer.open()), ShmClients::connect);
            default ->
                new LocalFabric(
                        "tcp",
                        List.of(TcpServer.onLoopback(settings), TcpServer.onLoopback(settings)),
                        servers -> new TcpClients(servers, settings));
        };
    }

    @ParameterizedTest
    @CsvSource({
        "sim, 48",
        "sim, 64",
        "sim, 80",
        "sim, 256",
        "sim, 4096",
        "shm, 48",
        "shm, 80",
        "shm, 4096",
        "tcp, 48",
        "tcp, 80",
        "tcp, 4096"
    })
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void eachMessageArrivesOnceInOrderAndWhole(String name, int ringBytes) throws Exception {
        RingLayout layout = new RingLayout(ringBytes);
        try (Fabric fabric = open(name)) {
            fabric.run(
                    1,
                    client -> {
                        while (received.get() < MESSAGES) {
                            client.pause(client.inVirtualTime() ? 1000 : 1_000_000);
                            assertThat(client.inVirtualTime() ? client.nowNs() : 0)
                                    .as("%d received", received.get())
                                    .isLessThan(1_000_000_000L);
                        }
                    },
                    List.of(server -> receive(server, layout), server -> send(server, layout)));
        }
        assertThat(received).hasValue(MESSAGES);
    }

    @Test
    void aRingThatIsTooSmallForItsMessagesIsRefused() {
        assertThat(RingLayout.problem(48, 8)).isNull();
        assertThat(RingLayout.problem(50, 8)).isEqualTo("a ring of 50 bytes: the size must be a multiple of 16");
        assertThat(RingLayout.problem(48, 9))
                .isEqualTo(
                        "a ring of 48 bytes is too small for messages of 9, which take 32 in it: it must have at least"
                                + " twice as many, 64");
    }

    private static SeededFaults seeded() {
        return new SeededFaults("org.reprobe.farm.");
    }

    /** Accepts a message once its first word is present, without a trailer. */
    private static SeededFaults noTrailer() {
        return seeded().replacing(
                        "messages.RingReceiver",
                        "return (long) SHARED_WORD.getAcquire(memory, trailerAt(bytes)) == 0 ? 0 : bytes;",
                        "return bytes;");
    }

    /** Reports space to the sender before it is zeroed. */
    private static SeededFaults headBeforeZeroing() {
        return seeded().replacing("messages.RingReceiver", "public int nextBytes() {", """
                        private MemorySegment notZeroed = MemorySegment.NULL;

                        public int nextBytes() {
                            notZeroed.fill((byte) 0);
                            notZeroed = MemorySegment.NULL;
                        """)
                .replacing(
                        "messages.RingReceiver",
                        "for (int done = 0; done < frame; done += Long.BYTES) { memory.set(WORD, at + done, 0); }",
                        "notZeroed = memory.asSlice(at, frame);");
    }

    /** Omits the sender's check of the message length. */
    private static SeededFaults anyLength() {
        return seeded().replacing(
                        "messages.RingSender", "if (bytes == 0 || bytes > layout.maxMessageBytes()) {", "if (false) {");
    }

    static Trial trial(int... messageWords) {
        return new RingTrial(8, messageWords);
    }

    private static @Nullable String found(Tearing tearing, int... messageWords) throws Exception {
        // All schedules with overtaking WRITEs take a minute; the check command explores them.
        return found(trial(messageWords), 2, tearing == Tearing.OVERTAKING ? 20_000 : 300_000, tearing);
    }

    private static @Nullable String found(SeededFaults fault, Tearing tearing, int... messageWords) throws Exception {
        Trial trial = (Trial) Objects.requireNonNull(fault.call(RingTest.class, "trial", messageWords));
        return found(trial, 3, 300_000, tearing);
    }

    private static @Nullable String found(Trial trial, int switches, long schedules, Tearing tearing) throws Exception {
        Counterexample found = new Exploration(trial, ExplorationLimits.USUAL.withTearing(tearing))
                .exhaustive(switches, schedules)
                .counterexample();
        return found == null ? null : found.violation();
    }

    @Test
    @Nightly(besides = "each message arrives once, in order and whole")
    void eachPartOfTheProtocolIsNeeded() throws Exception {
        assertThat(found(Tearing.ASCENDING, 2, 2, 1)).isNull();
        assertThat(found(noTrailer(), Tearing.ASCENDING, 2, 2, 1)).contains("was received with wrong content");
        assertThat(found(headBeforeZeroing(), Tearing.NONE, 2, 2, 2)).isNotNull();
        assertThat(found(anyLength(), Tearing.ASCENDING, 1, 4)).contains("waits forever");
        assertThat(found(Tearing.FROM_BOTH_ENDS, 2, 2, 1)).contains("was received with wrong content");
    }

    /** A message split into two WRITEs at the ring's end would be received incomplete. */
    @Test
    void oneWriteMayOvertakeAnother() throws Exception {
        assertThat(found(Tearing.OVERTAKING, 2, 1, 1, 2)).isNull();
        assertThat(found(noTrailer(), Tearing.OVERTAKING, 2, 1, 1, 2)).contains("was received with wrong content");
    }

    /** Necessity of in-order WRITEs: otherwise header and trailer land before the words between them. */
    @Test
    void withoutWriteOrderAMessageIsTorn() throws Exception {
        CheckedSystem anyOrder = FarmTrials.all().systems().stream()
                .filter(system -> system.name().equals("farm-ring-any-order"))
                .findFirst()
                .orElseThrow();
        Counterexample found = new Exploration(anyOrder.trial().get(), anyOrder.limits())
                .exhaustive(anyOrder.switches(), 10_000)
                .counterexample();
        assertThat(found).isNotNull();
        assertThat(found.violation()).contains("was received with wrong content");
    }
}
