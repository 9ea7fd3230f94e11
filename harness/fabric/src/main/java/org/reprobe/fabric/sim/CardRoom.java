package org.reprobe.fabric.sim;

import java.util.Arrays;

/**
 * The room of a serving card: states of queue pairs and translations of pages, replaced at random when there is room
 * for no more, and how many requests are under way to it. Says what a request takes longer for want of room.
 */
final class CardRoom {
    private final CardTimes.Contention limits;
    private final Resident queuePairs;
    private final Resident pages;
    /** When the requests under way end, a ring by the order of arrival, which is the order of their ends. */
    private long[] endsPs = new long[1024];

    private int oldest;
    private int underWay;
    private int fetches;

    CardRoom(CardTimes.Contention limits) {
        this.limits = limits;
        this.queuePairs = new Resident(limits.queuePairs());
        this.pages = new Resident(limits.translations());
    }

    /**
     * Forgets everything but translations: the card holds as many of the registered pages' as it can, chosen at random, as
     * it does once pages that are asked for equally often have been asked for long enough.
     *
     * @param registered pages of all regions
     */
    void reset(int registered) {
        queuePairs.reset();
        pages.reset();
        pages.fill(registered);
        oldest = 0;
        underWay = 0;
        fetches = 0;
    }

    /**
     * Takes a request in.
     *
     * @param page number of the page of the request's first byte, from 0 over all regions
     * @param offset of the request in its first page
     * @param fetchedSince translations fetched since the request that it goes on behind; -1 for none
     * @return extra time in the serving stage
     */
    long extraPs(long leftPs, int queuePair, int page, long offset, int bytes, int fetchedSince, long messagePs) {
        long extra = queuePairPs(queuePair);
        if (limits.translations() > 0) {
            int last = page + (int) ((offset + Math.max(0, bytes - 1)) >>> limits.pageShift());
            // What was fetched for the earlier request is there, unless one of the fetches since has taken its place.
            boolean there = fetchedSince >= 0
                    && offset > 0
                    && pages.nextDouble() < StrictMath.exp(-fetchedSince * limits.replacedPerFetch());
            for (int each = there ? page + 1 : page; each <= last; each++) {
                if (!pages.touch(each)) {
                    extra += limits.translationMissPs();
                    fetches++;
                }
            }
        }
        if (limits.outstanding() > 0) {
            while (underWay > 0 && endsPs[oldest] <= leftPs) {
                oldest = (oldest + 1) & (endsPs.length - 1);
                underWay--;
            }
            int now = underWay + 1;
            if (now > limits.outstanding()) {
                extra += messagePs * (now - limits.outstanding()) / limits.outstanding();
            }
        }
        return extra;
    }

    /** What a request takes longer whose queue pair's state is not there. */
    long queuePairPs(int queuePair) {
        return limits.queuePairs() > 0 && !queuePairs.touch(queuePair) ? limits.queuePairMissPs() : 0;
    }

    int fetches() {
        return fetches;
    }

    /** A request will have ended at the client's card at this time. */
    void ends(long ps) {
        if (limits.outstanding() == 0) {
            return;
        }
        if (underWay == endsPs.length) {
            long[] longer = new long[2 * underWay];
            for (int i = 0; i < underWay; i++) {
                longer[i] = endsPs[(oldest + i) & (endsPs.length - 1)];
            }
            endsPs = longer;
            oldest = 0;
        }
        endsPs[(oldest + underWay++) & (endsPs.length - 1)] = ps;
    }

    int pagesOf(long bytes) {
        return (int) ((bytes >>> limits.pageShift()) + 2);
    }

    int pageShift() {
        return limits.pageShift();
    }

    /**
     * A set of at most so many numbers. One in {@value #KEEP_ONE_IN} of those not in it takes the place of one chosen at
     * random: of n numbers asked for equally often a set of c holds c, in whatever order they come.
     */
    private static final class Resident {
        private static final int KEEP_ONE_IN = 16;

        private final int[] held;
        private int count;
        /** A bit a number: asked for at every request, so small enough for the CPU's own caches. */
        private long[] present = new long[1];

        private long random = 1;

        Resident(int capacity) {
            held = new int[capacity];
        }

        void reset() {
            count = 0;
            random = 1;
            Arrays.fill(present, 0);
        }

        /** Takes in as many of the first {@code numbers} as there is room for, each as likely as any other. */
        void fill(int numbers) {
            int wanted = Math.min(numbers, held.length);
            for (int number = 0; count < wanted; number++) {
                // Selection sampling: Knuth, TAOCP vol. 2, section 3.4.2, Algorithm S.
                if (nextRandom(numbers - number) < wanted - count) {
                    hold(number, count++);
                }
            }
        }

        private void hold(int number, int place) {
            int word = number >>> 6;
            if (word >= present.length) {
                present = Arrays.copyOf(present, Math.max(word + 1, 2 * present.length));
            }
            held[place] = number;
            present[word] |= 1L << number;
        }

        private long nextRandom(long below) {
            random = random * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
            return Math.unsignedMultiplyHigh(random, below);
        }

        private double nextDouble() {
            return nextRandom(1L << 53) * 0x1p-53;
        }

        /** Whether it was there; now it is. */
        boolean touch(int number) {
            int word = number >>> 6;
            if (word < present.length && (present[word] & (1L << number)) != 0) {
                return true;
            }
            int place;
            if (count < held.length) {
                place = count++;
            } else {
                place = (int) nextRandom((long) held.length * KEEP_ONE_IN);
                if (place >= held.length) {
                    return false;
                }
                present[held[place] >>> 6] &= ~(1L << held[place]);
            }
            hold(number, place);
            return false;
        }
    }
}
