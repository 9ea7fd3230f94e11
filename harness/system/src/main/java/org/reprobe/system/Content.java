package org.reprobe.system;

import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reprobe.memory.Memory;

/**
 * Content of a server's memory in a read-only run: it is built once and shared by all runs with equal content.
 * Implementations are records.
 */
public interface Content {

    /** Size in bytes, as far as known before it is built. */
    long bytes();

    long neededBytes();

    /** Approximate time to build, in seconds of one core. */
    double buildSeconds();

    /** Throws a {@link RefusedException} if the content is impossible, whatever the memory. */
    void check() throws RefusedException;

    /** Builds the content. Throws a {@link RefusedException} if it is impossible or memory is insufficient. */
    BuiltContent build(Builder builder) throws RefusedException;

    /**
     * Resources for building: threads, memory (null for any), cache folder (null for none) and a receiver of messages for
     * the user.
     */
    record Builder(
            int threads, @Nullable Memory memory, @Nullable Path cache, Consumer<String> notices) {

        public static Builder anew(int threads) {
            return new Builder(threads, null, null, notice -> {});
        }
    }
}
