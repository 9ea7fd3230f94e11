package org.reprobe.farm.recovery;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * What threads of a machine see of its {@link Membership}: words in its memory. A thread looks at them after each answer and before it believes it.
 *
 * @param at where in memory, a multiple of 8
 */
public record MachineWords(MemorySegment memory, long at) {
    public static final long BYTES = 4L * Long.BYTES;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long STATE = Long.BYTES;
    private static final long LEASE = 2L * Long.BYTES;
    private static final long CHANGES = 3L * Long.BYTES;

    /** Whether its threads may run transactions. */
    public enum State {
        /** Not set up yet. */
        NONE,
        ACTIVE,
        /** A configuration has ended. */
        STOPPED,
        /** It was evicted, or has no lease, for now or for ever. */
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

    /** The configuration as far as the machine knows. */
    public Configuration configuration() {
        return Configuration.of(word(0));
    }

    public State state() {
        return State.of(word(STATE));
    }

    /** Whether what was asked for in a configuration may be believed. */
    public boolean holds(Configuration asked, long nowNs) {
        return state() == State.ACTIVE && hasLease(nowNs) && configuration().equals(asked);
    }

    boolean hasLease(long nowNs) {
        return nowNs < word(LEASE);
    }

    /** The place of a word that is another one after each change, and its value. */
    public long changesAt() {
        return at + CHANGES;
    }

    public long changes() {
        return word(CHANGES);
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
