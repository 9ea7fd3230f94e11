package org.reprobe.nessie;

import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.Tally;

/** Clients that read and write a Nessie table, one operation after the other. One object serves all clients of a run. */
public final class NessieWorkload implements ClientProgram {
    private final Plan plan;
    private final @Nullable Tally[] tallies;

    /**
     * What all clients of a run do.
     *
     * @param fill what is in the table; values hold their keys
     * @param writes share of the operations that write, 0 to 1
     * @param newKeys whether writes are of keys that are not there; else they overwrite
     * @param choice which of the loaded keys an operation is for, from a client's and an operation's number: an ordinal
     * @param coin random bits of a client's and an operation's number
     * @param fresh keys that are not in the table, by number
     * @param warmUpNs time before the measured interval
     * @param durationNs least length of the measured interval
     * @param seed of the clients' waits
     */
    public record Plan(
            Nessie table,
            Fill fill,
            double writes,
            boolean newKeys,
            LongUnaryOperator choice,
            LongUnaryOperator coin,
            LongUnaryOperator fresh,
            long warmUpNs,
            long durationNs,
            long seed) {}

    public NessieWorkload(Plan plan, int clients) {
        this.plan = plan;
        this.tallies = new Tally[clients];
    }

    /** All clients' counts together, once they have ended. */
    public Tally tally() {
        return Tally.ofAll(tallies);
    }

    @Override
    public void run(Client client) throws FabricException {
        NessieClient nessie = new NessieClient(client, plan.table(), client.index(), plan.seed(), ServerCalls.NONE);
        long[] keys = plan.fill().keys();
        Tally tally = new Tally();
        Steps steps = nessie.steps();
        long first = (long) client.index() << 40;
        long freshKeys = first;
        client.barrier();
        long warmUntilNs = client.nowNs() + plan.warmUpNs();
        long fromNs = Long.MAX_VALUE;
        long requests = 0;
        long bytes = 0;
        long retries = 0;
        long migrations = 0;
        long calls = 0;
        for (long operation = first; ; operation++) {
            long beganNs = client.nowNs();
            if (fromNs == Long.MAX_VALUE) {
                if (beganNs >= warmUntilNs) {
                    fromNs = beganNs;
                    requests = nessie.connection().requests();
                    bytes = nessie.connection().payloadBytes();
                    retries = steps.retries();
                    migrations = steps.migrations();
                    calls = steps.serverCalls();
                }
            } else if (beganNs >= fromNs + plan.durationNs()) {
                tally.over(
                        beganNs - fromNs,
                        nessie.connection().requests() - requests,
                        nessie.connection().payloadBytes() - bytes,
                        steps.retries() - retries,
                        steps.migrations() - migrations,
                        steps.serverCalls() - calls);
                tallies[client.index()] = tally;
                return;
            }
            client.worked(1, 0);
            boolean write = (plan.coin().applyAsLong(operation) >>> 11) * 0x1p-53 < plan.writes();
            long key = write && plan.newKeys()
                    ? plan.fresh().applyAsLong(freshKeys++)
                    : keys[(int) plan.choice().applyAsLong(operation)];
            long trips = nessie.connection().roundTrips();
            Result result = write ? nessie.write(key, key) : nessie.read(key);
            if (fromNs == Long.MAX_VALUE) {
                continue;
            }
            trips = nessie.connection().roundTrips() - trips;
            tally.operation(write, client.nowNs() - beganNs, trips);
            if (result == Result.FULL) {
                tally.refused(trips);
            } else if (result != Result.DONE || (!write && nessie.firstWord() != key)) {
                tally.unexpected();
            }
        }
    }
}
