package org.reprobe.fabric.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Fault;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.ReceiveQueue;
import org.reprobe.fabric.RemoteTransactions;
import org.reprobe.fabric.SendQueue;
import org.reprobe.fabric.Transactions;

/**
 * Simulated reliable connection. Work requests are in a ring; the engine calls {@link #sendNext} at the virtual time at
 * which the next one can leave, the latest of
 *
 * <ul>
 *   <li>the end of its fetch by the card. The first request of a batch arrives with the doorbell. Further ones are
 *       fetched over the bus: one at a time at first, then more while the queue stays busy, or at once after each
 *       doorbell;
 *   <li>the arrival at the card of the reply to the READ or atomic {@code outstandingReads} before it;
 *   <li>the time at which the client card's sending stage is free.
 * </ul>
 *
 * Real bytes of memory are read or written when the engine handles the request. Requests reach the server in the order
 * in which they are sent, so this is the order of the server's stage. An atomic on a busy address is the exception: it
 * takes effect in an event of its own, and this end's next request leaves after that, so that the requests of a program
 * take effect in their order.
 */
final class SimQueuePair implements QueuePair {
    static final long IDLE = -1;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int FIRST_COMPLETIONS = 4;

    private final SimClient client;
    private final VirtualTime time;
    private final CardTimes times;
    private final ServerCard server;
    private final ClientCard card;
    private final MemorySegment local;
    private final long furtherPs;
    private final int peer;
    private final @Nullable FaultSchedule faults;
    private final QueuePairState state;
    private final SimConnections connections;
    private final int connection;
    private final int actor;
    private final SplittableRandom jitter;

    private final SendQueue queue;
    /** Largest payload that is posted as a part of its work request. */
    private final int inlineBytes;
    /** Number of requests that have left; those from {@code posted} on wait for the doorbell. */
    private long sent;

    private long posted;
    /** CPU time of posting since the last doorbell. */
    private long postingPs;

    /** Requests before this sequence number are on the card by {@link #fetchedPs}. */
    private long fetched;

    private long fetchedPs;
    private int fetchBatch;
    /** Prevents the compiler from removing the touches. */
    @SuppressWarnings("UnusedVariable")
    private long warmed;

    private int fetchesOfBatch;
    /**
     * Ring of the times at which requests are on the card, if each doorbell starts a fetch; its length is a power of
     * two.
     */
    private long[] arrivalPs = new long[0];

    private long lastArrivalPs;
    private double listJitter = 1;
    private boolean scheduled;

    /** Time at which the last request, an atomic, takes effect; 0 if no request waits for that. */
    private long effectPs;

    private long effectServedPs;
    private long effectDonePs;
    private Status effectStatus = Status.SUCCESS;

    private long lastReplyPs;
    private long lastDeliveryPs;

    // Rings whose length is a power of two and grows on demand.
    private long[] completionPs = new long[FIRST_COMPLETIONS];
    private long[] completionSequence = new long[FIRST_COMPLETIONS];
    private Status[] completionStatus = new Status[FIRST_COMPLETIONS];
    private long completionsAdded;
    private long completionsTaken;
    private boolean awaited;
    private boolean closed;
    private boolean broken;
    /** True if this end's program has failed. */
    private boolean dead;
    /** Time since which the other end has failed or is unreachable. The card detects this later. */
    private long lostPs = Long.MAX_VALUE;

    private boolean noticed;
    private boolean reported;
    /** Number of work requests that the card counts as posted: those not polled when the program last posted. */
    private int held;

    private final Transactions.Transaction transaction;

    private final ReceiveQueue receives;
    private @Nullable SimQueuePair otherEnd;
    /**
     * True between clients. Only their messages look up the queue pair's state: messages to servers were calibrated
     * without this cost.
     */
    private boolean betweenClients;
    /** True if both cards look up the queue pair's state. */
    private final boolean stateAtBothEnds;
    /** True while the first SEND of the queue waits for a RECEIVE. */
    private boolean stalled;

    SimQueuePair(
            SimClient client,
            VirtualTime time,
            CardTimes times,
            ServerCard server,
            ClientCard card,
            MemorySegment local,
            ConnectionOptions options,
            long furtherPs,
            int peer,
            QueuePairState state,
            @Nullable FaultSchedule faults,
            long seed) {
        this.client = client;
        this.time = time;
        this.times = times;
        this.server = server;
        this.card = card;
        this.local = local;
        this.furtherPs = furtherPs;
        this.peer = peer;
        this.state = state;
        this.faults = faults;
        this.queue = SendQueue.growing(options.sendQueue());
        this.inlineBytes = options.inlineBytes() == ConnectionOptions.USUAL_INLINE
                ? times.transfer().inlineBytes()
                : options.inlineBytes();
        this.jitter = new SplittableRandom(seed);
        this.stateAtBothEnds = times.contention().atBothEnds();
        this.receives = new ReceiveQueue(options.receiveQueue());
        this.transaction = server.transactions().ofQueuePair();
        this.actor = time.addQueuePair(this);
        this.connections = client.connections();
        this.connection = connections.add(this);
        state.usedBy(this, actor);
    }

    void join(SimQueuePair other) {
        otherEnd = other;
        other.otherEnd = this;
        if (stateAtBothEnds) {
            state.join(other.state);
        }
        resume();
        other.resume();
    }

    void joinClients(SimQueuePair other) {
        betweenClients = true;
        other.betweenClients = true;
        join(other);
    }

    SimClient client() {
        return client;
    }

    /** Resumes a SEND that waited for a RECEIVE. */
    private void resume() {
        SimQueuePair other = otherEnd;
        if (stalled && other != null && other.receives.isWaiting()) {
            stalled = false;
            time.schedule(Math.max(client.nowPs(), other.client.nowPs()), actor);
        }
    }

    @Override
    public int free() {
        return queue.free();
    }

    @Override
    public void read(long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
        append(SendQueue.READ, id, localOffset, remote, key, bytes, signaled);
    }

    @Override
    public void gather(long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
        append(SendQueue.GATHERED, id, localOffset, remote, key, bytes, signaled);
    }

    @Override
    public void write(long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
        append(SendQueue.WRITE, id, localOffset, remote, key, bytes, signaled);
    }

    @Override
    public void compareAndSwap(
            long id, long localOffset, long remote, int key, long expected, long desired, boolean signaled) {
        queue.appendAtomic(SendQueue.COMPARE_AND_SWAP, id, localOffset, remote, key, expected, desired, signaled);
        spendPosting(Long.BYTES);
    }

    @Override
    public void fetchAndAdd(long id, long localOffset, long remote, int key, long addend, boolean signaled) {
        queue.appendAtomic(SendQueue.FETCH_AND_ADD, id, localOffset, remote, key, addend, 0, signaled);
        spendPosting(Long.BYTES);
    }

    @Override
    public void send(long id, long localOffset, int bytes, boolean signaled) {
        append(SendQueue.SEND, id, localOffset, 0, 0, bytes, signaled);
    }

    @Override
    public boolean writesLandInOrder() {
        return true;
    }

    @Override
    public Optional<RemoteTransactions> transactions() {
        return times.transactions().words() > 0 ? Optional.of(new OnCard()) : Optional.empty();
    }

    private final class OnCard implements RemoteTransactions {
        @Override
        public void begin(long id, boolean signaled) {
            append(SendQueue.BEGIN, id, 0, 0, 0, 0, signaled);
        }

        @Override
        public void read(long id, long localOffset, long remote, int key, boolean signaled) {
            read(id, localOffset, remote, key, Long.BYTES, signaled);
        }

        @Override
        public void read(long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
            append(SendQueue.TRANSACTIONAL_READ, id, localOffset, remote, key, bytes, signaled);
        }

        @Override
        public void write(long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
            append(SendQueue.TRANSACTIONAL_WRITE, id, localOffset, remote, key, bytes, signaled);
        }

        @Override
        public void write(long id, long remote, int key, long value, boolean signaled) {
            queue.appendAtomic(SendQueue.TRANSACTIONAL_WRITE, id, 0, remote, key, value, 0, signaled);
            spendPosting(Long.BYTES);
        }

        @Override
        public void commit(long id, long localOffset, boolean signaled) {
            append(SendQueue.COMMIT, id, localOffset, 0, 0, Long.BYTES, signaled);
        }
    }

    @Override
    public void receive(long id, long localOffset, int bytes) {
        receives.post(id, localOffset, bytes, local.byteSize());
        client.spendCpu(times.postPs());
        if (broken) {
            receives.fill(client.nowPs(), 0, Status.FLUSHED);
            reportReady();
        } else if (otherEnd != null) {
            otherEnd.resume();
        }
    }

    private void append(int operation, long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
        queue.append(operation, id, localOffset, remote, key, bytes, signaled);
        if ((operation == SendQueue.WRITE || operation == SendQueue.SEND) && bytes <= inlineBytes) {
            spendPostingPs(times.transfer().inlinePs(bytes));
        }
        switch (operation) {
            case SendQueue.READ, SendQueue.GATHERED -> spendPostingPs(times.readPs());
            case SendQueue.WRITE -> spendPostingPs(times.writePs());
            case SendQueue.SEND -> spendPostingPs(times.sendPs());
            default -> {}
        }
        spendPosting(bytes);
    }

    private void spendPosting(int bytes) {
        hold(queue.held());
        spendPostingPs(times.postPs() + bytes * times.postPsPerByte());
    }

    private void spendPostingPs(long ps) {
        long beganPs = client.nowPs();
        client.spendCpu(ps);
        postingPs += client.nowPs() - beganPs;
    }

    /** Updates the number of work requests that the card counts as posted. */
    private void hold(int requests) {
        card.count(requests - held);
        held = requests;
    }

    @Override
    public void doorbell() {
        if (queue.appended() == posted) {
            return;
        }
        long ringing = queue.appended() - posted;
        spendPostingPs(times.doorbellPs());
        takeLocks(ringing);
        postingPs = 0;
        // One factor per batch: the speed of a card varies over longer times than one request.
        double slower = 1;
        if (times.jitterSigma() > 0) {
            slower = StrictMath.exp(times.jitterSigma() * jitter.nextGaussian());
        }
        listJitter = slower * client.slowdown(SendQueue.returnsData(queue.operation(posted)));
        if (times.fetchPerDoorbell()) {
            fetchAll();
        } else if (sent == posted) {
            fetched = posted + 1;
            fetchedPs = client.nowPs() + times.hostPs();
            fetchBatch = 1;
            fetchesOfBatch = 0;
        }
        posted = queue.appended();
        if (state.isShared()) {
            if (state.takesTurns(this, ringing)) {
                time.schedule(nextPs(client.nowPs() + times.hostPs()), actor);
            }
        } else if (!scheduled) {
            scheduled = true;
            time.schedule(nextPs(client.nowPs() + times.hostPs()), actor);
        }
    }

    /** Takes the locks of the queue pair and of its doorbell, one after the other. */
    private void takeLocks(long requests) {
        long includedPs = times.card().lockHolds().includePosting() ? postingPs : 0;
        PostingLock own = state.lock();
        if (own != null && own.isTaken()) {
            // Posting takes the lock once for all requests, polling once or more for each of them.
            double count = 1 + (times.card().lockTakes() - 1) * requests;
            time.catchUp(client);
            client.advanceTo(own.take(client.nowPs() - includedPs, count));
            includedPs = 0;
        }
        PostingLock doorbell = state.doorbell();
        if (doorbell != null && doorbell.isTaken()) {
            time.catchUp(client);
            client.advanceTo(doorbell.take(client.nowPs() - includedPs, 1));
        }
    }

    /** Computes the times at which the requests of a doorbell are on the card, if it starts a fetch at once. */
    private void fetchAll() {
        int needed = (int) (queue.appended() - sent);
        if (needed > arrivalPs.length) {
            long[] longer = new long[SendQueue.powerOfTwo(Math.max(FIRST_COMPLETIONS, needed))];
            for (long request = sent; request < posted; request++) {
                longer[(int) (request & (longer.length - 1))] = arrivalPs[(int) (request & (arrivalPs.length - 1))];
            }
            arrivalPs = longer;
        }
        long fetchPs = (long) (times.fetchPs() * listJitter);
        long onCardPs = client.nowPs() + times.hostPs() + (queue.retiredAll(posted) ? 0 : fetchPs);
        int batch = 1;
        int fetches = 0;
        int left = 1;
        for (long request = posted; request < queue.appended(); request++) {
            if (left == 0) {
                onCardPs += fetchPs;
                left = batch;
                if (++fetches >= 2 || batch > 1) {
                    batch = Math.min(times.prefetch(), 2 * batch);
                }
            }
            left--;
            lastArrivalPs = Math.max(lastArrivalPs, onCardPs);
            arrivalPs[(int) (request & (arrivalPs.length - 1))] = lastArrivalPs;
        }
    }

    /** Returns the earliest departure time of request {@code sent}, not before {@code nowPs}. */
    private long nextPs(long nowPs) {
        if (times.fetchPerDoorbell()) {
            fetchedPs = arrivalPs[(int) (sent & (arrivalPs.length - 1))];
        } else if (sent >= fetched) {
            fetch();
        }
        long next = Math.max(nowPs, fetchedPs);
        int operation = queue.operation(sent);
        if (operation == SendQueue.GATHERED) {
            return next; // with its READ
        } else if (SendQueue.returnsData(operation)) {
            next = Math.max(next, state.roomAt());
        } else if (queue.bytes(sent) > inlineBytes) {
            next = Math.max(next, fetchedPs + times.transfer().fetchPs());
        }
        return Math.max(Math.max(next, effectPs), Math.max(state.gapEndsPs(), card.freeAt()));
    }

    /**
     * Performs the next fetch over the bus. The first two fetches of a busy queue bring one request each, later ones 2,
     * 4 and so on up to the card's prefetch depth.
     */
    private void fetch() {
        fetchedPs += (long) (times.fetchPs() * listJitter);
        fetched = Math.min(fetched + fetchBatch, posted);
        if (++fetchesOfBatch >= 2 || fetchBatch > 1) {
            fetchBatch = Math.min(times.prefetch(), 2 * fetchBatch);
        }
        warm();
    }

    /**
     * Touches the memory of the fetched requests, so that their cache misses on this machine overlap. It has no effect
     * on the simulation.
     */
    private void warm() {
        if (fetched - sent < 2) {
            return;
        }
        long seen = 0;
        for (long request = sent; request < fetched; request++) {
            seen += server.touch(queue.remote(request), queue.bytes(request));
        }
        warmed = seen;
    }

    /** Sends and serves the next request; returns the earliest departure time of the one after it, or {@link #IDLE}. */
    long sendNext(long nowPs) {
        if (effectPs > 0) {
            return takeEffect(nowPs);
        }
        long remote = queue.remote(sent);
        int bytes = queue.bytes(sent);
        int operation = queue.operation(sent);
        long localOffset = queue.localOffset(sent);

        if (faults != null) {
            long leavesPs = leavesPs(faults, nowPs);
            if (leavesPs == IDLE && state.isShared()) {
                sent++; // its own program has failed, but other threads' requests wait behind it
                return passTurn(nowPs);
            }
            if (leavesPs != nowPs) {
                return leavesPs;
            }
        }
        if (broken) {
            complete(nowPs, sent, Status.FLUSHED, true);
        } else if (isLost()) {
            giveUp(nowPs);
        } else if (operation == SendQueue.SEND && !hasReceive()) {
            stalled = true;
            return IDLE;
        } else {
            Status status = Status.SUCCESS;
            long laterPs = furtherPs;
            long outwardPs = times.outwardPs();
            if (faults != null) {
                slowDown(faults, nowPs, bytes);
            }
            boolean bringsBack = SendQueue.returnsData(operation);
            keepGap(operation, nowPs, bytes);
            server.at(nowPs);
            if (stateAtBothEnds) {
                card.contend(nowPs, state);
            }
            boolean gathered = operation == SendQueue.GATHERED;
            long arrivePs = (gathered ? card.sendFurther(nowPs) : card.send(nowPs, bytes, bringsBack)) + outwardPs;
            if (stateAtBothEnds) {
                state.beganHere(card.beganPs());
            }
            MemorySegment memory = server.memory(remote, bytes, queue.key(sent));
            long offset = ServerCard.offset(remote);
            long servedPs;
            if (localOffset + bytes > local.byteSize()) {
                status = Status.LOCAL_PROTECTION_ERROR;
                servedPs = arrivePs;
            } else if (operation == SendQueue.SEND) {
                if ((betweenClients || stateAtBothEnds) && !server.isUncontended()) {
                    server.contend(arrivePs, state);
                }
                servedPs = server.write(arrivePs, bytes, false);
                if (stateAtBothEnds) {
                    state.beganThere(server.beganPs());
                }
                status = deliver(localOffset, bytes, deliveredPs(servedPs));
            } else if (operation == SendQueue.BEGIN) {
                servedPs = server.transactional(arrivePs, times.transactions().wordPs());
                transaction.begin();
            } else if (operation == SendQueue.COMMIT) {
                servedPs = server.transactional(arrivePs, times.transactions().commitPs());
                local.set(WORD, localOffset, transaction.commit(server::set) ? 1 : 0);
            } else if (memory == null || isMisaligned(operation, offset, bytes)) {
                status = Status.REMOTE_ACCESS_ERROR;
                servedPs = server.read(arrivePs, 0, false);
            } else {
                laterPs += server.othersPs(arrivePs, state.rate());
                boolean moves = gathered || operation == SendQueue.READ || operation == SendQueue.WRITE;
                boolean sequential =
                        moves && times.distinguishesSequential() && state.continues(remote, bytes, server.fetches());
                if (!server.isUncontended()) {
                    int fetchedSince = sequential && bytes > 0 ? server.fetches() - state.continuedFetches() : -1;
                    server.contend(arrivePs, state, remote, bytes, fetchedSince);
                }
                switch (operation) {
                    case SendQueue.READ -> {
                        servedPs = server.read(arrivePs, bytes, sequential);
                        MemorySegment.copy(memory, offset, local, localOffset, bytes);
                    }
                    case SendQueue.GATHERED -> {
                        servedPs = server.readFurther(arrivePs, bytes, sequential);
                        MemorySegment.copy(memory, offset, local, localOffset, bytes);
                    }
                    case SendQueue.WRITE -> {
                        servedPs = server.write(arrivePs, bytes, sequential);
                        MemorySegment.copy(local, localOffset, memory, offset, bytes);
                        server.transactions().changed(remote, bytes);
                        server.landed(memory, offset, bytes, deliveredPs(servedPs));
                    }
                    case SendQueue.TRANSACTIONAL_READ -> {
                        servedPs = bytes > Long.BYTES
                                ? server.read(arrivePs, bytes, false)
                                : server.transactional(
                                        arrivePs, times.transactions().wordPs());
                        for (int at = 0; at < bytes; at += Long.BYTES) {
                            long there = memory.get(WORD, offset + at);
                            local.set(WORD, localOffset + at, transaction.read(remote + at, there));
                        }
                    }
                    case SendQueue.TRANSACTIONAL_WRITE -> {
                        if (bytes > Long.BYTES) {
                            servedPs = server.write(arrivePs, bytes, false);
                            for (int at = 0; at < bytes; at += Long.BYTES) {
                                transaction.write(remote + at, local.get(WORD, localOffset + at));
                            }
                        } else {
                            servedPs = server.transactional(
                                    arrivePs, times.transactions().wordPs());
                            transaction.write(remote, queue.firstOperand(sent));
                        }
                    }
                    default -> {
                        servedPs = server.atomic(arrivePs, remote);
                        if (server.effectPs() > nowPs) {
                            effectPs = server.effectPs();
                        } else {
                            change(memory, sent, servedPs);
                        }
                    }
                }
                if (stateAtBothEnds) {
                    state.beganThere(server.beganPs());
                }
            }
            // Jitter scales the latency of an idle network as a whole, not the times of the stages.
            long extraPs = (long) ((listJitter - 1) * (outwardPs + times.backPs() + 2 * times.hostPs()));
            // The delay of further switches is charged to the reply alone, so that requests are served in the order in
            // which they leave.
            long earlierPs = bringsBack ? 0 : times.transfer().earlierPs();
            long backPs = servedPs + Math.max(0, times.backPs() + extraPs - earlierPs) + laterPs;
            boolean payload =
                    operation == SendQueue.READ || (operation == SendQueue.TRANSACTIONAL_READ && bytes > Long.BYTES);
            long donePs = bringsBack
                    ? card.receive(nowPs, backPs, bytes, payload, queue.signaled(sent))
                    : card.acknowledged(nowPs, backPs, queue.signaled(sent));
            if (faults != null && status == Status.SUCCESS) {
                donePs = repliedPs(faults, nowPs, servedPs, donePs);
                status = isLost() ? Status.RETRY_EXCEEDED : status;
            }
            donePs = state.inOrder(Math.max(lastReplyPs, donePs));
            lastReplyPs = donePs;
            if (bringsBack && !gathered) {
                state.outstanding(donePs);
            }
            if (effectPs > 0) {
                return awaitEffect(nowPs, servedPs, donePs, status);
            }
            end(sent, donePs + times.hostPs(), status);
        }
        sent++;
        return state.isShared() ? passTurn(nowPs) : followingPs(nowPs);
    }

    /** Returns the departure time of the next request of an unshared queue pair, or {@link #IDLE}. */
    private long followingPs(long nowPs) {
        if (sent == posted) {
            scheduled = false;
            return IDLE;
        }
        return nextPs(nowPs);
    }

    /** Performs an atomic. */
    private void change(MemorySegment memory, long request, long servedPs) {
        long remote = queue.remote(request);
        long offset = ServerCard.offset(remote);
        long before = memory.get(WORD, offset);
        if (queue.operation(request) == SendQueue.FETCH_AND_ADD) {
            memory.set(WORD, offset, before + queue.firstOperand(request));
            server.transactions().changed(remote, Long.BYTES);
        } else if (before == queue.firstOperand(request)) {
            memory.set(WORD, offset, queue.secondOperand(request));
            server.transactions().changed(remote, Long.BYTES);
        }
        server.landed(memory, offset, Long.BYTES, servedPs);
        local.set(WORD, queue.localOffset(request), before);
    }

    /** Ends a request: breaks the queue pair if it has failed, and adds its completion. */
    private void end(long request, long donePs, Status status) {
        if (status != Status.SUCCESS) {
            breakDown(donePs);
            complete(donePs, request, status, true);
        } else if (queue.signaled(request)) {
            complete(donePs, request, status, false);
        }
    }

    /** Postpones the end of an atomic whose address is busy to the time of its effect. */
    private long awaitEffect(long nowPs, long servedPs, long donePs, Status status) {
        effectServedPs = servedPs;
        effectDonePs = donePs + times.hostPs();
        effectStatus = status;
        sent++;
        if (!state.isShared()) {
            return effectPs;
        }
        time.schedule(effectPs, actor);
        return passTurn(nowPs);
    }

    /** Lets an atomic take effect whose address was busy; returns what {@link #sendNext} returns. */
    private long takeEffect(long nowPs) {
        long request = sent - 1;
        effectPs = 0;
        MemorySegment memory = server.memory(queue.remote(request), Long.BYTES, queue.key(request));
        if (memory != null) {
            change(memory, request, effectServedPs);
        } else if (effectStatus == Status.SUCCESS) {
            effectStatus = Status.REMOTE_ACCESS_ERROR; // deregistered while it waited
        }
        end(request, effectDonePs, effectStatus);
        return state.isShared() ? IDLE : followingPs(nowPs);
    }

    private void keepGap(int operation, long nowPs, int bytes) {
        CardTimes.Transfer transfer = times.transfer();
        if (operation == SendQueue.READ && transfer.readGapPs() > 0) {
            state.gapEnds(nowPs + transfer.readGapPs() + transfer.stagePs(bytes, true));
        } else if (operation == SendQueue.SEND && transfer.sendGapPs() > 0) {
            state.gapEnds(nowPs + transfer.sendGapPs() + transfer.stagePs(bytes, false));
        }
    }

    /** Schedules the next request of a shared queue pair. The requests of all its users are sent in posting order. */
    private long passTurn(long nowPs) {
        SimQueuePair next = state.nextTurn();
        if (next == null) {
            return IDLE;
        }
        if (next == this) {
            return nextPs(nowPs);
        }
        time.schedule(next.nextPs(nowPs), next.actor);
        return IDLE;
    }

    private boolean isLost() {
        return lostPs != Long.MAX_VALUE;
    }

    /**
     * Returns the departure time of the next request: {@code nowPs}, that of a retransmission if the link is cut, or
     * {@link #IDLE} for never.
     */
    private long leavesPs(FaultSchedule schedule, long nowPs) {
        if (dead) {
            scheduled = false;
            return IDLE;
        }
        if (broken || isLost()) {
            return nowPs;
        }
        long leavesPs = schedule.arrivesAt(client.machine(), peer, nowPs);
        if (leavesPs == Long.MAX_VALUE || schedule.fails(peer, nowPs, nowPs + times.outwardPs())) {
            lostPs = nowPs;
            return nowPs;
        }
        return leavesPs;
    }

    /**
     * Returns the arrival time of a reply. A lost reply is sent again after a retransmission of its request. If none
     * arrives, the connection is lost as well, and the outcome of the request is unknown.
     */
    private long repliedPs(FaultSchedule schedule, long nowPs, long servedPs, long donePs) {
        long afterPs = schedule.repliedAfter(client.machine(), peer, nowPs, servedPs);
        if (afterPs == Long.MAX_VALUE || schedule.fails(peer, nowPs, servedPs)) {
            lostPs = nowPs;
            return nowPs + schedule.failsPs();
        }
        return donePs + afterPs + schedule.delayPs(client.machine(), peer, nowPs);
    }

    /** Fails the next request and all later ones without a reply. */
    private void giveUp(long nowPs) {
        FaultSchedule schedule = Objects.requireNonNull(faults);
        lastReplyPs = Math.max(lastReplyPs, nowPs + schedule.failsPs());
        breakDown(lastReplyPs + times.hostPs());
        complete(lastReplyPs + times.hostPs(), sent, Status.RETRY_EXCEEDED, true);
    }

    /** Adds the extra time of slow cards. */
    private void slowDown(FaultSchedule schedule, long nowPs, int bytes) {
        double here = schedule.times(Fault.Part.CARD, client.machine(), nowPs) - 1;
        if (here > 0) {
            card.hold(nowPs, (long) (here * times.requesterPs()));
        }
        double there = schedule.times(Fault.Part.CARD, peer, nowPs) - 1;
        if (there > 0) {
            long servingPs = times.messagePs() + times.randomAccessPs() + bytes * times.payloadPsPerByte();
            server.hold(nowPs + times.outwardPs(), (long) (there * servingPs));
        }
    }

    /**
     * Handles failed programs, or a failed machine, at either end.
     *
     * @param machine number of the failed machine; negative for none
     */
    void fail(Predicate<SimClient> failed, int machine, long timePs) {
        SimQueuePair other = otherEnd;
        if (failed.test(client)) {
            dead = true;
            hold(0);
        }
        if (peer == machine || (other != null && failed.test(other.client))) {
            lostPs = Math.min(lostPs, timePs);
        }
    }

    /** Breaks the connection if the card has detected that the other end has failed or was unreachable for too long. */
    void noticeLoss(long timePs) {
        FaultSchedule schedule = Objects.requireNonNull(faults);
        if (dead || noticed) {
            return;
        }
        boolean silent = isLost() && timePs - lostPs >= schedule.failsPs();
        long cutPs = Math.max(
                schedule.cutSince(client.machine(), peer, timePs), schedule.cutSince(peer, client.machine(), timePs));
        if (silent || cutPs >= schedule.failsPs()) {
            lostPs = Math.min(lostPs, timePs);
            noticed = true;
            if (receives.inUse()) {
                breakDown(timePs);
                wake(timePs);
            } else if (stalled) {
                stalled = false;
                time.schedule(timePs, actor);
            }
        }
    }

    boolean takesLoss() {
        boolean newlyNoticed = noticed && !reported;
        reported |= noticed;
        return newlyNoticed;
    }

    private boolean hasReceive() {
        SimQueuePair other = otherEnd;
        return other != null && (other.broken || other.receives.isWaiting());
    }

    /** Returns the time at which the payload of a WRITE or SEND, served at {@code servedPs}, is in memory. */
    private long deliveredPs(long servedPs) {
        if (!times.transfer().jitters() || times.jitterSigma() == 0) {
            return servedPs;
        }
        long latePs = (long) ((listJitter - 1) * (times.outwardPs() + 2 * times.hostPs()));
        lastDeliveryPs = Math.max(lastDeliveryPs, servedPs + latePs);
        return lastDeliveryPs;
    }

    private Status deliver(long localOffset, int bytes, long servedPs) {
        SimQueuePair other = Objects.requireNonNull(otherEnd);
        if (other.broken) {
            return faults == null ? Status.REMOTE_INVALID_REQUEST : Status.RETRY_EXCEEDED;
        }
        long donePs = servedPs + times.hostPs() + times.transfer().sendPs();
        if (bytes > other.receives.nextBytes()) {
            other.receives.fill(donePs, 0, Status.LOCAL_LENGTH_ERROR);
            other.breakDown(donePs);
            other.wake(donePs);
            return Status.REMOTE_INVALID_REQUEST;
        }
        MemorySegment.copy(local, localOffset, other.local, other.receives.nextLocal(), bytes);
        other.receives.fill(donePs, bytes, Status.SUCCESS);
        other.wake(donePs);
        return Status.SUCCESS;
    }

    private void breakDown(long timePs) {
        if (state.isShared()) {
            state.users().forEach(each -> each.end(timePs));
        } else {
            end(timePs);
        }
    }

    private void end(long timePs) {
        broken = true;
        while (receives.isWaiting()) {
            receives.fill(timePs, 0, Status.FLUSHED);
        }
        reportReady();
        if (stalled) {
            stalled = false;
            time.schedule(timePs, actor);
        }
    }

    private void complete(long timePs, long sequence, Status status, boolean error) {
        if (completionsAdded - completionsTaken == completionPs.length) {
            makeRoomForCompletions();
        }
        int at = completionAt(completionsAdded++);
        completionPs[at] = error ? Math.max(timePs, lastReplyPs + times.hostPs()) : timePs;
        completionSequence[at] = sequence;
        completionStatus[at] = status;
        wake(timePs);
    }

    private int completionAt(long number) {
        return (int) (number & (completionPs.length - 1));
    }

    private void makeRoomForCompletions() {
        int length = completionPs.length;
        completionPs = Arrays.copyOf(completionPs, 2 * length);
        completionSequence = Arrays.copyOf(completionSequence, 2 * length);
        completionStatus = Arrays.copyOf(completionStatus, 2 * length);
        // Number n is at index n modulo the length. When the length doubles, each entry keeps its index or moves up by
        // the old length.
        for (long number = completionsTaken; number < completionsAdded; number++) {
            int from = (int) (number & (length - 1));
            int to = completionAt(number);
            if (from != to) {
                completionPs[to] = completionPs[from];
                completionSequence[to] = completionSequence[from];
                completionStatus[to] = completionStatus[from];
            }
        }
    }

    private void wake(long timePs) {
        reportReady();
        if (awaited) {
            awaited = false;
            time.schedule(Math.max(timePs, client.nowPs()), client.index());
        } else {
            client.wake(timePs);
        }
    }

    private void reportReady() {
        connections.ready(connection, closed ? Long.MAX_VALUE : readyPs());
    }

    boolean isIdle() {
        return closed || (queue.retiredAll(posted) && !receives.isWaiting());
    }

    /** Returns the known time of the first completion; {@link Long#MAX_VALUE} for unknown. */
    long readyPs() {
        long sends =
                completionsTaken < completionsAdded ? completionPs[completionAt(completionsTaken)] : Long.MAX_VALUE;
        return Math.min(sends, receives.readyAt());
    }

    @Override
    public int poll(Completions into) {
        time.catchUp(client);
        return take(into);
    }

    @Override
    public int await(Completions into) throws FabricException {
        if (receives.inUse()) {
            return awaitEither(into);
        }
        if (completionsTaken == completionsAdded) {
            if (queue.retiredAll(posted)) {
                throw new FabricException("a program waits for a completion, but no request is posted");
            }
            while (completionsTaken == completionsAdded) {
                awaited = true;
                time.block(client);
            }
        } else {
            long readyPs = completionPs[completionAt(completionsTaken)];
            if (readyPs > client.nowPs()) {
                time.schedule(readyPs, client.index());
                while (client.nowPs() < readyPs) {
                    time.block(client);
                }
            } else {
                time.catchUp(client);
            }
        }
        return take(into);
    }

    @Override
    public int await(Completions into, long untilNs) {
        long untilPs = untilNs > Long.MAX_VALUE / 1000 ? Long.MAX_VALUE : untilNs * 1000;
        time.catchUp(client);
        while (take(into) == 0 && client.nowPs() < untilPs) {
            client.setAlarm(Math.min(Math.max(readyPs(), client.nowPs()), untilPs));
            awaited = true;
            time.block(client);
        }
        awaited = false;
        return into.count();
    }

    /**
     * Waits for the send or the receive queue. A completion of one queue may precede the known completion of the other.
     */
    private int awaitEither(Completions into) throws FabricException {
        time.catchUp(client);
        while (take(into) == 0) {
            long readyPs = readyPs();
            if (readyPs < Long.MAX_VALUE) {
                time.schedule(Math.max(readyPs, client.nowPs()), client.index());
            } else if (isIdle()) {
                throw new FabricException("a program waits for a completion, but no request is posted");
            }
            awaited = true;
            time.block(client);
        }
        return into.count();
    }

    private int take(Completions into) {
        into.clear();
        takeMore(into);
        return into.count();
    }

    void takeMore(Completions into) {
        client.spendCpu(receives.take(client.nowPs(), into) * times.completionPs());
        long now = client.nowPs();
        while (completionsTaken < completionsAdded && into.count() < into.capacity()) {
            int at = completionAt(completionsTaken);
            if (completionPs[at] > now) {
                break;
            }
            long sequence = completionSequence[at];
            into.add(queue.id(sequence), completionStatus[at]);
            queue.retire(sequence);
            completionsTaken++;
            client.spendCpu(times.completionPs());
        }
        if (queue.held() == 0) {
            hold(0);
        }
        reportReady();
    }

    @Override
    public void close() {
        closed = true; // all resources are freed at the end of the run
        hold(0);
        reportReady();
    }

    /** Returns whether an operation on words is not at whole words. */
    private static boolean isMisaligned(int operation, long offset, int bytes) {
        return switch (operation) {
            case SendQueue.READ, SendQueue.GATHERED, SendQueue.WRITE -> false;
            default -> ((offset | bytes) & 7) != 0;
        };
    }
}
