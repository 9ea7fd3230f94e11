package org.reprobe.explore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.WatchedWords;

/** Program of a client or server. Its virtual thread serves all schedules. It runs only in its turn until it blocks. */
final class Program {

    /** Event that a program waits for. */
    enum Wait {
        /** Start or end of a schedule. */
        NOTHING,
        /** Completion of {@link #queuePair}. */
        COMPLETION,
        /** Its turn to poll {@link #queuePair}. */
        POLL,
        INVOCATION,
        CHANGE,
        BARRIER,
        ANY_COMPLETION,
        /** Completion or watched word; at a server also a connection or the notice of a death. */
        ANY_EVENT,
        CONNECTION,
        /** Its turn to access registered memory. */
        TURN
    }

    @FunctionalInterface
    interface Body {
        void run() throws FabricException;
    }

    static final int NONE = -1;

    /** Duration of each wait on a program's own clock. */
    private static final long WAIT_NS = 1000;

    private final Handoff turn;
    private final Body body;
    private final Arena arena;
    private final List<MemorySegment> locals = new ArrayList<>();
    private final Thread thread;
    private int allocations;

    final int index;
    final List<ExploredQueuePair> queuePairs = new ArrayList<>();
    final WatchedWords words = new WatchedWords();
    Wait wait = Wait.NOTHING;

    @Nullable
    ExploredQueuePair queuePair;

    @Nullable
    Throwable failure;

    boolean ended;
    boolean crashed;
    /** Number of changes of server memory by others. {@link #changesSeen} is its value at the end of the last pause. */
    long changesByOthers;

    long changesSeen;
    int idleRetries;
    int pauses;
    boolean emptyPoll;
    int polls;
    /** Hash of everything that the program has observed. */
    long seen = Mixing.START;
    /** Hash of its operations, their results, and the operations that had returned before each began. */
    long operations;

    long clockNs;
    /** Deadline of its wait; {@link Long#MAX_VALUE} for none. */
    long untilNs = Long.MAX_VALUE;

    boolean tooLate;
    /** Value of {@link #changesByOthers} at the last deadline. The next one may pass only after further changes. */
    long changesAtDeadline;

    boolean inOperation;
    /** Server of the last failed attempt to connect, or {@link #NONE}. No change ends a pause until it is reachable. */
    int partitionedFrom = NONE;

    private boolean fails;

    Program(int index, Handoff turn, Arena arena, Body body) {
        this.index = index;
        this.turn = turn;
        this.arena = arena;
        this.body = body;
        this.thread = Thread.ofVirtual().name("program-" + index).start(this::live);
    }

    void reset() {
        allocations = 0;
        queuePairs.clear();
        words.clear();
        wait = Wait.NOTHING;
        queuePair = null;
        failure = null;
        ended = false;
        crashed = false;
        changesByOthers = 0;
        changesSeen = 0;
        idleRetries = 0;
        pauses = 0;
        emptyPoll = false;
        polls = 0;
        seen = Mixing.START;
        operations = 0;
        clockNs = 0;
        untilNs = Long.MAX_VALUE;
        tooLate = false;
        changesAtDeadline = -1;
        inOperation = false;
        partitionedFrom = NONE;
    }

    private void live() {
        while (turn.awaitTurn(this)) {
            try {
                if (!turn.unwinding) {
                    body.run();
                }
            } catch (Handoff.ScheduleOver e) {
                // The schedule is over.
            } catch (Throwable e) {
                failure = e;
            }
            ended = true;
            wait = Wait.NOTHING;
            turn.giveBack();
        }
    }

    /** Blocks the calling program until its next turn. */
    void block(Wait reason, @Nullable ExploredQueuePair of) {
        check();
        wait = reason;
        queuePair = of;
        turn.giveBack();
        turn.awaitTurn(this);
        check();
        wait = Wait.NOTHING;
        queuePair = null;
        clockNs += WAIT_NS;
    }

    /** Counts a wait that ends at once, so that the program's clock does not depend on the progress of others. */
    void requireNotWaiting() {
        clockNs += WAIT_NS;
    }

    private void check() {
        turn.check();
        if (fails) {
            throw new Handoff.ScheduleOver();
        }
    }

    /** Ends a server program because its machine fails. Called by the engine. */
    void fail() {
        if (!ended) {
            fails = true;
            resume();
            fails = false;
        }
        queuePairs.clear();
        words.clear();
        allocations = 0;
    }

    /** Restarts the program on its next turn, after its machine's restart. Called by the engine. */
    void restart() {
        ended = false;
        emptyPoll = false;
        partitionedFrom = NONE;
        untilNs = Long.MAX_VALUE;
        seen = Mixing.mix(seen, -11);
    }

    /** Blocks until the event; returns true if the deadline {@code atNs}, on the program's own clock, passed first. */
    boolean blockUntil(Wait reason, @Nullable ExploredQueuePair of, long atNs) {
        untilNs = atNs;
        tooLate = false;
        block(reason, of);
        untilNs = Long.MAX_VALUE;
        return tooLate;
    }

    boolean hasDeadline() {
        return untilNs < Long.MAX_VALUE && !over();
    }

    /** Returns true if the deadline may pass now. A deadline may pass once per change by others. */
    boolean mayBeTooLate() {
        return hasDeadline() && changesAtDeadline != changesByOthers;
    }

    /** Returns 1 if changes by others end the next pause at once, plus 2 if they let a deadline pass again. */
    int unseenChanges() {
        return (changesByOthers > changesSeen ? 1 : 0) + (changesAtDeadline != changesByOthers ? 2 : 0);
    }

    /** Called by the engine. */
    void passDeadline() {
        tooLate = true;
        changesAtDeadline = changesByOthers;
        clockNs = Math.max(clockNs, untilNs);
        seen = Mixing.mix(seen, -7);
    }

    /** Runs the program until it blocks or ends. Called by the engine. */
    void resume() {
        turn.giveTo(this);
    }

    /** Allocates registered memory. The same allocations return the same memory in each schedule. */
    MemorySegment allocate(long bytes) {
        if (allocations < locals.size() && locals.get(allocations).byteSize() == bytes) {
            return locals.get(allocations++).fill((byte) 0);
        }
        MemorySegment memory = arena.allocate(bytes, 64);
        while (locals.size() > allocations) {
            locals.removeLast();
        }
        locals.add(memory);
        allocations++;
        return memory;
    }

    void unpark() {
        LockSupport.unpark(thread);
    }

    /** Returns true if a watched word has changed. */
    boolean wordChanged() {
        return words.firstChanged() >= 0;
    }

    boolean begins() {
        return wait == Wait.INVOCATION && operations == 0;
    }

    boolean over() {
        return ended || crashed;
    }
}
