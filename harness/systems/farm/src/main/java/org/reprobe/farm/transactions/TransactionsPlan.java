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
 * Plan that all threads of a run of {@link Transactions} follow, with regions by machine. {@code recovery} is null if
 * no machine may fail, {@code parts} if objects have none.
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
     * Transactions of a run: random objects and bits by number of the draw, objects per transaction, of which a writing
     * one writes {@code written}. With {@code oneMachine} they are on one machine; with {@code ships} a transaction of
     * one other machine is executed there.
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
