package org.reprobe.explore;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ServerProgram;

/** Explored fabric that runs programs: one random, seeded schedule per run. */
final class OneSchedule extends ExploredFabric {
    private static final ExplorationLimits LIMITS =
            new ExplorationLimits(0, 0, 0, 0, ExplorationLimits.Tearing.EITHER_WAY, 1_000_000, 100_000, 1000);

    private final ExplorationLimits limits;
    private final Arena arena;
    private final ServerMemory memory;
    private final long seed;

    static OneSchedule of(long seed, int servers) {
        return of(seed, servers, LIMITS);
    }

    /** Creates a fabric in which a server's machine fails at a random step. */
    static OneSchedule failing(long seed, int servers) {
        return of(seed, servers, LIMITS.withFailures(1));
    }

    private static OneSchedule of(long seed, int servers, ExplorationLimits limits) {
        Arena arena = Arena.ofShared();
        return new OneSchedule(seed, servers, limits, arena, new ServerMemory(arena));
    }

    private OneSchedule(long seed, int servers, ExplorationLimits limits, Arena arena, ServerMemory memory) {
        super(memory, servers, limits.tearing().writesLandInOrder());
        this.limits = limits;
        this.arena = arena;
        this.memory = memory;
        this.seed = seed;
    }

    @Override
    public void run(int clients, ClientProgram program, List<? extends @Nullable ServerProgram> programs)
            throws FabricException, InterruptedException {
        Trial trial = new Trial() {
            @Override
            public int clients() {
                return clients;
            }

            @Override
            public int servers() {
                return OneSchedule.this.servers();
            }

            @Override
            public void build(Fabric ignored) {
                // It is there already.
            }

            @Override
            public void run(Client client, HistoryRecorder history) throws FabricException {
                program.run(client);
            }

            @Override
            public List<? extends @Nullable ServerProgram> serverPrograms() {
                return programs;
            }

            @Override
            public @Nullable String violation(History history) {
                return null;
            }
        };
        Callable<@Nullable String> task = () -> {
            World world = new World(trial, limits, arena, Thread.currentThread(), memory);
            try {
                Execution execution = new Execution(trial, world);
                Execution.End end = execution.run(chooser(trial));
                return end == Execution.End.PASSED ? null : end + ": " + execution.violation();
            } finally {
                world.close();
            }
        };
        FutureTask<@Nullable String> future = new FutureTask<>(task);
        Thread.ofVirtual().start(future);
        try {
            String wrong = future.get();
            if (wrong != null) {
                throw new FabricException(wrong);
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("the schedule failed", e.getCause());
        }
    }

    private Chooser chooser(Trial trial) {
        Chooser usual = new RandomChoice(seed, 0, trial.programs(), 1000, 0);
        if (limits.failures() == 0) {
            return usual;
        }
        int[] left = {new SplittableRandom(seed).nextInt(10, 100)};
        return (world, actions, count) -> {
            boolean mayFail = Action.isFault(actions[count - 1]);
            return mayFail && --left[0] <= 0 ? count - 1 : usual.choose(world, actions, count);
        };
    }

    @Override
    public void close() {
        arena.close();
    }
}
