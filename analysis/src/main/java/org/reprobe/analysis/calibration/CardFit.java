package org.reprobe.analysis.calibration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.stats.Summary;

/**
 * The constants of a card from the times that its probes took. Each repeat is fitted on its own; a constant is the mean over
 * the repeats and its interval Student's.
 *
 * <p>What is used of each probe, in the terms of {@link org.reprobe.analysis.nic.NicProfile}:
 *
 * <ul>
 *   <li>busy READs: {@link ServiceTimes};
 *   <li>an idle READ of B bytes: {@code post + doorbell + completion + round trip + random + B (payload + wire)}, one packet
 *       after the other stage by stage;
 *   <li>READs with 1 outstanding: each takes the round trip without the part between host and card, as the card itself sees
 *       the last one end;
 *   <li>an idle list of n READs: the second and the third are fetched over the bus one by one;
 *   <li>an idle list of many WRITEs: no limit of outstanding READs holds them back, so fetching does, so many at a time.
 * </ul>
 */
public final class CardFit {
    /** A rate is a stage's own when more queue pairs do not raise it by more than this. */
    private static final double SATURATED = 0.03;

    /** What must be told from the noise: a part of a time smaller than this share is not believed. */
    private static final double VISIBLE = 0.10;

    /** Longest header of any network, per packet. */
    private static final double MOST_HEADER_BYTES = 256;

    /** Fetching is visible when it takes this much longer than serving. */
    private static final double FETCH_VISIBLE = 1.5;

    /** So fast that it never holds anything up. */
    private static final double NO_LIMIT_BYTES_PER_S = 1e15;

    private static final double LEAST_NS = 1e-3;

    private CardFit() {}

    /**
     * What a fit found.
     *
     * @param estimates every constant of a profile, in its order
     * @param warnings in words, where the measurements are not what the fit takes them for
     */
    public record Result(Map<String, Estimate> estimates, List<String> warnings) {
        /** A constant's value. */
        public double value(String key) {
            Estimate estimate = estimates.get(key);
            if (estimate == null) {
                throw new IllegalArgumentException("no constant is called " + key);
            }
            return estimate.value();
        }
    }

    /**
     * Fits all constants.
     *
     * @param observations every probe, in every repeat
     * @throws IllegalArgumentException when there are none
     */
    public static Result fit(List<Observation> observations, Limits limits) {
        Map<Integer, List<Observation>> byRepeat = observations.stream()
                .collect(Collectors.groupingBy(Observation::repeat, TreeMap::new, Collectors.toList()));
        if (byRepeat.isEmpty()) {
            throw new IllegalArgumentException("there are no observations to fit");
        }
        List<Map<String, Double>> fits = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        for (List<Observation> repeat : byRepeat.values()) {
            Readings readings = new Readings(repeat);
            fits.add(new OneRepeat(readings).fit());
            unsaturated(readings, warnings);
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

    /** One repeat's constants; those that it does not tell are not there. */
    private static final class OneRepeat {
        private final Readings readings;
        private final Map<String, Double> found = new LinkedHashMap<>();

        OneRepeat(Readings readings) {
            this.readings = readings;
        }

        Map<String, Double> fit() {
            Readings.Line doorbells = readings.line(Probe.DOORBELL, Double.MAX_VALUE);
            double post = readings.first(Probe.POST) + Math.max(0, doorbells.slope());
            double doorbell = Math.max(0, doorbells.intercept());
            double completion = readings.first(Probe.COMPLETION);
            put("client.post-ns", post);
            put("client.doorbell-ns", doorbell);
            put("client.completion-ns", completion);

            ServiceTimes service = ServiceTimes.fit(timings());
            double random = Math.max(0, service.randomAccessNs());
            put("responder.message-ns", Math.max(LEAST_NS, service.messageNs()));
            put("responder.random-access-ns", random);
            put("responder.payload-ns-per-byte", Math.max(0, service.payloadNsPerByte()));

            int onePacket = service.wire() == null || service.wire().mtuBytes() == 0
                    ? 4096
                    : service.wire().mtuBytes();
            Readings.Line idle = readings.line(Probe.IDLE_READ, onePacket);
            double roundTrip = Math.max(0, idle.intercept() - post - doorbell - completion - random);
            put("requester.round-trip-ns", roundTrip);
            double headers = wire(service, idle.slope());
            jitter(roundTrip - service.messageNs() - headers);

            double period = readings.lastSlope(Probe.ONE_OUTSTANDING) - post;
            put("requester.host-ns", Math.max(0, roundTrip + random + 8 * idle.slope() - period));
            fetching(post, service);

            double atomic = readings.first(Probe.ATOMIC);
            put("responder.atomic-ns", atomic);
            put("responder.atomic-same-address-ns", readings.first(Probe.ATOMIC_SAME_ADDRESS));

            Readings.Line lookups = readings.line(Probe.LOOKUP, Double.MAX_VALUE);
            put("client.lookup-ns", Math.max(0, lookups.intercept()));
            put("client.slot-ns", Math.max(0, lookups.slope()));

            put("model.fixed-cost-ns", roundTrip / 2);
            put("model.peak-messages-per-second", 1e9 / Math.max(LEAST_NS, service.messageNs()));
            return found;
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

        /** Wire and headers; what both headers of an empty READ take. */
        private double wire(ServiceTimes service, double idleNsPerByte) {
            ServiceTimes.Wire wire = service.wire();
            if (wire == null) {
                // Never the bottleneck, but an idle READ's bytes go through both stages one after the other.
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
            if (wire.headerBytes() >= 0 && wire.headerBytes() <= MOST_HEADER_BYTES) {
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
            if (header >= 0 && header <= MOST_HEADER_BYTES) {
                put("link.request-header-bytes", header);
                both += header * wire.nsPerByte();
            }
            return both;
        }

        /** The median over the sizes of how the 90th percentile spreads, as a share of what is no stage's time. */
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
            var lists = readings.of(Probe.READ_LIST);
            double third = lists.getOrDefault(3.0, Double.NaN);
            double fetch = (third - readings.first(Probe.READ_LIST)) / 2 - post;
            if (fetch <= FETCH_VISIBLE * service.ns(8, true)) {
                return;
            }
            put("requester.work-request-fetch-ns", fetch);
            double write = readings.lastSlope(Probe.WRITE_LIST) - post;
            if (write > FETCH_VISIBLE * readings.first(Probe.WRITE)) {
                put("requester.work-request-prefetch", fetch / write);
            }
        }
    }

    /** The constants in the profile's order, with what is known of each. */
    private static final class Table {
        private final List<Map<String, Double>> fits;
        private final Map<String, Estimate> estimates = new LinkedHashMap<>();

        Table(List<Map<String, Double>> fits, Limits limits) {
            this.fits = fits;
            fitted("responder.message-ns", "busy READs by size: random-read, sequential-read");
            fitted("responder.random-access-ns", "busy READs: random-read against sequential-read");
            fitted("responder.payload-ns-per-byte", "busy READs by size: random-read, sequential-read");
            assumed("responder.sequential-streams", 4.0 * limits.sendQueue(), "not measured: four full send queues");
            measured("responder.atomic-ns", "busy compare-and-swaps at random addresses: atomic");
            measured("responder.atomic-same-address-ns", "busy compare-and-swaps on one address: atomic-same-address");
            fitted(
                    "link.bytes-per-second",
                    "the READs that take longer than the card needs: random-read or idle-read",
                    NO_LIMIT_BYTES_PER_S,
                    "no READ was held up by a link: it never shows");
            counted(
                    "link.mtu-bytes",
                    "busy READs of several packets: random-read",
                    4096,
                    "the sizes do not tell; without headers it has no effect");
            counted(
                    "link.request-header-bytes",
                    "busy WRITEs that the link holds up: write",
                    0,
                    "hidden in the round trip: no WRITE was held up by the link");
            counted(
                    "link.response-header-bytes",
                    "busy READs that the link holds up: random-read",
                    0,
                    "hidden in the round trip: no READ was held up by the link");
            fitted(
                    "requester.round-trip-ns",
                    "idle READs by size, taken to 0 bytes, without the client's own work: idle-read");
            fitted("requester.host-ns", "the round trip against READs that wait for each other: one-outstanding");
            fitted(
                    "requester.work-request-fetch-ns",
                    "the second and third READ of an idle list: read-list",
                    0,
                    "a further request of a list takes no longer than serving it");
            counted(
                    "requester.work-request-prefetch",
                    "long idle lists of WRITEs: write-list",
                    16,
                    "fetching never holds a list up: it has no effect that shows");
            assumed(
                    "requester.message-ns",
                    0,
                    "can't be told: the responder's time for a message is longer and hides it");
            fitted("requester.jitter", "90th percentile against median of idle READs: idle-read");
            limit("limits.send-queue", limits.sendQueue(), "the most that a queue pair was given");
            limit("limits.outstanding-reads", limits.outstandingReads(), "the most that a queue pair was given");
            assumed("limits.queue-pairs", 131072, "not tried");
            assumed("limits.message-bytes", 1 << 30, "not tried");
            fitted("client.lookup-ns", "lookups against READs alone, by slots scanned: lookup, round");
            measured(
                    "client.post-ns",
                    "appending to a list, and what its doorbell takes for each request: post, doorbell");
            measured("client.doorbell-ns", "ringing, taken to an empty list: doorbell");
            measured("client.completion-ns", "taking completions that are there: completion");
            fitted("client.slot-ns", "lookups by slots scanned: lookup");
            derived("model.fixed-cost-ns", "half of requester.round-trip-ns");
            derived("model.peak-messages-per-second", "1 / responder.message-ns");
            counted("model.header-bytes", "link.response-header-bytes", 30, "as linear-probing paper, section 3.1");
        }

        Map<String, Estimate> estimates() {
            return estimates;
        }

        private void fitted(String key, String source) {
            add(key, Basis.FITTED, source, false, Double.NaN, "could not be told");
        }

        private void fitted(String key, String source, double otherwise, String why) {
            add(key, Basis.FITTED, source, false, otherwise, why);
        }

        private void measured(String key, String source) {
            add(key, Basis.MEASURED, source, false, Double.NaN, "could not be told");
        }

        private void derived(String key, String source) {
            add(key, Basis.DERIVED, source, false, Double.NaN, "could not be told");
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

        /** A constant that every repeat told; a whole number where it is a count. */
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
                            String.format(Locale.ROOT, "%s can't be told from these measurements", key));
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
