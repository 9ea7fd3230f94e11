package org.reprobe.analysis.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfile.Basis;

/** Explanation of a plan: reasons for the best option, sensitivity, assumptions, and limits of validity. */
public record Advice(List<String> why, List<Change> changes, List<String> assumptions, List<String> warnings) {

    /** Threads of the experiments that the model was made for (linear-probing paper, section 5.1). */
    private static final int KNOWN_THREADS = 28;

    private static final int LARGEST_KNOWN_RECORD = 256;
    private static final long NUMBERED_RECORDS = (1L << 32) - 2;

    /**
     * Effect of a different input: the best configuration then (empty, on 0 servers, for none). It differs if another
     * scheme, storage or card is best, or another number of servers.
     */
    public record Change(String what, String best, int servers, boolean differs) {}

    public Advice {
        why = List.copyOf(why);
        changes = List.copyOf(changes);
        assumptions = List.copyOf(assumptions);
        warnings = List.copyOf(warnings);
    }

    public static Advice of(PlanInput input, Planner.Result result) {
        return of(input, result, Map.of());
    }

    /** Explains a plan whose cards have ranks, the lowest first, also if requirements change. */
    public static Advice of(PlanInput input, Planner.Result result, Map<String, Integer> ranks) {
        PlanOption best = result.options().getFirst();
        return new Advice(why(input, result), changes(input, best, ranks), assumptions(input), warnings(input, best));
    }

    /** Returns the assumptions of a plan without an option. */
    public static Advice none(PlanInput input) {
        return new Advice(List.of(), List.of(), assumptions(input), List.of());
    }

    private static List<String> why(PlanInput input, Planner.Result result) {
        PlanOption best = result.options().getFirst();
        List<String> why = new ArrayList<>();
        why.add(String.format(
                Locale.ROOT,
                "%d server%s%s; the fewest of %,d configurations tried.",
                best.servers(),
                best.servers() == 1 ? "" : "s, because of ",
                best.servers() == 1 ? "" : best.because(),
                result.tried()));
        why.add(String.format(
                Locale.ROOT,
                "A lookup takes %.2f READs and %.0f bytes and occupies the server's card for %.1f ns; the bottleneck is %s, then %s.",
                best.load().demand().reads(),
                best.load().demand().payloadBytes(),
                best.load().costs(0).serverNs(),
                words(best.binding()),
                words(best.next())));
        Set<String> seen = new HashSet<>(List.of(best.shape().scheme().key()));
        for (PlanOption other : result.options()) {
            if (other.nic().name().equals(best.nic().name())
                    && seen.add(other.shape().scheme().key())
                    && seen.size() <= 4) {
                why.add(against(input, best, other));
            }
        }
        return why;
    }

    private static String words(PlanOption.Resource resource) {
        return String.format(Locale.ROOT, "%s (%.0f %% at the peak)", resource.name(), 100 * resource.down());
    }

    private static String against(PlanInput input, PlanOption best, PlanOption other) {
        String reason;
        if (other.servers() != best.servers()) {
            reason = String.format(Locale.ROOT, "needs %d servers because of %s", other.servers(), other.because());
        } else if (other.load().costs(0).serverNs() > best.load().costs(0).serverNs() * 1.02) {
            reason = String.format(
                    Locale.ROOT,
                    "occupies the server's card %.1f times as long",
                    other.load().costs(0).serverNs() / best.load().costs(0).serverNs());
        } else if (other.overhead(input) > best.overhead(input) + 0.02) {
            reason = String.format(
                    Locale.ROOT,
                    "takes %.0f %% more memory than the records instead of %.0f %%",
                    100 * other.overhead(input),
                    100 * best.overhead(input));
        } else if (best.headroom() > other.headroom() * 1.01) {
            reason = String.format(
                    Locale.ROOT, "has room for %.2f times the load instead of %.2f", other.headroom(), best.headroom());
        } else {
            reason = "differs by less than 2 % in all of this";
        }
        return other.shape().title() + ": " + reason + ".";
    }

    private static List<Change> changes(PlanInput input, PlanOption best, Map<String, Integer> ranks) {
        List<Change> changes = new ArrayList<>();
        for (double step : new double[] {-0.10, -0.05, 0.05, 0.10}) {
            double load = Math.round((best.shape().loadFactor() + step) * 100) / 100.0;
            if (load < 1) {
                changes.add(atLoad(input, best, load));
            }
        }
        Map<String, PlanInput> others = new java.util.LinkedHashMap<>();
        others.put("records half as long", input.withRecordsTimes(0.5));
        others.put("records twice as long", input.withRecordsTimes(2));
        others.put(input.skew() > 0 ? "no skew" : "skew 0.99", input.withSkew(input.skew() > 0 ? 0 : 0.99));
        others.put("cards with a 20 % higher message rate", input.withMessagesTimes(1 / 1.2));
        others.put("cards with a 20 % lower message rate", input.withMessagesTimes(1 / 0.8));
        changes.addAll(others.entrySet().parallelStream()
                .map(other -> change(
                        other.getKey(),
                        best,
                        Planner.ranking(other.getValue()).plan().ranked(ranks)))
                .toList());
        return changes;
    }

    private static Change atLoad(PlanInput input, PlanOption best, double load) {
        String what = String.format(Locale.ROOT, "the same scheme at load factor %.2f", load);
        Planner.Result result = Planner.ranking(input).only(best, load);
        return change(what, best, result);
    }

    private static Change change(String what, PlanOption best, Planner.Result result) {
        if (result.options().isEmpty()) {
            return new Change(what, "", 0, true);
        }
        PlanOption now = result.options().getFirst();
        boolean differs = now.servers() != best.servers()
                || !now.shape().scheme().equals(best.shape().scheme())
                || now.shape().inline() != best.shape().inline()
                || !now.nic().name().equals(best.nic().name());
        return new Change(what, now.label(), now.servers(), differs);
    }

    private static List<String> assumptions(PlanInput input) {
        List<String> all = new ArrayList<>();
        all.add(
                "Clients probe with one-sided READs and servers are passive. Keys are distinct, and every requested key is in the table.");
        all.add("A hash distributes the records over the servers, client threads are distributed evenly, and"
                + " each has a queue pair to every server.");
        all.add(
                "Lookups arrive at random times, independently of each other (Poisson); a client posts all that are due and"
                        + " waits for the last, as in the linear-probing paper's Algorithm 1.");
        all.add("A record is stored on " + input.copies() + " server" + (input.copies() == 1 ? "" : "s")
                + "; lookups are distributed evenly over the copies.");
        if (input.skew() > 0) {
            all.add(
                    "Popularity follows Zipf's law. A hot record loads its own server; no cache makes its lookups cheaper.");
        }
        if (input.file().reads() < 1) {
            all.add(
                    "Writes are one-sided, with servers passive: a lookup of the record, a compare-and-swap on its lock, one of "
                            + CardLoad.LOCK_BYTES / Long.BYTES
                            + " on each server, then in one batch a WRITE of the record and one that frees the lock. Their time is"
                            + " counted, waits for locks are not.");
            all.add(
                    "Records have a version or checksum by which a READ detects a concurrent write; repeated READs are not counted.");
            if (input.copies() > 1) {
                all.add("A write goes to all copies of its record at once; its latency is that of one.");
            }
        }
        all.add("The numbers of records and of lookups grow at the same rate every year.");
        all.add(clients(input));
        all.add("Client threads need the CPU times of the card's profile; their other work is not counted.");
        return all;
    }

    /** Returns the client machines in words, with the keys whose defaults they are. */
    public static String clients(PlanInput input) {
        List<String> defaults = Stream.of("client-machines", "client-threads", "send-queue", "outstanding-reads")
                .filter(input.defaults()::contains)
                .toList();
        return String.format(
                Locale.ROOT,
                "%d client machine%s of %d threads; each queue pair has %d READs in flight at most and a send queue of %d%s.",
                input.file().clientMachines(),
                input.file().clientMachines() == 1 ? "" : "s",
                input.file().clientThreads(),
                input.file().outstandingReads(),
                input.file().sendQueue(),
                defaults.isEmpty() ? "" : " (by default: " + String.join(", ", defaults) + ")");
    }

    private static List<String> warnings(PlanInput input, PlanOption best) {
        List<String> all = new ArrayList<>();
        String title = best.nic().title();
        List<String> ceilings = new ArrayList<>();
        List<String> assumed = new ArrayList<>();
        List<String> bounds = new ArrayList<>();
        for (String constant : new String[] {
            "responder.message-ns",
            "responder.random-access-ns",
            "responder.payload-ns-per-byte",
            "link.bytes-per-second",
            "requester.round-trip-ns",
            "requester.work-request-fetch-ns"
        }) {
            NicProfile.Provenance provenance = best.nic().provenance().get(constant);
            if (provenance != null && provenance.basis() == Basis.CEILING) {
                ceilings.add(constant);
            } else if (provenance != null && provenance.basis() == Basis.ASSUMED) {
                assumed.add(constant);
            } else if (provenance != null && provenance.basis() == Basis.BOUND) {
                bounds.add(constant);
            }
        }
        if (!ceilings.isEmpty()) {
            all.add(title + ": " + String.join(", ", ceilings)
                    + " are the vendor's maxima: the real card may be slower.");
        }
        if (!bounds.isEmpty()) {
            all.add(title + ": " + String.join(", ", bounds) + " are limits that measurements set, not values.");
        }
        if (!assumed.isEmpty()) {
            all.add(title + ": assumed without a source: " + String.join(", ", assumed)
                    + "; measure the card before buying.");
        }
        if (best.load().clients().queuePairs() > KNOWN_THREADS * 4
                && best.nic().contention().queuePairs() == 0) {
            all.add(String.format(
                    Locale.ROOT,
                    "%d queue pairs per server: the profile of %s does not model a queue-pair cache and was checked with %d.",
                    best.load().clients().queuePairs(),
                    title,
                    KNOWN_THREADS));
        }
        double met = Planner.sameRecord(input)
                * input.peakPerSecond()
                * (1 - input.file().reads())
                * best.load().lockHeldNs()
                * 1e-9;
        if (met > 1 - input.percentile()) {
            all.add(String.format(
                    Locale.ROOT,
                    "At the peak %.0f %% of writes find their record locked and wait; the latency does not include the wait.",
                    100 * Math.min(1, met)));
        }
        if (best.shape().recordBytes() > LARGEST_KNOWN_RECORD) {
            all.add("The model was not checked with records of more than 256 bytes.");
        }
        if (input.file().records() * (double) input.copies() / best.servers() > NUMBERED_RECORDS) {
            all.add("More than 2^32 records per server: Reprobe's tables have record and block numbers of 4 bytes.");
        }
        all.addAll(best.shape().warnings());
        return all;
    }
}
