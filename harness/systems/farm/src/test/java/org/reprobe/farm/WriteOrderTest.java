package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;

/** Rings of messages in memory of cards that may land a WRITE's bytes in any order. */
class WriteOrderTest {

    /** Memory that must not be used. */
    private record Untouched(boolean writesLandInOrder) implements RegisteredMemory {
        @Override
        public MemorySegment allocate(long bytes) {
            throw new AssertionError("memory was allocated");
        }

        @Override
        public RemoteRegion register(MemorySegment memory) {
            throw new AssertionError("memory was registered");
        }

        @Override
        public void deregister(RemoteRegion region) {
            throw new AssertionError("memory was deregistered");
        }
    }

    @Test
    void oneMachineWithoutTheOrderIsEnoughToRefuse() {
        List<Untouched> machines = List.of(new Untouched(true), new Untouched(false));
        assertThatThrownBy(() -> MessagingChecks.requireOrder(machines, "farm.assume-in-order", false))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("does not guarantee that (./run.sh doctor)")
                .hasMessageContaining("set farm.assume-in-order: true");
    }

    @Test
    void withWriteOrderPromisedOrAssumedMessagesRun() {
        assertThatCode(() -> MessagingChecks.requireOrder(List.of(new Untouched(true)), "key", false))
                .doesNotThrowAnyException();
        assertThatCode(() -> MessagingChecks.requireOrder(List.of(new Untouched(false)), "key", true))
                .doesNotThrowAnyException();
    }
}
