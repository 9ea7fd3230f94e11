package org.reprobe.analysis.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.testing.Seeds;

class ReadSizeModelTest {
    private static final ReadSizeModel.Parameters PAPER = Published.parameters();
    private static final double CUTOFF = 0.99;
    private static final double EXACT = 1;

    @Test
    void withItsTailCutOffTheReadSizesAreThoseOfTable1() {
        assertThat(Published.rows("linear-probing-2020-table-1.csv")).hasSize(7).allSatisfy(row -> {
            ReadSizeModel model = model(row[0], 8, CUTOFF);
            assertThat(model.unconstrainedReadSlots()).isEqualTo((int) row[1]);
            assertThat(model.readSlots()).isEqualTo((int) row[2]);
        });
    }

    @Test
    void aTableAsLargeAsThePapersHasTheSameReadSizesAsTheLimit() {
        long records = 120L << 20;
        assertThat(Published.rows("linear-probing-2020-table-1.csv")).allSatisfy(row -> {
            ProbeLengths finite = FiniteProbeLengths.of(Math.round(records / row[0]), records, Homes.RANDOM);
            ReadSizeModel model = new ReadSizeModel(PAPER, finite, 8, CUTOFF);
            assertThat(model.unconstrainedReadSlots()).isEqualTo((int) row[1]);
        });
    }

    @Test
    void forOtherSlotSizesTheReadSizesAreThoseOfTable3() {
        assertThat(Published.rows("linear-probing-2020-table-3.csv"))
                .hasSize(4)
                .allSatisfy(row -> assertThat(model(0.65, (int) row[0], CUTOFF).readSlots())
                        .isEqualTo((int) row[1]));
    }

    @Test
    void theExactOptimumEqualsTheIndependentOne() {
        assertThat(Published.rows("exact-optimum.csv")).hasSize(7).allSatisfy(row -> {
            ReadSizeModel model = model(row[0], 8, EXACT);
            assertThat(model.unconstrainedReadSlots()).isEqualTo((int) row[1]);
            assertThat(model.readSlots()).isEqualTo(Math.min((int) row[1], model.bandwidthLimitSlots()));
        });
    }

    @ParameterizedTest
    @ValueSource(doubles = {CUTOFF, EXACT})
    void costAndRequestsAreEquations1To5AsPrinted(double cutoff) {
        for (double load : new double[] {0.25, 0.65, 0.9}) {
            ProbeLengths lengths = ProbeLengths.limit(load, Homes.RANDOM);
            ReadSizeModel model = new ReadSizeModel(PAPER, lengths, 8, cutoff);
            for (int slots : new int[] {1, 2, 5, 23, 29, 300}) {
                double readNs = PAPER.fixedCostNs() + PAPER.linkNsPerByte() * slots * 8;
                assertThat(model.readNs(slots)).isCloseTo(readNs, within(1e-9));
                assertThat(model.costNs(slots))
                        .isCloseTo(equation4(lengths, slots, 0, 0, cutoff) * readNs, within(1e-6));
                assertThat(model.expectedRequests(slots))
                        .isCloseTo(equation4(lengths, slots, 0, 0, EXACT), within(1e-9));
            }
        }
    }

    @Test
    void noReadSizeIsCheaperThanTheOneChosen() {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        for (int trial = 0; trial < 40; trial++) {
            ReadSizeModel.Parameters parameters = new ReadSizeModel.Parameters(
                    random.nextDouble(100, 20_000),
                    random.nextDouble(0.005, 0.5),
                    random.nextDouble(1e6, 200e6),
                    random.nextInt(20, 100));
            ProbeLengths lengths = ProbeLengths.limit(
                    random.nextDouble(0.05, 0.95), Homes.values()[random.nextInt(Homes.values().length)]);
            double cutoff = random.nextBoolean() ? EXACT : random.nextDouble(0.5, 1);
            ReadSizeModel model = new ReadSizeModel(parameters, lengths, random.nextInt(1, 200), cutoff);
            String which = "seed %d, trial %d: %s, %s".formatted(seed, trial, model, parameters);
            assertThat(model.unconstrainedReadSlots())
                    .as(which)
                    .isEqualTo(cheapest(model, Math.max(5000, lengths.longest())));
            assertThat(model.readSlots()).as(which).isEqualTo(cheapest(model, model.bandwidthLimitSlots()));
        }
    }

    @Test
    void readingTheHomesOfExistingKeysTakesMoreRequestsAndLargerReads() {
        for (double load : new double[] {0.25, 0.5, 0.65, 0.8, 0.9, 0.95}) {
            ReadSizeModel random = model(load, 8, EXACT);
            ReadSizeModel existing = new ReadSizeModel(PAPER, ProbeLengths.limit(load, Homes.EXISTING_KEYS), 8, EXACT);
            assertThat(existing.expectedRequests(23)).isGreaterThan(random.expectedRequests(23));
            assertThat(existing.unconstrainedReadSlots()).isGreaterThan(random.unconstrainedReadSlots());
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {CUTOFF, EXACT})
    void figure13HoldsSentenceBySentence(double cutoff) {
        int cluster = 10;
        ReadSizeModel low = model(0.25, 8, cutoff);
        ReadSizeModel high = model(0.65, 8, cutoff);

        // "such as at x = -30, the cluster is too far away to influence the output of the model at both load factors"
        assertThat(low.readSlots(30, cluster)).isEqualTo(low.readSlots());
        assertThat(high.readSlots(30, cluster)).isEqualTo(high.readSlots());

        // "at x = -20 for the 65% load factor, the cluster tracking model recommends reading fewer slots"
        assertThat(high.readSlots(20, cluster)).isLessThan(high.readSlots());

        // "such as at x = -4, the cluster tracking model chooses to read until the end of the cluster"
        int toTheEmptySlot = 4 + cluster + 1;
        assertThat(low.readSlots(4, cluster)).isEqualTo(toTheEmptySlot).isGreaterThan(low.readSlots());
        assertThat(high.readSlots(4, cluster)).isEqualTo(toTheEmptySlot).isLessThan(high.readSlots());

        // "Once the read offset is past the end of the cluster at x = +10 and greater, the read size reverts"
        for (int x = cluster; x < 3 * cluster; x++) {
            assertThat(low.readSlots(-x, cluster)).isEqualTo(low.readSlots());
            assertThat(high.readSlots(-x, cluster)).isEqualTo(high.readSlots());
        }
    }

    @Test
    void insideAClusterTheReadEndsAtItsEmptySlot() {
        ReadSizeModel model = model(0.65, 8, CUTOFF);
        assertThat(model.readSlots(0, 10)).isEqualTo(11);
        assertThat(model.readSlots(-1, 10)).isEqualTo(10);
        assertThat(model.readSlots(-9, 10)).isEqualTo(2);
        assertThat(model.readSlots(-5, 1_000_000)).isEqualTo(999_996);
        assertThat(model.readSlots(0, 1L << 40)).isEqualTo(Integer.MAX_VALUE);
    }

    @ParameterizedTest
    @CsvSource({"0.25,8,0.99", "0.65,8,0.99", "0.9,8,0.99", "0.25,8,1", "0.65,8,1", "0.9,32,1", "0.65,5,1"})
    void aHintedReadMinimisesEquation10WithinTheBandwidth(double load, int slotBytes, double cutoff) {
        ProbeLengths lengths = ProbeLengths.limit(load, Homes.RANDOM);
        ReadSizeModel model = new ReadSizeModel(PAPER, lengths, slotBytes, cutoff);
        int sight = cutoff < 1 ? lengths.slotsToReach(cutoff) : 60;
        for (int distance = 1; distance < sight; distance++) {
            for (int cluster : new int[] {1, 2, 7, 10, 40, 1000}) {
                double minNs = Double.POSITIVE_INFINITY;
                for (int slots = 1; slots <= model.bandwidthLimitSlots(); slots++) {
                    double costNs = equation4(lengths, slots, distance, cluster, cutoff) * model.readNs(slots);
                    minNs = Math.min(minNs, costNs);
                }
                int chosen = model.readSlots(distance, cluster);
                assertThat(chosen).isBetween(1, model.bandwidthLimitSlots());
                // Equal except for rounding: the next best is often as good to the last digits.
                assertThat(equation4(lengths, chosen, distance, cluster, cutoff) * model.readNs(chosen))
                        .as("%d slots ahead of a cluster of %d", distance, cluster)
                        .isCloseTo(minNs, within(1e-9 * minNs));
            }
        }
    }

    @Test
    void aClusterOutOfSightChangesNothing() {
        for (double cutoff : new double[] {CUTOFF, EXACT}) {
            ProbeLengths lengths = ProbeLengths.limit(0.8, Homes.RANDOM);
            ReadSizeModel model = new ReadSizeModel(PAPER, lengths, 8, cutoff);
            int sight = cutoff < 1 ? lengths.slotsToReach(cutoff) : lengths.longest();
            for (long distance : new long[] {sight, sight + 1, 1L << 33, Long.MAX_VALUE}) {
                assertThat(model.readSlots(distance, 1000)).isEqualTo(model.readSlots());
            }
        }
    }

    @Test
    void aGiganticClusterAheadIsReadOnlyAsFarAsTheBandwidthAllows() {
        ReadSizeModel model = model(0.65, 8, CUTOFF);
        assertThat(model.readSlots(5, 1L << 40)).isEqualTo(model.bandwidthLimitSlots());
    }

    @Test
    void aCardOfFewMessagesASecondStillAnswersHints() {
        ReadSizeModel.Parameters slow = new ReadSizeModel.Parameters(1000, 0.08, 1, 30);
        ReadSizeModel model = new ReadSizeModel(slow, ProbeLengths.limit(0.65, Homes.RANDOM), 8, EXACT);
        assertThat(model.bandwidthLimitSlots()).isGreaterThan(1_000_000_000);
        assertThat(model.readSlots()).isEqualTo(model.unconstrainedReadSlots());
        assertThat(model.readSlots(4, 10)).isEqualTo(15);
    }

    @Test
    void concurrentRequestsGetTheSameReplies() throws Exception {
        ReadSizeModel model = model(0.9, 8, CUTOFF);
        int[] expected = answers(model(0.9, 8, CUTOFF));
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            Callable<int[]> ask = () -> answers(model);
            for (Future<int[]> answer : threads.invokeAll(Collections.nCopies(4, ask))) {
                assertThat(answer.get()).isEqualTo(expected);
            }
        }
    }

    @Test
    void parametersComeFromTheCardsProfile() {
        NicProfile nic = new NicProfile(
                "card",
                "Card",
                new NicProfile.Responder(11, 5, 0.07, 1, 20, 300),
                new NicProfile.Link(25e9, 4096, 42, 30),
                new NicProfile.Requester(2000, 0, 900, 8, 6, 1.1),
                new NicProfile.Limits(8192, 16, 1000, 1L << 30, 1),
                new NicProfile.Client(150, 10, 0, 10, 10, 1, 0),
                new NicProfile.Model(1000, 100e6, 28),
                NicProfile.Contention.NONE,
                NicProfile.Transactions.NONE,
                NicProfile.Cluster.NONE,
                NicProfile.SetUp.NONE,
                NicProfile.Card.NONE,
                NicProfile.Slot.NONE,
                NicProfile.Transfer.NONE,
                NicProfile.Retransmission.NONE,
                Map.of());
        assertThat(ReadSizeModel.Parameters.of(nic)).isEqualTo(new ReadSizeModel.Parameters(1000, 0.04, 100e6, 28));
    }

    @Test
    void impossibleParametersAreRefusedInWords() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ReadSizeModel.Parameters(0, 0.08, 1e6, 30))
                .withMessage("the model's fixed cost is 0.0 ns: it must be more than 0");
        assertThatIllegalArgumentException().isThrownBy(() -> new ReadSizeModel.Parameters(1000, Double.NaN, 1e6, 30));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model(0.5, 0, EXACT))
                .withMessageContaining("a slot of 0 bytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model(0.5, 8, 0))
                .withMessageContaining("tail cut-off 0.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model(0.5, 8, EXACT).costNs(0))
                .withMessageContaining("a read of 0 slots");
    }

    private static ReadSizeModel model(double load, int slotBytes, double cutoff) {
        return new ReadSizeModel(PAPER, ProbeLengths.limit(load, Homes.RANDOM), slotBytes, cutoff);
    }

    private static int[] answers(ReadSizeModel model) {
        return IntStream.rangeClosed(-20, 300)
                .map(distance -> model.readSlots(distance, 10) + model.unconstrainedReadSlots())
                .toArray();
    }

    private static int cheapest(ReadSizeModel model, int max) {
        int best = 1;
        for (int slots = 2; slots <= max; slots++) {
            if (model.costNs(slots) < model.costNs(best)) {
                best = slots;
            }
        }
        return best;
    }

    /** Eq. 4 and 5 as printed, with the C_k of Eq. 10; a cluster of 0 slots is none. */
    private static double equation4(ProbeLengths lengths, int slots, int distance, int cluster, double cutoff) {
        double sum = 0;
        double last = 0;
        for (int i = 1; last < Math.min(cutoff, EXACT); i++) {
            int k = i * slots;
            double found;
            if (cluster == 0 || k <= distance) {
                found = lengths.atMost(k);
            } else if (k <= distance + cluster) {
                found = lengths.atMost(distance);
            } else {
                found = 1;
            }
            sum += i * (found - last);
            last = found;
        }
        return sum;
    }
}
