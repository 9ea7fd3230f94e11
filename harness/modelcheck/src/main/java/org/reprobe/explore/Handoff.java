package org.reprobe.explore;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Whose turn it is: the engine's or one program's. */
final class Handoff {
    private final Thread engine;
    private volatile @Nullable Program holder;
    private volatile boolean closed;
    /** Programs that get the turn leave their code. */
    volatile boolean unwinding;

    /** @param engine the thread that gives turns */
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

    /** False when there will be no further turn. */
    boolean awaitTurn(Program program) {
        while (holder != program) {
            if (closed) {
                return false;
            }
            LockSupport.park(this);
        }
        return true;
    }

    /** Leaves the program's code when the schedule is over. */
    void check() {
        if (unwinding || closed) {
            throw new Ended();
        }
    }

    void close(Iterable<Program> programs) {
        closed = true;
        programs.forEach(Program::unpark);
    }

    /** Unwinds a program; an error, so that no client takes it for its own. */
    static final class Ended extends Error {
        private static final long serialVersionUID = 1L;

        Ended() {
            super("the schedule is over", null, false, false);
        }
    }
}
