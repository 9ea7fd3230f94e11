package org.reprobe.explore;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteTransactions;

/** One end of a connection; the scheduler decides when requests take effect and completions arrive, each in order. */
final class ExploredQueuePair implements QueuePair {
    /** Server number of a queue pair that a server has accepted. */
    static final int ACCEPTED = -1;

    private final World world;
    private final Program owner;
    private final int server;
    private final MemorySegment local;
    private final RequestEffects effects;
    private final int sendQueue;
    private final int receiveQueue;
    private final int number;
    /** Requests: over before {@link #served}, on the card before {@link #posted}, else waiting for the doorbell. */
    private final List<Request> requests = new ArrayList<>();

    private int served;
    private int posted;
    private int retired;
    /** Number of completed steps of the request at {@link #served}. */
    private int steps;

    /** Number of completed steps of that request, counted from its last word. */
    private int stepsFromEnd;
    /** Number of completed steps of the request after it, a WRITE that overtakes it. */
    private int stepsAhead;

    private boolean reverse;
    private boolean broken;
    private boolean closed;

    /** True once the connection is broken. Requests from {@link #arriving} to {@link #left} may still arrive. */
    private boolean cut;

    private int arriving;
    private int left;
    /** True once a request has ended with the first error of the broken connection. */
    private boolean unreachable;

    /** Set when the other end's program may be notified of the broken connection. */
    boolean noticed;

    private final List<Request> receives = new ArrayList<>();
    private int filled;
    private int received;

    /** Completed requests of both queues: taken before {@link #taken}, available before {@link #delivered}. */
    private final List<Request> completed = new ArrayList<>();

    private int delivered;
    private int taken;
    /** Value of {@link Program#polls} at the last poll. */
    private int polledAt;

    private int signaledUnderWay;

    @Nullable
    ExploredQueuePair peer;

    ExploredQueuePair(World world, Program owner, int server, MemorySegment local, ConnectionOptions options) {
        this.world = world;
        this.owner = owner;
        this.server = server;
        this.local = local;
        this.sendQueue = options.sendQueue();
        this.receiveQueue = options.receiveQueue();
        this.number = owner.queuePairs.size();
        this.polledAt = owner.polls;
        this.effects = new RequestEffects(world, owner, local);
        owner.queuePairs.add(this);
    }

    Program owner() {
        return owner;
    }

    int number() {
        return number;
    }

    @Override
    public boolean writesLandInOrder() {
        return world.writesLandInOrder();
    }

    @Override
    public int free() {
        return sendQueue - (requests.size() - retired);
    }

    @Override
    public void read(long id, long at, long remote, int key, int bytes, boolean signaled) {
        append(new Request(Request.READ, id, at, remote, key, bytes, 0, 0, signaled));
    }

    @Override
    public void write(long id, long at, long remote, int key, int bytes, boolean signaled) {
        append(new Request(Request.WRITE, id, at, remote, key, bytes, 0, 0, signaled));
    }

    @Override
    public void compareAndSwap(long id, long at, long remote, int key, long expected, long desired, boolean signaled) {
        append(new Request(Request.COMPARE_AND_SWAP, id, at, remote, key, 8, expected, desired, signaled));
    }

    @Override
    public void fetchAndAdd(long id, long at, long remote, int key, long addend, boolean signaled) {
        append(new Request(Request.FETCH_AND_ADD, id, at, remote, key, 8, addend, 0, signaled));
    }

    @Override
    public void send(long id, long at, int bytes, boolean signaled) {
        append(new Request(Request.SEND, id, at, 0, 0, bytes, 0, 0, signaled));
    }

    @Override
    public Optional<RemoteTransactions> transactions() {
        return Optional.of(new Explored());
    }

    private final class Explored implements RemoteTransactions {
        @Override
        public void begin(long id, boolean signaled) {
            append(new Request(Request.BEGIN, id, 0, 0, 0, 0, 0, 0, signaled));
        }

        @Override
        public void read(long id, long at, long remote, int key, boolean signaled) {
            read(id, at, remote, key, 8, signaled);
        }

        @Override
        public void read(long id, long at, long remote, int key, int bytes, boolean signaled) {
            append(new Request(Request.TRANSACTIONAL_READ, id, at, remote, key, bytes, 0, 0, signaled));
        }

        @Override
        public void write(long id, long at, long remote, int key, int bytes, boolean signaled) {
            append(new Request(Request.TRANSACTIONAL_WRITE, id, at, remote, key, bytes, 0, 0, signaled));
        }

        @Override
        public void write(long id, long remote, int key, long value, boolean signaled) {
            append(new Request(Request.TRANSACTIONAL_WRITE, id, 0, remote, key, 8, value, 0, signaled));
        }

        @Override
        public void commit(long id, long at, boolean signaled) {
            append(new Request(Request.COMMIT, id, at, 0, 0, 8, 0, 0, signaled));
        }
    }

    private void append(Request request) {
        if (free() <= 0) {
            throw new IllegalStateException(
                    "the send queue is full: " + sendQueue + " work requests wait for their completion");
        }
        if (request.local < 0 || request.bytes < 0) {
            throw new IllegalArgumentException(
                    "invalid range: " + request.bytes + " bytes at local offset " + request.local);
        }
        requests.add(request);
    }

    @Override
    public void receive(long id, long at, int bytes) {
        if (receives.size() - received >= receiveQueue) {
            throw new IllegalStateException("the receive queue is full: " + receiveQueue + " RECEIVEs are posted");
        }
        receives.add(new Request(Request.RECEIVE, id, at, 0, 0, bytes, 0, 0, true));
        if (broken) {
            breakOff();
        }
    }

    @Override
    public void doorbell() {
        owner.emptyPoll &= posted == requests.size();
        for (; posted < requests.size(); posted++) {
            Request request = requests.get(posted);
            if (request.brings()) {
                request.payload = effects.payload(request);
            }
            signaledUnderWay += request.signaled ? 1 : 0;
        }
    }

    /** Returns true if the next request can take its next step. */
    boolean canServe() {
        if (arriving < left) {
            return world.faults().reaches(this) && (requests.get(arriving).operation != Request.SEND || otherTakes());
        }
        return served < posted && (broken || getsThrough(requests.get(served)));
    }

    /** Returns true if the links permit that a request takes effect. A READ takes effect by its reply. */
    private boolean getsThrough(Request request) {
        return world.faults().reaches(this)
                && (request.operation != Request.READ || world.faults().replyReaches(this))
                && (request.operation != Request.SEND || effects.liesBeyond(request) || otherTakes());
    }

    private boolean otherTakes() {
        ExploredQueuePair other = peer;
        return other != null && (other.filled < other.receives.size() || other.broken);
    }

    /** Returns true if each step may be the first or the last of the remaining words. */
    private boolean bothEnds() {
        return world.limits().tearing() == ExplorationLimits.Tearing.FROM_BOTH_ENDS;
    }

    /** Returns true if the next step may be the last remaining word. */
    boolean canReverse() {
        if (!canServe() || (steps > 0 && !bothEnds()) || broken) {
            return false;
        }
        Request request = requests.get(served);
        return request.operation <= Request.WRITE && effects.steps(request) - steps > 1;
    }

    /** Returns true if a word of a WRITE can overtake the preceding WRITE. */
    boolean canOvertake() {
        if (broken || served + 1 >= posted || requests.get(served).operation != Request.WRITE) {
            return false;
        }
        Request behind = requests.get(served + 1);
        return behind.operation == Request.WRITE
                && stepsAhead < effects.steps(behind)
                && effects.statusOf(behind) == Status.SUCCESS
                && effects.statusOf(requests.get(served)) == Status.SUCCESS;
    }

    void overtake() {
        effects.transfer(requests.get(served + 1), stepsAhead++);
    }

    boolean canDeliver() {
        return delivered < completed.size()
                && (cut
                        || completed.get(delivered).operation == Request.RECEIVE
                        || world.faults().replyReaches(this));
    }

    boolean has() {
        return !closed && taken < delivered;
    }

    /**
     * Returns true if the owner has polled other queue pairs for more than two rounds since. It is then assumed not to
     * poll this one again while the others have nothing.
     */
    boolean isForgotten() {
        return owner.polls - polledAt > 2 * owner.queuePairs.size();
    }

    /** Returns the number of signaled requests without a completion. */
    int signaledUnderWay() {
        return signaledUnderWay;
    }

    int undelivered() {
        return completed.size() - delivered;
    }

    /** Returns true if a dead client or a broken connection has requests that have not begun to take effect. */
    boolean canLose() {
        return steps == 0 && (arriving < left || (owner.crashed && served < posted));
    }

    boolean idle() {
        return served == posted && arriving == left;
    }

    void lose() {
        if (arriving < left) {
            arriving = left;
        } else {
            posted = served;
        }
    }

    int server() {
        return server;
    }

    boolean isCut() {
        return cut;
    }

    /** Returns true if the owner would notice a break, since requests are in flight. */
    boolean canBreak() {
        return server != ACCEPTED && isAtWork();
    }

    private boolean isAtWork() {
        return !broken && (served < posted || undelivered() > 0 || unfilled() > 0);
    }

    /** Returns true if this end must time out: requests or replies are lost, or the other end's connection broke. */
    boolean canGiveUp() {
        return isAtWork()
                && (!world.faults().reaches(this) || !world.faults().replyReaches(this) || (peer != null && peer.cut));
    }

    /**
     * Breaks the connection. Requests in flight end with an error, including those that took effect without an
     * acknowledgement. If the server's end {@code stays}, sent requests may still arrive.
     */
    void cut(boolean stays) {
        if (broken) {
            // The connection is already broken, but now the target machine of its late requests has failed.
            arriving = left;
            steps = 0;
            return;
        }
        cut = true;
        effects.cut();
        stepsAhead = 0; // a late WRITE lands from its first word on
        for (int i = delivered; i < completed.size(); i++) {
            Request request = completed.get(i);
            if (request.operation != Request.RECEIVE) {
                request.status = nextError();
            }
        }
        arriving = served;
        left = stays ? posted : served;
        for (; served < posted; served++) {
            Request request = requests.get(served);
            effects.keepBytes(request);
            request.status = nextError();
            signaledUnderWay -= request.signaled ? 1 : 0;
            completed.add(request);
        }
        steps = stays ? steps : 0;
        skipWithoutEffect();
        breakOff();
    }

    private Status nextError() {
        boolean first = cut && !unreachable;
        unreachable |= first;
        return first ? Status.RETRY_EXCEEDED : Status.FLUSHED;
    }

    /** Skips late requests whose only effect is a reply, since the reply is lost. */
    private void skipWithoutEffect() {
        while (arriving < left && !requests.get(arriving).hasEffect()) {
            arriving++;
            steps = 0;
        }
    }

    void deliver() {
        delivered++;
    }

    void deliverAll() {
        while (canDeliver()) {
            delivered++;
        }
    }

    /** Returns the number of RECEIVEs without a message. */
    int unfilled() {
        return receives.size() - filled;
    }

    /** Executes the next request, or its next word. */
    void serve(boolean fromTheEnd, boolean wordByWord) {
        if (arriving < left) {
            arrive(wordByWord);
            return;
        }
        Request request = requests.get(served);
        if (broken) {
            request.status = nextError();
        } else {
            request.status = effects.statusOf(request); // checked per word: the region may be deregistered
        }
        if (request.status == Status.SUCCESS) {
            if (!takesEffect(request, fromTheEnd, wordByWord)) {
                return;
            }
        } else {
            world.timeline().add(owner, () -> request.text(world) + " ends: " + request.status.text());
        }
        steps = stepsAhead;
        stepsAhead = 0;
        served++;
        complete(request);
    }

    /** Executes the next request of a broken connection, or its next word, at the server, without a completion. */
    private void arrive(boolean wordByWord) {
        Request request = requests.get(arriving);
        if (effects.statusOf(request) != Status.SUCCESS) {
            world.timeline().add(owner, () -> "arrives late and is refused: " + request.text(world));
            lose(); // the error ends the server's end
            steps = 0;
        } else if (takesEffect(request, false, wordByWord)) {
            steps = 0;
            arriving++;
            skipWithoutEffect();
        }
    }

    /** Executes a request, or its next word; returns true if it is finished. */
    private boolean takesEffect(Request request, boolean fromTheEnd, boolean wordByWord) {
        switch (request.operation) {
            case Request.READ, Request.WRITE -> {
                int total = effects.steps(request);
                if (steps == 0) {
                    reverse = fromTheEnd;
                    stepsFromEnd = 0;
                }
                if (wordByWord && steps < total) {
                    if (bothEnds()) {
                        effects.transfer(request, fromTheEnd ? total - 1 - stepsFromEnd : steps - stepsFromEnd);
                        stepsFromEnd += fromTheEnd ? 1 : 0;
                    } else {
                        effects.transfer(request, reverse ? total - 1 - steps : steps);
                    }
                    steps++;
                } else {
                    for (; steps < total; steps++) {
                        effects.transfer(request, steps);
                    }
                }
                return steps == total;
            }
            case Request.SEND -> {
                Status end = sendTo(request);
                request.status = cut ? request.status : end;
            }
            case Request.BEGIN, Request.TRANSACTIONAL_READ, Request.TRANSACTIONAL_WRITE, Request.COMMIT ->
                effects.transactional(request);
            default -> effects.atomic(request);
        }
        return true;
    }

    /** Delivers a message; returns the sender's status, unless a break takes precedence. */
    private Status sendTo(Request request) {
        ExploredQueuePair other = peer;
        if (other == null || other.broken) {
            return Status.RETRY_EXCEEDED;
        }
        Request receive = other.receives.get(other.filled);
        if (request.bytes > receive.bytes) {
            receive.status = Status.LOCAL_LENGTH_ERROR;
        } else if (receive.local + request.bytes > other.local.byteSize()) {
            receive.status = Status.LOCAL_PROTECTION_ERROR;
        } else {
            effects.send(request, receive, other.effects);
        }
        other.filled++;
        other.completed.add(receive);
        boolean fits = receive.status == Status.SUCCESS;
        if (!fits) {
            other.breakOff();
        }
        effects.changed();
        world.timeline().add(owner, () -> request.text(world));
        return fits ? Status.SUCCESS : Status.REMOTE_INVALID_REQUEST;
    }

    private void complete(Request request) {
        if (request.signaled) {
            signaledUnderWay--;
        }
        if (request.signaled || request.status != Status.SUCCESS) {
            completed.add(request);
        }
        if (request.status != Status.SUCCESS && !broken) {
            breakOff();
            if (peer != null && !peer.broken) {
                peer.breakOff();
            }
        }
    }

    /** Breaks this queue pair: all later requests are flushed. */
    private void breakOff() {
        broken = true;
        for (; filled < receives.size(); filled++) {
            receives.get(filled).status = nextError();
            completed.add(receives.get(filled));
        }
    }

    @Override
    public int poll(Completions into) {
        polledAt = ++owner.polls;
        owner.block(Program.Wait.POLL, this);
        into.clear();
        return take(into);
    }

    @Override
    public int await(Completions into) throws FabricException {
        into.clear();
        if (!has()) {
            if (isIdle()) {
                throw new FabricException("a program waits for a completion, but no request is posted");
            }
            owner.block(Program.Wait.COMPLETION, this);
        } else {
            owner.requireNotWaiting();
        }
        return take(into);
    }

    @Override
    public int await(Completions into, long untilNs) {
        into.clear();
        if (!has()) {
            owner.blockUntil(Program.Wait.COMPLETION, this, untilNs);
        } else {
            owner.requireNotWaiting();
        }
        return take(into);
    }

    boolean isIdle() {
        return closed || (retired == requests.size() && received == receives.size());
    }

    int take(Completions into) {
        int count = 0;
        for (; !closed && taken < delivered && into.count() < into.capacity(); taken++, count++) {
            Request request = completed.get(taken);
            owner.seen = Mixing.mix(
                    owner.seen, Mixing.mix(request.id, request.status.name().hashCode()));
            if (request.operation == Request.RECEIVE) {
                received++;
                into.addReceived(request.id, request.status, request.receivedBytes);
                continue;
            }
            do {
                retire(requests.get(retired));
            } while (requests.get(retired++) != request);
            into.add(request.id, request.status);
        }
        owner.seen = Mixing.mix(owner.seen, count);
        owner.emptyPoll = count == 0;
        return count;
    }

    private void retire(Request request) {
        if (request.brings() && request.status == Status.SUCCESS && effects.payload(request) != request.payload) {
            throw new IllegalStateException(
                    "the source of a " + request.text(world) + " was changed before its completion was polled");
        }
    }

    /** Returns a hash of the state that, together with the owner's requests, determines the future behaviour. */
    long hash() {
        long hash = Mixing.mix(effects.landed(), served);
        hash = Mixing.mix(
                hash,
                (long) (stepsAhead + stepsFromEnd) << 48
                        | (long) steps << 32
                        | (reverse ? 1 : 0)
                        | (broken ? 2 : 0)
                        | (unreachable ? 4 : 0));
        hash = cut || noticed ? Mixing.mix(hash, (long) arriving << 33 | (long) left << 1 | (noticed ? 1 : 0)) : hash;
        hash = Mixing.mix(hash, (long) delivered << 32 | taken);
        hash = Mixing.mix(hash, effects.transactionState());
        ExploredQueuePair other = peer;
        if (server == ACCEPTED && other != null) {
            hash = Mixing.mix(hash, other.place());
        }
        for (int i = taken; i < completed.size() && !owner.over(); i++) {
            Request request = completed.get(i);
            long end = request.status.name().hashCode();
            hash = Mixing.mix(hash, request.operation == Request.RECEIVE ? ~end : end);
        }
        return Mixing.mix(hash, (long) filled << 32 | completed.size());
    }

    long place() {
        return (long) owner.index << 32 | number;
    }

    /** {@inheritDoc} If connections may break, requests in flight may still arrive. */
    @Override
    public void close() {
        closed = true;
        if (!broken && world.limits().faults() > 0 && !idle()) {
            cut(true);
        }
        if (broken) {
            posted = served;
            signaledUnderWay = 0;
            delivered = completed.size();
            taken = delivered;
        }
    }
}
