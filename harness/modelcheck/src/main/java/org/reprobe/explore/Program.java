package org.reprobe.explore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.WatchedWords;

/**
 * A client's or the server's program on a virtual thread of its own, which lasts for all schedules. It runs only while it
 * has the turn, and gives it back when it blocks.
 */
final class Program {

    /** What a program waits for. */
    enum Wait {
        /** The end of a schedule, or the start of one. */
        NOTHING,
        /** A completion of {@link #queuePair}. */
        COMPLETION,
        /** Its turn to look whether {@link #queuePair} has completions. */
        POLL,
        /** Its turn to begin an operation. */
        INVOCATION,
        /** A change, after a pause. */
        CHANGE,
        /** The others at the barrier. */
        BARRIER,
        /** A completion of any connection. */
        ANY_COMPLETION,
        /** A completion of any, a watched word; at a server also a connection, or the notice of a death. */
        NEWS,
        /** At the server: a connection. */
        CONNECTION,
        /** Its turn to go on, with accesses to registered memory perhaps. */
        TURN
    }

    /** The code that it runs. */
    @FunctionalInterface
    interface Body {
        void run() throws FabricException;
    }

    /** No server. */
    static final int NONE = -1;

    /** What a wait takes by a program's own clock. */
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
    /** Changes of server memory by others: all so far, and as of the last time that it went on after a pause. */
    long changesByOthers;

    long changesSeen;
    int idleRetries;
    int pauses;
    boolean emptyPoll;
    int polls;
    /** Hash of all that it was told. */
    long seen = Mixing.START;
    /** Hash of its operations, their results, and what had returned before each began. */
    long told;

    long clockNs;
    /** When what it waits for comes too late; {@link Long#MAX_VALUE} for never. */
    long untilNs = Long.MAX_VALUE;
    /** Its wait was ended by the deadline. */
    boolean tooLate;
    /** {@link #changesByOthers} when a deadline of its passed last: it passes again once others have done something. */
    long changesAtDeadline;

    boolean inOperation;
    /** The server that it could not connect to when it last tried, or {@link #NONE}: until it can, no change ends a pause. */
    int shutOutOf = NONE;
    /** Its machine fails. */
    private boolean fails;

    Program(int index, Handoff turn, Arena arena, Body body) {
        this.index = index;
        this.turn = turn;
        this.arena = arena;
        this.body = body;
        this.thread = Thread.ofVirtual().name("program-" + index).start(this::live);
    }

    /** Forgets the last schedule. */
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
        told = 0;
        clockNs = 0;
        untilNs = Long.MAX_VALUE;
        tooLate = false;
        changesAtDeadline = -1;
        inOperation = false;
        shutOutOf = NONE;
    }

    private void live() {
        while (turn.awaitTurn(this)) {
            try {
                if (!turn.unwinding) {
                    body.run();
                }
            } catch (Handoff.Ended e) {
                // The schedule is over.
            } catch (Throwable e) {
                failure = e;
            }
            ended = true;
            wait = Wait.NOTHING;
            turn.giveBack();
        }
    }

    /** Called by the program: blocks until the engine gives it the turn again. */
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

    /** Called by the program: what it would wait for is there. That counts as a wait, so that its clock does not tell what others did. */
    void waitsNot() {
        clockNs += WAIT_NS;
    }

    private void check() {
        turn.check();
        if (fails) {
            throw new Handoff.Ended();
        }
    }

    /** Called by the engine: the machine of a server's program fails, so that the program ends where it is. */
    void fail() {
        if (!ended) {
            fails = true;
            goOn();
            fails = false;
        }
        queuePairs.clear();
        words.clear();
        allocations = 0;
    }

    /** Called by the engine: its machine has come back. It begins anew once it gets its turn. */
    void restart() {
        ended = false;
        emptyPoll = false;
        shutOutOf = NONE;
        untilNs = Long.MAX_VALUE;
        seen = Mixing.mix(seen, -11);
    }

    /**
     * Like {@link #block(Wait, ExploredQueuePair)}, unless a scheduler lets the deadline pass.
     *
     * @param atNs of its own clock; {@link Long#MAX_VALUE} for no deadline
     * @return whether the deadline has passed
     */
    boolean blockUntil(Wait reason, @Nullable ExploredQueuePair of, long atNs) {
        untilNs = atNs;
        tooLate = false;
        block(reason, of);
        untilNs = Long.MAX_VALUE;
        return tooLate;
    }

    /** Whether it waits with a deadline. */
    boolean hasDeadline() {
        return untilNs < Long.MAX_VALUE && !over();
    }

    /** Whether a deadline of its may pass now: once, until others have done something. */
    boolean mayBeTooLate() {
        return hasDeadline() && changesAtDeadline != changesByOthers;
    }

    /** What others have done since it last took notice: whether its next pause ends at once, and whether a deadline may pass again. */
    int news() {
        return (changesByOthers > changesSeen ? 1 : 0) + (changesAtDeadline != changesByOthers ? 2 : 0);
    }

    /** Called by the engine: the deadline passes. */
    void passDeadline() {
        tooLate = true;
        changesAtDeadline = changesByOthers;
        clockNs = Math.max(clockNs, untilNs);
        seen = Mixing.mix(seen, -7);
    }

    /** Called by the engine: lets the program run until it blocks or ends. */
    void goOn() {
        turn.giveTo(this);
    }

    /** Registered memory: the same in each schedule. */
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

    /** Whether a word that it watches is not as it was seen. */
    boolean wordChanged() {
        return words.firstChanged() >= 0;
    }

    /** Whether its first operation is next. */
    boolean begins() {
        return wait == Wait.INVOCATION && told == 0;
    }

    boolean over() {
        return ended || crashed;
    }
}
