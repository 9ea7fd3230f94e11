package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
    void whatIsWrittenIsReadAndALineOfAnotherVersionIsNoticed(boolean bothEnds) {
        for (int payloadBytes = 1; payloadBytes < 400; payloadBytes++) {
            ObjectLayout layout = new ObjectLayout(payloadBytes, bothEnds);
            MemorySegment memory = words((int) AT + layout.bytes());
            MemorySegment payload = randomBytes(payloadBytes);
            long version = random.nextLong() & ~ObjectLayout.LOCK_MODE;
            layout.write(memory, AT, version, 7, payload);
            MemorySegment read = MemorySegment.ofArray(new byte[payloadBytes]);
            assertThat(layout.read(memory, AT, read)).isTrue();
            assertThat(read.mismatch(payload)).as("%d bytes", payloadBytes).isEqualTo(-1);
            assertThat(ObjectLayout.incarnation(memory, AT)).isEqualTo(7);
            for (int line = 0; line < layout.bytes() / ObjectLayout.LINE_BYTES; line++) {
                if (line > 0) {
                    assertNoticed(layout, memory, AT + (long) line * ObjectLayout.LINE_BYTES);
                }
                if (bothEnds) {
                    assertNoticed(layout, memory, AT + (line + 1L) * ObjectLayout.LINE_BYTES - 2);
                }
            }
            memory.set(ValueLayout.JAVA_LONG, AT, version | 1);
            assertThat(layout.read(memory, AT, read)).as("a locked object").isFalse();
        }
    }

    private static void assertNoticed(ObjectLayout layout, MemorySegment memory, long at) {
        short before = memory.get(ValueLayout.JAVA_SHORT, at);
        memory.set(ValueLayout.JAVA_SHORT, at, (short) (before + 4));
        MemorySegment read = MemorySegment.ofArray(new byte[layout.payloadBytes()]);
        assertThat(layout.read(memory, AT, read))
                .as("%s, version at %d", layout, at)
                .isFalse();
        memory.set(ValueLayout.JAVA_SHORT, at, before);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLineLessWouldNotDo(boolean bothEnds) {
        for (int payloadBytes = 1; payloadBytes < 400; payloadBytes++) {
            int lines = new ObjectLayout(payloadBytes, bothEnds).bytes() / ObjectLayout.LINE_BYTES;
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
}
