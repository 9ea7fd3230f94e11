package org.reprobe.system;

import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reprobe.memory.Memory;

/**
 * What a server's memory holds in a run that only reads it: it is built once and shared by all runs whose contents are equal.
 * Implementations are records.
 */
public interface Content {

    /** Bytes that it takes, as far as that is known before it is built. */
    long bytes();

    /** Bytes of memory while it is built. */
    long neededBytes();

    /** About how long building takes, in seconds of one core. */
    double buildSeconds();

    /**
     * Returns at once for content that can be had.
     *
     * @throws RefusedException when there is no such content, whatever the memory
     */
    void check() throws RefusedException;

    /**
     * Builds it.
     *
     * @param builder how much may be used
     * @throws RefusedException when there is no such content or no memory for it
     */
    BuiltContent build(Builder builder) throws RefusedException;

    /**
     * What building may use.
     *
     * @param threads at most
     * @param memory where the content goes; null for anywhere
     * @param cache where content is kept between runs; null for nowhere
     * @param notices told what the user should know
     */
    record Builder(
            int threads, @Nullable Memory memory, @Nullable Path cache, Consumer<String> notices) {

        /** Builds anew in memory of its own. */
        public static Builder anew(int threads) {
            return new Builder(threads, null, null, notice -> {});
        }
    }
}
