package org.reprobe.analysis.perftest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.reprobe.analysis.calibration.ProfileText.Constant;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.perftest.CardPort.Known;
import org.reprobe.analysis.perftest.PerftestRun.Latency;
import org.reprobe.analysis.perftest.PerftestRun.Rate;

/**
 * Constants of a NIC profile that outputs of perftest identify. All others are those of a base profile. The times are
 * explained as the simulated card would produce them, one method per constant:
 *
 * <ul>
 *   <li>an idle READ of B bytes: {@code post + doorbell + completion + round trip + random access}, and up to an MTU
 *       {@code B (payload + wire)};
 *   <li>READs with one outstanding: the same without the part between host and card and without the client's work;
 *   <li>a busy queue pair with small WRITEs, l per doorbell, one of m signaled: {@code post + doorbell / l + completion
 *       / m} per WRITE;
 *   <li>large messages: the slower of link and slot.
 * </ul>
 *
 * <p>Profiles without section {@code slot} have the slot in {@code responder.payload-ns-per-byte}. With the section,
 * the first packet of a message takes {@code transfer.stages} times the time of the slower of link and slot.
 */
public final class CardIdentification {
    /** Largest message that counts as small: its bytes take less time than its processing. */
    private static final int SMALL_BYTES = 64;

    /** Smallest message of which bytes, not processing, determine the rate. */
    static final int LARGE_BYTES = 1 << 16;

    /** Ratio of a limit to a time from which the limit may explain the time. */
    private static final double LIMITED = 0.85;

    /** Largest factor between the rates of one client and of several at which they are equal. */
    private static final double EQUAL = 1.15;

    /** Smallest share of a link's or slot's rate that large messages reach. */
    private static final double EFFICIENCY = 0.88;

    /** Link of 800 Gb/s: no faster one exists. */
    private static final double FASTEST_BYTES_PER_SECOND = 100e9;

    private static final double RESOLUTION_NS = 5;

    /** Difference of rates of equal runs. */
    private static final double NOISE = 0.02;

    private static final double Z90 = 1.2815515655446004;
    private static final double Z99 = 2.3263478740408408;
    private static final double Z95_OF_BOTH_SIDES = 1.96;
    private static final double MEDIAN_OVER_MEAN = 1.2533;
    private static final int LIST = 8;
    private static final String SLOT = "slot.bytes-per-second";
    private static final String EFFICIENCY_OF_READS = "transfer.read-efficiency";
    private static final String EFFICIENCY_OF_WRITES = "transfer.efficiency";

    private final CardOutputs outputs;
    private final List<CardOutputs> together;
    private final NicProfile base;
    private final CardPort port;
    private final Map<String, Double> ofBase;
    private final Map<String, Constant> found = new LinkedHashMap<>();
    private final Map<String, Constant> beside = new LinkedHashMap<>();

    /**
     * Constants in the order of profiles, and measured quantities that no constant has.
     *
     * @param identified keys that the outputs determine or bound
     */
    public record Result(List<Constant> constants, List<Constant> beside, List<String> identified) {}

    private CardIdentification(CardOutputs outputs, List<CardOutputs> together, NicProfile base) {
        this.outputs = outputs;
        this.together = together;
        this.base = base;
        this.port = new CardPort(outputs);
        this.ofBase = NicProfiles.constants(base);
    }

    /**
     * Identifies the constants of a card.
     *
     * @param together outputs of clients that ran at the same time against one server; their rates add up
     */
    public static Result identify(CardOutputs outputs, List<CardOutputs> together, NicProfile base) {
        return new CardIdentification(outputs, together, base).result();
    }

    private Result result() {
        mtuBytes();
        headerBytes();
        bandwidths();
        doorbellAndPostNs();
        workRequestFetchNs();
        stages();
        roundTripNs();
        halfRoundTrips();
        payloadFetchNs();
        hostNs();
        jitter();
        messageNs();
        atomicSameAddressNs();
        atomicNs();
        limits();
        modelOfReadSizes();
        if (!hasSlot()) {
            latencySlope();
        }
        List<Constant> constants = new ArrayList<>();
        ofBase.forEach((key, value) -> {
            Constant constant = found.get(key);
            if (constant != null) {
                constants.add(constant);
            } else if (base.provenance().containsKey(key)) {
                constants.add(asInBase(key, List.of(), ""));
            }
        });
        return new Result(constants, List.copyOf(beside.values()), List.copyOf(found.keySet()));
    }

    private Constant asInBase(String key, List<Double> interval, String remark) {
        NicProfile.Provenance known = base.provenance().get(key);
        List<Double> ends = interval.isEmpty() && known != null ? known.interval() : interval;
        return new Constant(key, ofBase(key), ends, Basis.ASSUMED, "as in " + base.name() + remark);
    }

    private void find(String key, double value, double low, double high, Basis basis, String source) {
        List<Double> interval = List.of(Math.min(low, value), Math.max(high, value));
        found.put(key, new Constant(key, value, interval, basis, source));
    }

    private void findExact(String key, double value, String source) {
        found.put(key, new Constant(key, value, List.of(), Basis.MEASURED, source));
    }

    private void derive(String key, double value, String source) {
        found.put(key, new Constant(key, value, List.of(), Basis.DERIVED, source));
    }

    /** Uses an upper limit: the base's value if it is below, else the limit. */
    private void atMost(String key, double limit, String source) {
        double value = ofBase(key);
        List<Double> interval = List.of(0.0, limit * (1 + NOISE));
        found.put(
                key,
                value <= limit
                        ? asInBase(key, interval, "; at most " + brief(limit) + " by " + source)
                        : new Constant(key, limit, interval, Basis.BOUND, source));
    }

    private double ofBase(String key) {
        return Objects.requireNonNull(ofBase.get(key), key);
    }

    private double value(String key) {
        Constant constant = found.get(key);
        return constant == null ? ofBase(key) : constant.value();
    }

    private double low(String key) {
        Constant constant = found.get(key);
        return constant == null ? 0 : constant.interval().stream().findFirst().orElse(constant.value());
    }

    private double high(String key) {
        Constant constant = found.get(key);
        return constant == null
                ? 2 * ofBase(key)
                : constant.interval().isEmpty()
                        ? constant.value()
                        : constant.interval().getLast();
    }

    static String brief(double value) {
        return String.format(Locale.ROOT, "%.4g", value);
    }

    /** Row of a table with its run. */
    private record Timed<R extends PerftestRun.Row>(PerftestRun run, R row) {
        String source(String column) {
            return row.origin() + " " + run.program().command() + " " + row.bytes() + " B " + column;
        }
    }

    private static Stream<Timed<Rate>> rates(CardOutputs outputs, Predicate<PerftestRun> which) {
        return outputs.runs().stream()
                .filter(which)
                .filter(run -> !run.settings().bidirectional())
                .flatMap(run -> run.rates().stream().map(row -> new Timed<>(run, row)));
    }

    private Stream<Timed<Rate>> rates(PerftestProgram program) {
        return rates(outputs, run -> run.program() == program);
    }

    private Stream<Timed<Latency>> medians(PerftestProgram program) {
        return outputs.runs().stream()
                .filter(run -> run.program() == program)
                .flatMap(run -> run.latencies().stream().map(row -> new Timed<>(run, row)))
                .filter(timed -> !Double.isNaN(timed.row.medianNs()));
    }

    private static Optional<Timed<Rate>> fastest(Stream<Timed<Rate>> rates) {
        return rates.min(Comparator.comparingDouble(timed -> timed.row.nsPerMessage()));
    }

    private static boolean isSmall(Timed<?> timed) {
        return timed.row.bytes() <= SMALL_BYTES;
    }

    private static boolean isOneQueuePair(Timed<?> timed) {
        return timed.run.settings().queuePairs() == 1;
    }

    private void mtuBytes() {
        port.mtuBytes().ifPresent(mtu -> findExact("link.mtu-bytes", mtu.value(), mtu.source()));
    }

    private void headerBytes() {
        if (port.mtuBytes().isPresent()) {
            derive("link.request-header-bytes", port.requestHeaderBytes(), port.headerSource());
            derive("link.response-header-bytes", port.responseHeaderBytes(), port.headerSource());
        }
    }

    private boolean hasSlot() {
        return base.provenance().containsKey(SLOT);
    }

    /** Largest measured bandwidth of the first of some programs that has one. */
    private Optional<Timed<Rate>> largest(PerftestProgram... programs) {
        return Stream.of(programs)
                .map(program -> rates(program)
                        .filter(timed -> timed.row.bytes() >= LARGE_BYTES)
                        .max(Comparator.comparingDouble(timed -> timed.row.bytesPerSecond())))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** Bandwidths of link and slot as the port and the slot state them, and the share of them that messages reach. */
    private void bandwidthsOfStages() {
        Optional<Known> link = port.linkBytesPerSecond();
        Optional<Known> slot = port.slotBytesPerSecond();
        link.ifPresent(known -> derive("link.bytes-per-second", known.value(), known.source()));
        slot.ifPresent(known -> derive(SLOT, known.value(), known.source()));
        port.busPacketBytes().ifPresent(known -> derive("slot.packet-bytes", known.value(), known.source()));
        efficiency(EFFICIENCY_OF_READS, largest(PerftestProgram.READ_BW), link, slot);
        efficiency(EFFICIENCY_OF_WRITES, largest(PerftestProgram.WRITE_BW, PerftestProgram.SEND_BW), link, slot);
    }

    private void efficiency(String key, Optional<Timed<Rate>> measured, Optional<Known> link, Optional<Known> slot) {
        if (measured.isEmpty()) {
            return;
        }
        double rate = measured.get().row.bytesPerSecond();
        String source = measured.get().source("BW average");
        double ofLink = link.map(known -> rate / port.payloadOf(known.value())).orElse(Double.NaN);
        double ofSlot =
                slot.map(known -> rate / port.payloadOfSlot(known.value())).orElse(Double.NaN);
        double share = Math.max(Double.isNaN(ofLink) ? 0 : ofLink, Double.isNaN(ofSlot) ? 0 : ofSlot);
        boolean both = link.isPresent() && slot.isPresent();
        if (share > 0 && (both || share >= EFFICIENCY)) {
            find(
                    key,
                    Math.min(1, share),
                    Math.max(0.01, share * (1 - NOISE)),
                    Math.min(1, share * (1 + NOISE)),
                    Basis.MEASURED,
                    source + " against the " + (ofLink >= ofSlot || slot.isEmpty() ? "link" : "slot"));
        } else if (link.isPresent()) {
            double least = rate / port.payloadOfSlot(1);
            find(
                    SLOT,
                    least / value(key),
                    (1 - NOISE) * least,
                    least / EFFICIENCY,
                    Basis.BOUND,
                    source + ", slower than the link");
        } else {
            double least = port.linkOf(rate);
            find(
                    "link.bytes-per-second",
                    least / value(key),
                    (1 - NOISE) * least,
                    slot.isPresent() ? least / EFFICIENCY : FASTEST_BYTES_PER_SECOND,
                    Basis.BOUND,
                    source + (slot.isPresent() ? ", slower than the slot" : ": link or slot, whichever is slower"));
        }
    }

    /** Returns the time per byte of a packet stage with this share of its rate. */
    private double stageNsPerByte(String efficiency) {
        double link = 1e9 / port.payloadOf(value("link.bytes-per-second"));
        double slot = 1e9 / port.payloadOfSlot(value(SLOT));
        return Math.max(link, slot) / value(efficiency);
    }

    /** Bandwidths of link and slot: the slower one is measured, the other one known from the port or the slot. */
    private void bandwidths() {
        if (hasSlot()) {
            bandwidthsOfStages();
            return;
        }
        Optional<Known> link = port.linkBytesPerSecond();
        Optional<Known> slot = port.slotBytesPerSecond();
        Timed<Rate> most = largest(PerftestProgram.READ_BW, PerftestProgram.WRITE_BW, PerftestProgram.SEND_BW)
                .orElse(null);
        if (most == null) {
            link.ifPresent(known -> derive("link.bytes-per-second", known.value(), known.source()));
            slot.ifPresent(known ->
                    derive("responder.payload-ns-per-byte", 1e9 / port.payloadOfSlot(known.value()), known.source()));
            return;
        }
        double measured = most.row.bytesPerSecond();
        double least = rates(outputs, run -> run.program() == most.run.program())
                .filter(timed -> timed.row.bytes() >= LARGE_BYTES)
                .mapToDouble(timed -> timed.row.bytesPerSecond())
                .min()
                .orElse(measured);
        String source = most.source("BW average");
        double linkPayload = link.map(known -> port.payloadOf(known.value())).orElse(Double.NaN);
        double slotPayload =
                slot.map(known -> port.payloadOfSlot(known.value())).orElse(Double.NaN);
        boolean slotIsSlower = slotPayload < linkPayload
                || (slot.isEmpty() && measured < EFFICIENCY * linkPayload)
                || (link.isEmpty() && measured > EFFICIENCY * slotPayload);
        if (slotIsSlower) {
            find(
                    "responder.payload-ns-per-byte",
                    1e9 / measured,
                    0.99e9 / measured,
                    1.01e9 / least,
                    Basis.MEASURED,
                    source + ", the slot is slower than the link");
            link.ifPresentOrElse(
                    known -> derive("link.bytes-per-second", known.value(), known.source()),
                    () -> find(
                            "link.bytes-per-second",
                            Math.max(port.linkOf(measured), ofBase("link.bytes-per-second")),
                            port.linkOf(measured),
                            FASTEST_BYTES_PER_SECOND,
                            Basis.BOUND,
                            source + ": at least this"));
            return;
        }
        boolean decided = link.isPresent() || slot.isPresent();
        find(
                "link.bytes-per-second",
                port.linkOf(measured),
                0.99 * port.linkOf(least),
                decided ? 1.01 * port.linkOf(measured) : FASTEST_BYTES_PER_SECOND,
                decided ? Basis.MEASURED : Basis.BOUND,
                source + (decided ? ", the link is slower than the slot" : ": link or slot, whichever is slower"));
        slot.ifPresentOrElse(
                known -> derive(
                        "responder.payload-ns-per-byte", 1e9 / port.payloadOfSlot(known.value()), known.source()),
                () -> atMost("responder.payload-ns-per-byte", 1e9 / measured, source));
    }

    /** Times per small request of one queue pair, in ascending order. */
    private static List<Timed<Rate>> ofOneQueuePair(CardOutputs outputs, PerftestProgram program, boolean lists) {
        return rates(outputs, run -> run.program() == program)
                .filter(timed -> isSmall(timed) && isOneQueuePair(timed))
                .filter(timed -> lists
                        ? timed.run.settings().postList() >= LIST
                        : timed.run.settings().postList() == 1)
                .sorted(Comparator.comparingDouble(timed -> timed.row.nsPerMessage()))
                .toList();
    }

    /**
     * Cost of posting. A rate without lists is that of post and doorbell together; with a rate of lists, of each.
     * WRITEs come first; READs only if the number of outstanding ones does not limit them.
     */
    private void doorbellAndPostNs() {
        for (PerftestProgram program :
                List.of(PerftestProgram.WRITE_BW, PerftestProgram.SEND_BW, PerftestProgram.READ_BW)) {
            List<Timed<Rate>> single = ofOneQueuePair(outputs, program, false);
            List<Timed<Rate>> lists = ofOneQueuePair(outputs, program, true);
            boolean postingLimits = program != PerftestProgram.READ_BW
                    || smallest(PerftestProgram.READ_LAT)
                            .filter(idle -> single.stream().noneMatch(read -> isOfRoundTrip(read, idle.row.medianNs())))
                            .isPresent();
            if (!single.isEmpty() && postingLimits) {
                posting(single, lists);
                return;
            }
        }
    }

    /** Returns true if the requests in flight explain a rate with a round trip of this time. */
    private boolean isOfRoundTrip(Timed<Rate> timed, double roundTripNs) {
        PerftestRun.Settings settings = timed.run.settings();
        Integer outstanding = settings.outstandingReads();
        Integer posted = settings.txDepth();
        double inFlight = Math.min(
                outstanding == null ? value("limits.outstanding-reads") : outstanding,
                posted == null ? Double.POSITIVE_INFINITY : posted);
        return roundTripNs / (inFlight * settings.queuePairs()) > LIMITED * timed.row.nsPerMessage();
    }

    private void posting(List<Timed<Rate>> single, List<Timed<Rate>> lists) {
        Timed<Rate> typical = single.get((single.size() - 1) / 2);
        double ns = typical.row.nsPerMessage();
        double slowest = single.getLast().row.nsPerMessage();
        double completion = value("client.completion-ns") / signaledEvery(typical);
        if (lists.isEmpty()) {
            double doorbell = Math.min(value("client.doorbell-ns"), ns - completion);
            find(
                    "client.post-ns",
                    Math.max(0, ns - doorbell - completion),
                    0,
                    slowest,
                    Basis.BOUND,
                    typical.source("MsgRate") + ": post and doorbell together");
            return;
        }
        Timed<Rate> list = lists.getFirst();
        int length = list.run.settings().postList();
        double inList = list.row.nsPerMessage();
        double doorbell = Math.max(0, (ns - inList) / (1 - 1.0 / length));
        double post = inList - doorbell / length - value("client.completion-ns") / signaledEvery(list);
        String both = typical.source("MsgRate") + " against " + list.source("MsgRate, lists of " + length);
        // The card may be slower than posting, and fetch single requests later than lists: only the sums are limits.
        find("client.doorbell-ns", doorbell, 0, slowest, Basis.MEASURED, both);
        find("client.post-ns", Math.max(0, post), 0, inList, Basis.MEASURED, both);
    }

    private static int signaledEvery(Timed<?> timed) {
        Integer moderation = timed.run.settings().cqModeration();
        return moderation == null ? 1 : Math.max(1, moderation);
    }

    /** Limit of the time of a fetch: a busy queue pair needs no longer per request. */
    private void workRequestFetchNs() {
        fastest(Stream.of(PerftestProgram.WRITE_BW, PerftestProgram.SEND_BW, PerftestProgram.READ_BW)
                        .flatMap(this::rates)
                        .filter(timed -> isSmall(timed) && isOneQueuePair(timed)))
                .ifPresent(timed -> atMost(
                        "requester.work-request-fetch-ns",
                        timed.row.nsPerMessage() * value("requester.work-request-prefetch"),
                        timed.source("MsgRate")));
    }

    /** Returns the client's work on one request with a doorbell and a completion of its own. */
    private double clientNs() {
        return value("client.post-ns") + value("client.doorbell-ns") + value("client.completion-ns");
    }

    private double payloadAndWireNs(long bytes) {
        if (hasSlot()) {
            double later = (value("transfer.stages") - 1) * stageNsPerByte(EFFICIENCY_OF_WRITES);
            return bytes * (stageNsPerByte(EFFICIENCY_OF_READS) + later + value("responder.payload-ns-per-byte"));
        }
        return bytes * (value("responder.payload-ns-per-byte") + 1e9 / value("link.bytes-per-second"));
    }

    /** Returns the time of an idle READ without its bytes and without access to memory, from post to completion. */
    private double withoutBytes(Timed<Latency> read) {
        return read.row.medianNs() - value("responder.random-access-ns") - payloadAndWireNs(read.row.bytes());
    }

    /** Latency of the smallest size; of several runs, the typical one. */
    private Optional<Timed<Latency>> smallest(PerftestProgram program) {
        List<Timed<Latency>> sorted = medians(program)
                .filter(CardIdentification::isSmall)
                .sorted(Comparator.<Timed<Latency>>comparingLong(timed -> timed.row.bytes())
                        .thenComparingDouble(timed -> timed.row.medianNs()))
                .toList();
        List<Timed<Latency>> smallest = sorted.stream()
                .filter(timed -> timed.row.bytes() == sorted.getFirst().row.bytes())
                .toList();
        return smallest.isEmpty() ? Optional.empty() : Optional.of(smallest.get((smallest.size() - 1) / 2));
    }

    /** Half of the 95 % interval of a median. */
    private static double halfWidthNs(Latency row) {
        double spread = Double.isNaN(row.stdevNs()) ? 0 : row.stdevNs();
        return RESOLUTION_NS
                + Z95_OF_BOTH_SIDES * MEDIAN_OVER_MEAN * spread / Math.sqrt(Math.max(1.0, (double) row.iterations()));
    }

    private void roundTripNs() {
        smallest(PerftestProgram.READ_LAT).ifPresent(typical -> {
            double[] ends = medians(PerftestProgram.READ_LAT)
                    .filter(timed -> timed.row.bytes() == typical.row.bytes())
                    .flatMap(timed -> Stream.of(
                            withoutBytes(timed) - halfWidthNs(timed.row), withoutBytes(timed) + halfWidthNs(timed.row)))
                    .mapToDouble(Double::doubleValue)
                    .sorted()
                    .toArray();
            double most = high("client.post-ns") + high("client.doorbell-ns") + high("client.completion-ns");
            double least = low("client.post-ns") + low("client.doorbell-ns");
            find(
                    "requester.round-trip-ns",
                    Math.max(0, withoutBytes(typical) - clientNs()),
                    Math.max(0, ends[0] - most),
                    ends[ends.length - 1] - least,
                    Basis.MEASURED,
                    typical.source("t_typical"));
        });
    }

    /** Part of the round trip between host and card: READs that wait for each other at the card do not have it. */
    private void hostNs() {
        Timed<Rate> waiting = rates(PerftestProgram.READ_BW)
                .filter(timed -> isSmall(timed) && isOneQueuePair(timed))
                .filter(timed -> Integer.valueOf(1).equals(timed.run.settings().outstandingReads()))
                .filter(timed -> !Integer.valueOf(1).equals(timed.run.settings().txDepth()))
                .min(Comparator.comparingLong(timed -> timed.row.bytes()))
                .orElse(null);
        Timed<Latency> idle = smallest(PerftestProgram.READ_LAT).orElse(null);
        if (waiting == null || idle == null) {
            return;
        }
        double ns = waiting.row.nsPerMessage()
                - value("responder.random-access-ns")
                - payloadAndWireNs(waiting.row.bytes());
        double host = value("requester.round-trip-ns") - ns;
        double slack = RESOLUTION_NS + NOISE * ns;
        find(
                "requester.host-ns",
                Math.clamp(host, 0, value("requester.round-trip-ns")),
                Math.max(0, low("requester.round-trip-ns") - ns - slack),
                Math.max(0, high("requester.round-trip-ns") - ns + slack),
                Basis.MEASURED,
                idle.source("t_typical") + " against " + waiting.source("MsgRate, 1 outstanding"));
    }

    /** Ratio of the 90th percentile to the median; without all times from the 99th, as of a log-normal distribution. */
    private void jitter() {
        medians(PerftestProgram.READ_LAT)
                .filter(timed -> isSmall(timed) && !timed.row.samplesNs().isEmpty())
                .findFirst()
                .ifPresentOrElse(
                        this::jitterOfSamples,
                        () -> medians(PerftestProgram.READ_LAT)
                                .filter(timed -> isSmall(timed) && timed.row.p99Ns() >= timed.row.medianNs())
                                .min(Comparator.comparingLong(timed -> timed.row.bytes()))
                                .ifPresent(this::jitterOfPercentile));
    }

    private void jitterOfSamples(Timed<Latency> timed) {
        List<Double> sorted = timed.row.samplesNs();
        double median = sorted.get((sorted.size() - 1) / 2);
        double half = Z95_OF_BOTH_SIDES * Math.sqrt(0.09 / sorted.size());
        found.put(
                "requester.jitter",
                new Constant(
                        "requester.jitter",
                        atLeastOne(quantile(sorted, 0.9) / median),
                        List.of(
                                atLeastOne((quantile(sorted, 0.9 - half) - RESOLUTION_NS) / median),
                                atLeastOne((quantile(sorted, 0.9 + half) + RESOLUTION_NS) / median)),
                        Basis.MEASURED,
                        timed.source("all times: 90th percentile / median")));
    }

    private static double quantile(List<Double> sorted, double share) {
        return sorted.get(Math.clamp((long) Math.ceil(share * sorted.size()) - 1, 0, sorted.size() - 1));
    }

    private static double atLeastOne(double ratio) {
        return Math.max(1, ratio);
    }

    private void jitterOfPercentile(Timed<Latency> timed) {
        double p99 = timed.row.p99Ns();
        double p50 = timed.row.medianNs();
        find(
                "requester.jitter",
                ofPercentiles(p99, p50),
                ofPercentiles(Math.max(p50, p99 - 2 * RESOLUTION_NS), p50),
                ofPercentiles(p99 + 2 * RESOLUTION_NS, p50) * 1.02,
                Basis.MEASURED,
                timed.source("99% percentile / t_typical, as of a log-normal distribution"));
    }

    private static double ofPercentiles(double p99, double p50) {
        return Math.pow(Math.max(1, p99 / p50), Z90 / Z99);
    }

    /** Message times of both cards: a rate bounds them; rates of several clients at once may determine the server's. */
    private void messageNs() {
        Timed<Rate> one = fastest(rates(PerftestProgram.READ_BW).filter(CardIdentification::isSmall))
                .orElse(null);
        if (one != null) {
            atMost("requester.message-ns", one.row.nsPerMessage(), one.source("MsgRate"));
            atMost("responder.message-ns", one.row.nsPerMessage(), one.source("MsgRate"));
        }
        List<Timed<Rate>> clients = together.stream()
                .map(client -> fastest(rates(client, run -> run.program() == PerftestProgram.READ_BW)
                        .filter(CardIdentification::isSmall)))
                .flatMap(Optional::stream)
                .toList();
        if (clients.size() < 2) {
            return;
        }
        double sum = clients.stream()
                .mapToDouble(timed -> timed.row.messagesPerSecond())
                .sum();
        double ns = 1e9 / sum - payloadOf(clients.getFirst().row.bytes()) - value("responder.random-access-ns");
        String source = clients.stream()
                .map(timed -> timed.source("MsgRate"))
                .reduce((a, b) -> a + " + " + b)
                .orElse("");
        if (one != null && sum <= EQUAL * one.row.messagesPerSecond() && ns > 0) {
            find(
                    "responder.message-ns",
                    ns,
                    ns / EQUAL,
                    ns * 1.05,
                    Basis.MEASURED,
                    source + ", no more than one client: " + one.source("MsgRate"));
        } else if (ns > 0) {
            atMost("responder.message-ns", ns, source);
        }
    }

    private double payloadOf(long bytes) {
        return bytes * value("responder.payload-ns-per-byte");
    }

    /** Time between two atomics on one address, which is all that the program uses. */
    private void atomicSameAddressNs() {
        fastest(rates(PerftestProgram.ATOMIC_BW)).ifPresent(timed -> {
            double ns = timed.row.nsPerMessage();
            double slowest = rates(PerftestProgram.ATOMIC_BW)
                    .mapToDouble(other -> other.row.nsPerMessage())
                    .max()
                    .orElse(ns);
            String key = "responder.atomic-same-address-ns";
            if (isOfRoundTrip(timed, value("requester.round-trip-ns"))) {
                atMost(key, ns, timed.source("MsgRate"));
            } else {
                find(key, ns, (1 - NOISE) * ns, (1 + NOISE) * slowest, Basis.MEASURED, timed.source("MsgRate"));
            }
        });
    }

    /** Limit of the time of an atomic: on many addresses, it takes no longer than on one. */
    private void atomicNs() {
        Constant one = found.get("responder.atomic-same-address-ns");
        if (one != null && one.basis() != Basis.ASSUMED) {
            atMost("responder.atomic-ns", one.value(), one.source());
        }
    }

    private void limits() {
        Map<String, String> names = new LinkedHashMap<>();
        names.put("limits.send-queue", "max_qp_wr");
        names.put("limits.outstanding-reads", "max_qp_rd_atom");
        names.put("limits.queue-pairs", "max_qp");
        names.put("limits.message-bytes", "max_msg_sz");
        names.forEach((key, name) -> port.limit(name)
                .filter(limit -> limit.value() >= 1 && limit.value() <= Integer.MAX_VALUE)
                .ifPresent(limit -> findExact(key, limit.value(), limit.source())));
        port.fact(Device.Program.IBV_DEVINFO, "atomic_cap")
                .ifPresent(fact -> findExact(
                        "limits.atomics",
                        fact.value().startsWith("ATOMIC_NONE") ? 0 : 1,
                        fact.origin() + " ibv_devinfo atomic_cap"));
    }

    private void modelOfReadSizes() {
        if (found.containsKey("requester.round-trip-ns")) {
            derive("model.fixed-cost-ns", value("requester.round-trip-ns") / 2, "half of requester.round-trip-ns");
        }
        Constant message = found.get("responder.message-ns");
        if (message != null && message.basis() != Basis.ASSUMED) {
            derive("model.peak-messages-per-second", 1e9 / message.value(), "1 / responder.message-ns");
        }
    }

    /** Time per byte of a message of up to an MTU, and half of its interval. */
    private record Slope(double nsPerByte, double half, String source) {}

    private Optional<Slope> slope() {
        double mtu = value("link.mtu-bytes");
        Timed<Latency> largest = medians(PerftestProgram.READ_LAT)
                .filter(timed -> timed.row.bytes() > SMALL_BYTES && timed.row.bytes() <= mtu)
                .max(Comparator.comparingLong(timed -> timed.row.bytes()))
                .orElse(null);
        Timed<Latency> smallest = smallest(PerftestProgram.READ_LAT).orElse(null);
        if (largest == null || smallest == null) {
            return Optional.empty();
        }
        long bytes = largest.row.bytes() - smallest.row.bytes();
        return Optional.of(new Slope(
                (largest.row.medianNs() - smallest.row.medianNs()) / bytes,
                (halfWidthNs(largest.row) + halfWidthNs(smallest.row)) / bytes,
                smallest.source("t_typical") + " to " + largest.row.bytes() + " B"));
    }

    /** Time per byte that no constant has without packet stages. */
    private void latencySlope() {
        String name = "latency slope up to an MTU, ns/B";
        slope().ifPresent(slope -> beside.put(
                name,
                new Constant(
                        name,
                        slope.nsPerByte,
                        List.of(slope.nsPerByte - slope.half, slope.nsPerByte + slope.half),
                        Basis.MEASURED,
                        slope.source)));
    }

    /** Latency of a first packet in times of one stage. */
    private void stages() {
        if (!hasSlot()) {
            return;
        }
        slope().ifPresent(slope -> {
            double stage = stageNsPerByte(EFFICIENCY_OF_WRITES);
            double first = stageNsPerByte(EFFICIENCY_OF_READS) + value("responder.payload-ns-per-byte");
            double stages = 1 + (slope.nsPerByte - first) / stage;
            double half = slope.half / stage + NOISE * stages;
            find(
                    "transfer.stages",
                    Math.max(1, stages),
                    Math.max(1, stages - half),
                    Math.max(1, stages + half),
                    Basis.MEASURED,
                    slope.source);
        });
    }

    /** Latencies of WRITEs and SENDs as parts of a READ's. perftest prints half a round trip. */
    private void halfRoundTrips() {
        if (hasSlot()) {
            share("transfer.write-share", PerftestProgram.WRITE_LAT, 0, 0, 0);
            String post = "client.post-ns"; // of the RECEIVE, within a round trip of SENDs
            share("transfer.send-share", PerftestProgram.SEND_LAT, low(post), value(post), high(post));
        }
    }

    /** Finds a share of a READ's latency, without the client's further work. */
    private void share(String key, PerftestProgram program, double leastNs, double clientNs, double mostNs) {
        Timed<Latency> half = smallest(program).orElse(null);
        Timed<Latency> read = smallest(PerftestProgram.READ_LAT).orElse(null);
        if (half == null || read == null) {
            return;
        }
        double whole = read.row.medianNs();
        double part = half.row.medianNs();
        find(
                key,
                Math.clamp((part - clientNs) / whole, 0, 1),
                Math.max(0, (part - halfWidthNs(half.row) - mostNs) / (whole + halfWidthNs(read.row))),
                Math.min(1, (part + halfWidthNs(half.row) - leastNs) / (whole - halfWidthNs(read.row))),
                Basis.MEASURED,
                half.source("t_typical") + " / " + read.source("t_typical"));
    }

    /** Returns true if the run's limit of inline payloads is known and not below the row's size. */
    private static boolean isInline(Timed<?> timed) {
        Integer limit = timed.run.settings().inlineBytes();
        return limit != null && timed.row.bytes() <= limit;
    }

    /** Step of the latency of WRITEs at the inline limit, beyond which the card fetches the payload. */
    private void payloadFetchNs() {
        if (!hasSlot()) {
            return;
        }
        Timed<Latency> first = smallest(PerftestProgram.WRITE_LAT).orElse(null);
        Timed<Latency> fetched = medians(PerftestProgram.WRITE_LAT)
                .filter(timed -> timed.run.settings().inlineBytes() != null && !isInline(timed))
                .filter(timed -> timed.row.bytes() <= value("link.mtu-bytes"))
                .min(Comparator.comparingLong(timed -> timed.row.bytes()))
                .orElse(null);
        if (first == null || fetched == null || !isInline(first)) {
            return;
        }
        double ns = fetched.row.medianNs()
                - first.row.medianNs()
                - payloadAndWireNs(fetched.row.bytes() - first.row.bytes());
        double half = halfWidthNs(fetched.row) + halfWidthNs(first.row) + NOISE * ns;
        find(
                "transfer.payload-fetch-ns",
                Math.max(0, ns),
                Math.max(0, ns - half),
                Math.max(0, ns + half),
                Basis.MEASURED,
                first.source("t_typical") + " to " + fetched.row.bytes() + " B, inline up to "
                        + fetched.run.settings().inlineBytes() + " B");
    }
}
