package org.reprobe.system;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Content in memory. */
public interface BuiltContent extends AutoCloseable {

    /** What it was built from. */
    Content content();

    /** Its parts, to be registered one by one, in the order in which {@link Served.Machine#regions} has them. */
    List<MemorySegment> parts();

    /** Numbers that clients must know besides; the system's own affair. */
    long[] facts();

    /** Bytes that it takes. */
    long bytes();

    /** Frees it. */
    @Override
    void close();
}
