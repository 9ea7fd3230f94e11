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
        double[] rounds) {

    /** Rounds that are less likely than this together are left out. */
    private static final double LEFT_OUT = 1e-7;

    /** A signature has 255 values. */
    private static final double SAME_SIGNATURE = 1 / 255.0;

    /** Rounds that strays alone may add: more of them in one lookup do not happen. */
    private static final int MAX_STRAYS = 60;

    private static final Map<Double, ProbeLengths> LENGTHS = new ConcurrentHashMap<>();
    private static final Map<TableShape, double[]> ALONE = new ConcurrentHashMap<>();

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
                all);
    }

    /**
     * READs of the heap go out with the table's next one, so that only those of the last slots read take a round more: the
     * record's, which may be any of the filled slots, or that of a stray, another record with its signature.
     */
    private static double[] heapBeside(double[] rounds, ProbeLengths lengths, int slots) {
        double[] all = new double[rounds.length + 1];
        all[1] = rounds[0];
        for (int i = 1; i < rounds.length; i++) {
            long before = (long) i * slots;
            double inLast = 0;
            double noStray = 1;
            for (int seen = 1; seen < slots; seen++) {
                double recordElsewhere = (double) before / (before + seen);
                noStray *= 1 - SAME_SIGNATURE;
                inLast += lengths.pmf(before + seen) * (1 - recordElsewhere * noStray);
            }
            all[i] += rounds[i] - inLast;
            all[i + 1] += inLast;
        }
        return all;
    }

    private static LookupDemand cuckoo(TableShape shape, boolean parallel) {
        int k = shape.hashes();
        int m = shape.associativity();
        double heap = shape.inline() ? 0 : 1 + strays(shape);
        double[] rounds = new double[(parallel ? 1 : k) + (shape.inline() ? 0 : 1)];
        if (parallel || shape.inline()) {
            rounds[rounds.length - 1] = 1;
        } else {
            // Asked in random order: the last READ finds the record one time in k, and its share of the strays.
            rounds[k - 1] = (1 - 1.0 / k) * Math.exp(-strays(shape) / k);
            rounds[k] = 1 - rounds[k - 1];
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
                rounds);
    }

    /**
     * Records of the heap that are read in the mean only because their signature is that of the key: one in 255 of the
     * others in the places that are read. Where one key stands others are no rarer than elsewhere.
     */
    private static double strays(TableShape shape) {
        int places = shape.hashes() * shape.associativity() * shape.neighbourhood();
        return Math.min(places - 1, places * shape.loadFactor()) * SAME_SIGNATURE;
    }

    private static LookupDemand hopscotch(TableShape shape) {
        double heap = shape.inline() ? 0 : 1 + strays(shape);
        return new LookupDemand(
                1,
                shape.readBytes(),
                1,
                1,
                shape.readBytes(),
                heap,
                heap > 0 ? shape.recordBytes() : 0,
                shape.neighbourhood() + heap,
                shape.inline() ? new double[] {1} : new double[] {0, 1});
    }

    private static LookupDemand chained(TableShape shape) {
        double further = HopscotchCounts.furtherReads(shape.loadFactor());
        double heap = shape.inline() ? 0 : 1 + strays(shape);
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
                rounds);
    }

    /**
     * Rounds of a client that makes one lookup at a time and so has room for {@link #firstReads} READs only: where that is
     * one, the record and each stray of the heap take a round of their own.
     *
     * @return P[it takes i + 1 rounds]; sums to 1
     */
    static double[] roundsAlone(TableShape shape) {
        return ALONE.computeIfAbsent(shape, LookupDemand::countAlone);
    }

    private static double[] countAlone(TableShape shape) {
        LookupDemand demand = of(shape);
        if (shape.inline() || demand.firstReads > 1) {
            return demand.rounds;
        }
        if (!shape.scheme().linear()) {
            double[] table = shape.scheme().cuckoo()
                    ? new double[shape.hashes()]
                    : new double[] {2 - demand.tableReads, demand.tableReads - 1};
            if (shape.scheme().cuckoo()) {
                table[table.length - 1] = 1;
            }
            double[] rounds = new double[table.length + 1 + MAX_STRAYS];
            for (int i = 0; i < table.length; i++) {
                addStrays(rounds, i + 1, table[i], strays(shape));
            }
            return rounds;
        }
        ProbeLengths lengths = lengths(shape.loadFactor());
        int longest = 1;
        while (longest < lengths.longest() && lengths.beyond(longest) > LEFT_OUT) {
            longest++;
        }
        double[] rounds = new double[longest / shape.readSlots() + 2 + MAX_STRAYS];
        for (int filled = 1; filled <= longest; filled++) {
            addStrays(rounds, filled / shape.readSlots() + 1, lengths.pmf(filled), (filled - 1) * SAME_SIGNATURE);
        }
        return rounds;
    }

    /**
     * Numbers of rounds that differ little, taken together: few numbers, though a lookup in a full table may take thousands.
     *
     * @param mean rounds of each group
     * @param chances P[a lookup's rounds are of the group]
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Grouped(double[] mean, double[] chances) {
        /** Up to so many rounds each number stands by itself. */
        private static final int APART = 64;

        /** Then a group is this part of its rounds wide. */
        private static final int PART = 16;

        /** Groups {@code P[i + 1 rounds]}; what has no probability is in none. */
        static Grouped of(double[] rounds) {
            double[] mean = new double[rounds.length];
            double[] chances = new double[rounds.length];
            int groups = 0;
            for (int from = 0; from < rounds.length; ) {
                int to = Math.min(rounds.length, from + (from < APART ? 1 : from / PART));
                double sum = 0;
                double chance = 0;
                for (int i = from; i < to; i++) {
                    chance += rounds[i];
                    sum += (i + 1) * rounds[i];
                }
                if (chance > 0) {
                    mean[groups] = to == from + 1 ? to : sum / chance;
                    chances[groups++] = chance;
                }
                from = to;
            }
            return new Grouped(Arrays.copyOf(mean, groups), Arrays.copyOf(chances, groups));
        }
    }

    /** To {@code rounds[from]} and behind it, {@code chance} times Poisson's distribution. */
    private static void addStrays(double[] rounds, int from, double chance, double mean) {
        double p = chance * Math.exp(-mean);
        for (int strays = 0; strays < MAX_STRAYS; strays++) {
            rounds[from + strays] += p;
            p *= mean / (strays + 1);
        }
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
