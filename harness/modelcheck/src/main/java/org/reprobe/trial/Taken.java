package org.reprobe.trial;

/** Marked branches that were taken. Each {@link ProtocolLoader} loads this class anew for its marked classes. */
public final class Taken {
    /** Indexed by the number of the branch. */
    @SuppressWarnings("MutablePublicArray") // marked code writes it
    public static final boolean[] BRANCHES = new boolean[1 << 14];

    private Taken() {}

    /** Called by marked code. */
    public static void mark(int branch) {
        BRANCHES[branch] = true;
    }
}
