package org.reprobe.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.commons.math3.special.Gamma;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.model.CuckooThreshold;
import org.reprobe.table.Refusal.Setting;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;

/** Checks for impossible tables. They precede building and do not depend on the machine's memory. */
public final class Refusals {
    private static final long MAX_SLOTS = 1L << 32;
    private static final long MAX_RECORDS = (1L << 32) - 2;

    /** Maximum fraction of tables that have a key with more records than slots. */
    private static final double FAILURES = 0.01;

    private Refusals() {}

    public static List<Refusal> of(TableSpec spec) {
        List<Refusal> refusals = outOfRange(spec);
        if (!refusals.isEmpty()) {
            return refusals; // further refusals would only be consequences of these
        }
        Refusal keys = keys(spec);
        if (keys != null) {
            refusals.add(keys);
        }
        Refusal slots = slots(spec);
        if (slots != null) {
            refusals.add(slots);
        }
        Refusal threshold = spec.kind() == TableKind.CUCKOO ? threshold(spec) : null;
        if (threshold != null) {
            refusals.add(threshold);
        }
        Refusal duplicates = keys == null ? duplicates(spec) : null;
        if (duplicates != null) {
            refusals.add(duplicates);
        }
        return List.copyOf(refusals);
    }

    static void check(TableSpec spec) throws TableRefusedException {
        List<Refusal> refusals = of(spec);
        if (!refusals.isEmpty()) {
            throw new TableRefusedException(refusals.getFirst().message());
        }
    }

    /** Returns the start of a message about a failed insertion. */
    static String stuck(TableGeometry geometry, double load) {
        return String.format(
                Locale.ROOT,
                "an insertion into the %s table failed at load factor %.4f: ",
                geometry.kind().title(),
                load);
    }

    private static List<Refusal> outOfRange(TableSpec spec) {
        TableKind kind = spec.kind();
        List<Refusal> refusals = new ArrayList<>();
        if (spec.records() < 1 || spec.records() > MAX_RECORDS) {
            refusals.add(new Refusal(
                    spec.records() + " records: a table has 1 to " + MAX_RECORDS
                            + ", since records are numbered with 4 bytes",
                    Setting.RECORDS));
        }
        if (spec.recordBytes() < RecordFormat.MIN_RECORD_BYTES || spec.recordBytes() > TableSpec.MAX_RECORD_BYTES) {
            refusals.add(new Refusal(
                    "records of " + spec.recordBytes() + " bytes: a record has " + RecordFormat.MIN_RECORD_BYTES
                            + " to " + TableSpec.MAX_RECORD_BYTES
                            + ", of which 4 are the key and 4 number the record",
                    Setting.RECORD_BYTES));
        }
        if (!(spec.loadFactor() > 0 && spec.loadFactor() < 1)) {
            refusals.add(new Refusal(
                    "a load factor of " + spec.loadFactor() + ": it must lie between 0 and 1, both excluded",
                    Setting.LOAD_FACTOR));
        }
        if (kind == TableKind.CUCKOO
                && (spec.associativity() < 1 || spec.associativity() > TableSpec.MAX_ASSOCIATIVITY)) {
            refusals.add(new Refusal(
                    "an associativity of " + spec.associativity() + ": a slot holds 1 to " + TableSpec.MAX_ASSOCIATIVITY
                            + " records",
                    Setting.ASSOCIATIVITY));
        }
        if (kind == TableKind.CUCKOO && (spec.hashes() < 2 || spec.hashes() > TableSpec.MAX_HASHES)) {
            refusals.add(new Refusal(
                    spec.hashes() + " hashes: a cuckoo table has 2 to " + TableSpec.MAX_HASHES, Setting.HASHES));
        }
        boolean chained = kind == TableKind.HOPSCOTCH_CHAINED;
        int h = spec.neighbourhood();
        if ((kind == TableKind.HOPSCOTCH || chained)
                && (h < 2 || h > TableSpec.MAX_NEIGHBOURHOOD || (chained && h % 2 != 0))) {
            refusals.add(new Refusal(
                    "a neighbourhood of " + h
                            + (chained ? ": for chained hopscotch it is an even number from 2 to " : ": it has 2 to ")
                            + TableSpec.MAX_NEIGHBOURHOOD
                            + (chained ? ", two buckets of half as many slots" : " slots"),
                    Setting.NEIGHBOURHOOD,
                    Setting.KIND));
        }
        return refusals;
    }

    private static @Nullable Refusal keys(TableSpec spec) {
        String problem = KeySets.problem(spec.keys(), spec.records());
        if (problem == null) {
            return null;
        }
        return spec.keys().distribution() == Distribution.DISTINCT
                ? new Refusal(problem, Setting.RECORDS, Setting.KEY_SPACE, Setting.KEYS)
                : new Refusal(problem, Setting.THETA, Setting.KEY_SPACE, Setting.KEYS);
    }

    private static @Nullable Refusal slots(TableSpec spec) {
        double slots = spec.records() / spec.loadFactor();
        if (spec.kind() == TableKind.CUCKOO) {
            slots /= spec.associativity();
        }
        if (slots <= MAX_SLOTS) {
            return null;
        }
        return new Refusal(
                String.format(
                        Locale.ROOT,
                        "%d records at load factor %s need %s slots, but a 32-bit hash distinguishes at most %d; use fewer"
                                + " records or a higher load-factor",
                        spec.records(),
                        spec.loadFactor(),
                        slots < 1e15 ? "%.0f".formatted(slots) : Double.toString(slots),
                        MAX_SLOTS),
                Setting.RECORDS,
                Setting.LOAD_FACTOR);
    }

    private static @Nullable Refusal threshold(TableSpec spec) {
        double threshold = CuckooThreshold.loadFactor(spec.hashes(), spec.associativity());
        if (spec.loadFactor() < threshold) {
            return null;
        }
        return new Refusal(
                String.format(
                        Locale.ROOT,
                        "a cuckoo table with %d hashes and %d record%s a slot can't be filled to %s: its load threshold is"
                                + " %.4f; lower load-factor, or raise associativity or hashes",
                        spec.hashes(),
                        spec.associativity(),
                        spec.associativity() == 1 ? "" : "s",
                        spec.loadFactor(),
                        Math.floor(threshold * 1e4) / 1e4), // rounded down, since the threshold itself can't be reached
                Setting.LOAD_FACTOR,
                Setting.ASSOCIATIVITY,
                Setting.HASHES,
                Setting.KIND);
    }

    /** Checks that a key's records fit into its slots. */
    private static @Nullable Refusal duplicates(TableSpec spec) {
        long places = switch (spec.kind()) {
            case LINEAR, HOPSCOTCH_CHAINED -> Long.MAX_VALUE;
            case CUCKOO -> (long) spec.hashes() * spec.associativity();
            case HOPSCOTCH -> spec.neighbourhood();
        };
        KeySpec keys = spec.keys();
        if (places == Long.MAX_VALUE || keys.distribution() == Distribution.DISTINCT) {
            return null;
        }
        String room = ", but a %s table has no room for more records of a key"
                .formatted(spec.kind().title());
        if (keys.distribution() == Distribution.UNIFORM) {
            double tooOften = keys.keySpace() * above(places, (double) spec.records() / keys.keySpace());
            return tooOften <= FAILURES
                    ? null
                    : new Refusal(
                            "about %s of %d keys would occur more than %d times%s; use keys: distinct, or more keys-per-record"
                                    .formatted(about(tooOften), keys.keySpace(), places, room),
                            Setting.KEY_SPACE,
                            Setting.KEYS,
                            spec.kind() == TableKind.CUCKOO ? Setting.ASSOCIATIVITY : Setting.NEIGHBOURHOOD,
                            Setting.RECORDS,
                            Setting.KIND);
        }
        double hottest = spec.records() / harmonic(keys.keySpace(), keys.theta());
        return zipfTooOften(keys, hottest, places) <= FAILURES
                ? null
                : new Refusal(
                        "zipf keys of theta %s: the most frequent would occur about %s times, some more than %d times%s; use a linear scheme"
                                .formatted(keys.theta(), about(hottest), places, room),
                        Setting.KEYS,
                        Setting.KIND);
    }

    /** Returns the expected number of keys with too many records. The sum stops at the limit. */
    private static double zipfTooOften(KeySpec keys, double hottest, long places) {
        double sum = 0;
        long rank = 1;
        while (rank <= keys.keySpace() && sum <= FAILURES) {
            // All ranks before {@code next} are nearly equally frequent.
            long next = Math.min(keys.keySpace() + 1, Math.max(rank + 1, (long) (rank * 1.005)));
            double tooOften = above(places, hottest * StrictMath.pow((double) rank, -keys.theta()));
            sum += tooOften * (next - rank);
            if (tooOften * (keys.keySpace() + 1 - next) < FAILURES * 1e-6) {
                break;
            }
            rank = next;
        }
        return sum;
    }

    /** Returns the probability of more than {@code max} records of a key, practically Poisson-distributed. */
    private static double above(long max, double mean) {
        return Gamma.regularizedGammaP(max + 1.0, mean);
    }

    private static String about(double count) {
        return String.format(Locale.ROOT, count < 10 ? "%.2g" : "%.0f", count);
    }

    /** Returns the generalised harmonic number, with the tail by Euler-Maclaurin; the relative error is below 1e-9. */
    private static double harmonic(long n, double theta) {
        long exact = Math.min(n, 10_000);
        double sum = 0;
        for (long i = 1; i <= exact; i++) {
            sum += StrictMath.pow((double) i, -theta);
        }
        if (n > exact) {
            double integral = Math.abs(theta - 1) < 1e-9
                    ? StrictMath.log((double) n / exact)
                    : (StrictMath.pow((double) n, 1 - theta) - StrictMath.pow((double) exact, 1 - theta)) / (1 - theta);
            sum += integral + (StrictMath.pow((double) n, -theta) - StrictMath.pow((double) exact, -theta)) / 2;
        }
        return sum;
    }
}
