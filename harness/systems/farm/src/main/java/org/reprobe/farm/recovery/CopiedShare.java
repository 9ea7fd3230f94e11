package org.reprobe.farm.recovery;

import java.util.List;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.messages.MessageExchange;
import org.reprobe.farm.transactions.ObjectArray;

/**
 * A thread's share of the objects of some regions, which it copies or logs before a restarted machine joins. Each call
 * does a part of the work, so that the thread sends heartbeats meanwhile.
 */
final class CopiedShare {
    /** Maximum length of a READ of several objects. */
    private static final int READ_BYTES = 1 << 15;

    private static final int LOGGED_AT_ONCE = 64;

    private final ObjectArray objects;
    private final int thread;
    private final int threads;
    private final List<Integer> regions;
    private int place;
    /** Next object of the region, by its place there. */
    private long next;

    private long copiedBytes;

    /** Progress of a part of the work. */
    enum Progress {
        UNFINISHED,
        ENDED,
        /** A copied object is locked or torn. */
        FAILED
    }

    /** Creates the share of thread number {@code thread} of {@code threads}. */
    CopiedShare(ObjectArray objects, int thread, int threads, List<Integer> regions) {
        this.objects = objects;
        this.thread = thread;
        this.threads = threads;
        this.regions = regions;
        this.next = regions.isEmpty() ? 0 : objectsBefore(thread, regions.getFirst());
    }

    private long objectsBefore(int number, int region) {
        return objects.of(region) * number / threads;
    }

    /** Moves on to the next region with objects left; returns false after the last one. */
    private boolean hasNext() {
        while (place < regions.size() && next == objectsBefore(thread + 1, regions.get(place))) {
            place++;
            next = place < regions.size() ? objectsBefore(thread, regions.get(place)) : 0;
        }
        return place < regions.size();
    }

    long copiedBytes() {
        return copiedBytes;
    }

    /** Posts READs of objects from the primaries; returns true once all objects have landed. */
    boolean copy(MessageExchange.Copies copies, RegionCopies from, RunRecovery run, int self) throws FabricException {
        while (hasNext()) {
            int region = regions.get(place);
            int primary = from.primary(region);
            int each = objects.layout().bytes();
            int count = (int) Math.clamp(READ_BYTES / each, 1, objectsBefore(thread + 1, region) - next);
            long at = next * each;
            boolean posted = copies.read(
                    primary,
                    run.regions().get(primary),
                    run.copyAt(primary, region) + at,
                    run.copyAt(self, region) + at,
                    count * each);
            if (!posted) {
                return false;
            }
            next += count;
            copiedBytes += (long) count * each;
        }
        return copies.inFlight() == 0;
    }

    /** Logs objects of regions of which the machine becomes a replica. */
    Progress log(Participant participant) throws FabricException {
        for (int i = 0; hasNext(); i++) {
            if (i == LOGGED_AT_ONCE) {
                return Progress.UNFINISHED;
            }
            long at = next++ * objects.layout().bytes();
            if (!participant.logAgain(Address.of(regions.get(place), at))) {
                return Progress.FAILED;
            }
        }
        participant.awaitLog();
        return Progress.ENDED;
    }
}
