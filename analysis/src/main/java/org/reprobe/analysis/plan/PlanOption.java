package org.reprobe.analysis.plan;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import org.reprobe.analysis.nic.NicProfile;

/**
 * A configuration that meets the demands, with what it gives.
 *
 * @param servers how many
 * @param because what asks for so many
 * @param tableBytes memory of one server's table and heap
 * @param perServerPerSecond lookups a second of one server whose clients never let up
 * @param relativeError half the width of its interval, as a share of it
 * @param idleNs median and the percentile of one lookup at a time
 * @param meanNs the same at the mean load
 * @param peakNs the same at the peak
 * @param downNs the same at the peak with the servers failed that may
 * @param downPerSecond operations of the busiest server then
 * @param resources by how much they are used, the one that binds first
 * @param headroom the load times this is the most that the servers can take, growing records included
 * @param yearsLeft until then; infinite without growth
 * @param cost of all servers; empty without a price
 * @param load what one server's lookups cost, for figures
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record PlanOption(
        NicProfile nic,
        TableShape shape,
        int servers,
        String because,
        double tableBytes,
        double perServerPerSecond,
        double relativeError,
        double[] idleNs,
        double[] meanNs,
        double[] peakNs,
        double[] downNs,
        double downPerSecond,
        List<Resource> resources,
        double headroom,
        double yearsLeft,
        OptionalDouble cost,
        CardLoad load) {

    /**
     * What is used.
     *
     * @param name in words
     * @param mean share used at the mean load, and so on
     * @param down at the peak with failed servers
     */
    public record Resource(String name, double mean, double peak, double down) {}

    /** Cheapest first, then by how much more it could take, in steps of 10 %, then by memory and latency. */
    static final Comparator<PlanOption> BEST = Comparator.<PlanOption>comparingDouble(
                    option -> option.cost.orElse(option.servers))
            .thenComparingDouble(option -> -Math.floor(Math.log(Math.min(option.headroom, 1e6)) / Math.log(1.1)))
            .thenComparingDouble(option -> option.shape.bytesPerRecord())
            .thenComparingDouble(option -> option.downNs[1]);

    /** The resource that binds. */
    public Resource binding() {
        return resources.getFirst();
    }

    /** The one that would bind next. */
    public Resource next() {
        return resources.get(1);
    }

    /** Memory of all servers beyond one copy of the records, as a share of them. */
    public double overhead(PlanInput input) {
        return shape.bytesPerRecord() / input.meanRecordBytes() - 1;
    }

    /** Scheme, load, storage and card. */
    public String label() {
        return nic.title() + ": " + shape.label();
    }
}
