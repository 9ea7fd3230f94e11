package org.reprobe.farm;

import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Memory of one machine that had objects of one size, all freed, and shall have others (FaRM 2014, section 3.5): a header there may be
 * overwritten by any data, which whoever still has a pointer would take for a header. So it is given back only when an epoch that began after
 * the memory was retired has ended on all machines. That is asked for only when memory is low. For one thread.
 */
final class MemoryReuse {
    private final LongConsumer giveBack;
    private final long[] answers;
    /** Retired before the request that is under way, and after it. */
    private final Places waiting = new Places();

    private final Places next = new Places();
    private long number;
    private boolean underWay;

    /** Places in the order in which they were added. */
    private static final class Places {
        private long[] all = new long[8];
        private int count;

        void add(long place) {
            if (count == all.length) {
                all = Arrays.copyOf(all, 2 * count);
            }
            all[count++] = place;
        }
    }

    /** @param giveBack takes memory that may be used for anything, by its place; it must zero it, since headers begin with zero */
    MemoryReuse(int machines, LongConsumer giveBack) {
        this.giveBack = giveBack;
        this.answers = new long[machines];
    }

    /** Memory in which all objects are freed, and which nobody allocates from any more. */
    void retire(long place) {
        next.add(place);
    }

    /** Whether machines should be asked to end an epoch: memory is low, some is retired, and no request is under way. */
    boolean shouldAsk(long freeBytes, long thresholdBytes) {
        return !underWay && next.count > 0 && freeBytes < thresholdBytes;
    }

    /** Begins a request, whose number is to be sent to all machines, the own one as well. */
    long ask() {
        if (underWay) {
            throw new IllegalStateException("request " + number + " is under way");
        }
        underWay = true;
        for (int i = 0; i < next.count; i++) {
            waiting.add(next.all[i]);
        }
        next.count = 0;
        return ++number;
    }

    /** A machine has answered a request, perhaps not for the first time; the memory that waited for it is given back when all have. */
    void answered(int machine, long request) {
        if (request > number) {
            throw new IllegalStateException("machine " + machine + " answers request " + request + " of " + number);
        }
        answers[machine] = Math.max(answers[machine], request);
        if (!underWay || !haveAll()) {
            return;
        }
        underWay = false;
        for (int i = 0; i < waiting.count; i++) {
            giveBack.accept(waiting.all[i]);
        }
        waiting.count = 0;
    }

    private boolean haveAll() {
        for (long answer : answers) {
            if (answer < number) {
                return false;
            }
        }
        return true;
    }
}
