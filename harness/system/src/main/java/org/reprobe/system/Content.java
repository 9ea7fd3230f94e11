package org.reprobe.system;

import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reprobe.memory.Memory;

/** Content of a server's memory in a read-only run. All runs with equal content share it, so it must be a record. */
public interface Content {

    /** Returns the size in bytes, as far as it is known before the content is built. */
    long bytes();

    /** Returns the peak memory of building, including the content, in bytes. */
    long neededBytes();

    /** Returns the approximate time to build the content, in seconds of one core. */
    double buildSeconds();

    /** Throws a {@link RefusedException} if the content is impossible, regardless of memory. */
    void check() throws RefusedException;

    /** Builds the content; throws a {@link RefusedException} if it is impossible or memory is insufficient. */
    BuiltContent build(Builder builder) throws RefusedException;

    /** Resources for building; memory and cache folder may be null. Notices are messages for the user. */
    record Builder(
            int threads, @Nullable Memory memory, @Nullable Path cache, Consumer<String> notices) {

        public static Builder anew(int threads) {
            return new Builder(threads, null, null, notice -> {});
        }
    }
}
