package org.reprobe.remote;

import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Reconnection;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.system.WatchedLookups;
import org.reprobe.system.Workload;

/** Clients that read and write a table in remote memory, one operation after the other. One object serves all clients of a run. */
public final class KeyValueWorkload implements WatchedLookups {
    private final Parameters plan;
    private final @Nullable Counts[] counts;
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
     * @param conditions whether its course is kept, and whether clients go on after a lost connection
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Parameters(
            Connector connector,
            long[] keys,
            double writes,
            boolean newKeys,
            LongUnaryOperator choice,
            LongUnaryOperator coin,
            LongUnaryOperator fresh,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    public KeyValueWorkload(Parameters plan, int clients) {
        this.plan = plan;
        this.counts = new Counts[clients];
        // New keys fill the table: a longer warm-up would measure a fuller one.
        this.sampling = new Sampling(
                plan.warmUpNs(), plan.durationNs(), plan.writes() == 0 || !plan.newKeys(), 0, plan.conditions());
    }

    @Override
    public Counts counts() {
        return OperationCounts.sum(counts);
    }

    @Override
    public long records() {
        return plan.keys().length;
    }

    @Override
    public long key(long ordinal) {
        return plan.keys()[(int) ordinal];
    }

    @Override
    public long value(long ordinal) {
        return key(ordinal);
    }

    @Override
    public Workload watchedBy(Listener listener) {
        return new WatchedReads(plan, counts.length, listener);
    }

    /** Adds what a client has counted so far, or takes it away. */
    private static void count(KeyValueClient table, Counts counts, int sign) {
        counts.add(Counter.REQUESTS, sign * table.connection().requests());
        counts.add(Counter.PAYLOAD_BYTES, sign * table.connection().payloadBytes());
        counts.add(Counter.RETRIES, sign * table.retries());
        counts.add(Counter.MIGRATIONS, sign * table.migrations());
        counts.add(Counter.RPCS, sign * table.serverCalls());
        counts.add(Counter.ACCESS_DENIED, sign * table.refusals());
        counts.add(Counter.PROBES, sign * table.probes());
    }

    @Override
    public void run(Client client) throws FabricException {
        KeyValueClient table = plan.connector().connect(client);
        Counts mine = OperationCounts.none();
        SampledInterval interval = sampling.join(client);
        counts[client.index()] = mine;
        try {
            operate(client, table, interval, mine);
            table.close();
        } finally {
            // A fault has ended it: the others don't wait for its sample.
            if (interval.abandon()) {
                count(table, mine, 1);
                mine.sampled(interval, 0);
            }
        }
    }

    private void operate(Client client, KeyValueClient table, SampledInterval interval, Counts mine)
            throws FabricException {
        long operationPs = client.cpuCosts().operationPs();
        long[] keys = plan.keys();
        long first = (long) client.index() << 40;
        long freshKeys = first;
        boolean connected = true;
        client.barrier();
        interval.start(client.nowNs());
        for (long operation = first; ; operation++) {
            long beganNs = client.nowNs();
            if (interval.begins(beganNs)) {
                count(table, mine, -1);
            }
            if (interval.ends(beganNs)) {
                count(table, mine, 1);
                mine.sampled(interval, 0);
                interval.sampleEnded();
            }
            if (interval.runIsOver()) {
                return;
            }
            if (!connected) {
                connected = Reconnection.succeeds(table::reconnect);
                // Each vain try is an operation that could not be done.
                interval.failed(client.nowNs(), connected ? 0 : 1);
                continue;
            }
            client.spendCpu(operationPs);
            boolean write = (plan.coin().applyAsLong(operation) >>> 11) * 0x1p-53 < plan.writes();
            long key = write && plan.newKeys()
                    ? plan.fresh().applyAsLong(freshKeys++)
                    : keys[(int) plan.choice().applyAsLong(operation)];
            long trips = table.connection().roundTrips();
            OperationResult result;
            try {
                result = write ? table.write(key, key) : table.read(key);
            } catch (FabricException failure) {
                if (!plan.conditions().explain(failure, table.connection().broken())) {
                    throw failure;
                }
                interval.failed(client.nowNs(), 1);
                connected = false;
                continue;
            }
            long endNs = client.nowNs();
            interval.did(beganNs, endNs, 1);
            if (!interval.counts()) {
                continue;
            }
            trips = table.connection().roundTrips() - trips;
            OperationCounts.operation(mine, write, endNs - beganNs, trips);
            if (result == OperationResult.FULL) {
                OperationCounts.tableFull(mine, trips);
            } else if (result != OperationResult.DONE || (!write && table.firstWord() != key)) {
                mine.add(Counter.WRONG, 1);
            }
        }
    }
}
