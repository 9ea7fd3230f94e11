package org.reprobe.calibrate;

import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;

enum TimedOperation {
    READ,
    WRITE,
    COMPARE_AND_SWAP;

    void append(QueuePair queuePair, long id, long local, long remote, int key, int bytes, boolean signaled) {
        switch (this) {
            case READ -> queuePair.read(id, local, remote, key, bytes, signaled);
            case WRITE -> queuePair.write(id, local, remote, key, bytes, signaled);
            case COMPARE_AND_SWAP -> queuePair.compareAndSwap(id, local, remote, key, 0, 0, signaled);
        }
    }

    static void check(Completions completions) throws FabricException {
        for (int i = 0; i < completions.count(); i++) {
            if (completions.status(i) != Status.SUCCESS) {
                throw new FabricException("an operation of the calibration ended with "
                        + completions.status(i).text());
            }
        }
    }

    static void await(QueuePair queuePair, Completions completions, int count) throws FabricException {
        int taken = 0;
        while (taken < count) {
            taken += queuePair.await(completions);
            check(completions);
        }
    }

    /** Returns the distance of two results in local memory, in bytes. */
    static int align(int bytes) {
        return (bytes + 7) & ~7;
    }
}
