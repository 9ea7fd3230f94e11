package org.example.race;

import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.OneSidedLink;

/**
 * Requests in flight of a thread's coroutines, as in SMART (repository madsys-dev/smart, smart/initiator.cpp: sync,
 * decrease_credit). A coroutine may wait until all that its thread has posted, to any server, is complete. A thread may
 * have a limit of requests in flight; coroutines whose requests exceed it wait in order before they post. Not
 * thread-safe.
 */
final class ThreadRequests {
    private final boolean waitsForAll;
    private final int limit;
    private int inFlight;
    // Lists of requests by server. A queue pair completes them in order.
    private final long[] posted;
    private final long[] completed;
    private final ArrayDeque<Coroutine> waiting = new ArrayDeque<>();
    private final ArrayDeque<Coroutine> throttled = new ArrayDeque<>();

    /**
     * @param waitsForAll true if a coroutine waits for all of the thread's requests, not only for its own
     * @param limit of requests in flight
     */
    ThreadRequests(int servers, boolean waitsForAll, int limit) {
        this.waitsForAll = waitsForAll;
        this.limit = limit;
        this.posted = new long[servers];
        this.completed = new long[servers];
    }

    /** Coroutine of the thread. */
    final class Coroutine {
        private final Client client;
        /** Lists that must be complete, by server. */
        private final long[] until = new long[posted.length];
        /** Requests of the current list, as far as they count. */
        private int requests;

        Coroutine(Client client) {
            this.client = client;
        }

        /** Posts the {@code appended} requests of a link when the limit allows it, and waits. */
        void roundTrip(OneSidedLink link, int server, long appended) throws FabricException {
            requests = (int) Math.min(appended, limit);
            if (!throttled.isEmpty() || !hasRoom()) {
                throttled.add(this);
                while (throttled.peek() != this || !hasRoom()) {
                    client.park();
                }
                throttled.remove();
            }
            inFlight += requests;
            wakeThrottled();
            long ticket = link.post();
            posted[server]++;
            System.arraycopy(posted, 0, until, 0, posted.length);
            link.await(ticket);
            completed[server]++;
            inFlight -= requests;
            wakeThrottled();
            if (waitsForAll) {
                wakeWaiting();
                if (!isComplete()) {
                    waiting.add(this);
                    client.park();
                }
            }
        }

        private boolean hasRoom() {
            return inFlight + requests <= limit;
        }

        private boolean isComplete() {
            for (int server = 0; server < until.length; server++) {
                if (completed[server] < until[server]) {
                    return false;
                }
            }
            return true;
        }

        private void wakeThrottled() throws FabricException {
            @Nullable Coroutine next = throttled.peek();
            if (next != null && next.hasRoom()) {
                client.unpark(next.client.index());
            }
        }

        private void wakeWaiting() throws FabricException {
            for (Iterator<Coroutine> each = waiting.iterator(); each.hasNext(); ) {
                Coroutine other = each.next();
                if (other.isComplete()) {
                    each.remove();
                    client.unpark(other.client.index());
                }
            }
        }
    }
}
