package org.reprobe.system;

import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reprobe.memory.Memory;

/**
 * Content of a server's memory in a read-only run. It is built once and shared by all runs with equal content, so
 * implementations must be records.
 */
public interface Content {

    /** Returns the size in bytes, as far as it is known before the content is built. */
    long bytes();

    /** Returns the peak memory of building, including the content, in bytes. */
    long neededBytes();

    /** Returns the approximate time to build the content, in seconds of one core. */
    double buildSeconds();

    /**
     * Checks that the content is possible, regardless of memory.
     *
     * @throws RefusedException if it is impossible
     */
    void check() throws RefusedException;

    /**
     * Builds the content.
     *
     * @throws RefusedException if it is impossible or memory is insufficient
     */
    BuiltContent build(Builder builder) throws RefusedException;

    /**
     * Resources for building: threads, memory (null for any), cache folder (null for none) and a consumer of messages
     * for the user.
     */
    record Builder(
            int threads, @Nullable Memory memory, @Nullable Path cache, Consumer<String> notices) {

        public static Builder anew(int threads) {
            return new Builder(threads, null, null, notice -> {});
        }
    }
}
