package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;
import org.reprobe.analysis.measurement.Kind;

/**
 * How one-sided operations travel. A server registers memory, then clients run to their end. The guarantees are those of
 * a reliable connection: see {@link QueuePair}.
 */
public interface Fabric extends AutoCloseable {

    /** {@code sim}, {@code shm}, {@code tcp} or {@code verbs}. */
    String name();

    /** Whether its times are measured or simulated. */
    Kind kind();

    /** Lets clients reach memory. It stays the caller's and must outlive the fabric. */
    RemoteRegion register(MemorySegment memory) throws FabricException;

    /**
     * Runs {@code clients} clients until each of them has returned. When one throws, the others are ended and its
     * exception is thrown here.
     */
    void run(int clients, ClientProgram program) throws FabricException, InterruptedException;

    @Override
    void close();
}
