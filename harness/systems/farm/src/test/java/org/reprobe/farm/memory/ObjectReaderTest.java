package org.reprobe.farm.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.reprobe.farm.memory.ObjectReader.Outcome;

class ObjectReaderTest {
    private static final ObjectLayout OBJECT = ObjectLayout.inLines(Long.BYTES, false);
    private static final long INCARNATION = 5;

    private final MemorySegment memory = MemorySegment.ofArray(new long[OBJECT.bytes() / Long.BYTES]);
    private final ObjectReader reader = new ObjectReader(new OwnMemory());

    /** Reads the object from a buffer and from local memory, with the same outcome. */
    private void assertOutcome(long incarnation, Outcome expected) {
        assertThat(reader.take(OBJECT, incarnation, 0, memory, 0, OBJECT.newPayload()))
                .isEqualTo(expected);
        assertThat(reader.readLocal(OBJECT, incarnation, memory, 0, OBJECT.newPayload()))
                .isEqualTo(expected);
    }

    @Test
    void aReadDetectsLocksAndPointersToFormerObjects() {
        OBJECT.write(memory, 0, ObjectWriter.ONE_VERSION, INCARNATION, OBJECT.newPayload());
        assertOutcome(INCARNATION, Outcome.READ);
        assertOutcome(INCARNATION - 1, Outcome.GONE);
        ObjectWriter writer = reader.of(OBJECT);
        assertThat(writer.lock(memory, 0, ObjectWriter.ONE_VERSION)).isTrue();
        assertOutcome(INCARNATION, Outcome.LOCKED);
        writer.free(memory, 0, ObjectWriter.ONE_VERSION);
        assertOutcome(INCARNATION, Outcome.GONE);
        assertOutcome(INCARNATION + 1, Outcome.GONE);
    }

    @Test
    void aLocalReadDetectsAConcurrentWrite() {
        OBJECT.write(memory, 0, ObjectWriter.ONE_VERSION, INCARNATION, OBJECT.newPayload());
        ObjectReader concurrent = new ObjectReader(new OwnMemory() {
            @Override
            public void accesses(long bytes) {
                long header = memory.get(ValueLayout.JAVA_LONG, 0);
                memory.set(ValueLayout.JAVA_LONG, 0, header + ObjectWriter.ONE_VERSION);
            }
        });
        assertThat(concurrent.readLocal(OBJECT, INCARNATION, memory, 0, OBJECT.newPayload()))
                .isEqualTo(Outcome.LOCKED);
    }
}
