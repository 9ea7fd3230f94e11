package org.reprobe.analysis.plan;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;

/**
 * Validated requirements of a plan, with candidate cards and schemes. Records are chosen by Zipf's law of exponent
 * {@code skew}, 0 for uniform, and are {@code recordFactor} times as large as required. Cards whose constants are
 * assumed may be best if {@code allowsAssumed}; {@code defaults} are the keys that were not given.
 */
public record PlanInput(
        PlanFile file,
        List<NicProfile> nics,
        List<PlannedScheme> schemes,
        double skew,
        double recordFactor,
        boolean allowsAssumed,
        Set<String> defaults) {

    public PlanInput {
        nics = List.copyOf(nics);
        schemes = List.copyOf(schemes);
        defaults = Set.copyOf(defaults);
    }

    /** Creates the requirements with unscaled records. */
    PlanInput(PlanFile file, List<NicProfile> nics, List<PlannedScheme> schemes, Set<String> defaults) {
        this(file, nics, schemes, file.skew(), 1, false, defaults);
    }

    /** Returns the same requirements, by which a card with assumed constants may be the best. */
    public PlanInput allowingAssumed() {
        return new PlanInput(file, nics, schemes, skew, recordFactor, true, defaults);
    }

    /** Returns the key and value bytes of the longest record, which a slot must hold if records are stored inline. */
    public int largestRecordBytes() {
        int value =
                file.valueBytes().stream().mapToInt(PlanFile.Size::bytes).max().orElse(0);
        return (int) Math.max(1, Math.round((file.keyBytes() + value) * recordFactor));
    }

    public double meanRecordBytes() {
        double value = 0;
        for (PlanFile.Size size : file.valueBytes()) {
            value += size.bytes() * size.share();
        }
        return (file.keyBytes() + value) * recordFactor;
    }

    public double peakPerSecond() {
        return file.peakLookupsPerSecond().orElse(file.lookupsPerSecond());
    }

    /** Returns the percentile of latency that has a limit, 0 to 1. */
    public double percentile() {
        return file.percentile() / 100;
    }

    /** Returns {@code 99} or {@code 99.9}. */
    public String percentileWords() {
        return BigDecimal.valueOf(100 * percentile())
                .round(new MathContext(4))
                .stripTrailingZeros()
                .toPlainString();
    }

    /** Returns the limit of that percentile at the peak; empty for none. */
    public OptionalDouble latencyLimitNs() {
        OptionalDouble us = file.latencyLimitUs();
        return us.isPresent() ? OptionalDouble.of(us.getAsDouble() * 1000) : us;
    }

    /** Returns the memory of one server for table and heap. */
    public double memoryBytes() {
        return file.memoryPerServerGib() * 0x1p30;
    }

    public int copies() {
        return file.copies().orElse(file.serversThatMayFail() + 1);
    }

    /** Returns the growth per year of records and operations: 0.4 is 40 %. */
    public double growth() {
        return file.growthPercentPerYear() / 100;
    }

    int allThreads() {
        return file.clientMachines() * file.clientThreads();
    }

    PlanInput withRecordsTimes(double factor) {
        return new PlanInput(file, nics, schemes, skew, recordFactor * factor, allowsAssumed, defaults);
    }

    PlanInput withSkew(double theta) {
        return new PlanInput(file, nics, schemes, theta, recordFactor, allowsAssumed, defaults);
    }

    PlanInput withMessagesTimes(double factor) {
        List<NicProfile> cards = nics.stream().map(nic -> faster(nic, factor)).toList();
        return new PlanInput(file, cards, schemes, skew, recordFactor, allowsAssumed, defaults);
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
