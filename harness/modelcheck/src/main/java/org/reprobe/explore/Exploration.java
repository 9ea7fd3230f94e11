package org.reprobe.explore;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.fabric.FabricException;

/**
 * Search for a schedule in which a trial fails. Programs run their own code, unchanged. A step of a schedule keeps the
 * guarantees of verbs. It is one of these: a queue pair's next request, or the next word of a READ or WRITE, takes
 * effect; a completion arrives; a client begins an operation; a fault occurs. The order within a queue pair is kept,
 * atomics are indivisible, and the limits bound the number of faults.
 *
 * <ul>
 *   <li>A client dies. Its posted requests take effect later, in order; those after some point may never do so.
 *   <li>A connection breaks: acknowledgements or requests are lost until the card gives up. The oldest pending request
 *       ends with {@code RETRY_EXCEEDED} and the others are flushed, whether or not they have taken effect. Requests
 *       that have left the card may still arrive, since the server's end continues: they take effect at any later time,
 *       even after requests on a new connection, or never. Nothing returns to the client's memory. The server program
 *       may be notified.
 *   <li>A server's machine fails: its connections break, requests in flight are lost, its program ends at its current
 *       wait, and clients on that machine die. While it is down, connecting fails. It restarts at any later time and
 *       runs its program anew. Its memory and registrations survive: without replicas, lost memory would mean lost
 *       acknowledged writes.
 *   <li>The link between two machines is cut, in one or both directions, and is mended at any later time. Other links
 *       are unaffected. Requests on the link wait, since cards retry. Instead their connection may break, at each end
 *       at a different time. Connecting fails. A READ requires the direction of its reply; other requests take effect
 *       without their acknowledgement.
 * </ul>
 */
public final class Exploration {
    public static final int ALL = Integer.MAX_VALUE;

    private static final int MAX_SHORTENINGS = 3000;

    private final Trial trial;
    private final ExplorationLimits limits;
    private final BooleanSupplier stopped;
    private final boolean shortens;

    public Exploration(Trial trial, ExplorationLimits limits) {
        this(trial, limits, () -> false);
    }

    /** @param stopped polled between schedules; once it returns true, the search ends with the outcome so far */
    public Exploration(Trial trial, ExplorationLimits limits, BooleanSupplier stopped) {
        this(trial, limits, stopped, true);
    }

    private Exploration(Trial trial, ExplorationLimits limits, BooleanSupplier stopped, boolean shortens) {
        this.trial = trial;
        this.limits = limits;
        this.stopped = stopped;
        this.shortens = shortens;
    }

    /** Creates an exploration that does not shorten counterexamples, for callers that need only their existence. */
    public static Exploration asFound(Trial trial, ExplorationLimits limits, BooleanSupplier stopped) {
        return new Exploration(trial, limits, stopped, false);
    }

    @FunctionalInterface
    private interface Search<T> {
        T in(Execution execution);
    }

    /**
     * Tries all schedules with at most {@code maxSwitches} switches ({@link #ALL}: no bound), up to
     * {@code maxSchedules} schedules ({@link Long#MAX_VALUE}: no bound). A counterexample has the fewest possible
     * switches.
     */
    public ExplorationOutcome exhaustive(int maxSwitches, long maxSchedules)
            throws FabricException, InterruptedException {
        return exhaustive(maxSwitches, maxSchedules, true);
    }

    /** Tries all schedules without cut links; these are a fraction of all schedules. */
    public ExplorationOutcome exhaustiveWithoutCuts(int maxSwitches, long maxSchedules)
            throws FabricException, InterruptedException {
        return exhaustive(maxSwitches, maxSchedules, false);
    }

    private ExplorationOutcome exhaustive(int maxSwitches, long maxSchedules, boolean cutsLinks)
            throws FabricException, InterruptedException {
        return search(execution -> {
            ExplorationOutcome outcome = depthFirst(execution, maxSwitches, maxSchedules, cutsLinks);
            Counterexample found = outcome.counterexample();
            if (found == null || !shortens) {
                return outcome;
            }
            // The first counterexample may have needless switches, so the search is repeated with 0, 1, ... switches.
            Counterexample shortest = found;
            for (int switches = 0; switches < found.switches(); switches++) {
                Counterexample better =
                        depthFirst(execution, switches, maxSchedules, cutsLinks).counterexample();
                if (better != null) {
                    shortest = better;
                    break;
                }
            }
            return new ExplorationOutcome(
                    outcome.schedules(), outcome.states(), outcome.cut(), 0, false, shorten(execution, shortest));
        });
    }

    private ExplorationOutcome depthFirst(Execution execution, int maxSwitches, long maxSchedules, boolean cutsLinks) {
        DepthFirst choices = new DepthFirst(maxSwitches, cutsLinks);
        long schedules = 0;
        long cut = 0;
        boolean more = true;
        while (more && schedules < maxSchedules && !stopped.getAsBoolean()) {
            Execution.End end = execution.run(choices);
            schedules++;
            if (end == Execution.End.VIOLATED) {
                return new ExplorationOutcome(
                        schedules, choices.states(), cut, 0, false, replay(execution, execution.trail()));
            }
            cut += end == Execution.End.CUT ? 1 : 0;
            more = choices.next();
        }
        return new ExplorationOutcome(schedules, choices.states(), cut, 0, !more, null);
    }

    /** Tries random schedules: those with the numbers 0 to {@code count} - 1 of a seed. */
    public ExplorationOutcome random(long seed, long count) throws FabricException, InterruptedException {
        return search(execution -> {
            long cut = 0;
            long faulty = 0;
            int programs = trial.programs();
            // The schedule without switches gives an estimate of the length of schedules.
            execution.run((_, _, _) -> 0);
            int length = 2 * execution.trail().length;
            for (long number = 0; number < count && !stopped.getAsBoolean(); number++) {
                Execution.End end = execution.run(new RandomChoice(seed, number, programs, length, limits.faults()));
                if (end == Execution.End.VIOLATED) {
                    Counterexample found = replay(execution, execution.trail());
                    return new ExplorationOutcome(number + 1, 0, cut, faulty, false, shorten(execution, found));
                }
                cut += end == Execution.End.CUT ? 1 : 0;
                faulty += Arrays.stream(execution.trail()).anyMatch(Action::isFault) ? 1 : 0;
            }
            return new ExplorationOutcome(count, 0, cut, faulty, false, null);
        });
    }

    /**
     * Runs one schedule; returns the failure, or an empty {@link Counterexample#violation}, with the timeline. Throws
     * an {@link InvalidInputException} if the schedule does not fit this trial.
     */
    public Counterexample replay(Schedule schedule)
            throws FabricException, InterruptedException, InvalidInputException {
        Playback playback = new Playback(schedule.actions(), true);
        Counterexample replayed = search(execution -> replay(execution, playback));
        String mismatch = playback.mismatch();
        if (mismatch != null) {
            throw new InvalidInputException(
                    Problem.of("schedule", "this is not a schedule of this system and setting: " + mismatch));
        }
        return replayed;
    }

    private Counterexample replay(Execution execution, int[] actions) {
        return replay(execution, new Playback(actions, false));
    }

    private Counterexample replay(Execution execution, Playback playback) {
        Narration narration = new Narration();
        execution.world().timeline().writeTo(narration);
        Execution.End end = execution.run(playback);
        execution.world().timeline().writeTo(null);
        String violation = execution.violation();
        if (end == Execution.End.CUT) {
            violation = "the schedule exceeds the limit of pauses";
        }
        return new Counterexample(
                violation == null ? "" : violation,
                new Schedule(execution.trail()),
                execution.switches(),
                execution.steps(),
                execution.world().history(),
                narration.text(trial.clients()),
                narration.moments());
    }

    /**
     * Removes choices from a schedule as long as it fails. A removal is kept if it leaves fewer switches, steps or
     * choices, and no more switches than before.
     */
    private Counterexample shorten(Execution execution, Counterexample found) {
        if (!shortens) {
            return found;
        }
        int[] best = found.schedule().actions();
        int bestSwitches = found.switches();
        int bestSteps = found.steps();
        int tries = 0;
        int block = Math.max(1, best.length / 2);
        while (block > 0 && tries < MAX_SHORTENINGS) {
            boolean better = false;
            for (int from = 0; from < best.length && tries < MAX_SHORTENINGS; ) {
                int[] candidate = without(best, from, Math.min(best.length, from + block));
                tries++;
                Execution.End end = execution.run(new Playback(candidate, false));
                if (end == Execution.End.VIOLATED
                        && (execution.switches() < bestSwitches
                                || (execution.switches() == bestSwitches && execution.steps() <= bestSteps))) {
                    // The trail also contains default choices, which are removed again where they are not needed.
                    better |= execution.switches() < bestSwitches || execution.steps() < bestSteps;
                    best = candidate;
                    bestSwitches = execution.switches();
                    bestSteps = execution.steps();
                } else {
                    from += block;
                }
            }
            block = better ? Math.max(1, best.length / 2) : block / 2;
        }
        // Choices that did not fit are still in the text: the trail has only those made.
        Counterexample shortest = replay(execution, best);
        int[] trail = shortest.schedule().actions();
        int length = trail.length;
        while (length > 0) {
            execution.run(new Playback(Arrays.copyOf(trail, length - 1), false));
            if (!Arrays.equals(execution.trail(), trail)) {
                break;
            }
            length--;
        }
        return new Counterexample(
                shortest.violation(),
                new Schedule(Arrays.copyOf(trail, length)),
                shortest.switches(),
                shortest.steps(),
                shortest.history(),
                shortest.timeline(),
                shortest.moments());
    }

    private static int[] without(int[] all, int from, int to) {
        int[] rest = new int[all.length - (to - from)];
        System.arraycopy(all, 0, rest, 0, from);
        System.arraycopy(all, to, rest, from, all.length - to);
        return rest;
    }

    private <T> T search(Search<T> search) throws FabricException, InterruptedException {
        Callable<T> task = () -> {
            try (Arena arena = Arena.ofShared()) {
                World world = new World(trial, limits, arena, Thread.currentThread());
                try {
                    return search.in(new Execution(trial, world));
                } finally {
                    world.close();
                }
            }
        };
        FutureTask<T> future = new FutureTask<>(task);
        Thread.ofVirtual().name("exploration").start(future);
        try {
            return future.get();
        } catch (ExecutionException e) {
            @Nullable Throwable cause = e.getCause();
            switch (cause) {
                case FabricException fabric -> throw fabric;
                case RuntimeException unchecked -> throw unchecked;
                case Error error -> throw error;
                case null, default -> throw new IllegalStateException("an exploration failed", cause);
            }
        }
    }
}
