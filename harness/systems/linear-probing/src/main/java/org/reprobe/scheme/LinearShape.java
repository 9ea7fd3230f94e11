package org.reprobe.scheme;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.model.Homes;
import org.reprobe.analysis.model.ProbeLengths;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.LookupDemand;
import org.reprobe.analysis.plan.TableShape;

/**
 * Linear-probing table in capacity planning: a lookup reads {@code readSlots} slots at once, until the first empty one.
 * Probe lengths follow section 3.3 of the linear-probing paper, with the home slots of existing keys.
 */
record LinearShape(PlannedLinear scheme, double loadFactor, boolean inline, int recordBytes, int readSlots)
        implements LookupShape {

    /** Total probability of the long lookups whose distribution over rounds is not computed. */
    private static final double LEFT_OUT = 1e-7;

    private static final double HIGHEST_KNOWN_LOAD = 0.90;
    private static final Map<Double, ProbeLengths> LENGTHS = new ConcurrentHashMap<>();

    /** Returns the probe lengths of existing keys, computed once per load factor. */
    private ProbeLengths lengths() {
        return LENGTHS.computeIfAbsent(loadFactor, load -> ProbeLengths.limit(load, Homes.EXISTING_KEYS));
    }

    @Override
    public int readBytes() {
        return readSlots * slotBytes();
    }

    @Override
    public double strays() {
        return Math.max(0, lengths().mean() - 1) * SAME_SIGNATURE;
    }

    @Override
    public LookupDemand demand() {
        ProbeLengths lengths = lengths();
        int max = 1;
        double reads = 1;
        for (double beyond = lengths.beyond(readSlots); beyond > 0; beyond = lengths.beyond((long) readSlots * max)) {
            reads += beyond;
            max++;
        }
        double[] rounds = new double[max];
        int last = 0;
        double before = 1;
        for (int i = 0; i < max; i++) {
            double after = lengths.beyond((long) (i + 1) * readSlots);
            rounds[i] = before - after;
            before = after;
            last = i;
            if (after < LEFT_OUT) {
                rounds[i] += after;
                break;
            }
        }
        rounds = Arrays.copyOf(rounds, last + 1);
        return new LookupDemand(
                1,
                readBytes(),
                reads,
                1,
                readBytes(),
                heapReads(),
                heapBytes(),
                lengths.mean() + 1 + heapReads(),
                inline ? rounds : heapBeside(rounds, lengths));
    }

    /**
     * Returns the distribution of rounds with a heap. Heap READs are posted together with the next table READ, so only
     * a match in the last table READ costs another round. This is the record itself, which is equally likely in each
     * filled slot, or a false signature match.
     */
    private double[] heapBeside(double[] rounds, ProbeLengths lengths) {
        double[] all = new double[rounds.length + 1];
        all[1] = rounds[0];
        for (int i = 1; i < rounds.length; i++) {
            long before = (long) i * readSlots;
            double inLast = 0;
            double noStray = 1;
            for (int seen = 1; seen < readSlots; seen++) {
                double recordElsewhere = (double) before / (before + seen);
                noStray *= 1 - SAME_SIGNATURE;
                inLast += lengths.pmf(before + seen) * (1 - recordElsewhere * noStray);
            }
            all[i] += rounds[i] - inLast;
            all[i + 1] += inLast;
        }
        return all;
    }

    @Override
    public double[] roundsAlone() {
        if (inline) {
            return demand().rounds();
        }
        ProbeLengths lengths = lengths();
        int longest = 1;
        while (longest < lengths.longest() && lengths.beyond(longest) > LEFT_OUT) {
            longest++;
        }
        double[] rounds = new double[longest / readSlots + 2 + MAX_STRAYS];
        for (int filled = 1; filled <= longest; filled++) {
            LookupShape.addStrays(rounds, filled / readSlots + 1, lengths.pmf(filled), (filled - 1) * SAME_SIGNATURE);
        }
        return rounds;
    }

    @Override
    public @Nullable TableShape at(NicProfile nic, double otherLoadFactor) {
        return scheme.isFixed()
                ? new LinearShape(scheme, otherLoadFactor, inline, recordBytes, readSlots)
                : scheme.shape(nic, otherLoadFactor, inline, recordBytes, 0);
    }

    @Override
    public Map<String, Object> settings() {
        return Map.of("linear-probing.read-slots", readSlots);
    }

    @Override
    public List<String> warnings() {
        return loadFactor > HIGHEST_KNOWN_LOAD
                ? List.of(
                        "Above load factor 0.90 linear tables differ much from each other, by some percent in READs per lookup.")
                : List.of();
    }
}
