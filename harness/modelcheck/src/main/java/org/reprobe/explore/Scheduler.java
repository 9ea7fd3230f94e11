package org.reprobe.explore;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;

/**
 * Steps of a schedule: what can happen next, what happens without a choice, and what an action does.
 *
 * <p>Not everything needs a choice. A program between two waits touches only its own queue pairs and local memory, so it
 * continues without a choice. Exceptions are the start of an operation and a poll, and each step of a server, which touches
 * registered memory. Returns are noted at once, since a later return forbids less; and an invocation is followed by
 * a step of the same client, since an earlier one forbids less.
 */
final class Scheduler {
    private static final int NOBODY = -1;

    private final World world;
    private final ExplorationLimits limits;
    private final int clients;
    private final List<Program> programs;
    private final Faults faults;
    private final Timeline timeline;
    private int last;
    private boolean sticks;
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

    /** Returns what has gone wrong so far; null for nothing. */
    @Nullable
    String failure() {
        return failure;
    }

    boolean tooManyPauses() {
        return tooManyPauses;
    }

    void reset() {
        last = 0;
        sticks = false;
        tooManyPauses = false;
        failure = null;
    }

    /** Lets everything happen that needs no choice. */
    void settle() {
        boolean again = true;
        while (again && failure == null) {
            again = false;
            for (Program program : programs) {
                while (failure == null && !program.over() && ready(program)) {
                    goOn(program);
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
            case CHANGE -> program.changesByOthers > program.changesSeen && !faults.isShutOut(program);
            case CONNECTION -> !world.serverOf(program).connecting().isEmpty() || world.clientsOver();
            case ANY_COMPLETION -> world.clientsOver() && !somethingFor(program); // never so for a client that waits
            case NEWS ->
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
     * Returns true if what the program waits for is there. Delivers it when the program could not see anything else with it, and no
     * machine can fail before its acknowledgement is out.
     */
    private boolean arrives(Program program) {
        ExploredQueuePair awaited = program.queuePair;
        if (awaited == null || awaited.has()) {
            return awaited != null;
        }
        if (!awaited.canDeliver() || (faults.anotherMachineMayFail() && !awaited.isCut())) {
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

    /** Lets a program run to its next wait. */
    void goOn(Program program) {
        if (program.wait == Program.Wait.CHANGE) {
            if (program.changesByOthers > program.changesSeen) {
                program.idleRetries = 0;
                tooManyPauses |= ++program.pauses > limits.pauses();
            }
            program.changesSeen = program.changesByOthers;
        }
        // A server, and a client with its turn, may access registered memory by the CPU.
        boolean touches = world.isServer(program) || program.wait == Program.Wait.TURN;
        long before = world.memory().hash();
        timeline.beginStores();
        if (touches) {
            program.seen = Mixing.mix(program.seen, before);
        }
        program.goOn();
        if (touches) {
            world.memory().rehash();
            if (world.memory().hash() != before) {
                world.changed(program);
            }
        }
        timeline.addStores(program);
        Throwable thrown = program.failure;
        if (thrown != null && failure == null) {
            failure = world.name(program) + " failed: " + words(thrown);
        }
    }

    private static String words(Throwable thrown) {
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
                goOn(programs.get(i));
            }
        }
        return anybody;
    }

    /**
     * Wakes all that pause, since nothing else can happen.
     *
     * @return false when no program pauses
     */
    boolean wakeIdle() {
        boolean woken = false;
        for (Program program : programs) {
            boolean pauses = program.wait == Program.Wait.CHANGE || program.untilNs < Long.MAX_VALUE;
            if (!program.over() && pauses && failure == null) {
                int retries = program.idleRetries + 1;
                if (retries > limits.idleRetries()) {
                    failure = world.name(program)
                            + " waits for ever: it tries again and again, nothing has changed, and nobody "
                            + "else can do anything";
                    return true;
                }
                program.seen = Mixing.mix(program.seen, retries);
                if (retries == Timeline.TOLD_RETRIES) {
                    timeline.add(program, () -> "... and so on");
                }
                program.idleRetries = retries;
                if (program.untilNs < Long.MAX_VALUE) {
                    world.passDeadline(program);
                }
                goOn(program);
                woken = true;
            }
        }
        return woken;
    }

    /** A schedule has too many steps. */
    String endless() {
        return world.name(programs.get(last)) + " still goes on after " + limits.steps()
                + " steps: it has no end, or tries again without a pause";
    }

    /** Nothing can happen, and not all have ended. */
    String standstill() {
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
                            case NEWS -> "a message";
                            case NOTHING, INVOCATION, CHANGE, TURN -> "its turn";
                        });
            }
        }
        return "nothing can happen any more: " + who;
    }

    /**
     * Finds what can happen next: first what the program can do that acted last, then the others, in a fixed order, then faults. Where
     * nothing but faults could happen {@link #wakeIdle} decides.
     *
     * @return how many
     */
    int enabled(int[] into) {
        int count = 0;
        if (sticks) {
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
                case NEWS ->
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

    /** A server that waits for any completion is given all at once. */
    private boolean waitsForOne(Program program) {
        return !world.isServer(program) || program.wait == Program.Wait.COMPLETION || program.wait == Program.Wait.POLL;
    }

    /** Returns true if another poll may find something, by and by if the program polls connections in turn. */
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

    /** Returns true if an action is of what is under way on a broken connection, or ends the cut of a link. */
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
        sticks = false;
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
                timeline.add(program, () -> "has waited for long enough");
                program.idleRetries = 0;
                world.passDeadline(program);
                goOn(program);
            }
            default -> {
                sticks = program.wait == Program.Wait.INVOCATION;
                if (sticks) {
                    program.changesSeen = program.changesByOthers;
                }
                if (world.isServer(program)
                        && (program.wait == Program.Wait.ANY_COMPLETION || program.wait == Program.Wait.NEWS)) {
                    program.queuePairs.forEach(ExploredQueuePair::deliverAll);
                }
                goOn(program);
            }
        }
    }

    /** Returns the program that acted last, whose going on is no switch; {@link #NOBODY} when it has not begun yet, since all orders to
     * begin in cost the same. */
    int last() {
        return programs.get(last).begins() ? NOBODY : last;
    }

    /** Returns the program that must act next, since it has just begun an operation; {@link #NOBODY} for none. */
    int next() {
        return sticks ? last : NOBODY;
    }
}
