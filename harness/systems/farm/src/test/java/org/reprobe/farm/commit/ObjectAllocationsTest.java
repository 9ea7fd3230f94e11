package org.reprobe.farm.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BlockAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.OwnMemory;
import org.reprobe.farm.memory.SizeClasses;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.transactions.ObjectArray;

/** Allocations by a thread of machine 2. */
class ObjectAllocationsTest {
    private static final int MACHINE = 2;
    private static final int BLOCK = BlockAllocator.BLOCK_BYTES;
    private static final int REGION = 2 * BLOCK;
    private static final ObjectLayout OBJECT = ObjectLayout.inSizeClass(10_000, false);

    private final List<MemorySegment> memories = Stream.generate(
                    () -> MemorySegment.ofArray(new long[REGION / Long.BYTES]))
            .limit(MACHINE + 1)
            .toList();
    private final SlabAllocator slabs = new SlabAllocator(new BlockAllocator(REGION), OBJECT.alignment());
    private final ObjectAllocations allocations =
            new ObjectAllocations(new OwnMemory(), memories, MACHINE, OBJECT, slabs, 0);
    private final long[] answer = new long[ObjectAllocations.REPLY_WORDS];

    /** Address of the object that exists at first. */
    private long first() {
        return Address.of(MACHINE, slabs.allocate(SizeClasses.of(OBJECT.bytes())));
    }

    /** Allocates as a message does and returns the address. */
    private long allocate(long near) throws FabricException {
        long[] words = new long[CommitMessage.ALLOCATE_WORDS];
        assertThat(CommitMessage.allocate(words, 1, near)).isEqualTo(words.length);
        assertThat(CommitMessage.kind(words)).isEqualTo(CommitMessage.ALLOCATE);
        allocations.allocate(CommitMessage.near(words), answer);
        return answer[0];
    }

    private static long block(long address) {
        return Address.offsetOf(address) / BLOCK;
    }

    @Test
    void roomIsNearTheHint() throws Exception {
        Set<Long> all = new HashSet<>();
        long first = first();
        long far = first;
        while (block(far) == block(first)) {
            far = allocate(first);
            assertThat(all.add(far)).isTrue();
        }
        for (long address : all) {
            if (address != far && address / OBJECT.bytes() % 3 == 0) {
                allocations.aborted(address);
            }
        }
        assertThat(block(allocate(far))).isEqualTo(block(far));
        assertThat(block(allocate(first))).isEqualTo(block(first));
    }

    /** A reused place has another incarnation; its version is that of the free place. */
    @Test
    void aPlaceThatWasFreedIsAnotherIncarnations() throws Exception {
        long address = allocate(first());
        assertThat(answer).containsExactly(address, 1, 0);
        MemorySegment memory = memories.get(Address.regionOf(address));
        long offset = Address.offsetOf(address);
        OBJECT.write(memory, offset, ObjectArray.VERSION, answer[1], OBJECT.newPayload());
        long freed = new ObjectWriter(new OwnMemory(), OBJECT).free(memory, offset, ObjectArray.VERSION);
        allocations.freed(address);
        assertThat(allocate(address)).isEqualTo(address);
        assertThat(answer).containsExactly(address, 2, freed);
    }

    @Test
    void missingSpaceIsReported() {
        long first = first();
        assertThatThrownBy(() -> {
                    while (true) {
                        allocate(first);
                    }
                })
                .isInstanceOf(FabricException.class)
                .hasMessageContainingAll("machine 2 has no room", "transactions.part-bytes");
    }
}
