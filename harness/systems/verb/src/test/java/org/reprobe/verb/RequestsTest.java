package org.reprobe.verb;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.verb.VerbSettings.Addresses;
import org.reprobe.verb.VerbSettings.Exchange;
import org.reprobe.verb.VerbSettings.Kind;
import org.reprobe.verb.VerbSettings.Refill;

/** Requests in flight, batches and completions, in a time that passes only while the client waits. */
class RequestsTest {
    private static final RemoteRegion REGION = new RemoteRegion(4096, 1 << 20, 7);
    private static final Sampling.Conditions DISTURBED = new Sampling.Conditions(0, true);

    private final FakeCard card = new FakeCard();

    private static VerbSettings settings(
            Kind kind, int queuePairs, int inFlight, int batch, int signalEvery, Refill refill) {
        return new VerbSettings(
                kind,
                8,
                Exchange.REQUEST,
                queuePairs,
                1,
                0,
                inFlight,
                batch,
                signalEvery,
                0,
                Addresses.ONE,
                1 << 20,
                refill);
    }

    private Counts run(VerbSettings verb, long durationNs, Sampling.Conditions conditions) throws Exception {
        Sampling sampling = new Sampling(0, durationNs, false, 0, conditions);
        SampledInterval interval = sampling.join(card);
        Counts counts = OperationCounts.none();
        VerbWorkload.Parameters plan =
                new VerbWorkload.Parameters(verb, 1, 1, false, REGION, 16, 1, 0, durationNs, conditions);
        try {
            new Requests(plan, card, interval, counts).run();
        } finally {
            interval.abandon();
        }
        return counts;
    }

    private List<String> firstOf(int count, VerbSettings verb) throws Exception {
        run(verb, 200, Sampling.Conditions.NONE);
        return card.log.subList(0, count);
    }

    @Test
    void oneRequestAtATimeHasOneDoorbellAndOneCompletionEach() throws Exception {
        assertThat(firstOf(6, settings(Kind.READ, 1, 1, 1, 1, Refill.EACH)))
                .containsExactly("r0:1*", "doorbell", "done", "r0:2*", "doorbell", "done");
    }

    @Test
    void aCompletionEndsEarlierRequestsAndTheNextBatchFollows() throws Exception {
        assertThat(firstOf(10, settings(Kind.WRITE, 1, 4, 2, 2, Refill.EACH)))
                .containsExactly(
                        "w0:1", "w0:2*", "doorbell", "w0:3", "w0:4*", "doorbell", "done", "w0:5", "w0:6*", "doorbell");
    }

    @Test
    void aBatchWaitsUntilItIsFull() throws Exception {
        assertThat(firstOf(9, settings(Kind.WRITE, 1, 3, 2, 1, Refill.EACH)))
                .containsExactly("w0:1*", "w0:2*", "doorbell", "w0:3*", "done", "w0:4*", "doorbell", "done", "w0:5*");
    }

    @Test
    void allRequestsArePostedInBatchesAndAwaited() throws Exception {
        assertThat(firstOf(13, settings(Kind.READ, 1, 3, 2, 1, Refill.ALL)))
                .containsExactly(
                        "r0:1*",
                        "r0:2*",
                        "doorbell",
                        "r0:3*",
                        "doorbell",
                        "done",
                        "done",
                        "done",
                        "r0:4*",
                        "r0:5*",
                        "doorbell",
                        "r0:6*",
                        "doorbell");
    }

    @Test
    void theLastOfAllRequestsHasACompletion() throws Exception {
        assertThat(firstOf(7, settings(Kind.READ, 1, 3, 3, 2, Refill.ALL)))
                .containsExactly("r0:1", "r0:2*", "r0:3*", "doorbell", "done", "done", "r0:4");
    }

    @Test
    void aFinalReadEndsRequestsWithoutCompletion() throws Exception {
        run(settings(Kind.WRITE, 1, 4, 1, 3, Refill.EACH), 200, Sampling.Conditions.NONE);
        List<String> end = card.log.subList(card.log.size() - 3, card.log.size());
        assertThat(end.getFirst()).startsWith("r0:").endsWith("*");
        assertThat(end.subList(1, 3)).containsExactly("doorbell", "done");
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, 1, EACH, 1",
        "1, 128, 1, 100, EACH, 129",
        "1, 16, 16, 16, EACH, 17",
        "3, 8, 4, 2, EACH, 9",
        "2, 12, 5, 12, ALL, 12"
    })
    void requestsInFlightAreRateTimesLatency(
            int queuePairs, int inFlight, int batch, int signalEvery, Refill refill, int maxInFlight) throws Exception {
        card.logs = false;
        VerbSettings verb = settings(Kind.WRITE, queuePairs, inFlight, batch, signalEvery, refill);
        Counts counts = run(verb, 100_000, Sampling.Conditions.NONE);
        double inFlightMeasured = counts.perSecond(Counter.OPERATIONS)
                * 1e-9
                * counts.histogram(Recorded.READ_NS).getMean();
        assertThat(inFlightMeasured / verb.requests()).isBetween(0.98, 1.02);
        assertThat(card.maxInFlight).isLessThanOrEqualTo(maxInFlight);
        assertThat(card.queuePairs).hasSize(queuePairs);
    }

    @ParameterizedTest
    @CsvSource({"COMPARE_AND_SWAP, 1", "COMPARE_AND_SWAP, 4", "FETCH_AND_ADD, 4"})
    void successesOfAtomicsAreIncrements(Kind kind, int inFlight) throws Exception {
        Counts counts = run(settings(kind, 1, inFlight, 1, 1, Refill.EACH), 1000, Sampling.Conditions.NONE);
        assertThat(counts.total(Counter.CAS_SUCCESSES)).isEqualTo(card.word()).isPositive();
        assertThat(counts.total(Counter.CAS_UNANSWERED)).isZero();
        boolean retries = kind == Kind.COMPARE_AND_SWAP && inFlight > 1;
        assertThat(counts.total(Counter.RETRIES) > 0).isEqualTo(retries);
    }

    @Test
    void allQueuePairsReconnectAfterAFault() throws Exception {
        card.failingWait = 20;
        card.logs = false;
        Counts counts = run(settings(Kind.FETCH_AND_ADD, 2, 4, 1, 1, Refill.EACH), 1000, DISTURBED);
        assertThat(card.queuePairs).hasSize(4);
        assertThat(counts.total(Counter.CAS_UNANSWERED))
                .as("in flight when the link was cut")
                .isEqualTo(8);
        assertThat(counts.total(Counter.CAS_SUCCESSES) + 8).isEqualTo(card.word());
        assertThat(counts.failuresPerSecond() * counts.durationNs() * 1e-9).isEqualTo(8);
    }

    @Test
    void aFaultAfterTheSampleDoesNotFailTheRun() throws Exception {
        card.logs = false;
        run(settings(Kind.WRITE, 1, 4, 1, 1, Refill.EACH), 1000, DISTURBED);
        int last = card.waits;
        FakeCard other = new FakeCard();
        other.failingWait = last;
        other.logs = false;
        Sampling sampling = new Sampling(0, 1000, false, 0, DISTURBED);
        Counts counts = OperationCounts.none();
        VerbSettings verb = settings(Kind.WRITE, 1, 4, 1, 1, Refill.EACH);
        new Requests(
                        new VerbWorkload.Parameters(verb, 1, 1, true, REGION, 16, 1, 0, 1000, DISTURBED),
                        other,
                        sampling.join(other),
                        counts)
                .run();
        assertThat(other.waits).isEqualTo(last);
        assertThat(counts.total(Counter.OPERATIONS)).isPositive();
    }

    /** The loop runs millions of times per second. */
    @ParameterizedTest
    @CsvSource({"READ, 1, 1", "WRITE, 128, 100", "COMPARE_AND_SWAP, 16, 1"})
    void aRequestAllocatesNothing(Kind kind, int inFlight, int signalEvery) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        card.logs = false;
        VerbSettings verb = settings(kind, 1, inFlight, 1, signalEvery, Refill.EACH);
        run(verb, 100_000, Sampling.Conditions.NONE);
        long before = threads.getCurrentThreadAllocatedBytes();
        run(verb, 100_000, Sampling.Conditions.NONE);
        long shortRun = threads.getCurrentThreadAllocatedBytes() - before;
        long shortWaits = card.waits;
        before = threads.getCurrentThreadAllocatedBytes();
        run(verb, 1_000_000, Sampling.Conditions.NONE);
        long longRun = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(card.waits).isGreaterThan((int) (4 * shortWaits));
        assertThat(longRun - shortRun).as("bytes of 90000 further waits").isLessThan(9_000);
    }
}
