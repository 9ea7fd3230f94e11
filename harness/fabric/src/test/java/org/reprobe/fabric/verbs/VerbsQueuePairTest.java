package org.reprobe.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvSendWR;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.testing.Background;
import org.reprobe.verbs.CompletionStatus;

/** Reactions of a queue pair to scripted completions of a card, or to their absence. */
@SuppressWarnings("EnumOrdinal") // the library numbers statuses so
class VerbsQueuePairTest {
    private static final int INLINE_BYTES = 16;
    private static final int PLACES = 4;
    private static final long RECEIVE = 1L << 62;
    private static final long DEADLINE_MS = 60;

    private final MemorySegment local = Arena.ofAuto().allocate(64, 8);
    private final Card card = new Card();
    private final End link = new End();
    private final VerbsQueuePair queuePair =
            new VerbsQueuePair(card, link, local, INLINE_BYTES, new ConnectionOptions(PLACES, 1, 2), DEADLINE_MS);
    private final Completions completions = new Completions(8);

    private record Request(int opcode, int flags, long local, int bytes, long remote, int key) {}

    private record Completion(long id, CompletionStatus status, int bytes) {}

    private static final class Card implements Posting {
        private final Request[] ring = new Request[PLACES];
        private final List<Integer> posted = new ArrayList<>();
        private final Queue<Completion> completions = new ArrayDeque<>();
        private List<Completion> polled = List.of();

        void completes(long id, CompletionStatus status) {
            completions.add(new Completion(id, status, 0));
        }

        void receives(int place, int bytes) {
            completions.add(new Completion(RECEIVE | place, CompletionStatus.IBV_WC_SUCCESS, bytes));
        }

        @Override
        public void put(int place, int opcode, int flags, long local, int bytes, long remote, int key) {
            ring[place] = new Request(opcode, flags, local, bytes, remote, key);
        }

        @Override
        public void compareAndSwap(
                int place, int flags, long local, long remote, int key, long expected, long desired) {
            put(place, IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP, flags, local, 8, remote, key);
        }

        @Override
        public void fetchAndAdd(int place, int flags, long local, long remote, int key, long addend) {
            put(place, IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD, flags, local, 8, remote, key);
        }

        @Override
        public void post(int first, int count) {
            for (int i = 0; i < count; i++) {
                posted.add((first + i) % PLACES);
            }
        }

        @Override
        public void receive(long id, long local, int bytes) throws IOException {
            if (bytes < 0) {
                throw new IOException("no");
            }
        }

        @Override
        public int poll(int max) {
            polled = new ArrayList<>();
            while (polled.size() < max && !completions.isEmpty()) {
                polled.add(completions.remove());
            }
            return polled.size();
        }

        @Override
        public long id(int i) {
            return polled.get(i).id();
        }

        @Override
        public int status(int i) {
            return polled.get(i).status().ordinal();
        }

        @Override
        public int receivedBytes(int i) {
            return polled.get(i).bytes();
        }

        @Override
        public int vendorError(int i) {
            return 129;
        }

        @Override
        public void close() {}
    }

    private static final class End implements VerbsQueuePair.Link {
        private @Nullable String broken;
        private boolean ended;

        @Override
        public void check() throws FabricException {
            if (broken != null) {
                throw new FabricException(broken);
            }
        }

        @Override
        public boolean ended() {
            return ended;
        }

        @Override
        public void close() {}

        @Override
        public String peer() {
            return "the server at 10.7.0.1";
        }
    }

    private void poll() throws FabricException {
        queuePair.poll(completions);
    }

    private void send(int id) throws FabricException {
        queuePair.send(id, 0, 8, true);
        queuePair.doorbell();
    }

    private void read(int id) throws FabricException {
        queuePair.read(id, 0, 1 << 20, 5, 8, true);
        queuePair.doorbell();
    }

    /** Regression: it waited forever when a server program had ended before it posted RECEIVEs. */
    @Test
    void aSendWithoutCompletionFailsAfterThreeTimesTheDeadline() throws Exception {
        send(1);
        long beginNs = System.nanoTime();

        Background.start(() -> assertThatThrownBy(() -> queuePair.await(completions))
                        .isInstanceOf(FabricException.class)
                        .hasMessageContaining("no completion from the server at 10.7.0.1")
                        .hasMessageContaining("of 1 requests: SENDs are among them")
                        .hasMessageContaining("posts RECEIVEs"))
                .join();

        assertThat((System.nanoTime() - beginNs) / 1_000_000).isGreaterThan(3 * DEADLINE_MS);
    }

    @Test
    void aReadWithoutCompletionFailsAfterTheDeadline() throws Exception {
        read(1);
        Background.start(() -> assertThatThrownBy(() -> queuePair.await(completions))
                        .isInstanceOf(FabricException.class)
                        .hasMessageContaining("of 1 requests: the queue pair broke without an error"))
                .join();
    }

    /** An unsignaled SEND that arrived long ago has no completion, and the reply may take any time. */
    @Test
    void aReceiveIsWaitedForBeyondAllDeadlines() throws Exception {
        queuePair.receive(7, 8, 16);
        queuePair.send(1, 0, 8, false);
        queuePair.doorbell();
        Background answer = Background.start(() -> {
            queuePair.await(completions);
            assertThat(completions.id(0)).isEqualTo(7);
        });
        Thread.sleep(5 * DEADLINE_MS);
        card.receives(0, 8);
        answer.join();
    }

    @Test
    void aWaitEndsWithTheLinksReason() throws Exception {
        send(1);
        link.broken = "the server is gone";
        Background.start(() ->
                        assertThatThrownBy(() -> queuePair.await(completions)).hasMessage("the server is gone"))
                .join();
    }

    @Test
    void anInterruptedWaitEndsAndStaysInterrupted() throws Exception {
        send(1);
        Background.start(() -> {
                    Thread.currentThread().interrupt();
                    assertThatThrownBy(() -> queuePair.await(completions)).hasMessage("the run was ended");
                    assertThat(Thread.interrupted()).isTrue();
                })
                .join();
    }

    @Test
    void requestsArePostedInRunsOfTheRingByTheDoorbellOnly() throws Exception {
        queuePair.read(1, 0, 100, 5, 8, false);
        queuePair.read(2, 0, 100, 5, 8, true);
        assertThat(card.posted).isEmpty();
        queuePair.doorbell();
        queuePair.doorbell();
        assertThat(card.posted).containsExactly(0, 1);

        card.completes(1, CompletionStatus.IBV_WC_SUCCESS);
        poll();
        for (int id = 3; id <= 6; id++) {
            queuePair.read(id, 0, 100, 5, 8, true);
        }
        assertThatThrownBy(() -> queuePair.read(7, 0, 100, 5, 8, true)).hasMessageContaining("it holds 4");
        queuePair.doorbell();
        assertThat(card.posted).containsExactly(0, 1, 2, 3, 0, 1);
    }

    @Test
    void aCompletionFreesTheRequestsBeforeItsOwnAndCarriesTheCallersId() throws Exception {
        queuePair.read(70, 0, 100, 5, 8, false);
        queuePair.send(71, 0, 8, false);
        queuePair.read(72, 0, 100, 5, 8, true);
        queuePair.doorbell();
        assertThat(queuePair.free()).isEqualTo(1);
        card.completes(2, CompletionStatus.IBV_WC_SUCCESS);

        poll();

        assertThat(completions.count()).isEqualTo(1);
        assertThat(completions.id(0)).isEqualTo(72);
        assertThat(completions.received(0)).isFalse();
        assertThat(queuePair.free()).isEqualTo(4);
    }

    @Test
    void aReceiveHasItsIdAndLengthAndFreesItsPlaceOnly() throws Exception {
        queuePair.receive(31, 0, 16);
        queuePair.receive(32, 16, 16);
        assertThatThrownBy(() -> queuePair.receive(33, 32, 16)).hasMessageContaining("receive queue is full");
        send(1);
        card.receives(0, 11);
        card.receives(1, 12);

        poll();

        assertThat(completions.count()).isEqualTo(2);
        assertThat(completions.id(1)).isEqualTo(32);
        assertThat(completions.received(1)).isTrue();
        assertThat(completions.receivedBytes(1)).isEqualTo(12);
        assertThat(queuePair.free()).isEqualTo(3);
        assertThatCode(() -> queuePair.receive(33, 32, 16)).doesNotThrowAnyException();
    }

    @Test
    void completionsAreTakenUpToTheCapacity() throws Exception {
        for (int id = 0; id < 3; id++) {
            read(id);
            card.completes(id, CompletionStatus.IBV_WC_SUCCESS);
        }
        Completions two = new Completions(2);
        assertThat(queuePair.poll(two)).isEqualTo(2);
        assertThat(queuePair.poll(two)).isEqualTo(1);
        assertThat(two.id(0)).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "IBV_WC_REM_ACCESS_ERR, false, REMOTE_ACCESS_ERROR",
        "IBV_WC_REM_ACCESS_ERR, true, REMOTE_ACCESS_ERROR",
        "IBV_WC_LOC_PROT_ERR, false, LOCAL_PROTECTION_ERROR",
        "IBV_WC_LOC_LEN_ERR, true, LOCAL_LENGTH_ERROR",
        "IBV_WC_REM_INV_REQ_ERR, false, REMOTE_ACCESS_ERROR",
        "IBV_WC_REM_INV_REQ_ERR, true, REMOTE_INVALID_REQUEST",
        "IBV_WC_REM_OP_ERR, true, REMOTE_INVALID_REQUEST",
    })
    void aFailureIsTheCallersAndWhatFollowsIsFlushed(CompletionStatus found, boolean message, Status expected)
            throws Exception {
        if (message) {
            send(1);
        } else {
            read(1);
        }
        read(2);
        card.completes(0, found);
        card.completes(1, CompletionStatus.IBV_WC_WR_FLUSH_ERR);
        poll();

        assertThat(completions.status(0)).isEqualTo(expected);
        assertThat(completions.status(1)).isEqualTo(Status.FLUSHED);
        assertThat(queuePair.free()).isEqualTo(PLACES);
        assertThat(queuePair.isBeingFlushed()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            value = CompletionStatus.class,
            names = {"IBV_WC_RETRY_EXC_ERR", "IBV_WC_RNR_RETRY_EXC_ERR", "IBV_WC_FATAL_ERR", "IBV_WC_WR_FLUSH_ERR"})
    void unexpectedVerbsErrorsEndTheRunByName(CompletionStatus found) throws Exception {
        read(1);
        card.completes(0, found);
        assertThatThrownBy(this::poll)
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("a request to the server at 10.7.0.1 ended with " + found.name())
                .hasMessageContaining("vendor error 129");
    }

    @Test
    void aFlushIsReportedWithTheLinksReason() throws Exception {
        read(1);
        card.completes(0, CompletionStatus.IBV_WC_WR_FLUSH_ERR);
        link.broken = "its process died";
        assertThatThrownBy(this::poll)
                .hasMessageContaining("IBV_WC_WR_FLUSH_ERR")
                .hasMessageEndingWith("; its process died");
    }

    @Test
    void aFlushByThePeersEndIsNoFailure() throws Exception {
        queuePair.receive(31, 0, 16);
        read(1);
        link.ended = true;
        card.completes(0, CompletionStatus.IBV_WC_WR_FLUSH_ERR);
        card.completes(RECEIVE, CompletionStatus.IBV_WC_WR_FLUSH_ERR);
        poll();
        assertThat(completions.count()).isZero();
        assertThat(queuePair.free()).isEqualTo(PLACES);
    }

    @ParameterizedTest
    @CsvSource({"0, 16, true", "0, 17, false", "48, 16, true", "56, 16, false", "-8, 8, false"})
    void smallWritesFromLocalMemoryRideInTheRequest(long from, int bytes, boolean inline) {
        queuePair.write(1, from, 100, 5, bytes, true);
        assertThat(card.ring[0].flags())
                .isEqualTo(IbvSendWR.IBV_SEND_SIGNALED | (inline ? IbvSendWR.IBV_SEND_INLINE : 0));
        assertThat(card.ring[0].local()).isEqualTo(local.address() + from);
    }

    @ParameterizedTest
    @CsvSource({"-1, 16, true", "0, 1, false", "8, 8, true", "8, 9, false", "64, 16, true", "64, 17, false"})
    void theOptionLimitsInlinePayloadsWithinTheCardsLimit(int option, int bytes, boolean inline) {
        ConnectionOptions options = new ConnectionOptions(PLACES, 1, 2).inline(option);
        VerbsQueuePair limited = new VerbsQueuePair(card, link, local, INLINE_BYTES, options, DEADLINE_MS);
        limited.send(1, 0, bytes, false);
        assertThat(card.ring[0].flags()).isEqualTo(inline ? IbvSendWR.IBV_SEND_INLINE : 0);
    }

    /**
     * Software RDMA's library refuses to post the atomic, with the rest of the list; a READ out of bounds fails alike.
     */
    @Test
    void anUnalignedAtomicIsPostedAsAReadOutOfBounds() {
        queuePair.fetchAndAdd(1, 0, 1004, 5, 1, true);
        queuePair.compareAndSwap(2, 0, 1000, 5, 1, 2, true);
        assertThat(card.ring[0].opcode()).isEqualTo(IbvSendWR.IBV_WR_RDMA_READ);
        assertThat(card.ring[0].remote()).isEqualTo(-8);
        assertThat(card.ring[1].opcode()).isEqualTo(IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP);
        assertThat(card.ring[1].remote()).isEqualTo(1000);
    }
}
