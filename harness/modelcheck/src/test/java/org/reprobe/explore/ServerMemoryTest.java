package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Transactions.Transaction;

class ServerMemoryTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final MemorySegment all = Arena.ofAuto().allocate(4096, 64);
    private final Arena arena = new Slices();
    private final ServerMemory memory = new ServerMemory(arena);

    /** Allocates parts of {@link #all} in order, 64 bytes apart, from the second on. */
    private final class Slices implements Arena {
        private long taken;

        @Override
        public MemorySegment allocate(long bytes, long alignment) {
            taken += 64;
            return all.asSlice(taken, bytes);
        }

        @Override
        public MemorySegment.Scope scope() {
            return all.scope();
        }

        @Override
        public void close() {
            // Garbage-collected.
        }
    }

    private ServerMemory.Region region(RemoteRegion of) {
        ServerMemory.Region found = memory.region(of.address(), (int) of.bytes(), of.key());
        assertThat(found).isNotNull();
        return found;
    }

    @Test
    void memoryHasTheRequestedSizeAndIsRegisteredInParts() throws Exception {
        MemorySegment block = memory.allocate(20);
        MemorySegment other = memory.allocate(0);
        assertThat(block.byteSize()).isEqualTo(20);
        assertThat(other.byteSize()).isZero();
        RemoteRegion whole = memory.register(block);
        RemoteRegion part = memory.register(block.asSlice(8, 12));
        RemoteRegion second = memory.register(other);
        assertThat(whole.bytes()).isEqualTo(20);
        assertThat(part.bytes()).isEqualTo(12);
        assertThat(region(whole).from()).isZero();
        assertThat(region(part).from()).isEqualTo(8);
        assertThat(region(part).block()).isZero();
        assertThat(region(part).words().byteSize()).isEqualTo(24);
        assertThat(region(second).block()).isEqualTo(1);
        assertThat(region(second).words().byteSize()).isEqualTo(8);
        assertThat(ServerMemory.number(part.address())).isEqualTo(1);
        assertThat(ServerMemory.number(part.address() + 11)).isEqualTo(1);
        assertThat(ServerMemory.offset(part.address() + 11)).isEqualTo(11);
    }

    /** Addresses around a block are unregistered, or belong to another block. */
    @Test
    void onlyMemoryOfTheFabricIsRegistered() throws Exception {
        MemorySegment block = memory.allocate(16);
        memory.allocate(16);
        assertThat(block.address()).isEqualTo(all.address() + 64);
        assertThat(memory.register(all.asSlice(64, 16)).bytes()).isEqualTo(16);
        assertThat(memory.register(all.asSlice(72, 8)).bytes()).isEqualTo(8);
        for (MemorySegment wrong :
                new MemorySegment[] {all.asSlice(56, 8), all.asSlice(72, 16), all.asSlice(2048, 64)}) {
            assertThatThrownBy(() -> memory.register(wrong))
                    .isInstanceOf(FabricException.class)
                    .hasMessage("only memory that the fabric has allocated can be registered");
        }
    }

    @Test
    void aRegionIsReachedWithItsKeyWithinItsBoundsUntilItIsDeregistered() throws Exception {
        RemoteRegion one = memory.register(memory.allocate(24));
        RemoteRegion two = memory.register(memory.allocate(8));
        assertThat(memory.region(one.address() + 8, 16, one.key())).isNotNull();
        assertThat(memory.region(one.address() + 8, 17, one.key())).isNull();
        assertThat(memory.region(one.address(), 8, two.key())).isNull();
        assertThat(memory.region(two.address(), 8, two.key())).isNotNull();
        assertThat(memory.region(two.address() + (1L << 44), 8, two.key())).isNull();
        assertThat(memory.region(0, 8, one.key())).isNull();
        assertThat(memory.region(-1, 8, one.key())).isNull();
        memory.deregister(one);
        assertThat(memory.region(one.address(), 8, one.key())).isNull();
        assertThat(memory.region(two.address(), 8, two.key())).isNotNull();
        assertThatThrownBy(() -> memory.deregister(one))
                .isInstanceOf(FabricException.class)
                .hasMessage("the region is not registered");
    }

    @Test
    void earlierMemoryContentsAreNotInTheHash() throws Exception {
        MemorySegment block = memory.allocate(24);
        RemoteRegion whole = memory.register(block);
        RemoteRegion part = memory.register(block.asSlice(8, 16));
        memory.keep();
        long first = memory.hash();
        assertThat(memory.write(region(whole), 8, 5)).isTrue();
        assertThat(memory.write(region(whole), 8, 5)).isFalse();
        long second = memory.hash();
        assertThat(second).isNotEqualTo(first);
        assertThat(block.get(LONG, 8)).isEqualTo(5);
        memory.rehash();
        assertThat(memory.hash()).isEqualTo(second);
        MemorySegment bytes = arena.allocate(16);
        bytes.set(ValueLayout.JAVA_BYTE, 3, (byte) 6);
        assertThat(memory.write(region(part), 1, bytes, 3, 2)).isTrue();
        assertThat(memory.write(region(part), 1, bytes, 3, 2)).isFalse();
        assertThat(block.get(LONG, 8)).isEqualTo(5 + (6 << 8));
        long third = memory.hash();
        assertThat(third).isNotEqualTo(second);
        memory.rehash();
        assertThat(memory.hash()).isEqualTo(third);
        assertThat(memory.set(part.address(), 0)).isTrue();
        assertThat(memory.set(part.address(), 0)).isFalse();
        assertThat(memory.hash()).isEqualTo(first);
        // The same words elsewhere are another state.
        memory.write(region(whole), 16, 5);
        assertThat(memory.hash()).isNotEqualTo(second);
        block.set(LONG, 16, 0);
        block.set(LONG, 8, 5);
        memory.rehash();
        assertThat(memory.hash()).isEqualTo(second);
    }

    @Test
    void registeredMemoryIsInTheHash() throws Exception {
        RemoteRegion one = memory.register(memory.allocate(8));
        RemoteRegion two = memory.register(memory.allocate(8));
        memory.keep();
        long both = memory.hash();
        memory.deregister(one);
        long second = memory.hash();
        assertThat(second).isNotEqualTo(both);
        memory.reset();
        assertThat(memory.hash()).isEqualTo(both);
        memory.deregister(two);
        assertThat(memory.hash()).isNotEqualTo(both).isNotEqualTo(second);
        long before = memory.hash();
        memory.register(memory.allocate(8));
        assertThat(memory.hash()).isNotEqualTo(before);
    }

    @Test
    void eachScheduleBeginsWithWhatWasKept() throws Exception {
        MemorySegment block = memory.allocate(16);
        block.set(LONG, 8, 3);
        RemoteRegion kept = memory.register(block);
        memory.keep();
        long first = memory.hash();
        for (int schedule = 0; schedule < 3; schedule++) {
            MemorySegment more = memory.allocate(16);
            MemorySegment less = memory.allocate(8);
            assertThat(more.get(LONG, 8)).isZero();
            assertThat(less.get(LONG, 0)).isZero();
            more.set(LONG, 8, 1);
            less.set(LONG, 0, 1);
            RemoteRegion made = memory.register(less);
            assertThat(ServerMemory.number(made.address())).isEqualTo(1);
            assertThat(region(made).block()).isEqualTo(2);
            memory.write(region(kept), 0, 9);
            block.set(LONG, 8, 9);
            Transaction open = memory.transactions().ofQueuePair();
            open.begin();
            memory.reset();
            assertThat(open.state()).isZero();
            assertThat(memory.region(made.address(), 8, made.key())).isNull();
            assertThat(block.get(LONG, 0)).isZero();
            assertThat(block.get(LONG, 8)).isEqualTo(3);
            assertThat(memory.hash()).isEqualTo(first);
            assertThat(memory.contents()).isDeepEqualTo(new long[][] {{0, 3}});
        }
    }

    @Test
    void aBlockOfTheSameLengthIsUsedAgain() {
        memory.keep();
        MemorySegment first = memory.allocate(16);
        MemorySegment second = memory.allocate(24);
        memory.reset();
        assertThat(memory.allocate(8).address()).isNotIn(first.address(), second.address());
        assertThat(memory.allocate(24).address()).isEqualTo(second.address());
        assertThat(memory.allocate(10).address()).isEqualTo(first.address());
        assertThat(memory.allocate(16).address()).isNotIn(first.address(), second.address());
    }

    /** A change through another region dooms a transaction that touched the word. */
    @Test
    void aChangeThroughAnotherRegionDoomsATransaction() throws Exception {
        MemorySegment block = memory.allocate(32);
        RemoteRegion other = memory.register(memory.allocate(32));
        RemoteRegion whole = memory.register(block);
        RemoteRegion part = memory.register(block.asSlice(8, 16));
        for (int word = 0; word < 4; word++) {
            Transaction byWhole = memory.transactions().ofQueuePair();
            Transaction byPart = memory.transactions().ofQueuePair();
            Transaction byOther = memory.transactions().ofQueuePair();
            byWhole.begin();
            byWhole.read(whole.address() + 8L * word, 0);
            byPart.begin();
            byPart.read(part.address() + 8, 0); // word 2
            byOther.begin();
            byOther.read(other.address() + 8L * word, 0);
            memory.write(region(whole), 8L * word, 0); // what is there already
            assertThat(byWhole.state()).isEqualTo(1);
            memory.write(region(whole), 8L * word, 1);
            assertThat(byWhole.state()).isEqualTo(2);
            assertThat(byPart.state()).isEqualTo(word == 2 ? 2 : 1);
            assertThat(byOther.state()).isEqualTo(1);
            memory.transactions().reset();
        }
    }

    @Test
    void changesAreReportedInRunsByTheFirstRegionThatContainsThem() throws Exception {
        MemorySegment unregistered = memory.allocate(8);
        MemorySegment block = memory.allocate(48);
        RemoteRegion part = memory.register(block.asSlice(16, 8));
        RemoteRegion whole = memory.register(block);
        RemoteRegion last = memory.register(memory.allocate(8));
        long[][] before = memory.contents();
        assertThat(changes(before)).isEmpty();
        unregistered.set(LONG, 0, 1);
        block.set(LONG, 0, 7);
        block.set(LONG, 16, 8);
        block.set(LONG, 24, 9);
        block.set(LONG, 40, 10);
        memory.set(last.address(), 11);
        String address = whole.address() + "+";
        assertThat(changes(before))
                .containsExactly(
                        address + "0: 1 words, 7",
                        part.address() + "+0: 2 words, 8",
                        address + "40: 1 words, 10",
                        last.address() + "+0: 1 words, 11");
        memory.deregister(part);
        assertThat(changes(before)).contains(address + "16: 2 words, 8").hasSize(4);
        MemorySegment later = memory.allocate(8);
        memory.register(later);
        later.set(LONG, 0, 1);
        assertThat(changes(before)).hasSize(4);
        assertThat(changes(memory.contents())).isEmpty();
    }

    private List<String> changes(long[][] before) {
        List<String> reported = new ArrayList<>();
        memory.reportChanges(before, (address, words, value) -> {
            long offset = ServerMemory.offset(address);
            reported.add(address - offset + "+" + offset + ": " + words + " words, " + value);
        });
        return reported;
    }
}
