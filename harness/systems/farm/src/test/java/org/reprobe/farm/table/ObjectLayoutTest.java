package org.reprobe.farm.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.SizeClasses;
import org.reprobe.testing.Seeds;

class ObjectLayoutTest {
    private static final long AT = 128;

    private final SplittableRandom random = new SplittableRandom(Seeds.seed());

    private MemorySegment randomBytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return MemorySegment.ofArray(bytes);
    }

    private static MemorySegment words(int bytes) {
        return MemorySegment.ofArray(new long[bytes / Long.BYTES]);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void writtenObjectsAreReadAndTornLinesDetected(boolean bothEnds) {
        for (int payloadBytes = 1; payloadBytes < 400; payloadBytes++) {
            check(ObjectLayout.inLines(payloadBytes, bothEnds), AT);
            ObjectLayout inSizeClass = ObjectLayout.inSizeClass(payloadBytes, bothEnds);
            for (int start = 0; start < ObjectLayout.LINE_BYTES; start += inSizeClass.alignment()) {
                check(inSizeClass, AT + start);
            }
        }
    }

    /** Writes an object between other bytes, reads it as a READ would, changes each version, and expects detection. */
    private void check(ObjectLayout layout, long at) {
        MemorySegment memory = words((int) AT + 1024);
        memory.fill((byte) 0x5A);
        MemorySegment payload = randomBytes(layout.payloadBytes());
        long version = random.nextLong() & ~ObjectLayout.LOCK_MODE;
        layout.write(memory, at, version, 7, payload);
        assertThat(memory.asSlice(0, at).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0x5A);
        assertThat(memory.asSlice(at + layout.bytes()).toArray(ValueLayout.JAVA_BYTE))
                .as("%s at %d", layout, at)
                .containsOnly(0x5A);
        assertThat(isRead(layout, memory, at, payload))
                .as("%s at %d", layout, at)
                .isTrue();
        assertThat(ObjectLayout.incarnation(memory, at)).isEqualTo(7);
        long end = at + layout.bytes();
        int payloadLeft = layout.payloadBytes();
        for (long line = at & -ObjectLayout.LINE_BYTES; payloadLeft > 0; line += ObjectLayout.LINE_BYTES) {
            long from =
                    line < at ? at + ObjectLayout.HEADER_BYTES : line + (line == at ? ObjectLayout.HEADER_BYTES : 2);
            long until = Math.min(end, line + ObjectLayout.LINE_BYTES) - (layout.bothEnds() ? 2 : 0);
            if (line > at) {
                assertNoticed(layout, memory, at, line);
            }
            if (layout.bothEnds()) {
                assertNoticed(layout, memory, at, until);
            }
            payloadLeft -= (int) (until - from);
        }
        memory.set(ValueLayout.JAVA_LONG, at, version | ObjectLayout.READABLE);
        assertThat(isRead(layout, memory, at, payload))
                .as("a lock in the readable mode")
                .isTrue();
        memory.set(ValueLayout.JAVA_LONG, at, version | ObjectLayout.EXCLUSIVE);
        assertThat(isRead(layout, memory, at, payload)).as("a locked object").isFalse();
    }

    /** Reads the object into a buffer with another offset in its line. */
    private static boolean isRead(ObjectLayout layout, MemorySegment memory, long at, MemorySegment payload) {
        MemorySegment buffer = words(1024);
        MemorySegment.copy(memory, at, buffer, 8, layout.bytes());
        MemorySegment read = layout.newPayload();
        return layout.read(buffer, 8, at, read) && read.mismatch(payload) == -1;
    }

    private static void assertNoticed(ObjectLayout layout, MemorySegment memory, long at, long version) {
        short before = memory.get(ValueLayout.JAVA_SHORT, version);
        memory.set(ValueLayout.JAVA_SHORT, version, (short) (before + 4));
        MemorySegment read = layout.newPayload();
        assertThat(layout.read(memory, at, at, read))
                .as("%s at %d, version at %d", layout, at, version)
                .isFalse();
        memory.set(ValueLayout.JAVA_SHORT, version, before);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLineLessWouldNotDo(boolean bothEnds) {
        for (int payloadBytes = 1; payloadBytes < 400; payloadBytes++) {
            int lines = ObjectLayout.inLines(payloadBytes, bothEnds).bytes() / ObjectLayout.LINE_BYTES;
            int overhead = ObjectLayout.HEADER_BYTES + (lines - 1) * 2 + (bothEnds ? lines * 2 : 0);
            assertThat(lines * ObjectLayout.LINE_BYTES - overhead).isGreaterThanOrEqualTo(payloadBytes);
            int overheadOfLess = overhead - (lines > 1 ? 2 : 0) - (bothEnds ? 2 : 0);
            assertThat((lines - 1) * ObjectLayout.LINE_BYTES - overheadOfLess).isLessThan(payloadBytes);
        }
    }

    /** Section 3.6 with the records of section 4: 16 + 48 x 3 + 4 + 16 bytes and two line versions are three lines. */
    @Test
    void aBucketOfThreePairsOf48BytesHasThreeLines() {
        BucketLayout layout = new BucketLayout(6, 16, 32, true, false);
        assertThat(layout.bucket().bytes()).isEqualTo(3 * ObjectLayout.LINE_BYTES);
        assertThat(layout.bucket().payloadBytes()).isEqualTo(3 * 48 + 4 + 16);
    }

    /** Two pairs, a fat pointer, a header and two line versions fill a size class exactly. */
    @Test
    void anOverflowBlockOfTwoPairsOf48BytesIsNotRoundedToLines() {
        BucketLayout layout = new BucketLayout(6, 16, 32, true, false);
        assertThat(layout.block().bytes()).isEqualTo(2 * 48 + 16 + 16 + 2 * 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLargestPayloadFitsTheLargestObject(boolean bothEnds) {
        int most = ObjectLayout.maxPayloadBytes(bothEnds);
        assertThat(ObjectLayout.inSizeClass(most, bothEnds).bytes()).isEqualTo(SizeClasses.MAX_BYTES);
    }
}
