package org.reprobe.findorput;

/** C, the number of buckets that a process requests at once (find-or-put paper, section 3.2). Not thread-safe. */
public interface ChunkSize {

    int max();

    int buckets();

    /** Reports an examined chunk of {@code of} buckets, of which {@code occupied} are occupied. */
    void seen(int occupied, int of);

    /** Constant C, as in the paper. */
    record Fixed(int buckets) implements ChunkSize {
        @Override
        public int max() {
            return buckets;
        }

        @Override
        public void seen(int occupied, int of) {
            // C is constant.
        }
    }
}
