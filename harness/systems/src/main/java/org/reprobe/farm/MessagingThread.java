package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.farm.RandomMessages.Parameters;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.workload.Rng;

/**
 * A thread's event loop: it keeps requests for blocks under way, serves those of others and takes the answers to its own. A request says
 * which it is and which block it wants; an answer says which request it answers, and has the block.
 */
final class MessagingThread implements Messages.Handler {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    // Kinds of messages. The first word of one has its kind, and below that the request's slot.
    private static final int REQUEST = 1;
    private static final int ANSWER = 2;
    /** Its sender asks for nothing more. */
    private static final int BYE = 3;

    private static final int KIND_SHIFT = 32;

    /** Of a request and of a good-bye: the second word says which block. */
    private static final int REQUEST_BYTES = 2 * Long.BYTES;

    /** Without messages the thread looks at the clock so often. */
    private static final long LOOK_NS = 100_000;

    private final Client client;
    private final Parameters plan;
    private final SampledInterval interval;
    private final Counts counts;
    private final Rng random;
    private final int machine;
    private final MemorySegment memory;
    private final Messages messages;
    private final MemorySegment request;
    private final MemorySegment answer;
    /** By machine: what waits for room in the ring to it. */
    private final WaitingMessages[] waiting;
    /** Machines that may ask for more. */
    private int asking;

    // By slot, of the request that has it.
    private final long[] beganNs;
    private final long[] offsets;
    private final boolean[] sampled;
    private final int[] freeSlots;
    private int free;
    private int sampledUnderWay;
    private boolean sampleEnded;

    MessagingThread(Client client, Parameters plan, SampledInterval interval, Counts counts) throws FabricException {
        this.client = client;
        this.plan = plan;
        this.interval = interval;
        this.counts = counts;
        this.random = new Rng(plan.seed(), client.index());
        RandomMessages.ThreadNumber own = plan.threads().apply(client.index());
        this.machine = own.machine();
        this.memory = plan.memories().get(machine);
        this.request = client.allocate(REQUEST_BYTES);
        this.answer = client.allocate(answerBytes(plan.blockBytes()));
        this.messages = new Messages(
                client,
                plan.places(),
                machine,
                own.thread(),
                memory,
                plan.regions(),
                plan.options().apply(client.index()),
                this);
        this.waiting = new WaitingMessages[plan.regions().size()];
        for (int i = 0; i < waiting.length; i++) {
            waiting[i] = new WaitingMessages(maxWaiting(plan.inFlight()));
        }
        this.asking = waiting.length - 1;
        this.beganNs = new long[plan.inFlight()];
        this.offsets = new long[plan.inFlight()];
        this.sampled = new boolean[plan.inFlight()];
        this.freeSlots = new int[plan.inFlight()];
        for (free = 0; free < plan.inFlight(); free++) {
            freeSlots[free] = free;
        }
    }

    private static int answerBytes(int blockBytes) {
        return Long.BYTES + blockBytes;
    }

    /** The longest message. */
    static int maxMessageBytes(int blockBytes) {
        return Math.max(REQUEST_BYTES, answerBytes(blockBytes));
    }

    /** Messages to one machine that may wait for room: all the thread's requests, answers to all of the other one's, and the good-bye. */
    static int maxWaiting(int inFlight) {
        return 2 * inFlight + 1;
    }

    /** Until the run is over and nobody asks for anything more. */
    void run() throws FabricException {
        long lastNs = client.nowNs();
        interval.start(lastNs);
        while (true) {
            long nowNs = client.nowNs();
            interval.begins(nowNs);
            if (interval.ends(nowNs) || interval.isOver()) {
                endSample();
            }
            if (interval.runIsOver()) {
                break;
            }
            int begun = ask();
            interval.began(lastNs, nowNs, begun);
            lastNs = nowNs;
            poll();
        }
        while (free < plan.inFlight()) {
            poll();
        }
        for (int other = 0; other < waiting.length; other++) {
            if (other != machine) {
                send(other, word(BYE, 0), 0);
            }
        }
        while (asking > 0 || !messages.areIdle() || anythingWaits()) {
            poll();
        }
    }

    private void poll() throws FabricException {
        messages.poll(client.nowNs() + LOOK_NS);
    }

    private boolean anythingWaits() {
        for (WaitingMessages each : waiting) {
            if (!each.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private void endSample() {
        if (sampledUnderWay == 0 && !sampleEnded) {
            sampleEnded = true;
            counts.sampled(interval, 0);
            interval.sampleEnded();
        }
    }

    /** Asks for a block with each free slot; their number. */
    private int ask() throws FabricException {
        int asked = 0;
        for (; free > 0; asked++) {
            int slot = freeSlots[--free];
            int other = (int) random.below(waiting.length - 1);
            long offset = random.below(plan.blocks()) * plan.blockBytes();
            offsets[slot] = offset;
            beganNs[slot] = client.nowNs();
            sampled[slot] = interval.counts();
            sampledUnderWay += sampled[slot] ? 1 : 0;
            client.spendCpu(client.cpuCosts().messagePs());
            send(other < machine ? other : other + 1, word(REQUEST, slot), offset);
        }
        return asked;
    }

    @Override
    public void received(int from, MemorySegment message, int bytes) throws FabricException {
        long first = message.get(WORD, 0);
        int slot = (int) first;
        client.spendCpu(client.cpuCosts().messagePs());
        switch (kind(first)) {
            case REQUEST -> send(from, word(ANSWER, slot), message.get(WORD, Long.BYTES));
            case ANSWER -> answered(from, slot, message, bytes);
            case BYE -> asking--;
            default -> throw new IllegalStateException("a message of no known kind: " + Long.toHexString(first));
        }
    }

    private static long word(int kind, int slot) {
        return (long) kind << KIND_SHIFT | slot;
    }

    private static int kind(long first) {
        return (int) (first >>> KIND_SHIFT);
    }

    private void answered(int from, int slot, MemorySegment message, int bytes) {
        long nowNs = client.nowNs();
        freeSlots[free++] = slot;
        interval.ended(beganNs[slot], nowNs, 1);
        if (bytes != answerBytes(plan.blockBytes())
                || !plan.truth().isBlock(from, offsets[slot], plan.blockBytes(), message, Long.BYTES)) {
            counts.add(Counter.WRONG, 1);
        }
        if (sampled[slot]) {
            sampledUnderWay--;
            OperationCounts.operation(counts, false, nowNs - beganNs[slot], 1);
            counts.add(Counter.REQUESTS, 2);
            counts.add(Counter.PAYLOAD_BYTES, plan.blockBytes());
        }
    }

    /** Sends a message once there is room, after those that wait already. */
    private void send(int to, long first, long offset) throws FabricException {
        if (!waiting[to].isEmpty() || !sendNow(to, first, offset)) {
            waiting[to].add(first, offset);
        }
    }

    @Override
    public void room(int to) throws FabricException {
        WaitingMessages queue = waiting[to];
        while (!queue.isEmpty() && sendNow(to, queue.first(), queue.offset())) {
            queue.remove();
        }
    }

    private boolean sendNow(int to, long first, long offset) throws FabricException {
        boolean answers = kind(first) == ANSWER;
        MemorySegment message = answers ? answer : request;
        if (!messages.hasRoom(to, (int) message.byteSize())) {
            return false;
        }
        message.set(WORD, 0, first);
        if (answers) {
            client.accesses(plan.blockBytes());
            MemorySegment.copy(memory, offset, message, Long.BYTES, plan.blockBytes());
        } else {
            message.set(WORD, Long.BYTES, offset);
        }
        messages.send(to, message);
        return true;
    }
}
