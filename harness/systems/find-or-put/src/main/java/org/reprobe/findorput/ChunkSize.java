package org.reprobe.findorput;

/** Number of buckets that a process requests at once: C. Not thread-safe. */
public interface ChunkSize {

    /** Returns the upper bound of {@link #buckets}. */
    int max();

    int buckets();

    /** Reports an examined chunk: its occupied buckets, and all of them. */
    void seen(int occupied, int of);

    /** Constant C, as in the paper. */
    record Fixed(int buckets) implements ChunkSize {
        @Override
        public int max() {
            return buckets;
        }

        @Override
        public void seen(int occupied, int of) {
            // The content has no effect.
        }
    }
}
