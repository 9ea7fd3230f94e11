package org.reprobe.farm.transactions;

import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ThreadPlan;

/**
 * Plan that all threads of a run of {@link Transactions} follow.
 *
 * @param regions registered memory, by machine
 * @param rules variant of the commit protocol
 * @param recovery null if no machine may fail
 * @param parts parts of objects; null if objects have none
 */
public record TransactionsPlan(
        ObjectArray objects,
        List<RemoteRegion> regions,
        Mix mix,
        CommitRules rules,
        ThreadPlan threads,
        Replication replication,
        @Nullable Recovery recovery,
        TransactionParts.@Nullable Shared parts) {

    /**
     * Transactions of a run.
     *
     * @param choice random objects, by number of the draw
     * @param coin random bits, by number of the draw
     * @param reads number of objects that a transaction reads
     * @param written number of these that a writing transaction writes
     * @param writes share of the transactions that write, 0 to 1
     * @param oneMachine true if all objects of a transaction are on one machine
     * @param ships true if a transaction whose objects are all on one other machine is executed there
     */
    public record Mix(
            LongUnaryOperator choice,
            LongUnaryOperator coin,
            int reads,
            int written,
            double writes,
            boolean oneMachine,
            boolean ships) {}

    long copyAt(int machine, int region) {
        return recovery == null ? 0 : recovery.copyAt(machine, region);
    }

    @Nullable
    ObjectLayout part() {
        return parts == null ? null : parts.array().layout();
    }

    boolean replicated() {
        return replication.copies().replicas() > 0;
    }

    /** Returns the maximum number of transactions in progress, on all machines. */
    int coordinators() {
        return objects.machines() * threads.threads() * threads.inFlight();
    }
}
