package org.reprobe.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordFormatTest {

    @ParameterizedTest
    @ValueSource(ints = {8, 9, 13, 16, 23, 32, 128})
    void aRecordWithAnyByteChangedIsNotTheRecord(int recordBytes) {
        byte[] bytes = new byte[recordBytes + 2];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        RecordFormat.write(memory, 1, recordBytes, 0xCAFEBABE, 0xF0000001L);
        assertThat(RecordFormat.key(memory, 1)).isEqualTo(0xCAFEBABE);
        assertThat(RecordFormat.ordinal(memory, 1)).isEqualTo(0xF0000001L);
        assertThat(bytes[0]).isZero();
        assertThat(bytes[recordBytes + 1]).isZero();
        assertThat(RecordFormat.matches(memory, 1, recordBytes, 0xCAFEBABE, 0xF0000001L))
                .isTrue();
        for (int i = 1; i <= recordBytes; i++) {
            bytes[i] ^= 4;
            assertThat(RecordFormat.matches(memory, 1, recordBytes, 0xCAFEBABE, 0xF0000001L))
                    .as("byte %d", i)
                    .isFalse();
            bytes[i] ^= 4;
        }
    }
}
