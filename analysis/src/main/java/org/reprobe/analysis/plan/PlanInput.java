package org.reprobe.analysis.plan;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.OptionalDouble;
import org.reprobe.analysis.nic.NicProfile;

/**
 * What is asked of a plan.
 *
 * @param records in all
 * @param largestRecordBytes key and value of the longest record: what a slot must hold when records stand inline
 * @param meanRecordBytes key and value in the mean
 * @param lookupsPerSecond now, in the mean
 * @param peakPerSecond at the peak
 * @param skew exponent of Zipf's law by which records are asked for; 0 for evenly
 * @param reads share of operations that only read
 * @param percentile of latency that has a limit, 0 to 1
 * @param latencyLimitNs of that percentile at the peak; empty for none
 * @param memoryBytes for table and heap, of one server
 * @param failures servers that may fail at the peak
 * @param copies servers that hold each record
 * @param growth a year, of records and lookups alike: 0.4 is 40 %
 * @param price of a server; empty when it does not matter
 * @param clientMachines in all
 * @param clientThreads of each machine
 * @param maxUtilisation to which anything may be used at the peak
 * @param maxServers to think of
 */
public record PlanInput(
        long records,
        int largestRecordBytes,
        double meanRecordBytes,
        double lookupsPerSecond,
        double peakPerSecond,
        double skew,
        double reads,
        double percentile,
        OptionalDouble latencyLimitNs,
        double memoryBytes,
        int failures,
        int copies,
        double growth,
        OptionalDouble price,
        List<NicProfile> nics,
        List<PlannedScheme> schemes,
        int clientMachines,
        int clientThreads,
        int sendQueue,
        int outstandingReads,
        double maxUtilisation,
        int maxServers) {

    public PlanInput {
        nics = List.copyOf(nics);
        schemes = List.copyOf(schemes);
    }

    /** {@code 99} or {@code 99.9}. */
    public String percentileWords() {
        return BigDecimal.valueOf(100 * percentile)
                .round(new MathContext(4))
                .stripTrailingZeros()
                .toPlainString();
    }

    /** Client threads of all machines. */
    int allThreads() {
        return clientMachines * clientThreads;
    }

    /** The same with records of another size. */
    PlanInput withRecordsTimes(double factor) {
        return with((int) Math.max(1, Math.round(largestRecordBytes * factor)), meanRecordBytes * factor, skew, nics);
    }

    PlanInput withSkew(double theta) {
        return with(largestRecordBytes, meanRecordBytes, theta, nics);
    }

    /** The same with cards whose messages take another time. */
    PlanInput withMessagesTimes(double factor) {
        return with(
                largestRecordBytes,
                meanRecordBytes,
                skew,
                nics.stream().map(nic -> faster(nic, factor)).toList());
    }

    private PlanInput with(int largestBytes, double meanBytes, double theta, List<NicProfile> cards) {
        return new PlanInput(
                records,
                largestBytes,
                meanBytes,
                lookupsPerSecond,
                peakPerSecond,
                theta,
                reads,
                percentile,
                latencyLimitNs,
                memoryBytes,
                failures,
                copies,
                growth,
                price,
                cards,
                schemes,
                clientMachines,
                clientThreads,
                sendQueue,
                outstandingReads,
                maxUtilisation,
                maxServers);
    }

    private static NicProfile faster(NicProfile nic, double factor) {
        NicProfile.Responder r = nic.responder();
        return nic.with(new NicProfile.Responder(
                r.messageNs() * factor,
                r.randomAccessNs(),
                r.payloadNsPerByte(),
                r.sequentialStreams(),
                r.atomicNs(),
                r.atomicSameAddressNs()));
    }
}
