package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class EpochsTest {
    private final SplittableRandom random = new SplittableRandom(Seeds.seed());

    /** Any operations and requests, and each answer at the first moment at which all older operations have ended. */
    @Test
    void aThreadAnswersWhenOlderOperationsHaveEnded() {
        int[] forgotten = {0};
        OperationEpochs epochs = new OperationEpochs(() -> forgotten[0]++);
        List<Long> underWay = new ArrayList<>();
        Deque<Long> requests = new ArrayDeque<>();
        long current = 0;
        for (int i = 0; i < 100_000; i++) {
            switch (random.nextInt(5)) {
                case 0 -> {
                    epochs.endRequested();
                    requests.add(current++);
                    assertThat(forgotten[0]).isEqualTo((int) current);
                }
                case 1, 2 -> {
                    long epoch = epochs.begin();
                    assertThat(epoch).isEqualTo(current);
                    underWay.add(epoch);
                }
                default -> {
                    if (!underWay.isEmpty()) {
                        long epoch = underWay.remove(random.nextInt(underWay.size()));
                        assertThat(epochs.mayCache(epoch)).isEqualTo(epoch == current);
                        epochs.end(epoch);
                    }
                }
            }
            boolean due = !requests.isEmpty() && underWay.stream().noneMatch(epoch -> epoch <= requests.getFirst());
            assertThat(epochs.answers()).as(Seeds.replay()).isEqualTo(due);
            if (due) {
                requests.removeFirst();
            }
        }
        assertThatThrownBy(() -> new OperationEpochs(() -> {}).end(0))
                .hasMessage("no operation of epoch 0 is under way");
    }

    @Test
    void aMachineAnswersWhenAllItsThreadsHave() {
        MachineEpochs epochs = new MachineEpochs(2, 3);
        epochs.received(1, 1);
        epochs.received(1, 2);
        assertThat(epochs.requested(1)).isEqualTo(2);
        assertThat(epochs.requested(0)).isZero();
        assertThat(epochs.answer(0, 1)).isZero();
        assertThat(epochs.answer(0, 1)).as("the second, before others' first").isZero();
        assertThat(epochs.answer(2, 1)).isZero();
        assertThat(epochs.answer(1, 1)).isEqualTo(1);
        assertThat(epochs.answer(1, 1)).isZero();
        assertThat(epochs.answer(2, 1)).isEqualTo(2);
        assertThatThrownBy(() -> epochs.received(1, 4)).hasMessage("machine 1's request 4 follows its request 2");
    }

    @Test
    void memoryIsGivenBackOnceAnEpochThatBeganLaterHasEnded() {
        List<Long> back = new ArrayList<>();
        MemoryReuse reuse = new MemoryReuse(2, back::add);
        assertThat(reuse.shouldAsk(0, 10)).as("nothing is retired").isFalse();
        reuse.retire(5);
        assertThat(reuse.shouldAsk(10, 10)).as("there is enough").isFalse();
        assertThat(reuse.shouldAsk(9, 10)).isTrue();
        long first = reuse.ask();
        reuse.retire(6);
        assertThat(reuse.shouldAsk(9, 10)).as("one is under way").isFalse();
        reuse.answered(1, first);
        reuse.answered(1, first);
        assertThat(back).isEmpty();
        reuse.answered(0, first);
        assertThat(back).as("not what was retired since").containsExactly(5L);
        long second = reuse.ask();
        reuse.answered(1, second);
        reuse.answered(1, first);
        assertThat(back).hasSize(1);
        reuse.answered(0, second);
        assertThat(back).containsExactly(5L, 6L);
        assertThatThrownBy(() -> reuse.answered(0, 3)).hasMessage("machine 0 answers request 3 of 2");
    }
}
