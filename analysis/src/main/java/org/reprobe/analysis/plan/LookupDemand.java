package org.reprobe.analysis.plan;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.reprobe.analysis.model.Homes;
import org.reprobe.analysis.model.ProbeLengths;

/**
 * What one lookup of an existing key, distinct from all others, asks of the network.
 *
 * @param firstReads READs that it posts at first, all at once
 * @param readBytes bytes of each READ of the table
 * @param tableReads mean READs of the table
 * @param randomReads those among them that begin at a random address
 * @param laterReadBytes bytes of a READ of the table after the first round
 * @param heapReads mean READs of the heap
 * @param heapBytes bytes of each
 * @param slots mean slots that the client scans
 * @param strayHeapReads P[a record with the same signature but another key is read too]
 * @param tableRounds P[it takes i + 1 rounds of READs of the table]; sums to 1
 * @param rounds P[the lookup takes i + 1 rounds of READs], heap included; sums to 1
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record LookupDemand(
        int firstReads,
        int readBytes,
        double tableReads,
        double randomReads,
        int laterReadBytes,
        double heapReads,
        int heapBytes,
        double slots,
        double strayHeapReads,
        double[] tableRounds,
        double[] rounds) {

    /** Rounds that are less likely than this together are left out. */
    private static final double LEFT_OUT = 1e-7;

    /** A signature has 255 values. */
    private static final double SAME_SIGNATURE = 1 / 255.0;

    private static final Map<Double, ProbeLengths> LENGTHS = new ConcurrentHashMap<>();

    /** Probe lengths of existing keys at a load factor, tabulated once. */
    static ProbeLengths lengths(double loadFactor) {
        return LENGTHS.computeIfAbsent(loadFactor, load -> ProbeLengths.limit(load, Homes.EXISTING_KEYS));
    }

    /** The demand of a shape. */
    public static LookupDemand of(TableShape shape) {
        return switch (shape.scheme()) {
            case LINEAR_FIXED, LINEAR_VARIABLE, LINEAR_VARIABLE_UNCONSTRAINED -> linear(shape);
            case CUCKOO_PARALLEL -> cuckoo(shape, true);
            case CUCKOO_SEQUENTIAL -> cuckoo(shape, false);
            case HOPSCOTCH -> hopscotch(shape);
            case HOPSCOTCH_CHAINED -> chained(shape);
        };
    }

    /** READs go on until the first empty slot (linear-probing paper, section 3.3, with the homes of existing keys). */
    private static LookupDemand linear(TableShape shape) {
        ProbeLengths lengths = lengths(shape.loadFactor());
        int slots = shape.readSlots();
        int most = 1;
        double reads = 1;
        for (double beyond = lengths.beyond(slots); beyond > 0; beyond = lengths.beyond((long) slots * most)) {
            reads += beyond;
            most++;
        }
        double[] rounds = new double[most];
        int last = 0;
        double before = 1;
        for (int i = 0; i < most; i++) {
            double after = lengths.beyond((long) (i + 1) * slots);
            rounds[i] = before - after;
            before = after;
            last = i;
            if (after < LEFT_OUT) {
                rounds[i] += after;
                break;
            }
        }
        rounds = Arrays.copyOf(rounds, last + 1);
        double heap = shape.inline() ? 0 : 1 + Math.max(0, lengths.mean() - 1) * SAME_SIGNATURE;
        double[] all = shape.inline() ? rounds : heapBeside(rounds, lengths, slots);
        return new LookupDemand(
                1,
                shape.readBytes(),
                reads,
                1,
                shape.readBytes(),
                heap,
                heap > 0 ? shape.recordBytes() : 0,
                lengths.mean() + 1 + heap,
                shape.inline() ? 0 : strays(lengths),
                rounds,
                all);
    }

    /**
     * The record's READ goes out with the table's next one, so that only a record in the last slots read takes a round
     * more. It may be any of the filled slots.
     */
    private static double[] heapBeside(double[] rounds, ProbeLengths lengths, int slots) {
        double[] all = new double[rounds.length + 1];
        all[1] = rounds[0];
        for (int i = 1; i < rounds.length; i++) {
            long before = (long) i * slots;
            double inLast = 0;
            for (int seen = 1; seen < slots; seen++) {
                inLast += lengths.pmf(before + seen) * seen / (before + seen);
            }
            all[i] += rounds[i] - inLast;
            all[i + 1] += inLast;
        }
        return all;
    }

    private static double strays(ProbeLengths lengths) {
        double none = 0;
        double chance = 1;
        for (int filled = 1; filled < lengths.longest() && chance > 1e-6; filled++) {
            none += lengths.pmf(filled) * chance;
            chance *= 1 - SAME_SIGNATURE;
        }
        return 1 - none;
    }

    private static LookupDemand cuckoo(TableShape shape, boolean parallel) {
        int k = shape.hashes();
        int m = shape.associativity();
        double heap = shape.inline() ? 0 : 1 + Math.max(0, k * m * shape.loadFactor() - 1) * SAME_SIGNATURE;
        double[] rounds = new double[(parallel ? 1 : k) + (shape.inline() ? 0 : 1)];
        if (parallel || shape.inline()) {
            rounds[rounds.length - 1] = 1;
        } else {
            // Asked in random order: the record is found by the last READ one time in k.
            rounds[k - 1] = 1 - 1.0 / k;
            rounds[k] = 1.0 / k;
        }
        return new LookupDemand(
                parallel ? k : 1,
                shape.readBytes(),
                k,
                k,
                shape.readBytes(),
                heap,
                heap > 0 ? shape.recordBytes() : 0,
                k * m + heap,
                shape.inline() ? 0 : 1 - Math.exp(1 - heap),
                certain(parallel ? 1 : k),
                rounds);
    }

    private static double[] certain(int rounds) {
        double[] all = new double[rounds];
        all[rounds - 1] = 1;
        return all;
    }

    private static LookupDemand hopscotch(TableShape shape) {
        double heap =
                shape.inline() ? 0 : 1 + Math.max(0, shape.neighbourhood() * shape.loadFactor() - 1) * SAME_SIGNATURE;
        return new LookupDemand(
                1,
                shape.readBytes(),
                1,
                1,
                shape.readBytes(),
                heap,
                heap > 0 ? shape.recordBytes() : 0,
                shape.neighbourhood() + heap,
                shape.inline() ? 0 : 1 - Math.exp(1 - heap),
                certain(1),
                shape.inline() ? new double[] {1} : new double[] {0, 1});
    }

    private static LookupDemand chained(TableShape shape) {
        double further = HopscotchCounts.furtherReads(shape.loadFactor());
        double heap =
                shape.inline() ? 0 : 1 + Math.max(0, shape.neighbourhood() * shape.loadFactor() - 1) * SAME_SIGNATURE;
        double[] rounds = {1 - further, further};
        if (!shape.inline()) {
            rounds = new double[] {0, 1 - further, further};
        }
        return new LookupDemand(
                1,
                shape.readBytes(),
                1 + further,
                1 + further,
                2 * shape.slotBytes() + 4,
                heap,
                heap > 0 ? shape.recordBytes() : 0,
                shape.neighbourhood() + 2 * further + heap,
                shape.inline() ? 0 : 1 - Math.exp(1 - heap),
                new double[] {1 - further, further},
                rounds);
    }

    /** READs a lookup, of table and heap. */
    public double reads() {
        return tableReads + heapReads;
    }

    /** Payload bytes a lookup. */
    public double payloadBytes() {
        return firstReads * (double) readBytes + (tableReads - firstReads) * laterReadBytes + heapReads * heapBytes;
    }

    /** Rounds a lookup takes in the mean. */
    public double meanRounds() {
        double sum = 0;
        for (int i = 0; i < rounds.length; i++) {
            sum += (i + 1) * rounds[i];
        }
        return sum;
    }
}
