package org.reprobe.analysis.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.SampledProfiles;

/**
 * Evaluation of every configuration in closed form, and ranking of the feasible ones. A hash distributes records over
 * servers; client threads are distributed evenly.
 */
public final class Planner {
    private static final double[] LOADS = {
        0.25, 0.35, 0.45, 0.50, 0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.92, 0.95
    };

    /** Largest planned load factor; the models of fuller tables are not verified. */
    public static final double MAX_LOAD = 0.95;

    /** Latency under load is slow to compute, so only this many kinds of configurations are tried. */
    private static final int MAX_KINDS = 24;

    /** Kinds that are tried of each card in any case. */
    private static final int MIN_KINDS_OF_CARD = 4;

    /** Configurations tried of a kind whose best misses the latency limit. */
    private static final int TRIED_ALIKE = 3;

    /** Profiles drawn for the interval of an option's throughput. */
    private static final int SAMPLES = 32;

    private static final long SEED = 1;

    /** Reason for one server. */
    private static final String ONE = "one is enough";

    private final PlanInput input;

    /** Share of lookups for the most requested record. */
    private final double hottestShare;

    private final double sameRecord;

    private final Map<String, Map<Shortfall, Nearest>> nearest = new HashMap<>();

    private final Map<String, List<NicProfile>> samples = new HashMap<>();

    /** Reasons for rejecting a configuration; a later one is found after the checks of the earlier ones. */
    public enum Shortfall {
        ATOMICS,
        SERVERS,
        HOT_LOCK,
        CLIENTS,
        LATENCY
    }

    /**
     * Nearest feasible value of a setting, with the reason in a sentence and in a few words; {@code shape} is null if
     * none was tried.
     */
    public record Nearest(
            double value,
            String words,
            String brief,
            @Nullable TableShape shape) {}

    /**
     * Result of a plan: feasible options, the best first; the number of configurations tried; by card, the nearest
     * feasible value per kind of shortfall. The frontier is one server's throughput by memory, for every shape.
     */
    public record Result(
            List<PlanOption> options,
            int tried,
            Map<String, Map<Shortfall, Nearest>> shortfalls,
            List<FrontierPoint> frontier) {

        /** Returns the nearest feasible value per kind of shortfall, over all cards. */
        public Map<Shortfall, Nearest> nearest() {
            Map<Shortfall, Nearest> all = new EnumMap<>(Shortfall.class);
            shortfalls
                    .values()
                    .forEach(ofCard -> ofCard.forEach((kind, found) -> all.merge(kind, found, Planner::nearer)));
            if (all.containsKey(Shortfall.LATENCY)) {
                all.remove(Shortfall.CLIENTS); // configurations that missed the latency limit had enough clients
            }
            return all;
        }

        /** Returns the best option of a card; null if none is feasible. */
        public @Nullable PlanOption best(String nic) {
            return options.stream()
                    .filter(option -> option.nic().name().equals(nic))
                    .findFirst()
                    .orElse(null);
        }

        /** Returns the requirement that a card without an option fails, as far as its configurations come. */
        @Nullable
        Nearest shortfall(String nic) {
            return shortfalls.getOrDefault(nic, Map.of()).entrySet().stream()
                    .max(Map.Entry.comparingByKey())
                    .map(Map.Entry::getValue)
                    .orElse(null);
        }

        /** Returns the result with cards of a lower rank first. */
        Result ranked(Map<String, Integer> ranks) {
            return new Result(
                    options.stream()
                            .sorted(Comparator.comparingInt(
                                    option -> ranks.getOrDefault(option.nic().name(), 0)))
                            .toList(),
                    tried,
                    shortfalls,
                    frontier);
        }
    }

    /** Point of the figure of throughput against memory beyond the records, as a share of them. */
    public record FrontierPoint(NicProfile nic, TableShape shape, double overhead, double perServerPerSecond) {}

    /** Configuration without its latency; {@code useRank} is the card's time per operation, in steps of 10 %. */
    private record Draft(
            NicProfile nic, TableShape shape, LookupDemand demand, int servers, String because, double useRank) {}

    /** Configuration with the servers that it needs, and its latency when the tolerated servers have failed. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Sized(int servers, String because, CardLoad load, double[] downNs) {}

    /** Factors of the predicted throughput and latency: of a simulation, or errors of the closed form. */
    record Factors(double throughput, double latency) {
        static final Factors NONE = new Factors(1, 1);
    }

    /** True if options contain only what ranks them: the other latencies take most of the time. */
    private final boolean rankedOnly;

    public Planner(PlanInput input) {
        this(input, false);
    }

    /** Creates a planner that ranks options without the latencies at rest, in the mean and at the peak. */
    static Planner ranking(PlanInput input) {
        return new Planner(input, true);
    }

    private Planner(PlanInput input, boolean rankedOnly) {
        this.input = input;
        this.rankedOnly = rankedOnly;
        this.hottestShare = 1 / zeta(input.file().records(), input.skew());
        this.sameRecord = sameRecord(input);
    }

    public Result plan() {
        nearest.clear();
        List<TableShape> shapes = new ArrayList<>();
        List<Draft> drafts = new ArrayList<>();
        List<FrontierPoint> frontier = new ArrayList<>();
        int tried = 0;
        for (NicProfile nic : input.nics()) {
            if (input.file().reads() < 1 && !nic.hasAtomics()) {
                fallsShort(
                        nic,
                        Shortfall.ATOMICS,
                        1,
                        nic.title()
                                + " has no atomics, but a write acquires its record's lock by a compare-and-swap; use reads: 1 or"
                                + " another card",
                        "no atomics for writes",
                        null);
                tried++;
                continue;
            }
            shapes.clear();
            shapes(nic, shapes);
            tried += shapes.size();
            for (TableShape shape : shapes) {
                LookupDemand demand = shape.demand();
                Draft draft = draft(nic, shape, demand, Factors.NONE);
                CardLoad alone = load(nic, shape, demand, 1);
                frontier.add(new FrontierPoint(
                        nic,
                        shape,
                        shape.bytesPerRecord() / input.meanRecordBytes() - 1,
                        1e9 / Math.max(alone.costs(0).serverNs(), alone.costs(0).responseWireNs())));
                if (draft != null) {
                    drafts.add(draft);
                }
            }
        }
        List<PlanOption> options = new ArrayList<>();
        for (List<Draft> alike : alike(drafts)) {
            int asked = 0;
            for (Draft draft : alike) {
                PlanOption option = option(draft);
                if (option != null) {
                    options.add(option);
                    break;
                }
                if (++asked == TRIED_ALIKE) {
                    break;
                }
            }
        }
        options.sort(PlanOption.BEST);
        return new Result(List.copyOf(options), tried, Map.copyOf(nearest), List.copyOf(frontier));
    }

    /**
     * Returns drafts grouped by card, scheme and storage, the best first: fewest servers, then the least utilization of
     * the card in steps of 10 %, then the least memory. Only the most promising groups are returned.
     */
    private List<List<Draft>> alike(List<Draft> drafts) {
        Comparator<Draft> best = Comparator.<Draft>comparingInt(Draft::servers)
                .thenComparingDouble(Draft::useRank)
                .thenComparingDouble(draft -> draft.shape.bytesPerRecord());
        Map<String, List<Draft>> kinds = new LinkedHashMap<>();
        drafts.stream()
                .sorted(best)
                .forEach(draft -> kinds.computeIfAbsent(
                                draft.nic.name() + draft.shape.scheme().key() + draft.shape.inline(),
                                _ -> new ArrayList<>())
                        .add(draft));
        int ofCard = Math.max(MIN_KINDS_OF_CARD, MAX_KINDS / input.nics().size());
        Map<String, Integer> taken = new HashMap<>();
        return kinds.values().stream()
                .filter(alike -> taken.merge(alike.getFirst().nic.name(), 1, Integer::sum) <= ofCard)
                .toList();
    }

    /** Plans the card, scheme and storage of an option at another load factor only. */
    Result only(PlanOption option, double loadFactor) {
        nearest.clear();
        TableShape shape = loadFactor > MAX_LOAD ? null : option.shape().at(option.nic(), loadFactor);
        List<PlanOption> options = new ArrayList<>();
        if (shape != null) {
            Draft draft = draft(option.nic(), shape, shape.demand(), Factors.NONE);
            PlanOption found = draft == null ? null : option(draft);
            if (found != null) {
                options.add(found);
            }
        }
        return new Result(List.copyOf(options), 1, Map.copyOf(nearest), List.of());
    }

    private void shapes(NicProfile nic, List<TableShape> into) {
        for (PlannedScheme scheme : input.schemes()) {
            for (double load : LOADS) {
                for (boolean inline : new boolean[] {true, false}) {
                    int bytes = inline ? input.largestRecordBytes() : (int) Math.round(input.meanRecordBytes());
                    for (int size = 0; size < scheme.readSizes(); size++) {
                        TableShape shape = scheme.shape(nic, load, inline, bytes, size);
                        if (shape != null && shape.readBytes() <= nic.limits().messageBytes()) {
                            into.add(shape);
                        }
                    }
                }
            }
        }
    }

    /** Returns the configuration with the servers required by memory and throughput; null if no number suffices. */
    private @Nullable Draft draft(NicProfile nic, TableShape shape, LookupDemand demand, Factors factors) {
        double all = shape.bytesPerRecord() * input.file().records();
        int failures = input.file().serversThatMayFail();
        double forCopies = Math.ceil(all * input.copies() / input.memoryBytes());
        double forOneCopy = failures + Math.ceil(all / input.memoryBytes());
        double n = Math.max(forCopies, forOneCopy);
        String because = forCopies >= forOneCopy ? "memory" : "memory with servers down";
        if (n < input.copies()) {
            n = input.copies();
            because = "copies on separate servers";
        }
        if (n > input.file().maxServers()) {
            fallsShort(
                    nic,
                    Shortfall.SERVERS,
                    n,
                    String.format(
                            Locale.ROOT,
                            "the records need %,.0f servers of %.0f GiB, more than max-servers (%d)",
                            n,
                            input.memoryBytes() / 0x1p30,
                            input.file().maxServers()),
                    String.format(
                            Locale.ROOT,
                            "%,.0f servers for the memory, limit %d",
                            n,
                            input.file().maxServers()),
                    shape);
            return null;
        }
        double heldNs = load(nic, shape, demand, 1).lockHeldNs();
        double hottest =
                hottestShare * input.peakPerSecond() * (1 - input.file().reads());
        if (hottest * heldNs * 1e-9 > input.file().maxUtilisation()) {
            double possible = input.file().maxUtilisation() * 1e9 / heldNs;
            fallsShort(
                    nic,
                    Shortfall.HOT_LOCK,
                    hottest / possible,
                    String.format(
                            Locale.ROOT,
                            "the hottest record is written %,.0f times per second, but each write holds its lock for %.1f us on"
                                    + " %s, which allows %,.0f; reduce the skew or the share of writes",
                            hottest,
                            heldNs / 1e3,
                            nic.title(),
                            possible),
                    String.format(Locale.ROOT, "%,.0f writes/s of the hottest record, limit %,.0f", hottest, possible),
                    shape);
            return null;
        }
        double clients =
                atServers(input.peakPerSecond()) * load(nic, shape, demand, 1).clientNs() * 1e-9 / input.allThreads();
        if (clients > input.file().maxUtilisation()) {
            shortOfClients(nic, shape, clients / input.file().maxUtilisation() * input.allThreads());
            return null;
        }
        CardLoad.Costs costs = load(nic, shape, demand, (int) n).costs(0);
        double atLeast = Math.max(costs.serverNs(), costs.responseWireNs()) * 1e-9;
        boolean grown = false;
        for (int step = 0; step < 60; step++) {
            int servers = (int) n;
            double needed = neededPerSecond(servers);
            CardLoad load = load(nic, shape, demand, servers);
            double have = load.saturatedPerSecond() * factors.throughput;
            if (have >= needed) {
                double use = Math.ceil(Math.log(load.costs(0).serverNs()) / Math.log(1.1));
                return new Draft(nic, shape, demand, servers, grown ? "lookups" : servers == 1 ? ONE : because, use);
            }
            if (servers >= input.file().maxServers()) {
                break;
            }
            double bound = failures
                    + atServers(input.peakPerSecond()) * atLeast / input.file().maxUtilisation();
            n = Math.clamp(
                    Math.ceil(Math.max(bound, Math.max(n + 1, n * 1.04))),
                    1,
                    input.file().maxServers());
            grown = true;
            double more = n * load(nic, shape, demand, (int) n).saturatedPerSecond() * factors.throughput;
            if (more < 0.9 * servers * have) {
                break; // more servers for the same clients: no more lookups
            }
        }
        double lookups = n
                * load(nic, shape, demand, (int) n).saturatedPerSecond()
                * factors.throughput
                * input.file().maxUtilisation();
        shortOfClients(nic, shape, input.allThreads() * Math.max(1.05, atServers(input.peakPerSecond()) / lookups));
        return null;
    }

    private void shortOfClients(NicProfile nic, TableShape shape, double threads) {
        fallsShort(
                nic,
                Shortfall.CLIENTS,
                threads,
                String.format(
                        Locale.ROOT,
                        "%d client threads can't make %,.0f lookups per second; about %.0f threads are needed",
                        input.allThreads(),
                        input.peakPerSecond(),
                        Math.ceil(threads)),
                String.format(
                        Locale.ROOT, "%.0f client threads needed, limit %d", Math.ceil(threads), input.allThreads()),
                shape);
    }

    private void fallsShort(
            NicProfile nic, Shortfall kind, double value, String words, String brief, @Nullable TableShape shape) {
        nearest.computeIfAbsent(nic.name(), _ -> new EnumMap<>(Shortfall.class))
                .merge(kind, new Nearest(value, words, brief, shape), Planner::nearer);
    }

    private static Nearest nearer(Nearest a, Nearest b) {
        return a.value <= b.value ? a : b;
    }

    /**
     * Returns the number of servers that a configuration needs; {@link Integer#MAX_VALUE} if no number suffices. The
     * card may differ in its constants from the plan's.
     */
    int serversFor(NicProfile nic, TableShape shape, Factors factors) {
        Draft draft = draft(nic, shape, shape.demand(), factors);
        Sized sized = draft == null ? null : sized(draft, factors);
        return sized == null ? Integer.MAX_VALUE : sized.servers;
    }

    CardLoad load(NicProfile nic, TableShape shape, int servers) {
        return load(nic, shape, shape.demand(), servers);
    }

    /** Returns the percentile of latency that has a limit, 0 to 1. */
    double percentile() {
        return input.percentile();
    }

    /** Returns the throughput that each of so many servers must have. */
    double neededPerSecond(int servers) {
        return downPerSecond(servers) / input.file().maxUtilisation();
    }

    /** Returns the operations of the busiest server at the peak, with the tolerated number of failed servers. */
    double downPerSecond(int servers) {
        return atServers(input.peakPerSecond())
                * hottestServer(servers - input.file().serversThatMayFail());
    }

    private CardLoad load(NicProfile nic, TableShape shape, LookupDemand demand, int servers) {
        int machines = Math.max(1, input.file().clientMachines() / servers);
        int threads = Math.max(1, (int) Math.round((double) input.allThreads() / servers / machines));
        int posts = shape.scheme().maxSendQueue();
        return new CardLoad(
                nic,
                shape,
                demand,
                new CardLoad.Clients(
                        machines,
                        threads,
                        Math.min(
                                posts,
                                Math.min(input.file().sendQueue(), nic.limits().sendQueue())),
                        Math.min(
                                posts,
                                Math.min(
                                        input.file().outstandingReads(),
                                        nic.limits().outstandingReads())),
                        input.allThreads()),
                shape.bytesPerRecord() * input.file().records() * input.copies() / servers,
                (1 - input.file().reads()) * input.copies() / atServers(1));
    }

    private @Nullable PlanOption option(Draft draft) {
        Sized sized = sized(draft, Factors.NONE);
        return sized == null ? null : option(draft, sized.servers, sized.because, sized.load, sized.downNs);
    }

    /** Returns the configuration with the servers that the latency limit requires; null if no number suffices. */
    private @Nullable Sized sized(Draft draft, Factors factors) {
        int servers = draft.servers;
        String because = draft.because;
        for (int step = 0; ; step++) {
            CardLoad load = load(draft.nic, draft.shape, draft.demand, servers);
            double[] down = latency(load, downPerSecond(servers));
            double limit = input.latencyLimitNs().orElse(Double.POSITIVE_INFINITY);
            double found = down[1] * factors.latency;
            if (found <= limit || (Double.isInfinite(limit) && Double.isFinite(found))) {
                return new Sized(servers, because, load, down);
            }
            double idle = Latency.idleNs(load, input.percentile()) * factors.latency;
            if (idle > limit || step == 4 || servers >= input.file().maxServers()) {
                double reachable = Math.min(found, idle > limit ? idle : found);
                fallsShort(
                        draft.nic,
                        Shortfall.LATENCY,
                        reachable,
                        String.format(
                                Locale.ROOT,
                                "the p%s latency exceeds the limit of %.1f us; %.1f us is possible with %s",
                                input.percentileWords(),
                                limit / 1000,
                                reachable / 1000,
                                draft.shape.title()),
                        String.format(
                                Locale.ROOT,
                                "p%s of %.1f us, limit %.1f",
                                input.percentileWords(),
                                reachable / 1000,
                                limit / 1000),
                        draft.shape);
                return null;
            }
            servers = Math.min(input.file().maxServers(), (int) Math.ceil(servers * 1.25));
            because = "latency";
        }
    }

    private PlanOption option(Draft draft, int servers, String because, CardLoad load, double[] down) {
        double mean = atServers(input.file().lookupsPerSecond()) * hottestServer(servers);
        double peak = atServers(input.peakPerSecond()) * hottestServer(servers);
        double failed = atServers(input.peakPerSecond())
                * hottestServer(servers - input.file().serversThatMayFail());
        double perServer = load.saturatedPerSecond();
        double memory = load(draft.nic, draft.shape, draft.demand, servers).tableBytesOfServer() / input.memoryBytes();
        double oneCopyLeft = draft.shape.bytesPerRecord()
                * input.file().records()
                / ((servers - input.file().serversThatMayFail()) * input.memoryBytes());
        List<PlanOption.Resource> resources = new ArrayList<>(resources(load, mean, peak, failed));
        resources.add(new PlanOption.Resource("memory", memory, memory, Math.max(memory, oneCopyLeft)));
        resources.sort(
                Comparator.<PlanOption.Resource>comparingDouble(resource -> resource.down() / limitOf(resource.name()))
                        .reversed());
        double headroom = Double.POSITIVE_INFINITY;
        for (PlanOption.Resource resource : resources) {
            headroom = Math.min(headroom, limitOf(resource.name()) / resource.down());
        }
        headroom = Math.min(headroom, perServer * input.file().maxUtilisation() / failed);
        if (input.latencyLimitNs().isPresent()) {
            headroom = Math.min(headroom, latencyHeadroom(load, failed, headroom));
        }
        double[] none = {};
        double[] atPeak = rankedOnly ? none : peak == failed ? down : latency(load, peak);
        double years = input.growth() > 0
                ? Math.max(0, Math.log(headroom) / Math.log1p(input.growth()))
                : Double.POSITIVE_INFINITY;
        return new PlanOption(
                draft.nic,
                draft.shape,
                servers,
                because,
                draft.shape.bytesPerRecord() * input.file().records() * input.copies() / servers,
                perServer,
                relativeError(draft, servers, perServer),
                rankedOnly ? none : new double[] {Latency.idleNs(load, 0.5), Latency.idleNs(load, input.percentile())},
                rankedOnly || mean == peak ? atPeak : latency(load, mean),
                atPeak,
                down,
                failed,
                List.copyOf(resources),
                headroom,
                years,
                input.file().pricePerServer().isPresent()
                        ? OptionalDouble.of(
                                servers * input.file().pricePerServer().getAsDouble())
                        : OptionalDouble.empty(),
                load);
    }

    private double limitOf(String resource) {
        return resource.equals("memory") ? 1 : input.file().maxUtilisation();
    }

    private double[] latency(CardLoad load, double perSecond) {
        return Latency.underLoadNs(load, perSecond, 0.5, input.percentile());
    }

    /** Returns the multiple of the load that just satisfies the latency limit. */
    private double latencyHeadroom(CardLoad load, double perSecond, double max) {
        double low = 1;
        double high = Math.min(max, 64);
        if (latency(load, perSecond * high * 0.999)[1] <= input.latencyLimitNs().orElseThrow()) {
            return high;
        }
        for (int step = 0; step < 6; step++) {
            double middle = (low + high) / 2;
            if (latency(load, perSecond * middle)[1] <= input.latencyLimitNs().orElseThrow()) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static List<PlanOption.Resource> resources(CardLoad load, double mean, double peak, double down) {
        CardLoad.Costs costs = load.costs(0);
        Map<String, Double> ns = new LinkedHashMap<>();
        double bus = costs.payloadNs();
        double messages = costs.messageNs() + costs.randomNs() + costs.contentionNs();
        String card = bus > messages
                ? "server card (bus)"
                : costs.contentionNs() > messages / 2 ? "server card (its caches)" : "server card (messages)";
        ns.put(card, costs.serverNs());
        ns.put("server's wire", costs.responseWireNs());
        ns.put("client card", costs.requestNs() / load.clients().machines());
        ns.put("client threads", costs.clientNs() / load.clients().all());
        return ns.entrySet().stream()
                .map(entry -> new PlanOption.Resource(
                        entry.getKey(),
                        entry.getValue() * mean * 1e-9,
                        entry.getValue() * peak * 1e-9,
                        entry.getValue() * down * 1e-9))
                .toList();
    }

    /** Returns the operations at all servers: a read at one copy of its record, a write at each. */
    private double atServers(double perSecond) {
        return perSecond * (1 + (1 - input.file().reads()) * (input.copies() - 1));
    }

    /** Returns the busiest server's share of lookups: an even share plus that of hot records. */
    private double hottestServer(int servers) {
        if (servers <= 1 || input.skew() == 0) {
            return 1.0 / Math.max(1, servers);
        }
        double spread = Math.sqrt(2 * Math.log(servers) * sameRecord / servers);
        return Math.min(1, 1.0 / servers + Math.max(hottestShare * (1 - 1.0 / servers), spread) / input.copies());
    }

    /** Returns P[two operations access the same record]. */
    static double sameRecord(PlanInput input) {
        return zeta(input.file().records(), 2 * input.skew())
                / Math.pow(zeta(input.file().records(), input.skew()), 2);
    }

    /** Returns the sum of r^-theta for r up to n: a thousand terms exactly, the rest by the Euler-Maclaurin formula. */
    static double zeta(long n, double theta) {
        long exact = Math.min(n, 1000);
        double sum = IntStream.rangeClosed(1, (int) exact)
                .mapToDouble(r -> Math.pow(r, -theta))
                .sum();
        if (n > exact) {
            double integral = Math.abs(theta - 1) < 1e-9
                    ? Math.log((double) n / exact)
                    : (Math.pow((double) n, 1 - theta) - Math.pow((double) exact, 1 - theta)) / (1 - theta);
            sum += integral + (Math.pow((double) n, -theta) - Math.pow((double) exact, -theta)) / 2;
        }
        return sum;
    }

    /** Returns half the interval of a server's throughput that the constants' ranges cause, as a share of it. */
    private double relativeError(Draft draft, int servers, double perServer) {
        if (rankedOnly) {
            return 0;
        }
        double[] found =
                samples.computeIfAbsent(draft.nic.name(), _ -> SampledProfiles.of(draft.nic, SAMPLES, SEED)).stream()
                        .mapToDouble(nic ->
                                load(nic, draft.shape, draft.demand, servers).saturatedPerSecond())
                        .toArray();
        Interval interval = Interval.of(found);
        return (interval.high() - interval.low()) / 2 / perServer;
    }
}
