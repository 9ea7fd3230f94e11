package org.reprobe.system;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Built {@link Content}, which closing frees. All readers must have ended before. */
public interface BuiltContent extends AutoCloseable {

    Content content();

    /** Returns the parts that are registered separately, in the order of {@link Served.Machine#regions}. */
    List<MemorySegment> parts();

    /** Returns further numbers that clients need; their meaning is specific to the system. */
    long[] attributes();

    long bytes();

    @Override
    void close();
}
