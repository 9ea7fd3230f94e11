package org.reprobe.system;

import java.lang.foreign.MemorySegment;
import java.util.List;

public interface BuiltContent extends AutoCloseable {

    Content content();

    /** Parts to register separately, in the order of {@link Served.Machine#regions}. */
    List<MemorySegment> parts();

    /** Numbers that clients need in addition; specific to the system. */
    long[] attributes();

    long bytes();

    @Override
    void close();
}
