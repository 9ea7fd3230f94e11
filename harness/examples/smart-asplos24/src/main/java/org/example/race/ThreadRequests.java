package org.example.race;

import java.util.ArrayDeque;
import java.util.Iterator;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.OneSidedLink;

/**
 * Requests in flight of a thread's coroutines, as in SMART (repository madsys-dev/smart, smart/initiator.cpp: sync). A
 * coroutine waits until all that its thread has posted, to any server, is complete. Not thread-safe.
 */
final class ThreadRequests {
    // Lists of requests by server. A queue pair completes them in order.
    private final long[] posted;
    private final long[] completed;
    private final ArrayDeque<Coroutine> waiting = new ArrayDeque<>();

    ThreadRequests(int servers) {
        this.posted = new long[servers];
        this.completed = new long[servers];
    }

    /** Coroutine of the thread. */
    final class Coroutine {
        private final Client client;
        /** Lists that must be complete, by server. */
        private final long[] until = new long[posted.length];

        Coroutine(Client client) {
            this.client = client;
        }

        /** Posts the appended requests of a link and waits for them and for all earlier ones of the thread. */
        void roundTrip(OneSidedLink link, int server) throws FabricException {
            long ticket = link.post();
            posted[server]++;
            System.arraycopy(posted, 0, until, 0, posted.length);
            link.await(ticket);
            completed[server]++;
            wake();
            if (!isComplete()) {
                waiting.add(this);
                client.park();
            }
        }

        private boolean isComplete() {
            for (int server = 0; server < until.length; server++) {
                if (completed[server] < until[server]) {
                    return false;
                }
            }
            return true;
        }

        private void wake() throws FabricException {
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
