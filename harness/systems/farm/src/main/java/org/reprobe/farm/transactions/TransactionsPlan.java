package org.reprobe.farm.transactions;

import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.RegionCopies;

/**
 * What all threads of a run of {@link Transactions} do.
 *
 * @param regions by machine
 * @param choice which object a transaction is for, from a number
 * @param coin random bits, from a number
 * @param reads objects of a transaction
 * @param written of these, by one that writes
 * @param writes share of the transactions that write, 0 to 1
 * @param rules how they commit
 * @param copies which machines have replicas
 * @param localPs what reading, locking or validating an object of the own machine's takes the CPU; 0 for what any lookup takes
 * @param updatePs for how long an object is written; 0 for as long as {@code localPs}
 * @param backOffNs the longest wait after the first abort
 * @param maxReadNs a READ that takes longer is made again
 * @param seed of random waits
 * @param logBytes of a thread's log
 * @param logs what they go to besides memory
 * @param recovery null where no machine may fail
 * @param coordinators that may have a transaction under way, one each
 * @param parts of objects; null where they have none
 * @param oneMachine whether all objects of a transaction are of one machine
 * @param ships whether one whose objects are all of another machine is run there
 */
public record TransactionsPlan(
        ObjectArray objects,
        List<RemoteRegion> regions,
        LongUnaryOperator choice,
        LongUnaryOperator coin,
        int reads,
        int written,
        double writes,
        CommitRules rules,
        RegionCopies copies,
        long localPs,
        long updatePs,
        long backOffNs,
        long maxReadNs,
        int inFlight,
        long seed,
        long logBytes,
        LogStages logs,
        @Nullable Recovery recovery,
        int coordinators,
        TransactionParts.@Nullable Shared parts,
        boolean oneMachine,
        boolean ships) {

    /** Where a machine has its copy of a region. */
    long copyAt(int machine, int region) {
        return recovery == null ? 0 : recovery.copyAt(machine, region);
    }

    @Nullable
    ObjectLayout part() {
        return parts == null ? null : parts.array().layout();
    }

    boolean replicated() {
        return copies.replicas() > 0;
    }
}
