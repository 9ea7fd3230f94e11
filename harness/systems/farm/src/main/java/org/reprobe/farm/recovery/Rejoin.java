package org.reprobe.farm.recovery;

import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.farm.transactions.Recovery;

/**
 * Return of a machine to the running configuration, from the restart of its process to its first configuration. The
 * process has nothing but the loaded objects and refuses all requests. It repeats three steps until it is a member:
 *
 * <ol>
 *   <li>It queries the store until a configuration lacks its machine: others may still depend on the former process. It
 *       requests membership from the manager, by a message with that configuration and the number of its process.
 *   <li>The manager stops all members in a new configuration and permits the copies. The machine reads its regions from
 *       the primaries, logs the objects of which it is a replica, and reports the end to the manager.
 *   <li>It is a member of each later configuration that contains it, since only its report adds it. Without such a
 *       configuration the copies are void.
 * </ol>
 *
 * <p>The copies are exact, because the store accepts a configuration with the machine only as the successor of that in
 * which all others are stopped. Single-threaded.
 */
public final class Rejoin {
    private final int self;
    private final long process;
    private final int maxRequests;
    private final ConfigurationStore store;
    private final Machine machine;
    private final Recovery.Post post;

    private Configuration known;
    /** Configuration in which the manager has permitted copies. */
    private Configuration copied = Configuration.of(0);

    private boolean reported;
    private int requests;
    private @Nullable Configuration joined;

    @FunctionalInterface
    public interface Machine {
        /**
         * Copies the machine's regions from the primaries of a stopped configuration, and logs the objects of which the
         * machine will be a replica; voids an earlier copy. {@link #copied} is called at the end, or before this
         * returns.
         */
        void copy(Configuration from) throws FabricException;
    }

    /**
     * Creates the return of a machine.
     *
     * @param first configuration with which the store begins
     * @param process number of the process, which no former process of the machine had
     * @param maxRequests limit of requests, after which the machine stays out
     */
    public Rejoin(
            int self,
            Configuration first,
            long process,
            int maxRequests,
            ConfigurationStore store,
            Machine machine,
            Recovery.Post post) {
        this.self = self;
        this.known = first; // the store begins with it if no member has accessed it yet
        this.process = process;
        this.maxRequests = maxRequests;
        this.store = store;
        this.machine = machine;
        this.post = post;
    }

    /** Returns the first configuration that contains the machine; null before it is a member. */
    public @Nullable Configuration joined() {
        return joined;
    }

    public boolean mayRequest() {
        return requests < maxRequests;
    }

    /**
     * Requests membership in the store's present configuration, or repeats the report that regions are copied. Called
     * at the start, and again while the machine has not joined.
     */
    public void request() throws FabricException {
        if (!mayRequest()) {
            return;
        }
        requests++;
        Configuration present;
        try {
            present = store.replace(known, known);
        } catch (UnreachableException _) {
            return; // tried again later
        }
        known = present;
        if (present.has(self)) {
            joinIfAdded(present); // otherwise the former process is still a member
        } else {
            send(present, reported && present.equals(copied) ? Membership.Stage.READY : Membership.Stage.BEGUN);
        }
    }

    /** Receives a message, which the caller passes on to {@link Membership} if the machine has joined. */
    public void received(int from, long[] message) throws FabricException {
        Configuration received = Configuration.of(message[0]);
        if (received.has(self)) {
            joinIfAdded(received);
            return;
        }
        boolean permits = Membership.stage(message) == Membership.Stage.READY && message[3] == process;
        if (permits && from == received.manager() && received.number() > copied.number()) {
            copied = received;
            reported = false;
            machine.copy(received);
        } else if (received.equals(copied) && Membership.stage(message) == Membership.Stage.ACTIVE) {
            reported = false; // the manager has not waited
            request();
        }
    }

    /** Ends the copy from a configuration; it has failed if a primary is unreachable. */
    public void copied(Configuration from, boolean succeeded) throws FabricException {
        if (!from.equals(copied)) {
            return; // a later configuration has voided it
        }
        reported = succeeded;
        if (reported) {
            send(copied, Membership.Stage.READY);
        } else {
            request();
        }
    }

    private void joinIfAdded(Configuration with) {
        if (reported && with.number() > copied.number()) {
            joined = with;
        }
    }

    private void send(Configuration to, Membership.Stage stage) throws FabricException {
        long[] message = {to.word(), stage.word(), process, 0};
        post.send(to.manager(), message, message.length);
    }
}
