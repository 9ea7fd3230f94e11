package org.reprobe.longrun;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.check.Event;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.Operation;

/**
 * A client's history in a mapped file, complete up to the moment at which its process is killed. Each event is a
 * sequence of 8-byte words: client and operation, key, argument, expected value, result, invoked, returned; the last
 * two are written last and are then not 0. Times are from {@link System#nanoTime}, one clock for all processes of a
 * host. Not thread-safe.
 */
public final class EventLog implements HistoryRecorder {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final VarHandle PUBLISHED = WORD.varHandle();
    private static final long EVENT_BYTES = 7 * Long.BYTES;
    private static final long KEY = 8;
    private static final long ARGUMENT = 16;
    private static final long EXPECTED = 24;
    private static final long RESULT = 32;
    private static final long INVOKED = 40;
    private static final long RETURNED = 48;
    private static final Operation[] OPERATIONS = Operation.values();

    private final MemorySegment memory;
    private final int max;
    private int count;

    private EventLog(MemorySegment memory) {
        this.memory = memory;
        this.max = Math.toIntExact(memory.byteSize() / EVENT_BYTES);
    }

    public static Path file(Path folder, int client) {
        return folder.resolve("client-" + client + ".log");
    }

    /** Creates a new file; its pages are allocated as they are written. */
    static EventLog create(Path file, int max, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new EventLog(channel.map(MapMode.READ_WRITE, 0, max * EVENT_BYTES, arena));
        }
    }

    /** Reads all complete events of a file. */
    public static List<Event> read(Path file) throws IOException {
        try (Arena arena = Arena.ofConfined();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            EventLog log = new EventLog(channel.map(MapMode.READ_ONLY, 0, channel.size(), arena));
            List<Event> events = new ArrayList<>();
            for (int i = 0; i < log.max && log.word(i, INVOKED) != 0; i++) {
                events.add(log.event(i));
            }
            return events;
        }
    }

    private Event event(int i) {
        long who = word(i, 0);
        long returned = word(i, RETURNED);
        return new Event(
                (int) (who >>> 8),
                OPERATIONS[(int) (who & 0xFF)],
                word(i, KEY),
                word(i, ARGUMENT),
                word(i, EXPECTED),
                word(i, RESULT),
                word(i, INVOKED),
                returned == 0 ? Event.PENDING : returned);
    }

    private long word(int event, long field) {
        return memory.get(WORD, event * EVENT_BYTES + field);
    }

    boolean hasRoom() {
        return count < max;
    }

    @Override
    @SuppressWarnings("EnumOrdinal") // read back by the same program
    public int invoked(int client, Operation operation, long key, long argument, long expected) {
        long at = count * EVENT_BYTES;
        memory.set(WORD, at, ((long) client << 8) | operation.ordinal());
        memory.set(WORD, at + KEY, key);
        memory.set(WORD, at + ARGUMENT, argument);
        memory.set(WORD, at + EXPECTED, expected);
        PUBLISHED.setRelease(memory, at + INVOKED, System.nanoTime());
        return count++;
    }

    @Override
    public void returned(int invocation, long result) {
        long nowNs = System.nanoTime();
        long at = invocation * EVENT_BYTES;
        memory.set(WORD, at + RESULT, result);
        PUBLISHED.setRelease(memory, at + RETURNED, nowNs);
    }
}
