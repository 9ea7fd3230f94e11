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
public final class MessagingThread implements MessageExchange.Handler, Questions.Turn, LoadLoop.Operations {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    // Kinds of messages. The first word contains the kind and, in its lower half, the slot of the request.
    private static final int REQUEST = 1;
    private static final int ANSWER = 2;
    /** The sender sends no further requests. */
    private static final int BYE = 3;
    /** One-way message without a reply. */
    private static final int TOLD = 4;

    /** Maximum number of one-way messages waiting for space. */
    private static final int MAX_TOLD = 16;

    /** Delay until a woken operation resumes, in ns. */
    private static final long SOON_NS = 1000;

    private static final int KIND_SHIFT = 32;

    private static final int HEADER_BYTES = Long.BYTES;

    /** Power of two, since queues allocate such sizes; with this limit, those of 640 threads with 19 machines each fit the heap. */
    private static final int MAX_SEND_QUEUE = 256;

    /** Maximum wait for messages before the clock is checked again, in ns. */
    private static final long LOOK_NS = 100_000;

    private static final long NEVER = Long.MAX_VALUE;

    private final Client client;
    private final Parameters plan;
    private final SampledInterval interval;
    private final Counts counts;
    private final LoadLoop loop;
    private final int machine;
    private final Questions questions;
    private final MessageExchange messages;
    private final MemorySegment message;

    private final long[] words;
    private final int readsAtOnce;
    /** Messages waiting for ring space, by machine. */
    private final WaitingMessages[] waiting;
    /** Number of machines that may send further requests. */
    private int asking;

    // By slot.
    private final int[] unanswered;
    private final boolean[] wrong;
    /** Time at which the operation resumes; {@link #NEVER} for one that does not wait. */
    private final long[] resumeNs;

    /** Number of unanswered requests by slot and machine; used only if machines may be lost. */
    private final int[] askedOf;

    private final boolean[] hasSaidBye;
    private final boolean[] isLost;
    private int resuming;
    // Origin of a request that is being served, by slot. These slots are numbered after those of operations.
    private final int[] servedMachine;
    private final int[] servedSlot;
    private final int[] freeToServe;
    private int freeServed;
    private int slotThatAsks;

    MessagingThread(Client client, Parameters plan, Questions questions, SampledInterval interval, Counts counts)
            throws FabricException {
        this.client = client;
        this.plan = plan;
        this.interval = interval;
        this.counts = counts;
        this.loop = new LoadLoop(client, interval, counts, plan.inFlight(), LoadLoop.Reporting.AFTER_TEST, this);
        MessagingThreads.ThreadNumber own = plan.threads().apply(client.index());
        this.machine = own.machine();
        this.questions = questions;
        this.words = new long[questions.maxWords()];
        this.message = client.allocate(maxMessageBytes(questions));
        this.readsAtOnce = questions.readsAtOnce();
        this.messages =
                plan.messages().of(client, own, readsAtOnce * plan.inFlight(), maxMessageBytes(questions), this);
        this.waiting = new WaitingMessages[plan.machines()];
        for (int i = 0; i < waiting.length; i++) {
            int most = maxWaiting(plan.inFlight() * questions.questionsAtOnce());
            int told = questions.survives() ? MAX_TOLD : 0;
            waiting[i] = new WaitingMessages(most + 2 * questions.maxServed() + told, words.length);
        }
        this.asking = waiting.length - 1;
        int slots = plan.inFlight() + questions.maxServed();
        this.unanswered = new int[slots];
        this.wrong = new boolean[slots];
        this.askedOf = new int[questions.survives() ? slots * plan.machines() : 0];
        this.hasSaidBye = new boolean[plan.machines()];
        this.isLost = new boolean[plan.machines()];
        this.resumeNs = new long[slots];
        Arrays.fill(resumeNs, NEVER);
        this.servedMachine = new int[questions.maxServed()];
        this.servedSlot = new int[questions.maxServed()];
        this.freeToServe = new int[questions.maxServed()];
        for (freeServed = 0; freeServed < freeToServe.length; freeServed++) {
            freeToServe[freeServed] = plan.inFlight() + freeServed;
        }
    }

    private static int maxMessageBytes(Questions questions) {
        int max = questions.maxWords();
        return maxMessageBytes(questions.questionBytes(max), questions.answerBytes(max));
    }

    public static int maxMessageBytes(int questionBytes, int answerBytes) {
        return HEADER_BYTES + Math.max(questionBytes, answerBytes);
    }

    /**
     * Returns the maximum number of messages waiting for space to one machine: this thread's requests, replies to the
     * other's, and the final message.
     */
    public static int maxWaiting(int inFlight) {
        return 2 * inFlight + 1;
    }

    /** Returns the off-heap bytes that a thread needs to encode and receive messages. */
    public static long localBytes(int maxMessageBytes, RingLayout ring) {
        return (long) maxMessageBytes + ring.maxMessageBytes();
    }

    /**
     * Returns the send-queue length to a machine: messages in flight and one ring head, at most {@value #MAX_SEND_QUEUE}. Further messages
     * wait.
     */
    public static int sendQueue(int inFlight, RingLayout ring) {
        return Math.min(Math.min(maxWaiting(inFlight), ring.maxMessages()) + 1, MAX_SEND_QUEUE);
    }

    /** Executes operations until the run ends and no machine sends further requests. */
    void run() throws FabricException {
        loop.run();
        while (!questions.mayLeave()) {
            poll();
        }
        questions.over(counts);
        for (int other = 0; other < waiting.length; other++) {
            if (other != machine) {
                send(other, word(BYE, 0), words, 0);
            }
        }
        while (asking > 0 || !messages.areIdle() || anythingWaits()) {
            poll();
        }
        questions.done(counts);
    }

    private void poll() throws FabricException {
        poll(client.nowNs() + LOOK_NS);
    }

    private void poll(long untilThenNs) throws FabricException {
        long untilNs = Math.min(untilThenNs, questions.turn(this));
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
                slotThatAsks = slot;
                wrong[slot] |= !questions.resume(slot, this);
                answered(slot);
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

    private boolean anythingWaits() {
        for (WaitingMessages each : waiting) {
            if (!each.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /**
     * {@inheritDoc} A new operation starts as soon as one has ended, before requests are served, so the number of operations in
     * flight is constant. By Little's law this agrees with the printed latencies (FaRM 2014, abstract, sections 4.2 and 4.4: 5120
     * operations on 20 machines at 167, 146 and 126 M/s).
     */
    @Override
    public int begin(int slot) throws FabricException {
        slotThatAsks = slot;
        unanswered[slot] = 1; // keeps the operation open while it starts
        wrong[slot] = !questions.begin(slot, this);
        answered(slot);
        return questions.things();
    }

    /** Serves messages, without waiting for them if load is kept up and no operation is in flight. */
    @Override
    public void advance(long turnNs) throws FabricException {
        poll(!loop.keepsLoad() || loop.underWay() > 0 ? client.nowNs() + LOOK_NS : turnNs);
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
    public void ask(int other, long[] asked, int count) throws FabricException {
        unanswered[slotThatAsks]++;
        asked(slotThatAsks, other, 1);
        client.spendCpu(client.cpuCosts().messagePs());
        if (isSampled(slotThatAsks)) {
            counts.add(Counter.REQUESTS, 2);
        }
        send(other, word(REQUEST, slotThatAsks), asked, count);
    }

    @Override
    public void read(int part, int other, RemoteRegion region, long offset, long to, int bytes) throws FabricException {
        unanswered[slotThatAsks]++;
        asked(slotThatAsks, other, 1);
        if (isSampled(slotThatAsks)) {
            counts.add(Counter.REQUESTS, 1);
            counts.add(Counter.PAYLOAD_BYTES, bytes);
        }
        messages.read(slotThatAsks * readsAtOnce + part, other, region, offset, to, bytes);
    }

    private void asked(int slot, int other, int more) {
        if (askedOf.length > 0) {
            askedOf[slot * plan.machines() + other] += more;
        }
    }

    @Override
    public void tell(int other, long[] told, int count) throws FabricException {
        client.spendCpu(client.cpuCosts().messagePs());
        send(other, word(TOLD, 0), told, count);
    }

    @Override
    public boolean isAlone() {
        return unanswered[slotThatAsks] == 1;
    }

    @Override
    public boolean isBusy(int slot) {
        return unanswered[slot] > 0;
    }

    @Override
    public void wake(int slot) {
        if (resumeNs[slot] == NEVER) {
            slotThatAsks = slot;
            waitFor(SOON_NS);
        }
    }

    @Override
    public void lose(int other) {
        isLost[other] = true;
        for (int slot = 0; slot < unanswered.length; slot++) {
            unanswered[slot] -= askedOf[slot * plan.machines() + other];
            askedOf[slot * plan.machines() + other] = 0;
        }
        asking -= hasSaidBye[other] ? 0 : 1;
        messages.lose(other);
        while (!waiting[other].isEmpty()) {
            waiting[other].remove();
        }
    }

    @Override
    public void read(int number, int from) throws FabricException {
        int slot = number / readsAtOnce;
        asked(slot, from, -1);
        slotThatAsks = slot;
        wrong[slot] |= !questions.takeRead(slot, number % readsAtOnce, this);
        answered(slot);
        loop.fill();
    }

    @Override
    public void waitFor(long ns) {
        unanswered[slotThatAsks]++;
        resumeNs[slotThatAsks] = client.nowNs() + ns;
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
        switch (kind(first)) {
            case REQUEST -> {
                int count = questions.takeQuestion(received, HEADER_BYTES, bytes - HEADER_BYTES, words);
                if (questions.serves(words, count)) {
                    serve(from, slot, count);
                } else {
                    send(from, word(ANSWER, slot), words, count);
                }
            }
            case ANSWER -> {
                asked(slot, from, -1);
                slotThatAsks = slot;
                wrong[slot] |= !questions.takeAnswer(slot, from, received, HEADER_BYTES, bytes - HEADER_BYTES, this);
                answered(slot);
                loop.fill();
            }
            case BYE -> {
                hasSaidBye[from] = true;
                asking--;
            }
            case TOLD -> {
                int count = questions.takeQuestion(received, HEADER_BYTES, bytes - HEADER_BYTES, words);
                questions.told(from, words, count);
            }
            default -> throw new IllegalStateException("unknown message kind " + Long.toHexString(first));
        }
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
        slotThatAsks = slot;
        unanswered[slot] = 1; // keeps the operation open while it starts
        questions.serve(slot, words, count, this);
        answered(slot);
    }

    private void answerServed(int slot) throws FabricException {
        int of = slot - plan.inFlight();
        if (wrong[slot]) {
            counts.wrongAnswer(() -> wrongAnswer("an operation served for machine " + servedMachine[of]));
            wrong[slot] = false;
        }
        freeToServe[freeServed++] = slot;
        int count = questions.served(slot, words);
        send(servedMachine[of], word(ANSWER, servedSlot[of]), words, count);
    }

    /** Completes one part of a slot's operation, and the operation if it was the last. */
    private void answered(int slot) throws FabricException {
        if (--unanswered[slot] > 0) {
            return;
        }
        if (slot >= plan.inFlight()) {
            answerServed(slot);
            return;
        }
        long nowNs = client.nowNs();
        long latencyNs = loop.ended(slot, nowNs, questions.things());
        questions.ended(slot);
        if (wrong[slot]) {
            counts.wrongAnswer(() -> wrongAnswer("its operation started at " + loop.beganNs(slot) + " ns"));
        }
        if (latencyNs != LoadLoop.NOT_SAMPLED) {
            questions.count(counts, slot, latencyNs);
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
                    case REQUEST, TOLD -> questions.questionBytes(count);
                    case ANSWER -> questions.answerBytes(count);
                    default -> 0;
                };
        if (!messages.hasRoom(to, bytes)) {
            return false;
        }
        message.set(WORD, 0, first);
        switch (kind(first)) {
            case REQUEST, TOLD -> questions.putQuestion(asked, count, message, HEADER_BYTES);
            case ANSWER -> questions.putAnswer(asked, count, message, HEADER_BYTES);
            default -> {}
        }
        messages.send(to, message, bytes);
        return true;
    }
}
