package org.reprobe.analysis.plan;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import org.reprobe.analysis.nic.NicProfile;

/**
 * Feasible configuration with its predicted performance.
 *
 * @param because the requirement that determines the number of servers
 * @param tableBytes memory of one server's table and heap
 * @param perServerPerSecond lookups per second of one saturated server
 * @param relativeError half the width of its interval by the constants' ranges, as a share of it
 * @param idleNs median and percentile of the latency of one lookup at a time. The next three arrays are those at the
 *     mean load, at the peak, and at the peak with the tolerated failed servers.
 * @param downPerSecond operations of the busiest server with failed servers
 * @param resources by utilization, the bottleneck first
 * @param headroom largest factor by which both the load and the number of records can grow on these servers
 * @param yearsLeft time in years until growth exhausts the headroom; infinite without growth
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

    /** Utilization of a resource: at the mean load, at the peak, and at the peak with failed servers. */
    public record Resource(String name, double mean, double peak, double down) {}

    /** Order by cost, then headroom in steps of 10 %, then memory and latency. */
    static final Comparator<PlanOption> BEST = Comparator.<PlanOption>comparingDouble(
                    option -> option.cost.orElse(option.servers))
            .thenComparingDouble(option -> -Math.floor(Math.log(Math.min(option.headroom, 1e6)) / Math.log(1.1)))
            .thenComparingDouble(option -> option.shape.bytesPerRecord())
            .thenComparingDouble(option -> option.downNs[1]);

    /** Returns the bottleneck. */
    public Resource binding() {
        return resources.getFirst();
    }

    public Resource next() {
        return resources.get(1);
    }

    /** Returns the memory of all servers beyond one copy of the records, relative to the copy. */
    public double overhead(PlanInput input) {
        return shape.bytesPerRecord() / input.meanRecordBytes() - 1;
    }

    public String label() {
        return nic.title() + ": " + shape.title();
    }
}
