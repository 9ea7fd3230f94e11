package org.reprobe.explore;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;

/**
 * Scheduler of one execution: collects the possible actions, performs those that need no choice, and performs chosen
 * ones.
 *
 * <p>Between two waits a program accesses only its own queue pairs and local memory, so it continues without a choice.
 * Exceptions are the start of an operation, a poll, and each step of a server, which accesses registered memory.
 *
 * <p>The shorter an operation's recorded interval, the stricter the check. So a return is recorded at once, and after
 * an invocation the next step is the same client's.
 */
final class Scheduler {
    private static final int NONE = -1;

    private final World world;
    private final ExplorationLimits limits;
    private final int clients;
    private final List<Program> programs;
    private final Faults faults;
    private final Timeline timeline;
    private int last;
    private boolean mustContinue;
    private boolean tooManyPauses;
    private @Nullable String failure;

    Scheduler(World world, Faults faults, Timeline timeline) {
        this.world = world;
        this.limits = world.limits();
        this.clients = world.clients();
        this.programs = world.programs();
        this.faults = faults;
        this.timeline = timeline;
    }

    @Nullable
    String failure() {
        return failure;
    }

    boolean tooManyPauses() {
        return tooManyPauses;
    }

    void reset() {
        last = 0;
        mustContinue = false;
        tooManyPauses = false;
        failure = null;
    }

    /** Performs all actions that need no choice. */
    void settle() {
        boolean again = true;
        while (again && failure == null) {
            again = false;
            for (Program program : programs) {
                while (failure == null && !program.over() && ready(program)) {
                    resume(program);
                    again = true;
                }
            }
            again |= failure == null && openBarrier();
        }
    }

    private boolean ready(Program program) {
        return switch (program.wait) {
            case NOTHING -> true;
            case COMPLETION -> arrives(program);
            case CHANGE -> program.changesByOthers > program.changesSeen && !faults.isPartitioned(program);
            case CONNECTION -> !world.serverOf(program).connecting().isEmpty() || world.clientsOver();
            case ANY_COMPLETION -> world.clientsOver() && !somethingFor(program); // false for clients
            case ANY_EVENT ->
                world.isServer(program)
                        && (!world.serverOf(program).connecting().isEmpty()
                                || (world.clientsOver()
                                        && !somethingFor(program)
                                        && !program.wordChanged()
                                        && !faults.anyUnnoticed(world.serverOf(program))));
            case POLL, INVOCATION, BARRIER, TURN -> false;
        };
    }

    /**
     * Returns true if the awaited completion is available. Delivers it if it is the only one that could arrive and no
     * other machine may fail before its acknowledgement.
     */
    private boolean arrives(Program program) {
        ExploredQueuePair awaited = program.queuePair;
        if (awaited == null || awaited.has()) {
            return awaited != null;
        }
        if (!awaited.canDeliver() || (faults.mayFailMachine() && !awaited.isCut())) {
            return false;
        }
        int others = 0;
        for (ExploredQueuePair queuePair : program.queuePairs) {
            others += queuePair.signaledUnderWay() + queuePair.undelivered() + queuePair.unfilled();
        }
        if (others > 1) {
            return false;
        }
        awaited.deliver();
        return true;
    }

    private static boolean somethingFor(Program program) {
        for (ExploredQueuePair queuePair : program.queuePairs) {
            if (queuePair.has() || queuePair.canDeliver()) {
                return true;
            }
        }
        return false;
    }

    void resume(Program program) {
        if (program.wait == Program.Wait.CHANGE) {
            if (program.changesByOthers > program.changesSeen) {
                program.idleRetries = 0;
                tooManyPauses |= ++program.pauses > limits.pauses();
            }
            program.changesSeen = program.changesByOthers;
        }
        // Servers, and clients that have waited for their turn, may access registered memory with the CPU.
        boolean touches = world.isServer(program) || program.wait == Program.Wait.TURN;
        long before = world.memory().hash();
        timeline.beginStores();
        if (touches) {
            program.seen = Mixing.mix(program.seen, before);
        }
        program.resume();
        if (touches) {
            world.memory().rehash();
            if (world.memory().hash() != before) {
                world.changed(program);
            }
        }
        timeline.addStores(program);
        Throwable thrown = program.failure;
        if (thrown != null && failure == null) {
            failure = world.name(program) + " failed: " + text(thrown);
        }
    }

    private static String text(Throwable thrown) {
        String message = thrown.getMessage();
        return thrown instanceof FabricException || thrown instanceof IllegalStateException
                ? String.valueOf(message)
                : thrown.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }

    private boolean openBarrier() {
        boolean anybody = false;
        for (int i = 0; i < clients; i++) {
            Program program = programs.get(i);
            if (!program.over() && program.wait != Program.Wait.BARRIER) {
                return false;
            }
            anybody |= !program.over();
        }
        for (int i = 0; i < clients; i++) {
            if (!programs.get(i).over()) {
                resume(programs.get(i));
            }
        }
        return anybody;
    }

    /** Ends all pauses, since nothing else is possible; returns false if no program pauses. */
    boolean wakeIdle() {
        boolean woken = false;
        for (Program program : programs) {
            boolean pauses = program.wait == Program.Wait.CHANGE || program.untilNs < Long.MAX_VALUE;
            if (!program.over() && pauses && failure == null) {
                int retries = program.idleRetries + 1;
                if (retries > limits.idleRetries()) {
                    failure = world.name(program)
                            + " waits forever: it retries, nothing has changed, and no other program can "
                            + "continue";
                    return true;
                }
                program.seen = Mixing.mix(program.seen, retries);
                if (retries == Timeline.RECORDED_RETRIES) {
                    timeline.add(program, () -> "... (repeats)");
                }
                program.idleRetries = retries;
                if (program.untilNs < Long.MAX_VALUE) {
                    world.passDeadline(program);
                }
                resume(program);
                woken = true;
            }
        }
        return woken;
    }

    String livelock() {
        return world.name(programs.get(last)) + " still runs after " + limits.steps()
                + " steps: it does not terminate, or retries without a pause";
    }

    String deadlock() {
        StringBuilder who = new StringBuilder();
        for (Program program : programs) {
            if (!program.over()) {
                who.append(who.isEmpty() ? "" : ", ")
                        .append(world.name(program))
                        .append(" waits for ");
                who.append(
                        switch (program.wait) {
                            case COMPLETION, POLL, ANY_COMPLETION -> "a completion";
                            case BARRIER -> "the barrier";
                            case CONNECTION -> "a connection";
                            case ANY_EVENT -> "a message";
                            case NOTHING, INVOCATION, CHANGE, TURN -> "its turn";
                        });
            }
        }
        return "deadlock: " + who;
    }

    /**
     * Collects the possible actions: those of the last program, those of the others in a fixed order, then consequences
     * of faults and new faults. If nothing but new faults is possible, there are no actions, and {@link #wakeIdle}
     * decides.
     */
    int enabled(int[] into) {
        int count = 0;
        if (mustContinue) {
            count = add(programs.get(last), into, 0, true);
            if (count > 0) {
                return faults.addBreaks(programs.get(last), into, count);
            }
        }
        count = add(programs.get(last), into, count, false);
        for (Program program : programs) {
            if (program.index != last) {
                count = add(program, into, count, false);
            }
        }
        for (Program program : programs) {
            if (world.mayBeTooLate(program)) {
                into[count++] = Action.of(Action.PASS, program.index, 0);
            }
        }
        count = faults.addConsequences(into, count);
        return count == 0 ? 0 : faults.addNew(into, count);
    }

    private int add(Program program, int[] into, int from, boolean servesOnly) {
        int count = from;
        List<ExploredQueuePair> queuePairs = program.queuePairs;
        for (int i = 0; i < queuePairs.size(); i++) {
            if (queuePairs.get(i).canServe()
                    && !(servesOnly && queuePairs.get(i).isCut())) {
                into[count++] = Action.of(Action.SERVE, program.index, i);
            }
        }
        if (!servesOnly && !program.over()) {
            for (int i = 0; i < queuePairs.size(); i++) {
                if (waitsForOne(program) && queuePairs.get(i).canDeliver()) {
                    into[count++] = Action.of(Action.DELIVER, program.index, i);
                }
            }
            boolean goes = switch (program.wait) {
                case POLL -> !program.emptyPoll || anyToPoll(program);
                case INVOCATION, TURN -> true;
                case ANY_COMPLETION -> world.isServer(program) ? somethingFor(program) : anyDelivered(program);
                case ANY_EVENT ->
                    program.wordChanged() || (world.isServer(program) ? somethingFor(program) : anyDelivered(program));
                case NOTHING, COMPLETION, CHANGE, BARRIER, CONNECTION -> false;
            };
            if (goes) {
                into[count++] = Action.of(Action.GO, program.index, 0);
            }
        }
        if (!world.writesLandInOrder()) {
            for (int i = 0; i < queuePairs.size(); i++) {
                if (queuePairs.get(i).canReverse()) {
                    into[count++] = Action.of(Action.REVERSE, program.index, i);
                }
            }
        }
        if (limits.tearing() == ExplorationLimits.Tearing.OVERTAKING) {
            for (int i = 0; i < queuePairs.size(); i++) {
                if (queuePairs.get(i).canOvertake()) {
                    into[count++] = Action.of(Action.OVERTAKE, program.index, i);
                }
            }
        }
        return count;
    }

    /** Returns true if completions are delivered singly; a server that waits for any event gets all available ones. */
    private boolean waitsForOne(Program program) {
        return !world.isServer(program) || program.wait == Program.Wait.COMPLETION || program.wait == Program.Wait.POLL;
    }

    /** Returns true if one of the program's next polls, of any of its connections, may find a completion. */
    private static boolean anyToPoll(Program program) {
        for (ExploredQueuePair queuePair : program.queuePairs) {
            if (queuePair.has() && !queuePair.isForgotten()) {
                return true;
            }
        }
        return false;
    }

    private static boolean anyDelivered(Program program) {
        for (ExploredQueuePair queuePair : program.queuePairs) {
            if (queuePair.has()) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if an action belongs to requests in flight on a broken connection, or ends the cut of a link. */
    boolean isLate(int action) {
        int kind = Action.kind(action);
        if (kind == Action.MEND) {
            return true;
        }
        return (kind == Action.SERVE || kind == Action.LOSE)
                && programs.get(Action.process(action))
                        .queuePairs
                        .get(Action.queuePair(action))
                        .isCut();
    }

    void perform(int action) {
        Program program = programs.get(Action.process(action));
        mustContinue = false;
        if (!Action.isOfMachines(action)) {
            last = program.index;
        }
        if (faults.perform(action, program)) {
            return;
        }
        switch (Action.kind(action)) {
            case Action.SERVE, Action.REVERSE ->
                program.queuePairs
                        .get(Action.queuePair(action))
                        .serve(
                                Action.kind(action) == Action.REVERSE,
                                limits.tearing() != ExplorationLimits.Tearing.NONE);
            case Action.OVERTAKE ->
                program.queuePairs.get(Action.queuePair(action)).overtake();
            case Action.DELIVER ->
                program.queuePairs.get(Action.queuePair(action)).deliver();
            case Action.PASS -> {
                timeline.add(program, () -> "its wait times out");
                program.idleRetries = 0;
                world.passDeadline(program);
                resume(program);
            }
            default -> {
                mustContinue = program.wait == Program.Wait.INVOCATION;
                if (mustContinue) {
                    program.changesSeen = program.changesByOthers;
                }
                if (world.isServer(program)
                        && (program.wait == Program.Wait.ANY_COMPLETION || program.wait == Program.Wait.ANY_EVENT)) {
                    program.queuePairs.forEach(ExploredQueuePair::deliverAll);
                }
                resume(program);
            }
        }
    }

    /** Returns the last action's program, which continues without a switch; {@link #NONE} if it has not started. */
    int last() {
        return programs.get(last).begins() ? NONE : last;
    }

    /** Returns the program that must act next, having just begun an operation; {@link #NONE} if there is none. */
    int next() {
        return mustContinue ? last : NONE;
    }
}
