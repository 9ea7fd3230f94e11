package org.reprobe.table;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.reprobe.workload.KeySets;

/** What makes a table impossible, as far as it can be told before building it. */
final class Refusals {
    private static final int MAX_RECORD_BYTES = 1 << 20;
    private static final long MAX_SLOTS = 1L << 32;
    private static final long MAX_RECORDS = (1L << 32) - 2;

    /** More keys than this, expected to come too often: then surely one does (probability e^-20). */
    private static final double SURE = 20;

    private Refusals() {}

    static void check(TableSpec spec) throws TableRefusedException {
        String problem = firstProblem(spec);
        if (problem != null) {
            throw new TableRefusedException(problem);
        }
    }

    /** How a message begins that tells of an insertion that failed. */
    static String stuck(TableGeometry geometry, double load) {
        return String.format(
                Locale.ROOT,
                "the %s table got stuck at load factor %.4f: ",
                geometry.kind().title(),
                load);
    }

    private static @Nullable String firstProblem(TableSpec spec) {
        boolean cuckoo = spec.kind() == TableKind.CUCKOO;
        if (spec.records() < 1 || spec.records() > MAX_RECORDS) {
            return spec.records() + " records: a table has 1 to " + MAX_RECORDS
                    + ", since records are numbered with 4 bytes";
        }
        if (spec.recordBytes() < RecordFormat.MIN_RECORD_BYTES || spec.recordBytes() > MAX_RECORD_BYTES) {
            return "records of " + spec.recordBytes() + " bytes: a record has " + RecordFormat.MIN_RECORD_BYTES + " to "
                    + MAX_RECORD_BYTES + ", of which 4 are the key and 4 tell records apart";
        }
        if (!(spec.loadFactor() > 0 && spec.loadFactor() < 1)) {
            return "a load factor of " + spec.loadFactor() + ": it must lie between 0 and 1, both excluded";
        }
        if (cuckoo && (spec.associativity() < 1 || spec.associativity() > 64)) {
            return "an associativity of " + spec.associativity() + ": a slot holds 1 to 64 records";
        }
        if (cuckoo && (spec.hashes() < 2 || spec.hashes() > 8)) {
            return spec.hashes() + " hashes: a cuckoo table has 2 to 8";
        }
        if (spec.kind() == TableKind.HOPSCOTCH && (spec.neighbourhood() < 2 || spec.neighbourhood() > 4096)) {
            return "a neighbourhood of " + spec.neighbourhood() + ": it has 2 to 4096 slots";
        }
        if (spec.kind() == TableKind.HOPSCOTCH_CHAINED
                && (spec.neighbourhood() < 2 || spec.neighbourhood() > 4096 || spec.neighbourhood() % 2 != 0)) {
            return "a neighbourhood of " + spec.neighbourhood()
                    + ": for chained hopscotch it is an even number from 2 to 4096, two buckets of half as many slots";
        }
        String keys = KeySets.problem(spec.keys(), spec.records());
        if (keys != null) {
            return keys;
        }
        TableGeometry geometry = TableGeometry.of(spec);
        if (geometry.slots() > MAX_SLOTS) {
            return String.format(
                    Locale.ROOT,
                    "a table of %d slots: a 32-bit hash tells at most %d apart. Use fewer records or a higher load factor",
                    geometry.slots(),
                    MAX_SLOTS);
        }
        double threshold = cuckoo ? cuckooThreshold(spec.hashes(), spec.associativity()) : 1;
        if (spec.loadFactor() > threshold) {
            return String.format(
                    Locale.ROOT,
                    "a cuckoo table with %d hashes and %d record%s a slot can't be filled to load factor %s: none can beyond"
                            + " %.4f. Lower the load factor, or raise associativity or hashes",
                    spec.hashes(),
                    spec.associativity(),
                    spec.associativity() == 1 ? "" : "s",
                    spec.loadFactor(),
                    threshold);
        }
        return duplicatesProblem(spec);
    }

    /**
     * The load that no cuckoo table can exceed. Of {@code CuckooThreshold}, when that is there; until then for one record a
     * slot only (Fountoulakis and Panagiotou, "Sharp load thresholds for cuckoo hashing", 2012, Theorem 1).
     */
    private static double cuckooThreshold(int hashes, int associativity) {
        if (associativity > 1) {
            return 1;
        }
        double low = 0;
        double high = hashes; // xi (e^xi - 1) / (e^xi - 1 - xi) rises with xi, from 2, and exceeds xi
        for (int i = 0; i < 100; i++) {
            double xi = (low + high) / 2;
            double value = xi * Math.expm1(xi) / (Math.expm1(xi) - xi);
            if (value < hashes) {
                low = xi;
            } else {
                high = xi;
            }
        }
        return hashes == 2 ? 0.5 : low / (hashes * Math.pow(-Math.expm1(-low), hashes - 1));
    }

    private static @Nullable String duplicatesProblem(TableSpec spec) {
        long most = switch (spec.kind()) {
            case LINEAR, HOPSCOTCH_CHAINED -> Long.MAX_VALUE;
            case CUCKOO -> (long) spec.hashes() * spec.associativity();
            case HOPSCOTCH -> spec.neighbourhood();
        };
        long keySpace = spec.keys().keySpace();
        boolean tooMany = most != Long.MAX_VALUE
                && switch (spec.keys().distribution()) {
                    case DISTINCT -> false;
                    case UNIFORM -> keySpace * poissonAbove((double) spec.records() / keySpace, most) > SURE;
                    case ZIPF -> {
                        double hottest =
                                spec.records() / harmonic(keySpace, spec.keys().theta());
                        yield hottest > most && poissonAbove(hottest, most) > 1 - Math.exp(-SURE);
                    }
                };
        if (!tooMany) {
            return null;
        }
        return spec.records() + " records with "
                + (spec.keys().distribution() == TableSpec.Distribution.ZIPF
                        ? "Zipf keys of theta " + spec.keys().theta() + " over a key space of " + keySpace
                        : "random keys from a key space of " + keySpace)
                + ": some key would come more than " + most + " times, and the "
                + spec.kind().title()
                + " table holds a key at most that often. Enlarge the key space, or use distinct keys";
    }

    /** The probability that a Poisson variable of this mean exceeds {@code most}. */
    private static double poissonAbove(double mean, long most) {
        double sum = 0;
        if (mean > most) {
            for (long i = 0; i <= most; i++) {
                sum += Math.exp((double) i * Math.log(mean) - mean - logFactorial(i));
            }
            return 1 - sum;
        }
        long last = most + 200 + (long) (10 * mean); // far beyond what counts
        for (long i = most + 1; i <= last; i++) {
            sum += Math.exp((double) i * Math.log(mean) - mean - logFactorial(i));
        }
        return sum;
    }

    private static double logFactorial(long n) {
        double sum = 0;
        for (long i = 2; i <= n; i++) {
            sum += Math.log((double) i);
        }
        return sum;
    }

    /** The generalised harmonic number, its tail by the Euler-Maclaurin formula; relative error below 1e-9. */
    private static double harmonic(long n, double theta) {
        long exact = Math.min(n, 10_000);
        double sum = 0;
        for (long i = 1; i <= exact; i++) {
            sum += Math.pow((double) i, -theta);
        }
        if (n > exact) {
            double integral = Math.abs(theta - 1) < 1e-9
                    ? Math.log((double) n / exact)
                    : (Math.pow((double) n, 1 - theta) - Math.pow((double) exact, 1 - theta)) / (1 - theta);
            sum += integral + (Math.pow((double) n, -theta) - Math.pow((double) exact, -theta)) / 2;
        }
        return sum;
    }
}
