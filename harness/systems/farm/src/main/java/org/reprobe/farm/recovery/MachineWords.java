package org.reprobe.farm.recovery;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * State of a machine's {@link Membership} for its threads, as words at a multiple of 8 in its memory. Threads check it
 * after each reply, before they use it.
 */
public record MachineWords(MemorySegment memory, long at) {
    public static final long BYTES = 4L * Long.BYTES;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long STATE = Long.BYTES;
    private static final long LEASE = 2L * Long.BYTES;
    private static final long CHANGES = 3L * Long.BYTES;

    public enum State {
        /** Not yet initialized. */
        NONE,
        ACTIVE,
        /** Stopped by a change of configuration. */
        STOPPED,
        /** Evicted, or at present without a lease. */
        OUT;

        private static final List<State> ALL = List.of(values());

        private static State of(long word) {
            return ALL.get((int) word);
        }

        private long word() {
            return ALL.indexOf(this);
        }
    }

    private long word(long offset) {
        return (long) WORD.getAcquire(memory, at + offset);
    }

    public Configuration configuration() {
        return Configuration.of(word(0));
    }

    public State state() {
        return State.of(word(STATE));
    }

    /** Returns true if replies to requests of configuration {@code asked} are valid. */
    public boolean holds(Configuration asked, long nowNs) {
        return state() == State.ACTIVE && hasLease(nowNs) && configuration().equals(asked);
    }

    boolean hasLease(long nowNs) {
        return nowNs < word(LEASE);
    }

    /** Returns the offset of a word that changes with each configuration and state. */
    public long changesAt() {
        return at + CHANGES;
    }

    public long changes() {
        return word(CHANGES);
    }

    /** Ends the part of a former process, whose configuration stays. */
    public void leave() {
        set(configuration(), State.OUT, 0);
    }

    void set(Configuration configuration, State state, long leaseUntilNs) {
        if (word(0) == configuration.word() && word(STATE) == state.word()) {
            WORD.setRelease(memory, at + LEASE, leaseUntilNs);
            return;
        }
        WORD.setRelease(memory, at, configuration.word());
        WORD.setRelease(memory, at + STATE, state.word());
        WORD.setRelease(memory, at + LEASE, leaseUntilNs);
        WORD.setRelease(memory, at + CHANGES, changes() + 1);
    }
}
