package org.reprobe.farm.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.SlabAllocator;

/** Checks of objects and their parts at the end of a run. */
class PartArrayTest {
    private static final int MACHINE = 1;

    private final ObjectArray objects = new ObjectArray(ObjectLayout.inLines(64, false), 2, 6);
    private final PartArray parts = PartArray.of(objects, 40, 1, 4);
    private final MemorySegment memory = MemorySegment.ofArray(new long[(int) parts.bytes() / Long.BYTES]);
    private final List<SlabAllocator> slabs;

    PartArrayTest() throws FabricException {
        slabs = parts.load(MACHINE, memory);
    }

    private String failure(long more) {
        return String.valueOf(parts.failure(MACHINE, memory, SlabAllocator.allocated(slabs) + more));
    }

    private void change(long at, long bits) {
        memory.set(ValueLayout.JAVA_LONG, at, memory.get(ValueLayout.JAVA_LONG, at) ^ bits);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 5})
    void eachObjectAndItsPartAreChecked(long number) {
        assertThat(failure(0)).isEqualTo("null");
        assertThat(failure(1)).contains("3 objects, but 4 parts");
        long at = objects.offset(number);
        change(at, ObjectLayout.EXCLUSIVE);
        assertThat(failure(0)).contains("object " + number + " is locked or torn");
        change(at, ObjectLayout.EXCLUSIVE);
        MemorySegment payload = objects.layout().newPayload();
        objects.layout().read(memory, at, at, payload);
        long partAt = Address.offsetOf(parts.address(payload));
        change(partAt, ObjectLayout.EXCLUSIVE);
        assertThat(failure(0)).contains("object " + number + "'s part is locked or torn");
        change(partAt, ObjectLayout.EXCLUSIVE);
        change(partAt + Long.BYTES, 2); // another incarnation
        assertThat(failure(0)).contains("object " + number + "'s part belongs to another object");
        change(partAt + Long.BYTES, 2);
        assertThat(failure(0)).isEqualTo("null");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 5})
    void objectsWithoutPartsAreChecked(long number) {
        objects.load(MACHINE, memory);
        assertThat(objects.broken(MACHINE, memory)).isNegative();
        long at = objects.offset(number);
        change(at, ObjectLayout.EXCLUSIVE);
        assertThat(objects.broken(MACHINE, memory)).isEqualTo(number);
        change(at, ObjectLayout.EXCLUSIVE);
        change(at + 40, 1);
        assertThat(objects.broken(MACHINE, memory)).isEqualTo(number);
    }
}
