package org.reprobe.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.verbs.RdmaCore.Call;

/**
 * CPU affinity of the calling thread. Replaces DiSNI's {@code NativeAffinity}, which loads libdisni when initialised:
 * {@link DisniProvider} defines a class of that name that calls this one. Public for that class only.
 */
public final class ThreadAffinity {
    private static final Call GET = new Call("sched_getaffinity", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final Call SET = new Call("sched_setaffinity", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);

    private ThreadAffinity() {}

    /** Binds the calling thread to the processors whose bits are set; 0 has no effect. */
    public static void set(long processors) {
        if (processors == 0) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocateFrom(ValueLayout.JAVA_LONG, processors);
            SET.raw(0, Long.BYTES, mask.address()); // errors are ignored, as in libdisni
        }
    }

    /** Returns the calling thread's processors; bit i for processor i, of the first 64. */
    public static long get() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(ValueLayout.JAVA_LONG, 16);
            GET.raw(0, mask.byteSize(), mask.address());
            return mask.get(ValueLayout.JAVA_LONG, 0);
        }
    }
}
