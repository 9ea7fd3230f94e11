package org.reprobe.analysis.calibration;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.commons.math3.stat.regression.OLSMultipleLinearRegression;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.stats.Summary;

/**
 * Fits the constants of a card to the times of its probes. Each repeat is fitted separately; a constant is the mean
 * over the repeats, its interval Student's 95 %.
 *
 * <p>Probe times in terms of {@link org.reprobe.analysis.nic.NicProfile}:
 *
 * <ul>
 *   <li>busy READs: {@link ServiceTimes};
 *   <li>an idle READ of B bytes: {@code post + doorbell + completion + round trip + random + B (payload + wire)}, store
 *       and forward at each stage;
 *   <li>READs with 1 outstanding: the round trip without the part between host and card, since the card itself detects
 *       the end of the previous READ;
 *   <li>an idle batch of n READs: the second and the third are fetched over the bus one by one;
 *   <li>posting n READs of B bytes: {@code n (post + B client's payload) + doorbell};
 *   <li>an idle batch of many WRITEs: limited by fetching, since the limit of outstanding READs does not apply.
 * </ul>
 *
 * <p>If posting takes most of a READ's time, there is no card: clients do the operations themselves, as over shared
 * memory. The fit then attributes all time to the client's constants and none to the card's.
 */
public final class CardFit {
    /** Largest relative increase of a rate with more queue pairs at which a stage counts as saturated. */
    private static final double SATURATED = 0.03;

    /** Smallest share of a time that is distinguished from noise. */
    private static final double VISIBLE = 0.10;

    /** Longest header of any network, per packet. */
    private static final double MAX_HEADER_BYTES = 256;

    /** Factor over the serving time from which fetching is visible. */
    private static final double FETCH_VISIBLE = 1.5;

    /** Rate that never limits. */
    private static final double NO_LIMIT_BYTES_PER_S = 1e15;

    private static final double MIN_NS = 1e-3;

    /** Smallest share of a READ's time spent on posting if the client's CPU does the operation. */
    private static final double CARRIED = 0.5;

    private static final String BY_CLIENT = "no card is busy: clients do the operations themselves";

    private CardFit() {}

    /** Constants of a profile, in its order, and deviations of the measurements from the fit's assumptions. */
    public record Result(Map<String, Estimate> estimates, List<String> warnings) {
        public double value(String key) {
            Estimate estimate = estimates.get(key);
            if (estimate == null) {
                throw new IllegalArgumentException("no constant is called " + key);
            }
            return estimate.value();
        }
    }

    /** Fits all constants to every probe in every repeat, during which {@code clients} clients kept the server busy. */
    public static Result fit(List<Observation> observations, FabricLimits limits, int clients) {
        Map<Integer, List<Observation>> byRepeat = observations.stream()
                .collect(Collectors.groupingBy(Observation::repeat, TreeMap::new, Collectors.toList()));
        if (byRepeat.isEmpty()) {
            throw new IllegalArgumentException("there are no observations to fit");
        }
        List<Map<String, Double>> fits = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        for (List<Observation> repeat : byRepeat.values()) {
            Readings readings = new Readings(repeat);
            OneRepeat one = new OneRepeat(readings, clients);
            fits.add(one.fit());
            if (!one.isCarried()) {
                unsaturated(readings, warnings);
            }
        }
        return new Result(
                new Table(fits, limits).estimates(),
                warnings.stream().distinct().toList());
    }

    private static void unsaturated(Readings readings, List<String> warnings) {
        double one = readings.first(Probe.QUEUE_PAIRS);
        double more = readings.of(Probe.QUEUE_PAIRS).values().stream()
                .mapToDouble(Double::doubleValue)
                .min()
                .orElse(one);
        if (more < one * (1 - SATURATED)) {
            warnings.add("More queue pairs raise the rate: the server was not busy all the time, and its constants are"
                    + " upper bounds. Use more clients.");
        }
    }

    /** Constants of one repeat; those that its times do not identify are absent. */
    private static final class OneRepeat {
        private final Readings readings;
        private final int clients;
        private final double postNs;
        private final double postNsPerByte;
        private final double doorbellNs;
        private final Map<String, Double> found = new LinkedHashMap<>();

        OneRepeat(Readings readings, int clients) {
            this.readings = readings;
            this.clients = clients;
            double[] posting = posting(readings);
            this.postNs = Math.max(0, posting[0]);
            this.postNsPerByte = Math.max(0, posting[1]);
            this.doorbellNs = Math.max(0, posting[2]);
        }

        /** Time of posting n READs of B bytes: {@code n (post + B per byte) + doorbell}, with relative weights. */
        private static double[] posting(Readings readings) {
            List<double[]> rows = new ArrayList<>();
            List<Double> times = new ArrayList<>();
            double longest = readings.of(Probe.POST_BATCH).lastKey();
            readings.of(Probe.POST).forEach((bytes, ns) -> {
                rows.add(new double[] {1, bytes, 1 / longest});
                times.add(ns);
            });
            readings.of(Probe.POST_BATCH).forEach((length, ns) -> {
                rows.add(new double[] {length, 8 * length, 1});
                times.add(ns);
            });
            double[] y = new double[rows.size()];
            double[][] x = new double[rows.size()][];
            for (int i = 0; i < y.length; i++) {
                double weight = 1 / Math.max(MIN_NS, times.get(i));
                y[i] = times.get(i) * weight;
                x[i] = Arrays.stream(rows.get(i)).map(value -> value * weight).toArray();
            }
            OLSMultipleLinearRegression regression = new OLSMultipleLinearRegression();
            regression.setNoIntercept(true);
            regression.newSampleData(y, x);
            return regression.estimateRegressionParameters();
        }

        /** Returns true if the clients' CPUs do the operations: posting then takes most of a READ's time. */
        boolean isCarried() {
            var round = readings.of(Probe.ROUND).firstEntry();
            return postNs + round.getKey() * postNsPerByte > CARRIED * round.getValue();
        }

        Map<String, Double> fit() {
            double completion = readings.first(Probe.COMPLETION);
            put("client.completion-ns", completion);
            put("responder.atomic-ns", readings.first(Probe.ATOMIC));
            put("responder.atomic-same-address-ns", readings.first(Probe.ATOMIC_SAME_ADDRESS));
            if (isCarried()) {
                carried(completion);
            } else {
                served(completion);
            }
            return found;
        }

        /**
         * Constants without a card, from rounds of READs. All clients run rounds at once because they slow each other
         * down by caches and memory; idle READs are one client's.
         */
        private void carried(double completion) {
            Readings.Line alone = readings.relativeLine(Probe.ROUND);
            double roundTrip =
                    Math.max(0, readings.first(Probe.IDLE_READ) - alone.intercept() - 8 * alone.slope() - completion);
            put("requester.round-trip-ns", roundTrip);
            // Without a card, no limit of outstanding READs makes them wait for each other.
            put("requester.host-ns", roundTrip);
            Readings.Line rounds = readings.relativeLine(Probe.BUSY_ROUND);
            // The simulated card adds one round trip and one completion to every round.
            double post = Math.max(0, rounds.intercept() - (roundTrip + completion) / Probe.ROUND_READS);
            put("client.post-ns", post);
            put("client.payload-ns-per-byte", Math.max(0, rounds.slope()));
            put("client.doorbell-ns", 0);
            jitter(roundTrip);
            lookups(readings.relativeLine(Probe.BUSY_LOOKUP));
            put("model.fixed-cost-ns", post);
            put("model.peak-messages-per-second", 1e9 * clients / Math.max(MIN_NS, post));
        }

        private void lookups(Readings.Line lookups) {
            put("client.lookup-ns", Math.max(0, lookups.intercept()));
            put("client.slot-ns", Math.max(0, lookups.slope()));
        }

        private void served(double completion) {
            double post = postNs;
            put("client.post-ns", post);
            put("client.payload-ns-per-byte", postNsPerByte);
            put("client.doorbell-ns", doorbellNs);
            ServiceTimes service = ServiceTimes.fit(timings());
            double random = Math.max(0, service.randomAccessNs());
            put("responder.message-ns", Math.max(MIN_NS, service.messageNs()));
            put("responder.random-access-ns", random);
            put("responder.payload-ns-per-byte", Math.max(0, service.payloadNsPerByte()));

            int onePacket = service.wire() == null || service.wire().mtuBytes() == 0
                    ? 4096
                    : service.wire().mtuBytes();
            Readings.Line idle = readings.line(Probe.IDLE_READ, onePacket);
            double idleNsPerByte = idle.slope() - postNsPerByte;
            double roundTrip = Math.max(0, idle.intercept() - post - doorbellNs - completion - random);
            put("requester.round-trip-ns", roundTrip);
            double headers = wire(service, idleNsPerByte);
            jitter(roundTrip - service.messageNs() - headers);

            double posted = post + 8 * postNsPerByte;
            double period = readings.lastSlope(Probe.ONE_OUTSTANDING) - posted;
            put("requester.host-ns", Math.max(0, roundTrip + random + 8 * idleNsPerByte - period));
            fetching(posted, service);
            lookups(readings.line(Probe.LOOKUP, Double.MAX_VALUE));
            put("model.fixed-cost-ns", roundTrip / 2);
            put("model.peak-messages-per-second", 1e9 / Math.max(MIN_NS, service.messageNs()));
        }

        private void put(String key, double value) {
            found.put(key, value);
        }

        private List<ServiceTimes.Timing> timings() {
            List<ServiceTimes.Timing> timings = new ArrayList<>();
            readings.of(Probe.RANDOM_READ)
                    .forEach((bytes, ns) -> timings.add(new ServiceTimes.Timing(bytes.intValue(), true, ns)));
            readings.of(Probe.SEQUENTIAL_READ)
                    .forEach((bytes, ns) -> timings.add(new ServiceTimes.Timing(bytes.intValue(), false, ns)));
            return timings;
        }

        /** Wire and headers, from the time of both headers of an empty READ. */
        private double wire(ServiceTimes service, double idleNsPerByte) {
            ServiceTimes.Wire wire = service.wire();
            if (wire == null) {
                // The wire is never the bottleneck, but an idle READ's bytes pass both stages in sequence.
                double rest = idleNsPerByte - service.payloadNsPerByte();
                if (rest > VISIBLE * idleNsPerByte) {
                    put("link.bytes-per-second", 1e9 / rest);
                }
                return 0;
            }
            put("link.bytes-per-second", 1e9 / wire.nsPerByte());
            if (wire.mtuBytes() > 0) {
                put("link.mtu-bytes", wire.mtuBytes());
            }
            double both = 0;
            if (wire.headerBytes() >= 0 && wire.headerBytes() <= MAX_HEADER_BYTES) {
                put("link.response-header-bytes", wire.headerBytes());
                put("model.header-bytes", Math.max(1, wire.headerBytes()));
                both += wire.headerBytes() * wire.nsPerByte();
            }
            double sum = 0;
            int count = 0;
            for (Map.Entry<Double, Double> write : readings.of(Probe.WRITE).entrySet()) {
                int bytes = write.getKey().intValue();
                double stage = service.messageNs() + service.randomAccessNs() + bytes * service.payloadNsPerByte();
                if (service.wireNs(bytes, 0) > stage) {
                    double packets = wire.mtuBytes() == 0 ? 1 : Math.ceilDiv(bytes, wire.mtuBytes());
                    sum += (write.getValue() / wire.nsPerByte() - bytes) / packets;
                    count++;
                }
            }
            double header = count == 0 ? -1 : sum / count;
            if (header >= 0 && header <= MAX_HEADER_BYTES) {
                put("link.request-header-bytes", header);
                both += header * wire.nsPerByte();
            }
            return both;
        }

        /** Median over the sizes of the 90th percentile's spread, as a share of the time outside the stages. */
        private void jitter(double spreadableNs) {
            double[] spreads = readings.of(Probe.IDLE_READ).entrySet().stream()
                    .mapToDouble(idle -> readings.of(Probe.IDLE_READ_P90).getOrDefault(idle.getKey(), idle.getValue())
                            - idle.getValue())
                    .sorted()
                    .toArray();
            double middle = (spreads[spreads.length / 2] + spreads[(spreads.length - 1) / 2]) / 2;
            put("requester.jitter", Math.clamp(1 + middle / Math.max(1, spreadableNs), 1, 10));
        }

        private void fetching(double post, ServiceTimes service) {
            var batches = readings.of(Probe.READ_BATCH);
            double third = batches.getOrDefault(3.0, Double.NaN);
            double fetch = (third - readings.first(Probe.READ_BATCH)) / 2 - post;
            if (fetch <= FETCH_VISIBLE * service.ns(8, true)) {
                return;
            }
            put("requester.work-request-fetch-ns", fetch);
            double write = readings.lastSlope(Probe.WRITE_BATCH) - post;
            if (write > FETCH_VISIBLE * readings.first(Probe.WRITE)) {
                put("requester.work-request-prefetch", fetch / write);
            }
        }
    }

    /** Constants in the profile's order, with basis and source. */
    private static final class Table {
        private final List<Map<String, Double>> fits;
        private final Map<String, Estimate> estimates = new LinkedHashMap<>();

        Table(List<Map<String, Double>> fits, FabricLimits limits) {
            this.fits = fits;
            fitted("responder.message-ns", "busy READs by size: random-read, sequential-read", MIN_NS, BY_CLIENT);
            fitted("responder.random-access-ns", "busy READs: random-read against sequential-read", 0, BY_CLIENT);
            fitted("responder.payload-ns-per-byte", "busy READs by size: random-read, sequential-read", 0, BY_CLIENT);
            assumed("responder.sequential-streams", 4.0 * limits.sendQueue(), "not measured: four full send queues");
            measured("responder.atomic-ns", "busy compare-and-swaps at random addresses: atomic");
            measured("responder.atomic-same-address-ns", "busy compare-and-swaps on one address: atomic-same-address");
            fitted(
                    "link.bytes-per-second",
                    "READs slower than the card alone: random-read or idle-read",
                    NO_LIMIT_BYTES_PER_S,
                    "no READ was limited by a link");
            counted(
                    "link.mtu-bytes",
                    "busy READs of several packets: random-read",
                    4096,
                    "not identified by the sizes; without headers it has no effect");
            counted(
                    "link.request-header-bytes",
                    "busy WRITEs limited by the link: write",
                    0,
                    "included in the round trip: no WRITE was limited by the link");
            counted(
                    "link.response-header-bytes",
                    "busy READs limited by the link: random-read",
                    0,
                    "included in the round trip: no READ was limited by the link");
            fitted(
                    "requester.round-trip-ns",
                    "idle READs by size, extrapolated to 0 bytes, without the client's own work: idle-read");
            fitted(
                    "requester.host-ns",
                    "the round trip against READs that wait for each other: one-outstanding; all of it if the client"
                            + " does the operations");
            fitted(
                    "requester.work-request-fetch-ns",
                    "the second and third READ of an idle batch: read-batch",
                    0,
                    "fetching a request of a batch takes no longer than serving it");
            counted(
                    "requester.work-request-prefetch",
                    "long idle batches of WRITEs: write-batch",
                    16,
                    "fetching never limits a batch: no visible effect");
            assumed(
                    "requester.message-ns",
                    0,
                    "not identified: the responder's time for a message is longer and hides it");
            fitted("requester.jitter", "90th percentile against median of idle READs: idle-read");
            limit("limits.send-queue", limits.sendQueue(), "the limit of the calibrated queue pairs");
            limit("limits.outstanding-reads", limits.outstandingReads(), "the limit of the calibrated queue pairs");
            assumed("limits.queue-pairs", 131072, "not measured");
            assumed("limits.message-bytes", 1 << 30, "not measured");
            fitted(
                    "client.lookup-ns",
                    "lookups against READs alone, by slots scanned: lookup, round; busy ones if the client does the"
                            + " operations");
            fitted(
                    "client.post-ns",
                    "posting batches, or busy rounds if the client does the operations: post, post-batch, busy-round");
            fitted("client.payload-ns-per-byte", "posting or busy rounds by size: post, busy-round");
            fitted("client.doorbell-ns", "posting batches, extrapolated to an empty one: post-batch");
            measured("client.completion-ns", "taking available completions: completion");
            fitted("client.slot-ns", "lookups by slots scanned: lookup, busy-lookup if the client does the operations");
            derived(
                    "model.fixed-cost-ns",
                    "half of requester.round-trip-ns; client.post-ns if the client does the operations");
            derived(
                    "model.peak-messages-per-second",
                    "1 / responder.message-ns; clients / client.post-ns if they do the operations");
            counted("model.header-bytes", "link.response-header-bytes", 30, "as linear-probing paper, section 3.1");
        }

        Map<String, Estimate> estimates() {
            return estimates;
        }

        private void fitted(String key, String source) {
            add(key, Basis.FITTED, source, false, Double.NaN, "not identified");
        }

        private void fitted(String key, String source, double otherwise, String why) {
            add(key, Basis.FITTED, source, false, otherwise, why);
        }

        private void measured(String key, String source) {
            add(key, Basis.MEASURED, source, false, Double.NaN, "not identified");
        }

        private void derived(String key, String source) {
            add(key, Basis.DERIVED, source, false, Double.NaN, "not identified");
        }

        private void counted(String key, String source, double otherwise, String why) {
            add(key, Basis.FITTED, source, true, otherwise, why);
        }

        private void limit(String key, double value, String source) {
            estimates.put(key, new Estimate(key, value, 0, Basis.MEASURED, source));
        }

        private void assumed(String key, double value, String why) {
            estimates.put(key, new Estimate(key, value, Double.NaN, Basis.ASSUMED, why));
        }

        /** Adds a constant that every repeat identified; a whole number if it is a count. */
        private void add(String key, Basis basis, String source, boolean count, double otherwise, String why) {
            List<Double> values = new ArrayList<>();
            for (Map<String, Double> fit : fits) {
                Double value = fit.get(key);
                if (value != null && Double.isFinite(value)) {
                    values.add(value);
                }
            }
            if (values.size() < fits.size()) {
                if (Double.isNaN(otherwise)) {
                    throw new IllegalArgumentException(
                            String.format(Locale.ROOT, "%s can't be identified from these measurements", key));
                }
                assumed(key, otherwise, why);
                return;
            }
            Summary summary = Summary.of(values);
            double value = count ? Math.rint(summary.mean()) : summary.mean();
            estimates.put(key, new Estimate(key, value, summary.halfWidth95(), basis, source));
        }
    }
}
