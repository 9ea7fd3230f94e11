package org.reprobe.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.verbs.Sessions.ServingRun;
import org.reprobe.testing.Background;

/** Assignment of client processes to runs, without a card. */
class SessionsTest {
    private static final long TOKEN = 4711;
    private static final RemoteRegion SELF_TEST = new RemoteRegion(1 << 20, 4096, 77);

    private final List<ClientProcess> processes = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private Sessions sessions;

    @BeforeEach
    void listen() throws IOException {
        sessions = new Sessions(new ServerSocket(0, 16, InetAddress.getLoopbackAddress()), TOKEN, SELF_TEST);
    }

    @AfterEach
    void close() {
        processes.forEach(process -> process.control.close());
        sessions.close();
    }

    private final class ClientProcess {
        private final VerbsControl control;
        private final RemoteRegion selfTest;
        private final int number;

        ClientProcess(int clients, long token) throws IOException {
            control = new VerbsControl(new Socket(
                    sessions.address().getAddress(), sessions.address().getPort()));
            processes.add(this);
            control.out().writeLong(token);
            control.out().writeInt(clients);
            selfTest = new RemoteRegion(
                    control.in().readLong(),
                    control.in().readLong(),
                    control.in().readInt());
            number = control.in().readInt();
        }

        void ends(int clients) throws IOException {
            for (int i = 0; i < clients; i++) {
                control.send(VerbsControl.CLIENT_ENDED);
            }
        }

        void end() {
            Background.start(control::readUntilEnd);
            control.end();
        }
    }

    private ClientProcess process(int clients) throws IOException {
        return new ClientProcess(clients, TOKEN);
    }

    private void awaitEnd(ServingRun run) throws Exception {
        long endNs = System.nanoTime() + 20_000_000_000L;
        while (!sessions.clientsHaveEnded(run)) {
            assertThat(System.nanoTime()).as("the clients' end is known").isLessThan(endNs);
            Thread.sleep(1);
        }
    }

    @Test
    void aProcessReceivesTheSelfTestsRegion() throws Exception {
        assertThat(process(1).selfTest).isEqualTo(SELF_TEST);
    }

    @Test
    void anotherTokenGetsNoAnswer() {
        assertThatThrownBy(() -> new ClientProcess(1, TOKEN + 1)).isInstanceOf(EOFException.class);
    }

    @Test
    void aProcessIsPresentUntilItLeaves() throws Exception {
        ClientProcess leaves = process(1);
        ClientProcess stays = process(1);
        assertThat(sessions.isPresent(leaves.number)).isTrue();
        leaves.end();
        assertThat(sessions.isPresent(leaves.number)).isFalse();
        assertThat(sessions.isPresent(stays.number)).isTrue();
        assertThat(sessions.isPresent(Sessions.UNKNOWN)).isTrue();
    }

    @Test
    void aRunEndsWithTheLastClientOfAllItsProcesses() throws Exception {
        ServingRun run = sessions.serve(3);
        ClientProcess one = process(1);
        ClientProcess two = process(2);
        one.ends(1);
        two.ends(1);
        Thread.sleep(20);
        assertThat(sessions.clientsHaveEnded(run)).isFalse();
        two.ends(1);
        awaitEnd(run);
    }

    @Test
    void clientsThatBeganAndEndedBeforeTheRunBelongToIt() throws Exception {
        ClientProcess early = process(2);
        early.ends(2);
        awaitEnd(sessions.serve(2));
    }

    /** Regression: the next run's program returned at once, its clients' SENDs found no RECEIVE, and the suite hung. */
    @Test
    void aProcessesMessagesCountInOneRunOnly() throws Exception {
        ServingRun first = sessions.serve(2);
        ClientProcess process = process(2);
        process.ends(2);
        awaitEnd(first);
        sessions.stopServing();

        ServingRun second = sessions.serve(2); // the process has not closed its connection yet

        assertThat(sessions.clientsHaveEnded(second)).isFalse();
        process.end();
        assertThat(sessions.clientsHaveEnded(second)).isFalse();
        assertThat(sessions.clientsHaveEnded(first)).isTrue();
    }

    /** Without a server program only their absence separates one run's clients from the next one's. */
    @Test
    void theServerHasForgottenAProcessWhenItsConnectionIsClosed() throws Exception {
        for (int round = 0; round < 300; round++) {
            ClientProcess process = process(2);
            process.ends(2);
            process.end();

            ServingRun next = sessions.serve(2);

            assertThat(sessions.clientsHaveEnded(next)).as("round %d", round).isFalse();
            sessions.stopServing();
        }
    }

    @Test
    void aKilledProcessesClientsHaveEnded() throws Exception {
        ServingRun run = sessions.serve(3);
        ClientProcess process = process(3);
        process.ends(1);
        process.control.close();
        awaitEnd(run);
    }

    @Test
    void aServerThatBrokeDownBeforeARunFailsItAndEveryLaterOne() throws Exception {
        sessions.breakDown("the server's RDMA device was removed");
        for (int run = 0; run < 2; run++) {
            ServingRun serving = sessions.serve(1);
            assertThatThrownBy(() -> sessions.clientsHaveEnded(serving))
                    .isInstanceOf(FabricException.class)
                    .hasMessage("the server's RDMA device was removed");
            sessions.stopServing();
        }
    }

    @Test
    void aFailureOfARunEndsThatRunOnlyByItsFirstWords() throws Exception {
        ServingRun run = sessions.serve(1);
        sessions.fail("a connection could not be accepted: no room");
        sessions.fail("another one, too");
        assertThatThrownBy(() -> sessions.clientsHaveEnded(run)).hasMessageEndingWith("no room");
        sessions.stopServing();
        assertThat(sessions.clientsHaveEnded(sessions.serve(1))).isFalse();
    }

    @Test
    void onlyOneProgramRunsAtATime() {
        sessions.serve(1);
        assertThatThrownBy(() -> sessions.serve(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anInterruptedCloseStillAwaitsTheServerAndStaysInterrupted() throws Exception {
        ClientProcess process = process(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        Background.start(() -> {
                    Thread.currentThread().interrupt();
                    process.end();
                    interrupted.set(Thread.interrupted());
                })
                .join();
        assertThat(interrupted).isTrue();
        assertThat(sessions.clientsHaveEnded(sessions.serve(1))).isFalse();
    }
}
