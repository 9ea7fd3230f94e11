package org.reprobe.farm.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.Damage;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.SlabAllocator;

/** Checks of objects and their parts at the end of a run. */
class PartArrayTest {
    private static final int MACHINE = 1;

    private final ObjectArray objects = new ObjectArray(ObjectLayout.inLines(64, false), 2, 6);
    private final PartArray parts = PartArray.of(objects, 96, 1, 4);
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
        long partAt = Address.offsetOf(parts.address(payload(number)));
        change(partAt, ObjectLayout.EXCLUSIVE);
        assertThat(failure(0)).contains("object " + number + "'s part is locked or torn");
        change(partAt, ObjectLayout.EXCLUSIVE);
        change(partAt + Long.BYTES, 2); // another incarnation
        assertThat(failure(0)).contains("object " + number + "'s part belongs to another object");
        change(partAt + Long.BYTES, 2);
        assertThat(failure(0)).isEqualTo("null");
    }

    private MemorySegment payload(long number) {
        MemorySegment payload = objects.layout().newPayload();
        objects.layout().read(memory, objects.offset(number), objects.offset(number), payload);
        return payload;
    }

    /** Locks, versions, allocation, pointers, and each byte of both payloads. */
    @ParameterizedTest
    @ValueSource(longs = {1, 3, 5})
    void eachDamagedFieldIsReported(long number) {
        long at = objects.offset(number);
        long partAt = Address.offsetOf(parts.address(payload(number)));
        int pointerAt = objects.layout().payloadBytes() - PartArray.POINTER_BYTES;
        List<Damage> all = new ArrayList<>(Damage.ofVersions("object", objects.layout(), at));
        all.addAll(bytes("object", objects.layout(), at, pointerAt));
        all.add(Damage.ofPayload("region", objects.layout(), at, pointerAt + Integer.BYTES, 2));
        all.add(Damage.ofPayload("pointer", objects.layout(), at, pointerAt + Long.BYTES, 2));
        all.addAll(Damage.ofVersions("part", parts.layout(), partAt));
        all.add(Damage.ofIncarnation("part", partAt));
        all.add(Damage.ofAllocation("part", partAt));
        all.addAll(bytes("part", parts.layout(), partAt, parts.layout().payloadBytes()));
        Damage.assertEachIsReported(all, memory, () -> parts.failure(MACHINE, memory, SlabAllocator.allocated(slabs)));
    }

    private static List<Damage> bytes(String object, ObjectLayout layout, long at, int count) {
        return IntStream.range(0, count)
                .mapToObj(offset -> Damage.ofPayload(object + ", byte " + offset, layout, at, offset, 1))
                .toList();
    }

    /** A whole part that another transaction has written, or that belongs to another object. */
    @Test
    void anotherPartIsReported() {
        long partAt = Address.offsetOf(parts.address(payload(3)));
        MemorySegment part = parts.layout().newPayload();
        for (long[] numberAndStamp : new long[][] {{3, 7}, {5, ObjectArray.LOADED}}) {
            ObjectArray.put(part, numberAndStamp[0], numberAndStamp[1]);
            parts.layout().write(memory, partAt, ObjectArray.VERSION, 1, part);
            assertThat(failure(0)).contains("object 3's part belongs to another object");
        }
        parts.put(memory, 3, partAt);
        assertThat(failure(0)).isEqualTo("null");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 5})
    void objectsWithoutPartsAreChecked(long number) {
        objects.load(MACHINE, memory);
        assertThat(objects.broken(MACHINE, memory)).isNegative();
        long at = objects.offset(number);
        List<Damage> all = new ArrayList<>(Damage.ofVersions("object", objects.layout(), at));
        all.addAll(bytes("object", objects.layout(), at, objects.layout().payloadBytes()));
        Damage.assertEachIsReported(all, memory, () -> {
            long broken = objects.broken(MACHINE, memory);
            assertThat(broken).isIn(-1L, number);
            return broken < 0 ? null : "broken";
        });
    }
}
