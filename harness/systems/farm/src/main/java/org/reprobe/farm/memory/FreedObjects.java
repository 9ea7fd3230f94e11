package org.reprobe.farm.memory;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/** Queue of a thread's objects that other threads of its machine have freed. Thread-safe. */
final class FreedObjects {
    private final ReentrantLock lock = new ReentrantLock();
    private long[] places = new long[8];
    private volatile int count;

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    void add(long place) {
        lock.lock();
        try {
            if (count == places.length) {
                places = Arrays.copyOf(places, 2 * count);
            }
            places[count] = place;
            count++;
        } finally {
            lock.unlock();
        }
    }

    /** Removes all places and passes them to {@code to}. */
    void takeAll(LongConsumer to) {
        if (count == 0) {
            return;
        }
        lock.lock();
        try {
            int taken = count;
            count = 0;
            for (int i = 0; i < taken; i++) {
                to.accept(places[i]);
            }
        } finally {
            lock.unlock();
        }
    }
}
