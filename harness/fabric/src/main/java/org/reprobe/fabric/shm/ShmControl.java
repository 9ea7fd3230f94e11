package org.reprobe.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.trust.ProcessId;

/**
 * Control file mapped by all processes of a fabric.
 *
 * <pre>
 *   header       one page: the server's process, its state, counters of the tables that follow
 *   regions      {@value #REGIONS} x 32 B: length, offset in its file, file number, key (0: not registered)
 *   groups       {@value #GROUPS} x 64 B: a client process's number and start, its clients, number of ended clients
 *   connections  {@value #CONNECTIONS} x 32 B: state, group, sizes of the receive queues, number of the channel's file
 *   accesses     {@value #CONNECTIONS} x 64 B, a cache line each: flag that the client's end is accessing regions
 * </pre>
 *
 * An entry is published by writing its key or state last. The file is sparse: pages are allocated on first use.
 */
final class ShmControl {
    static final String FILE = "control";
    static final int REGIONS = 1 << 16;
    static final int GROUPS = 1 << 16;
    static final int CONNECTIONS = 1 << 20;

    /** Binary logarithm of the distance of the regions' addresses, whose upper bits select the region. */
    static final int REGION_SHIFT = 44;

    static final long OFFSET_MASK = (1L << REGION_SHIFT) - 1;

    private static final long MAGIC = 0x31_65_62_6f_72_70_65_72L; // "reprobe1"
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private static final long MAGIC_AT = 0;
    private static final long SERVER_PID_AT = 8;
    private static final long SERVER_START_AT = 16;
    private static final long CLOSED_AT = 24;
    /** Offset of the number of region entries ever used. */
    private static final long REGION_COUNT_AT = 64;

    private static final long REGIONS_VERSION_AT = 72;
    private static final long GROUP_COUNT_AT = 128;
    private static final long SERVED_GROUPS_AT = 136;
    private static final long CONNECTION_COUNT_AT = 192;
    private static final long FAILURE_BYTES_AT = 256;
    private static final long FAILURE_AT = 264;
    private static final int FAILURE_BYTES = 2048;

    private static final long REGIONS_AT = 4096;
    private static final long REGION_ENTRY = 32;
    private static final long GROUPS_AT = REGIONS_AT + REGIONS * REGION_ENTRY;
    private static final long GROUP_ENTRY = 64;
    private static final long CONNECTIONS_AT = GROUPS_AT + GROUPS * GROUP_ENTRY;
    private static final long CONNECTION_ENTRY = 32;

    private static final long ACCESSES_AT = CONNECTIONS_AT + CONNECTIONS * CONNECTION_ENTRY;
    private static final long ACCESS_ENTRY = 64;

    static final long BYTES = ACCESSES_AT + CONNECTIONS * ACCESS_ENTRY;

    static final int ANNOUNCED = 1;
    static final int ACCEPTED = 2;
    /** State of a one-sided connection, which no server program accepts. */
    static final int ONE_SIDED = 3;

    private final MemorySegment memory;

    private ShmControl(MemorySegment memory) {
        this.memory = memory;
    }

    static ShmControl create(MemorySegment memory, ProcessId server) {
        ShmControl control = new ShmControl(memory);
        memory.set(ValueLayout.JAVA_LONG, SERVER_PID_AT, server.pid());
        memory.set(ValueLayout.JAVA_LONG, SERVER_START_AT, server.start());
        LONG.setRelease(memory, MAGIC_AT, MAGIC);
        return control;
    }

    /** Opens a server's control file; returns null if it is not one. */
    static @Nullable ShmControl open(MemorySegment memory) {
        return (long) LONG.getAcquire(memory, MAGIC_AT) == MAGIC ? new ShmControl(memory) : null;
    }

    ProcessId server() {
        return new ProcessId(
                memory.get(ValueLayout.JAVA_LONG, SERVER_PID_AT), memory.get(ValueLayout.JAVA_LONG, SERVER_START_AT));
    }

    boolean closed() {
        return (long) LONG.getAcquire(memory, CLOSED_AT) != 0;
    }

    void close() {
        LONG.setRelease(memory, CLOSED_AT, 1L);
    }

    @Nullable
    String failure() {
        int bytes = (int) (long) LONG.getAcquire(memory, FAILURE_BYTES_AT);
        if (bytes == 0) {
            return null;
        }
        byte[] text = memory.asSlice(FAILURE_AT, Math.min(bytes, FAILURE_BYTES)).toArray(ValueLayout.JAVA_BYTE);
        return new String(text, StandardCharsets.UTF_8);
    }

    void fail(@Nullable String why) {
        byte[] text = why == null ? new byte[0] : why.getBytes(StandardCharsets.UTF_8);
        int bytes = Math.min(text.length, FAILURE_BYTES);
        MemorySegment.copy(text, 0, memory, ValueLayout.JAVA_BYTE, FAILURE_AT, bytes);
        LONG.setRelease(memory, FAILURE_BYTES_AT, (long) bytes);
    }

    // Regions, written only by the server.

    int regionCount() {
        return (int) (long) LONG.getAcquire(memory, REGION_COUNT_AT);
    }

    /** Version that every registration and deregistration changes. Every operation reads it: a plain load on x86. */
    long regionsVersion() {
        return (long) LONG.getAcquire(memory, REGIONS_VERSION_AT);
    }

    void publishRegion(int region, int file, long fileOffset, long bytes, int key) {
        long at = REGIONS_AT + region * REGION_ENTRY;
        memory.set(ValueLayout.JAVA_LONG, at, bytes);
        memory.set(ValueLayout.JAVA_LONG, at + 8, fileOffset);
        memory.set(ValueLayout.JAVA_INT, at + 16, file);
        INT.setRelease(memory, at + 24, key);
        if (region >= regionCount()) {
            LONG.setRelease(memory, REGION_COUNT_AT, region + 1L);
        }
        LONG.getAndAdd(memory, REGIONS_VERSION_AT, 1L);
    }

    void withdrawRegion(int region) {
        INT.setRelease(memory, REGIONS_AT + region * REGION_ENTRY + 24, 0);
        LONG.getAndAdd(memory, REGIONS_VERSION_AT, 1L);
    }

    /** Returns the key of a region; 0 if it is not registered. */
    int regionKey(int region) {
        return (int) INT.getAcquire(memory, REGIONS_AT + region * REGION_ENTRY + 24);
    }

    long regionBytes(int region) {
        return memory.get(ValueLayout.JAVA_LONG, REGIONS_AT + region * REGION_ENTRY);
    }

    long regionFileOffset(int region) {
        return memory.get(ValueLayout.JAVA_LONG, REGIONS_AT + region * REGION_ENTRY + 8);
    }

    int regionFile(int region) {
        return memory.get(ValueLayout.JAVA_INT, REGIONS_AT + region * REGION_ENTRY + 16);
    }

    // Groups: the clients of one process in one run.

    int groupCount() {
        return Math.min(GROUPS, (int) (long) LONG.getAcquire(memory, GROUP_COUNT_AT));
    }

    int addGroup(ProcessId process, int first, int clients) throws FabricException {
        int group = claim(GROUP_COUNT_AT, GROUPS, "runs of client processes");
        long at = GROUPS_AT + group * GROUP_ENTRY;
        memory.set(ValueLayout.JAVA_LONG, at + 8, process.pid());
        memory.set(ValueLayout.JAVA_LONG, at + 16, process.start());
        memory.set(ValueLayout.JAVA_INT, at + 24, first);
        memory.set(ValueLayout.JAVA_INT, at + 28, clients);
        INT.setRelease(memory, at, 1);
        return group;
    }

    /** Returns false while the group's entry is being written. */
    boolean isGroupPresent(int group) {
        return (int) INT.getAcquire(memory, GROUPS_AT + group * GROUP_ENTRY) != 0;
    }

    ProcessId groupProcess(int group) {
        long at = GROUPS_AT + group * GROUP_ENTRY;
        return new ProcessId(memory.get(ValueLayout.JAVA_LONG, at + 8), memory.get(ValueLayout.JAVA_LONG, at + 16));
    }

    int groupClients(int group) {
        return memory.get(ValueLayout.JAVA_INT, GROUPS_AT + group * GROUP_ENTRY + 28);
    }

    int groupEnded(int group) {
        return (int) INT.getAcquire(memory, GROUPS_AT + group * GROUP_ENTRY + 32);
    }

    void clientHasEnded(int group) {
        int _ = (int) INT.getAndAdd(memory, GROUPS_AT + group * GROUP_ENTRY + 32, 1);
    }

    void groupHasEnded(int group) {
        INT.setRelease(memory, GROUPS_AT + group * GROUP_ENTRY + 32, groupClients(group));
    }

    /** Returns the number of groups whose run's server program has ended. */
    int servedGroups() {
        return (int) (long) LONG.getAcquire(memory, SERVED_GROUPS_AT);
    }

    void stopServing(int beforeGroup) {
        LONG.setRelease(memory, SERVED_GROUPS_AT, (long) beforeGroup);
    }

    // Connections in order of creation by clients.

    int connectionCount() {
        return Math.min(CONNECTIONS, (int) (long) LONG.getAcquire(memory, CONNECTION_COUNT_AT));
    }

    int addConnection(int group, int receiveQueue, boolean oneSided) throws FabricException {
        int connection = claim(CONNECTION_COUNT_AT, CONNECTIONS, "connections");
        long at = CONNECTIONS_AT + connection * CONNECTION_ENTRY;
        memory.set(ValueLayout.JAVA_INT, at + 4, group);
        memory.set(ValueLayout.JAVA_INT, at + 8, receiveQueue);
        INT.setRelease(memory, at, oneSided ? ONE_SIDED : ANNOUNCED);
        return connection;
    }

    /** Announces an access with a full fence: the server sees it, or the client sees the regions' new version. */
    void beginAccess(int connection) {
        LONG.setVolatile(memory, ACCESSES_AT + connection * ACCESS_ENTRY, 1L);
    }

    void endAccess(int connection) {
        LONG.setRelease(memory, ACCESSES_AT + connection * ACCESS_ENTRY, 0L);
    }

    boolean accesses(int connection) {
        return (long) LONG.getVolatile(memory, ACCESSES_AT + connection * ACCESS_ENTRY) != 0;
    }

    /** Returns {@link #ANNOUNCED}, {@link #ONE_SIDED}, {@link #ACCEPTED}, or 0 while the entry is being written. */
    int connectionState(int connection) {
        return (int) INT.getAcquire(memory, CONNECTIONS_AT + connection * CONNECTION_ENTRY);
    }

    int connectionGroup(int connection) {
        return memory.get(ValueLayout.JAVA_INT, CONNECTIONS_AT + connection * CONNECTION_ENTRY + 4);
    }

    int clientReceiveQueue(int connection) {
        return memory.get(ValueLayout.JAVA_INT, CONNECTIONS_AT + connection * CONNECTION_ENTRY + 8);
    }

    int serverReceiveQueue(int connection) {
        return memory.get(ValueLayout.JAVA_INT, CONNECTIONS_AT + connection * CONNECTION_ENTRY + 12);
    }

    int channelFile(int connection) {
        return memory.get(ValueLayout.JAVA_INT, CONNECTIONS_AT + connection * CONNECTION_ENTRY + 16);
    }

    void acceptConnection(int connection, int receiveQueue, int channelFile) {
        long at = CONNECTIONS_AT + connection * CONNECTION_ENTRY;
        memory.set(ValueLayout.JAVA_INT, at + 12, receiveQueue);
        memory.set(ValueLayout.JAVA_INT, at + 16, channelFile);
        INT.setRelease(memory, at, ACCEPTED);
    }

    private int claim(long counterAt, int max, String what) throws FabricException {
        long claimed = (long) LONG.getAndAdd(memory, counterAt, 1L);
        if (claimed >= max) {
            throw new FabricException("this server has reached its limit of " + max + " " + what);
        }
        return (int) claimed;
    }
}
