package org.reprobe.explore;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.FabricException;

/** Client whose waits are ended by a scheduler. */
final class ExploredClient extends ExploredRequester implements Client {
    private final int index;

    ExploredClient(World world, int index) {
        super(world);
        this.index = index;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public boolean isLocal(int server) {
        return world().isOn(index, server);
    }

    @Override
    public int await(Completions into) throws FabricException {
        into.clear();
        if (program().queuePairs.stream().allMatch(ExploredQueuePair::isIdle)) {
            throw new FabricException("a program waits for a completion, but no request is posted");
        }
        program().block(Program.Wait.ANY_COMPLETION, null);
        return takeAll(into);
    }

    /** Returns one completion at a time, as chosen by the scheduler. */
    @Override
    public WakeReason next(Completions into, long untilNs) {
        into.clear();
        return observed(reason(into, program().blockUntil(Program.Wait.ANY_EVENT, null, untilNs)));
    }

    private WakeReason reason(Completions into, boolean tooLate) {
        if (takeAll(into) > 0) {
            return WakeReason.COMPLETIONS;
        }
        if (program().wordChanged()) {
            return WakeReason.WORDS;
        }
        if (!tooLate) {
            throw new IllegalStateException("woken without a reason");
        }
        return WakeReason.DEADLINE;
    }

    @Override
    public void barrier() {
        program().block(Program.Wait.BARRIER, null);
    }
}
