package org.reprobe.explore;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Switching between the threads of the engine and the programs, one of which runs at a time. */
final class Handoff {
    private final Thread engine;
    private volatile @Nullable Program holder;
    private volatile boolean closed;
    /** True to end each program's code at its next turn. */
    volatile boolean unwinding;

    Handoff(Thread engine) {
        this.engine = engine;
    }

    void giveTo(Program program) {
        holder = program;
        program.unpark();
        while (holder != null) {
            LockSupport.park(this);
        }
    }

    void giveBack() {
        holder = null;
        LockSupport.unpark(engine);
    }

    boolean awaitTurn(Program program) {
        while (holder != program) {
            if (closed) {
                return false;
            }
            LockSupport.park(this);
        }
        return true;
    }

    /** Ends the program's code by {@link ScheduleOver} if the schedule is over. */
    void check() {
        if (unwinding || closed) {
            throw new ScheduleOver();
        }
    }

    void close(Iterable<Program> programs) {
        closed = true;
        programs.forEach(Program::unpark);
    }

    /** Ends a program's code. It is an error, so that no client's code handles it. */
    static final class ScheduleOver extends Error {
        ScheduleOver() {
            super("the schedule is over", null, false, false);
        }
    }
}
