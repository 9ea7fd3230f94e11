package org.reprobe.farm;

/**
 * A thread's part in the epochs after which memory may be used for objects of another size (FaRM 2014, section 3.5): asked to end an epoch,
 * it forgets the pointers that it has cached, begins another epoch and goes on; once all operations that it began in earlier ones have
 * ended, it answers. For one thread, which may have several operations under way.
 *
 * <p>Not printed: an operation of an earlier epoch that learns a pointer must not cache it any more, or an operation of the new epoch would
 * use it after the answer. {@link #mayCache} tells.
 */
final class OperationEpochs {
    private final Runnable forgetPointers;
    /** The oldest epoch with a request that is not answered. */
    private long oldest;

    private long current;
    /** By epoch, modulo its length: operations under way that began in it. */
    private int[] underWay = new int[4];

    /** @param forgetPointers clears what the thread has cached */
    OperationEpochs(Runnable forgetPointers) {
        this.forgetPointers = forgetPointers;
    }

    /** An operation begins. Its epoch is to be given back to {@link #end}. */
    long begin() {
        underWay[place(current)]++;
        return current;
    }

    /** An operation that {@link #begin began} has ended: it uses no pointer any more. */
    void end(long epoch) {
        if (epoch < oldest || epoch > current || underWay[place(epoch)] == 0) {
            throw new IllegalStateException("no operation of epoch " + epoch + " is under way");
        }
        underWay[place(epoch)]--;
    }

    /** Whether an operation that began in an epoch may cache a pointer for others. */
    boolean mayCache(long epoch) {
        return epoch == current;
    }

    /** The thread is asked to end its epoch; requests are answered in the order in which they come. */
    void endRequested() {
        forgetPointers.run();
        current++;
        if (current - oldest == underWay.length) {
            grow();
        }
    }

    /** Whether the oldest request that is not answered can be now: if so, the thread must send that answer. */
    boolean answers() {
        if (oldest == current || underWay[place(oldest)] > 0) {
            return false;
        }
        oldest++;
        return true;
    }

    private int place(long epoch) {
        return (int) (epoch & underWay.length - 1);
    }

    private void grow() {
        int[] larger = new int[2 * underWay.length];
        for (long epoch = oldest; epoch < current; epoch++) {
            larger[(int) (epoch & larger.length - 1)] = underWay[place(epoch)];
        }
        underWay = larger;
    }
}
