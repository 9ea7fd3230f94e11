package org.reprobe.findorput;

/** How many buckets a process asks for at once: C. For one thread. */
public interface ChunkSize {

    /** The most that {@link #buckets} ever says. */
    int max();

    /** C for the next operation. */
    int buckets();

    /**
     * Tells of a chunk that was looked at.
     *
     * @param occupied buckets of it that hold data
     * @param of buckets of it
     */
    void seen(int occupied, int of);

    /** Always the same, as in the paper. */
    record Fixed(int buckets) implements ChunkSize {
        @Override
        public int max() {
            return buckets;
        }

        @Override
        public void seen(int occupied, int of) {
            // What is there changes nothing.
        }
    }
}
