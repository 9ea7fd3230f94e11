package org.reprobe.longrun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.check.Event;
import org.reprobe.check.Operation;

/** Histories that outlive their writers. */
@SuppressWarnings("EnumOrdinal") // only to have another result for each
class EventLogTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private Path file() {
        return EventLog.file(dir, 3);
    }

    private static void overwrite(Path file, long at, long word) throws Exception {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(0, word), at);
        }
    }

    @Test
    void everyOperationKeepsItsResultAndTimes() throws Exception {
        Operation[] operations = Operation.values();
        long beforeNs = System.nanoTime();
        try (Arena arena = Arena.ofConfined()) {
            EventLog log = EventLog.create(file(), operations.length, arena);
            for (Operation operation : operations) {
                assertThat(log.hasRoom()).isTrue();
                int invoked = log.invoked(1 << 20, operation, -5, Long.MIN_VALUE, 17);
                log.returned(invoked, 1000 + operation.ordinal());
            }
            assertThat(log.hasRoom()).isFalse();
        }
        List<Event> events = EventLog.read(file());
        assertThat(events).extracting(Event::operation).containsExactly(operations);
        assertThat(events).allSatisfy(event -> {
            assertThat(event.client()).isEqualTo(1 << 20);
            assertThat(event.key()).isEqualTo(-5);
            assertThat(event.argument()).isEqualTo(Long.MIN_VALUE);
            assertThat(event.expected()).isEqualTo(17);
            assertThat(event.result()).isEqualTo(1000 + event.operation().ordinal());
            assertThat(event.invoked()).isBetween(beforeNs, event.returned());
        });
        assertThat(events).extracting(Event::invoked).isSorted();
    }

    @Test
    void anUnusedLogIsEmpty() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            EventLog.create(file(), 4, arena);
        }
        assertThat(EventLog.read(file())).isEmpty();
    }

    /** Its writer was killed before it published the time of the invocation. */
    @Test
    void anEventWithoutItsBeginIsNone() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            EventLog log = EventLog.create(file(), 4, arena);
            log.returned(log.invoked(7, Operation.READ, 1, 0, 0), 5);
            log.invoked(7, Operation.READ, 2, 0, 0);
        }
        overwrite(file(), 56 + 40, 0);
        assertThat(EventLog.read(file())).extracting(Event::key).containsExactly(1L);
    }

    /** The time of return is published last: a result without it is not a reply. */
    @Test
    void aResultWithoutItsReturnIsPending() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            EventLog log = EventLog.create(file(), 4, arena);
            log.returned(log.invoked(7, Operation.READ, 1, 0, 0), 5);
        }
        overwrite(file(), 48, 0);
        assertThat(EventLog.read(file()))
                .singleElement()
                .satisfies(event -> assertThat(event.returned()).isEqualTo(Event.PENDING));
    }

    @Test
    void anotherProcessesLogIsNotOverwritten() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            EventLog.create(file(), 4, arena);
            assertThatThrownBy(() -> EventLog.create(file(), 4, arena)).isInstanceOf(FileAlreadyExistsException.class);
        }
    }
}
