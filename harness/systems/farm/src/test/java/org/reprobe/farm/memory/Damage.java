package org.reprobe.farm.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Inverted bits of one field, which a check of the memory must report. */
public record Damage(String field, long at, int bits) {
    private static final int CHANGED_VERSION = 4;
    private static final int CHANGED_LINE = 8;
    private static final int ALLOCATED_BYTE = 15;

    /** Returns both lock modes, another version, and other versions of each line. */
    public static List<Damage> ofVersions(String object, ObjectLayout layout, long at) {
        List<Damage> all = new ArrayList<>(List.of(
                new Damage(object + ", locked for writers", at, (int) ObjectLayout.READABLE),
                new Damage(object + ", locked", at, (int) ObjectLayout.EXCLUSIVE)));
        layout.forEachLine(at, (versionAt, _, _, _, endVersionAt) -> {
            for (long version : new long[] {versionAt, endVersionAt}) {
                if (version != ObjectLayout.Line.NO_VERSION) {
                    all.add(new Damage(object + ", line version at " + (version - at), version, CHANGED_LINE));
                }
            }
        });
        if (all.size() > 2) {
            all.add(new Damage(object + ", version", at, CHANGED_VERSION));
        }
        return all;
    }

    public static Damage ofIncarnation(String object, long at) {
        return new Damage(object + ", incarnation", at + Long.BYTES, 2);
    }

    public static Damage ofAllocation(String object, long at) {
        return new Damage(object + ", freed", at + ALLOCATED_BYTE, 1 << (Byte.SIZE - 1));
    }

    /** Returns damage to the byte at an offset of the payload of the object at {@code at}. */
    public static Damage ofPayload(String field, ObjectLayout layout, long at, long offset, int bits) {
        long[] place = new long[1];
        layout.forEachLine(at, (_, from, first, count, _) -> {
            if (offset >= first && offset < first + count) {
                place[0] = from + offset - first;
            }
        });
        return new Damage(field, place[0], bits);
    }

    /** Inverts the bits, which undoes an earlier inversion. */
    public void invertIn(MemorySegment memory) {
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) (memory.get(ValueLayout.JAVA_BYTE, at) ^ bits));
    }

    /** Asserts that a check reports each damage, and nothing without one. */
    public static void assertEachIsReported(
            List<Damage> all, MemorySegment memory, Supplier<? extends @Nullable String> check) {
        assertThat(check.get()).isNull();
        for (Damage each : all) {
            each.invertIn(memory);
            assertThat(check.get()).as(each.field).isNotNull();
            each.invertIn(memory);
        }
        assertThat(check.get()).isNull();
    }
}
