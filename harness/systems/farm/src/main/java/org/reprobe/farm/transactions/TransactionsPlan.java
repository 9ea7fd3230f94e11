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
 * @param regions by machine
 * @param rules how transactions commit
 * @param recovery null where no machine may fail
 * @param parts of objects; null where they have none
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
     * @param choice which object a transaction is for, from a number
     * @param coin random bits, from a number
     * @param reads objects of a transaction
     * @param written of these, by one that writes
     * @param writes share of the transactions that write, 0 to 1
     * @param oneMachine whether all objects of a transaction are of one machine
     * @param ships whether one whose objects are all of another machine is run there
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

    /** Transactions that may be under way at once. */
    int coordinators() {
        return objects.machines() * threads.threads() * threads.inFlight();
    }
}
