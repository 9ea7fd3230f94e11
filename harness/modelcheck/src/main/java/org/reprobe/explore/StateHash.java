package org.reprobe.explore;

/** Hash of the state that determines the future of a schedule and its verdict. */
final class StateHash {
    private StateHash() {}

    static long of(World world) {
        Faults faults = world.faults();
        long sum = Mixing.mix(world.memory().hash(), world.scheduler().next());
        sum = world.trial().oneClock() ? Mixing.mix(sum, world.clockNs()) : sum;
        sum = faults.hash(sum);
        for (ExploredServer server : world.servers()) {
            sum = Mixing.mix(sum, server.hash());
        }
        for (Program program : world.programs()) {
            long hash = Mixing.mix(program.operations, program.index);
            // A dead client's state has no effect any more. The final check may depend on the state of a client that
            // has ended.
            hash = program.crashed
                    ? Mixing.mix(hash, -1 - 2 * faults.noticedBy(program))
                    : Mixing.mix(
                            hash,
                            Mixing.mix(
                                    program.seen,
                                    program.ended ? -2 : program.wait.name().hashCode()));
            hash = world.mayBeTooLate(program) ? Mixing.mix(hash, -5) : hash;
            hash = program.over() ? hash : Mixing.mix(hash, program.unseenChanges());
            for (int i = 0; i < program.queuePairs.size(); i++) {
                ExploredQueuePair queuePair = program.queuePairs.get(i);
                if (!program.crashed || !queuePair.idle()) {
                    hash = Mixing.mix(hash, Mixing.mix(program.seen, queuePair.hash()));
                }
            }
            sum = Mixing.mix(sum, hash);
        }
        return sum;
    }
}
