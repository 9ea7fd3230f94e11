package org.reprobe.remote;

import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.system.Workload;

/** Clients that read and write a table in remote memory, one operation after the other. One object serves all clients of a run. */
public final class KeyValueWorkload implements Workload {
    private final Plan plan;
    private final @Nullable Tally[] tallies;
    private final Sampling sampling;

    /** Makes a client's end of a protocol. */
    @FunctionalInterface
    public interface Connector {
        KeyValueClient connect(Client client) throws FabricException;
    }

    /**
     * What all clients of a run do.
     *
     * @param connector makes a client's end of the protocol
     * @param keys those in the table; values hold their keys
     * @param writes share of the operations that write, 0 to 1
     * @param newKeys whether writes are of keys that are not there; else they overwrite
     * @param choice which of the loaded keys an operation is for, from a client's and an operation's number: an ordinal
     * @param coin random bits of a client's and an operation's number
     * @param fresh keys that are not in the table, by number
     * @param warmUpNs least time before the interval in which the operations that count begin
     * @param durationNs least length of that interval
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Plan(
            Connector connector,
            long[] keys,
            double writes,
            boolean newKeys,
            LongUnaryOperator choice,
            LongUnaryOperator coin,
            LongUnaryOperator fresh,
            long warmUpNs,
            long durationNs) {}

    public KeyValueWorkload(Plan plan, int clients) {
        this.plan = plan;
        this.tallies = new Tally[clients];
        // New keys fill the table: a longer warm-up would measure a fuller one.
        this.sampling = new Sampling(plan.warmUpNs(), plan.durationNs(), plan.writes() == 0 || !plan.newKeys(), 0);
    }

    @Override
    public Tally counts() {
        return Tally.all(tallies);
    }

    @Override
    public void run(Client client) throws FabricException {
        KeyValueClient table = plan.connector().connect(client);
        long[] keys = plan.keys();
        Tally tally = new Tally();
        long first = (long) client.index() << 40;
        long freshKeys = first;
        SampledInterval interval = sampling.join(client);
        client.barrier();
        interval.start(client.nowNs());
        long requests = 0;
        long bytes = 0;
        long retries = 0;
        long migrations = 0;
        long calls = 0;
        long refusals = 0;
        long probes = 0;
        for (long operation = first; ; operation++) {
            long beganNs = client.nowNs();
            if (interval.begins(beganNs)) {
                requests = table.connection().requests();
                bytes = table.connection().payloadBytes();
                retries = table.retries();
                migrations = table.migrations();
                calls = table.serverCalls();
                refusals = table.refusals();
                probes = table.probes();
            }
            if (interval.ends(beganNs)) {
                tally.over(
                        interval,
                        table.connection().requests() - requests,
                        table.connection().payloadBytes() - bytes,
                        table.retries() - retries,
                        table.migrations() - migrations,
                        table.serverCalls() - calls);
                tally.over(table.refusals() - refusals, table.probes() - probes);
                interval.sampleEnded();
            }
            if (interval.runIsOver()) {
                table.close();
                tallies[client.index()] = tally;
                return;
            }
            client.worked(1, 0);
            boolean write = (plan.coin().applyAsLong(operation) >>> 11) * 0x1p-53 < plan.writes();
            long key = write && plan.newKeys()
                    ? plan.fresh().applyAsLong(freshKeys++)
                    : keys[(int) plan.choice().applyAsLong(operation)];
            long trips = table.connection().roundTrips();
            Result result = write ? table.write(key, key) : table.read(key);
            long endNs = client.nowNs();
            interval.did(beganNs, endNs, 1);
            if (!interval.counts()) {
                continue;
            }
            trips = table.connection().roundTrips() - trips;
            tally.operation(write, endNs - beganNs, trips);
            if (result == Result.FULL) {
                tally.refused(trips);
            } else if (result != Result.DONE || (!write && table.firstWord() != key)) {
                tally.unexpected();
            }
        }
    }
}
