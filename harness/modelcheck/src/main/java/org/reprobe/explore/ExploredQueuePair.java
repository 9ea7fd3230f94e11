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

/** One end of a connection. Requests take effect, and completions arrive, when the scheduler says so, in order. */
final class ExploredQueuePair implements QueuePair {
    /** Where a queue pair leads that a server has accepted. */
    static final int ACCEPTED = -1;

    private final World world;
    private final Program owner;
    private final int server;
    private final MemorySegment local;
    private final RequestEffects effects;
    private final int sendQueue;
    private final int receiveQueue;
    private final int number;
    /** Before {@link #served} over, before {@link #posted} the card's, then not handed over yet. */
    private final List<Request> requests = new ArrayList<>();

    private int served;
    private int posted;
    private int retired;
    /** Steps of the request at {@link #served} that have taken effect. */
    private int steps;

    /** Those of them that were the last ones left. */
    private int stepsFromEnd;
    /** Likewise of the request behind that, a WRITE that overtakes it. */
    private int stepsAhead;

    private boolean reverse;
    private boolean broken;
    private boolean closed;

    /** Its connection has broken: requests from {@link #arriving} to {@link #left} have left the card and may still arrive. */
    private boolean cut;

    private int arriving;
    private int left;
    /** The first error of a connection that has broken was given to a request. */
    private boolean unreachable;

    /** The other end's program may be told that the connection is gone. */
    boolean noticed;

    private final List<Request> receives = new ArrayList<>();
    private int filled;
    private int received;

    /** Completed requests of both queues: before {@link #taken} taken, before {@link #delivered} there to be taken. */
    private final List<Request> completed = new ArrayList<>();

    private int delivered;
    private int taken;
    /** {@link Program#polls} when it was polled last. */
    private int polledAt;

    private int signaledUnderWay;

    @Nullable
    ExploredQueuePair peer;

    /** @param server that it leads to, or {@link #ACCEPTED} */
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
            append(new Request(Request.TRANSACTIONAL_READ, id, at, remote, key, 8, 0, 0, signaled));
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
            throw new IllegalArgumentException("local offset " + request.local + ", " + request.bytes + " bytes");
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

    /** Whether the next request can take effect, or go on doing so. */
    boolean canServe() {
        if (arriving < left) {
            return world.faults().reaches(this) && (requests.get(arriving).operation != Request.SEND || otherTakes());
        }
        return served < posted && (broken || getsThrough(requests.get(served)));
    }

    /** Whether a request can take effect: a READ's effect is its answer. */
    private boolean getsThrough(Request request) {
        return world.faults().reaches(this)
                && (request.operation != Request.READ || world.faults().isAnswered(this))
                && (request.operation != Request.SEND || effects.liesBeyond(request) || otherTakes());
    }

    private boolean otherTakes() {
        ExploredQueuePair other = peer;
        return other != null && (other.filled < other.receives.size() || other.broken);
    }

    /** Whether each word may come from either end of what is left. */
    private boolean bothEnds() {
        return world.limits().tearing() == ExplorationLimits.Tearing.FROM_BOTH_ENDS;
    }

    /** Whether the next request could as well begin with its last word, or go on with the last of those that are left. */
    boolean canReverse() {
        if (!canServe() || (steps > 0 && !bothEnds()) || broken) {
            return false;
        }
        Request request = requests.get(served);
        return request.operation <= Request.WRITE && effects.steps(request) - steps > 1;
    }

    /** Whether a word could land of a WRITE that overtakes the one before it. */
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
                        || world.faults().isAnswered(this));
    }

    boolean has() {
        return !closed && taken < delivered;
    }

    /** Whether its owner has polled others for more than two rounds since: then it is taken not to come back while they have nothing. */
    boolean isForgotten() {
        return owner.polls - polledAt > 2 * owner.queuePairs.size();
    }

    /** Signaled requests that have not completed. */
    int signaledUnderWay() {
        return signaledUnderWay;
    }

    int undelivered() {
        return completed.size() - delivered;
    }

    /** Whether requests of a dead client, or of a broken connection, are left that the other end has not begun. */
    boolean canLose() {
        return steps == 0 && (arriving < left || (owner.crashed && served < posted));
    }

    /** Whether the card has anything left to do. */
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

    /** The server that it leads to, or {@link #ACCEPTED}. */
    int server() {
        return server;
    }

    /** Whether its connection has broken. */
    boolean isCut() {
        return cut;
    }

    /** Whether its connection can break so that its owner notices: something is under way. */
    boolean canBreak() {
        return server != ACCEPTED && isAtWork();
    }

    private boolean isAtWork() {
        return !broken && (served < posted || undelivered() > 0 || unfilled() > 0);
    }

    /** Whether its end comes of itself: nothing arrives, or no answer comes, or the other end has given it up. */
    boolean canGiveUp() {
        return isAtWork()
                && (!world.faults().reaches(this) || !world.faults().isAnswered(this) || (peer != null && peer.cut));
    }

    /**
     * Its connection breaks. Requests under way end with an error, those as well that have taken effect and whose acknowledgement has
     * not come.
     *
     * @param stays whether the server's end stays, so that what has left the card may still arrive
     */
    void cut(boolean stays) {
        if (broken) {
            // Nothing breaks twice, but the machine may fail at which something would have arrived.
            arriving = left;
            steps = 0;
            return;
        }
        cut = true;
        effects.cut();
        stepsAhead = 0; // what arrives late lands again
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

    /** What only comes back is nobody's any more. */
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

    /** RECEIVEs that no message has met. */
    int unfilled() {
        return receives.size() - filled;
    }

    /** Lets the next request, or its next word, take effect. */
    void serve(boolean fromTheEnd, boolean wordByWord) {
        if (arriving < left) {
            arrive(wordByWord);
            return;
        }
        Request request = requests.get(served);
        if (broken) {
            request.status = nextError();
        } else {
            request.status = effects.statusOf(request); // for each word: its region may be deregistered meanwhile
        }
        if (request.status == Status.SUCCESS) {
            if (!takesEffect(request, fromTheEnd, wordByWord)) {
                return;
            }
        } else {
            world.timeline().add(owner, () -> request.words(world) + " ends: " + request.status.words());
        }
        steps = stepsAhead;
        stepsAhead = 0;
        served++;
        complete(request);
    }

    /** A request of a broken connection takes effect at the server, or its next word; nobody is told. */
    private void arrive(boolean wordByWord) {
        Request request = requests.get(arriving);
        if (effects.statusOf(request) != Status.SUCCESS) {
            world.timeline().add(owner, () -> "arrives late and is refused: " + request.words(world));
            lose(); // the server's end is in error now
            steps = 0;
        } else if (takesEffect(request, false, wordByWord)) {
            steps = 0;
            arriving++;
            skipWithoutEffect();
        }
    }

    /** A request, or its next word, takes effect; whether it is done. */
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

    /** A message arrives; how it ends for who sent it, unless it is told of a break instead. */
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
        world.timeline().add(owner, () -> request.words(world));
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

    /** Nothing of this queue pair can succeed any more. */
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
                throw new FabricException("waits for a completion, but nothing is posted");
            }
            owner.block(Program.Wait.COMPLETION, this);
        } else {
            owner.waitsNot();
        }
        return take(into);
    }

    @Override
    public int await(Completions into, long untilNs) {
        into.clear();
        if (!has()) {
            owner.blockUntil(Program.Wait.COMPLETION, this, untilNs);
        } else {
            owner.waitsNot();
        }
        return take(into);
    }

    /** Whether nothing is posted that could complete. */
    boolean isIdle() {
        return closed || (retired == requests.size() && received == receives.size());
    }

    /** Adds what has been delivered; its number. */
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
            throw new IllegalStateException("the bytes that a " + request.words(world)
                    + " brings were changed before its completion was polled");
        }
    }

    /** Everything that decides what this queue pair will do, given what its owner has posted. */
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

    /** Whose it is and which of his: what tells queue pairs apart. */
    long place() {
        return (long) owner.index << 32 | number;
    }

    /** Nothing comes from a broken queue pair any more. What is under way where connections may break may still arrive. */
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
