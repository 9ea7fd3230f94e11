package org.reprobe.trial;

/** Which marked branches were taken. Loaded by a {@link ProtocolLoader} for the classes that it marks. */
public final class Taken {
    /** By number of the branch. */
    @SuppressWarnings("MutablePublicArray") // it is what this is for
    public static final boolean[] BRANCHES = new boolean[1 << 14];

    private Taken() {}

    /** Called by marked code. */
    public static void mark(int branch) {
        BRANCHES[branch] = true;
    }
}
