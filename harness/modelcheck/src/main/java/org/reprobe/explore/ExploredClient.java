package org.reprobe.explore;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.FabricException;

/** A client whose every wait is ended by a scheduler. */
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
            throw new FabricException("waits for a completion, but nothing is posted");
        }
        program().block(Program.Wait.ANY_COMPLETION, null);
        return takeAll(into);
    }

    /** Each completion reaches it when a scheduler says so. */
    @Override
    public WakeReason next(Completions into, long untilNs) {
        into.clear();
        return tells(news(into, program().blockUntil(Program.Wait.NEWS, null, untilNs)));
    }

    private WakeReason news(Completions into, boolean tooLate) {
        if (takeAll(into) > 0) {
            return WakeReason.COMPLETIONS;
        }
        if (program().wordChanged()) {
            return WakeReason.WORDS;
        }
        if (!tooLate) {
            throw new IllegalStateException("told of nothing");
        }
        return WakeReason.DEADLINE;
    }

    @Override
    public void barrier() {
        program().block(Program.Wait.BARRIER, null);
    }
}
