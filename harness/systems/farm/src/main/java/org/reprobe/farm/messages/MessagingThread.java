package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.messages.MessagingThreads.Parameters;
import org.reprobe.remote.LoadLoop;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.sample.SampledInterval;
import org.reprobe.system.Counts;

/**
 * Event loop of a thread: keeps operations in flight, serves requests and processes replies. A request contains its
 * slot, which the reply repeats.
 */
public final class MessagingThread implements MessageExchange.Handler, RemoteRequests.Iteration, LoadLoop.Operations {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    // Kinds of messages. The first word contains the kind and, in its lower half, the slot of the request.
    private static final int REQUEST = 1;
    private static final int REPLY = 2;
    /** The sender sends no further requests. */
    private static final int END_OF_REQUESTS = 3;
    /** One-way message without a reply. */
    private static final int ONE_WAY = 4;
    /** First message to a restarted machine. */
    private static final int CONNECTED = 5;

    /** Maximum number of one-way messages waiting for space. */
    private static final int MAX_ONE_WAY = 16;

    /** Delay until a woken operation resumes, in ns. */
    private static final long WAKE_NS = 1000;

    private static final int KIND_SHIFT = 32;

    private static final int HEADER_BYTES = Long.BYTES;

    /**
     * Power of two, since queues allocate such sizes; with this limit, those of 640 threads with 19 machines each fit
     * the heap.
     */
    private static final int MAX_SEND_QUEUE = 256;

    /** Maximum wait for messages before the clock is checked again, in ns. */
    private static final long POLL_NS = 100_000;

    private static final long NEVER = Long.MAX_VALUE;

    private final Client client;
    private final Parameters plan;
    private final SampledInterval interval;
    private final Counts counts;
    private final LoadLoop loop;
    private final int machine;
    private final RemoteRequests requests;
    private final MessageExchange messages;
    private final MemorySegment message;

    private final long[] words;
    private final int readsAtOnce;
    /** Messages waiting for ring space, by machine. */
    private final WaitingMessages[] waiting;
    /** Number of machines that may send further requests. */
    private int requesters;

    // By slot.
    private final int[] pending;
    private final boolean[] wrong;
    /** Time at which the operation resumes; {@link #NEVER} for one that does not wait. */
    private final long[] resumeNs;

    /** Number of unanswered requests by slot and machine; used only if machines may be lost. */
    private final int[] pendingByMachine;

    private final boolean[] hasEnded;
    private final boolean[] isLost;
    private int resuming;
    // Origin of a request that is being served, by slot. These slots are numbered after those of operations.
    private final int[] servedMachine;
    private final int[] servedSlot;
    private final int[] freeToServe;
    private int freeServed;
    private int currentSlot;

    MessagingThread(Client client, Parameters plan, RemoteRequests requests, SampledInterval interval, Counts counts)
            throws FabricException {
        this.client = client;
        this.plan = plan;
        this.interval = interval;
        this.counts = counts;
        this.loop = new LoadLoop(client, interval, counts, plan.inFlight(), LoadLoop.Reporting.AFTER_TEST, this);
        MessagingThreads.ThreadNumber own = plan.threads().apply(client.index());
        this.machine = own.machine();
        this.requests = requests;
        this.words = new long[requests.maxWords()];
        this.message = client.allocate(maxMessageBytes(requests));
        this.readsAtOnce = requests.maxReads();
        this.messages = plan.messages().of(client, own, readsAtOnce * plan.inFlight(), maxMessageBytes(requests), this);
        this.waiting = new WaitingMessages[plan.machines()];
        for (int i = 0; i < waiting.length; i++) {
            int toOne = maxWaiting(plan.inFlight() * requests.maxRequests());
            int oneWay = requests.toleratesLoss() ? MAX_ONE_WAY : 0;
            waiting[i] = new WaitingMessages(toOne + 2 * requests.maxServed() + oneWay, words.length);
        }
        this.requesters = waiting.length - 1;
        int slots = plan.inFlight() + requests.maxServed();
        this.pending = new int[slots];
        this.wrong = new boolean[slots];
        this.pendingByMachine = new int[requests.toleratesLoss() ? slots * plan.machines() : 0];
        this.hasEnded = new boolean[plan.machines()];
        this.isLost = new boolean[plan.machines()];
        this.resumeNs = new long[slots];
        Arrays.fill(resumeNs, NEVER);
        this.servedMachine = new int[requests.maxServed()];
        this.servedSlot = new int[requests.maxServed()];
        this.freeToServe = new int[requests.maxServed()];
        for (freeServed = 0; freeServed < freeToServe.length; freeServed++) {
            freeToServe[freeServed] = plan.inFlight() + freeServed;
        }
    }

    private static int maxMessageBytes(RemoteRequests requests) {
        int max = requests.maxWords();
        return maxMessageBytes(requests.requestBytes(max), requests.replyBytes(max));
    }

    public static int maxMessageBytes(int requestBytes, int replyBytes) {
        return HEADER_BYTES + Math.max(requestBytes, replyBytes);
    }

    /** Returns the maximum number of messages waiting for one machine: requests, replies and the final message. */
    public static int maxWaiting(int inFlight) {
        return 2 * inFlight + 1;
    }

    /** Returns the off-heap bytes that a thread needs to encode and receive messages. */
    public static long localBytes(int maxMessageBytes, RingLayout ring) {
        return (long) maxMessageBytes + ring.maxMessageBytes();
    }

    /**
     * Returns the send-queue length to a machine: messages in flight and one ring head, at most
     * {@value #MAX_SEND_QUEUE}. Further messages wait.
     */
    public static int sendQueue(int inFlight, RingLayout ring) {
        return Math.min(Math.min(maxWaiting(inFlight), ring.maxMessages()) + 1, MAX_SEND_QUEUE);
    }

    /** Executes operations until the run ends and no machine sends further requests. */
    void run() throws FabricException {
        loop.run();
        while (!requests.mayLeave()) {
            poll();
        }
        requests.addTotals(counts);
        for (int other = 0; other < waiting.length; other++) {
            if (other != machine) {
                send(other, word(END_OF_REQUESTS, 0), words, 0);
            }
        }
        while (requesters > 0 || !messages.areIdle() || hasWaiting()) {
            poll();
        }
        requests.addFinalChecks(counts);
    }

    private void poll() throws FabricException {
        poll(client.nowNs() + POLL_NS);
    }

    private void poll(long untilThenNs) throws FabricException {
        long untilNs = Math.min(untilThenNs, requests.beginIteration(this));
        if (resuming == 0) {
            turn(untilNs);
            return;
        }
        long firstNs = untilNs;
        for (long each : resumeNs) {
            firstNs = Math.min(firstNs, each);
        }
        turn(firstNs);
        long nowNs = client.nowNs();
        for (int slot = 0; slot < resumeNs.length; slot++) {
            if (resumeNs[slot] <= nowNs) {
                resumeNs[slot] = NEVER;
                resuming--;
                currentSlot = slot;
                wrong[slot] |= !requests.resume(slot, this);
                completePart(slot);
                loop.fill();
            }
        }
    }

    private void turn(long untilNs) throws FabricException {
        messages.poll(untilNs);
        if (interval.counts()) {
            counts.add(Counter.POLL_PS, messages.turnPs());
        }
    }

    private boolean hasWaiting() {
        for (WaitingMessages each : waiting) {
            if (!each.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /**
     * {@inheritDoc} A new operation starts as soon as one has ended, before requests are served, so the number of
     * operations in flight is constant. By Little's law this agrees with the printed latencies (FaRM 2014, abstract,
     * sections 4.2 and 4.4: 5120 operations on 20 machines at 167, 146 and 126 M/s).
     */
    @Override
    public int begin(int slot) throws FabricException {
        currentSlot = slot;
        pending[slot] = 1; // keeps the operation open while it starts
        wrong[slot] = !requests.begin(slot, this);
        completePart(slot);
        return requests.keysPerOperation();
    }

    /** Serves messages, without waiting for them if load is kept up and no operation is in flight. */
    @Override
    public void advance(long turnNs) throws FabricException {
        poll(!loop.keepsLoad() || loop.underWay() > 0 ? client.nowNs() + POLL_NS : turnNs);
    }

    /** Returns false: threads of other machines may still send requests. */
    @Override
    public boolean mayLeave() {
        return false;
    }

    private boolean isSampled(int slot) {
        return slot < plan.inFlight() && loop.isSampled(slot);
    }

    @Override
    public void sendRequest(int other, long[] asked, int count) throws FabricException {
        pending[currentSlot]++;
        addPending(currentSlot, other, 1);
        client.spendCpu(client.cpuCosts().messagePs());
        if (isSampled(currentSlot)) {
            counts.add(Counter.REQUESTS, 2);
        }
        send(other, word(REQUEST, currentSlot), asked, count);
    }

    @Override
    public void read(int part, int other, RemoteRegion region, long offset, long to, int bytes) throws FabricException {
        pending[currentSlot]++;
        addPending(currentSlot, other, 1);
        if (isSampled(currentSlot)) {
            counts.add(Counter.REQUESTS, 1);
            counts.add(Counter.PAYLOAD_BYTES, bytes);
        }
        messages.read(currentSlot * readsAtOnce + part, other, region, offset, to, bytes);
    }

    private void addPending(int slot, int other, int more) {
        if (pendingByMachine.length > 0) {
            pendingByMachine[slot * plan.machines() + other] += more;
        }
    }

    @Override
    public void sendOneWay(int other, long[] oneWay, int count) throws FabricException {
        client.spendCpu(client.cpuCosts().messagePs());
        send(other, word(ONE_WAY, 0), oneWay, count);
    }

    @Override
    public boolean isLastInFlight() {
        return pending[currentSlot] == 1;
    }

    @Override
    public boolean isBusy(int slot) {
        return pending[slot] > 0;
    }

    @Override
    public void wake(int slot) {
        if (resumeNs[slot] == NEVER) {
            currentSlot = slot;
            waitFor(WAKE_NS);
        }
    }

    @Override
    public void exclude(int other) {
        isLost[other] = true;
        for (int slot = 0; slot < pending.length; slot++) {
            pending[slot] -= pendingByMachine[slot * plan.machines() + other];
            pendingByMachine[slot * plan.machines() + other] = 0;
        }
        requesters -= hasEnded[other] ? 0 : 1;
        messages.exclude(other);
        while (!waiting[other].isEmpty()) {
            waiting[other].remove();
        }
    }

    @Override
    public void read(int number, int from) throws FabricException {
        int slot = number / readsAtOnce;
        addPending(slot, from, -1);
        currentSlot = slot;
        wrong[slot] |= !requests.readCompleted(slot, number % readsAtOnce, this);
        completePart(slot);
        loop.fill();
    }

    @Override
    public void waitFor(long ns) {
        pending[currentSlot]++;
        resumeNs[currentSlot] = client.nowNs() + ns;
        resuming++;
    }

    @Override
    public void received(int from, MemorySegment received, int bytes) throws FabricException {
        if (isLost[from]) {
            return;
        }
        long first = received.get(WORD, 0);
        int slot = (int) first;
        client.spendCpu(client.cpuCosts().messagePs());
        spendCopying(bytes);
        switch (kind(first)) {
            case REQUEST -> {
                int count = requests.decodeRequest(received, HEADER_BYTES, bytes - HEADER_BYTES, words);
                if (requests.isDeferred(words, count)) {
                    serve(from, slot, count);
                } else {
                    send(from, word(REPLY, slot), words, count);
                }
            }
            case REPLY -> {
                addPending(slot, from, -1);
                currentSlot = slot;
                wrong[slot] |= !requests.replyReceived(slot, from, received, HEADER_BYTES, bytes - HEADER_BYTES, this);
                completePart(slot);
                loop.fill();
            }
            case END_OF_REQUESTS -> {
                hasEnded[from] = true;
                requesters--;
            }
            case ONE_WAY -> {
                int count = requests.decodeRequest(received, HEADER_BYTES, bytes - HEADER_BYTES, words);
                requests.oneWayReceived(from, words, count);
            }
            case CONNECTED -> {
                // The exchange sends messages from now on.
            }
            default -> throw new IllegalStateException("unknown message kind " + Long.toHexString(first));
        }
    }

    @Override
    public boolean reconnect(int other, RemoteRegion region) throws FabricException {
        for (int of = 0; of < servedMachine.length; of++) {
            if (servedMachine[of] == other && pending[plan.inFlight() + of] > 0) {
                return false;
            }
        }
        messages.reconnect(other, region);
        isLost[other] = false;
        send(other, word(CONNECTED, 0), words, 0);
        return true;
    }

    @Override
    public void admit(int other) {
        hasEnded[other] = false;
        requesters++;
    }

    @Override
    public MessageExchange.Copies copies() {
        return messages.copies();
    }

    private static long word(int kind, int slot) {
        return (long) kind << KIND_SHIFT | slot;
    }

    private static int kind(long first) {
        return (int) (first >>> KIND_SHIFT);
    }

    private void serve(int from, int asked, int count) throws FabricException {
        int slot = freeToServe[--freeServed];
        servedMachine[slot - plan.inFlight()] = from;
        servedSlot[slot - plan.inFlight()] = asked;
        currentSlot = slot;
        pending[slot] = 1; // keeps the operation open while it starts
        requests.serve(slot, words, count, this);
        completePart(slot);
    }

    private void replyToServed(int slot) throws FabricException {
        int of = slot - plan.inFlight();
        if (wrong[slot]) {
            counts.wrongAnswer(() -> wrongAnswer("an operation served for machine " + servedMachine[of]));
            wrong[slot] = false;
        }
        freeToServe[freeServed++] = slot;
        int count = requests.servedWords(slot, words);
        send(servedMachine[of], word(REPLY, servedSlot[of]), words, count);
    }

    /** Completes one part of a slot's operation, and the operation if it was the last. */
    private void completePart(int slot) throws FabricException {
        if (--pending[slot] > 0) {
            return;
        }
        if (slot >= plan.inFlight()) {
            replyToServed(slot);
            return;
        }
        long nowNs = client.nowNs();
        long latencyNs = loop.ended(slot, nowNs, requests.keysPerOperation());
        requests.release(slot);
        if (wrong[slot]) {
            counts.wrongAnswer(() -> wrongAnswer("its operation started at " + loop.beganNs(slot) + " ns"));
        }
        if (latencyNs != LoadLoop.NOT_SAMPLED) {
            requests.count(counts, slot, latencyNs);
        }
    }

    private String wrongAnswer(String operation) {
        return "client %d got a wrong reply for %s, at %d ns".formatted(client.index(), operation, client.nowNs());
    }

    /** Sends a message after those that wait already, once there is space. */
    private void send(int to, long first, long[] asked, int count) throws FabricException {
        if (!waiting[to].isEmpty() || !sendNow(to, first, asked, count)) {
            waiting[to].add(first, asked, count);
        }
    }

    @Override
    public void room(int to) throws FabricException {
        WaitingMessages queue = waiting[to];
        while (!queue.isEmpty() && sendNow(to, queue.first(), words, queue.words(words))) {
            queue.remove();
        }
    }

    private boolean sendNow(int to, long first, long[] asked, int count) throws FabricException {
        int bytes = HEADER_BYTES
                + switch (kind(first)) {
                    case REQUEST, ONE_WAY -> requests.requestBytes(count);
                    case REPLY -> requests.replyBytes(count);
                    default -> 0;
                };
        if (!messages.hasRoom(to, bytes)) {
            return false;
        }
        message.set(WORD, 0, first);
        switch (kind(first)) {
            case REQUEST, ONE_WAY -> requests.encodeRequest(asked, count, message, HEADER_BYTES);
            case REPLY -> requests.encodeReply(asked, count, message, HEADER_BYTES);
            default -> {}
        }
        spendCopying(bytes);
        messages.send(to, message, bytes);
        return true;
    }

    private void spendCopying(int bytes) {
        client.spendCpu(bytes * client.cpuCosts().messageBytePs());
    }
}
