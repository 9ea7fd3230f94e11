package org.reprobe.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.WrittenWords;
import org.reprobe.trust.Handshake;

/**
 * Protocol state machine of one end of a connection. It executes the other end's requests in order, sends its own queue
 * pair's requests, and receives their replies. Payloads are copied piece by piece between chunks and the program's
 * memory, so memory per connection does not depend on the sizes of requests.
 *
 * <p>While the reply to a READ waits for room in the {@link Outbox}, no further frame is decoded. For all other replies
 * only counters are kept until there is room. So two ends can't block each other.
 *
 * <p>Confined to one thread, except for {@link #check} and {@link #close}.
 */
final class TcpPeer {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle ATOMIC = LONG.varHandle();
    private static final ValueLayout.OfLong LOCAL_LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int MAX_CREDITS = 1 << 30;

    /** Callbacks of a connection. */
    interface Events {
        /** Server: handles HELLO, which is not authenticated; returns the server's nonce. */
        byte[] hello(MemorySegment memory, long at) throws MalformedFrameException;

        /** Server: verifies the client's proof of the token; returns the server's proof. */
        byte[] proven(byte[] proof) throws MalformedFrameException;

        /** Client: handles the server's nonce; returns the client's proof. */
        byte[] challenged(byte[] nonce) throws MalformedFrameException;

        /** Client: verifies the server's proof of the token. */
        void welcomed(byte[] proof) throws MalformedFrameException;

        void ended(int clients) throws MalformedFrameException;

        /** Closes the connection for the program. Thread-safe. */
        void close();
    }

    private enum Payload {
        SKIPPED,
        WRITE,
        SEND,
        RESPONSE
    }

    private final TcpRegions regions;
    private final Events events;
    private final Outbox outbox;
    private final boolean server;
    private volatile @Nullable String lost;

    private @Nullable TcpQueuePair queue;
    /** Set after the first half of the greeting. */
    private boolean challenged;

    private boolean greeted;
    private boolean closeReceived;
    private boolean producing;

    // Input.
    private Chunk in;
    private int from;
    private int to;
    private boolean paused;
    private Payload payload = Payload.SKIPPED;
    private @Nullable MemorySegment target;
    /** Region that receives the payload of the current WRITE. */
    private TcpRegions.@Nullable Region written;

    private long targetOffset;
    private int payloadLeft;
    private int payloadBytes;

    // Requests of the other end.
    private @Nullable MemorySegment source;
    private long sourceOffset;
    private int responseLeft;
    private boolean refusing;
    private int pendingAcknowledgements;
    private @Nullable Status pendingRefusal;
    private int pendingEnded;
    private boolean brokenPending;
    private boolean heartbeatPending;
    private boolean closePending;
    private long creditsGiven;

    // Own requests: [answered, sent) are in flight.
    private long sent;
    private long completed;
    private int outstanding;
    private long credits;
    private boolean peerBroken;
    private boolean broken;
    private long requestOffset;
    private int requestLeft;

    /** @param server true if the other end must send HELLO first */
    TcpPeer(TcpRegions regions, Events events, Outbox.Wire wire, boolean server) {
        this.regions = regions;
        this.events = events;
        // Unauthenticated connections must cost a server little memory.
        int bytes = server ? Chunk.GREETING_BYTES : Chunk.BYTES;
        this.in = new Chunk(bytes);
        this.outbox = new Outbox(wire, bytes);
        this.server = server;
    }

    /** Attaches the queue pair. At a server, frames may have arrived before. */
    void use(TcpQueuePair queuePair) {
        queue = queuePair;
    }

    @Nullable
    TcpQueuePair queue() {
        return queue;
    }

    // Callable from any thread.

    void check() throws FabricException {
        String why = lost;
        if (why != null) {
            throw new FabricException(why);
        }
    }

    /** Returns the reason of the connection's loss; null while it is up. */
    @Nullable
    String lost() {
        return lost;
    }

    /** Marks the connection as lost; the first reason is kept. */
    void lose(String why) {
        if (lost == null) {
            lost = why;
        }
    }

    void close() {
        events.close();
    }

    /** Flushes posted requests of a lost connection. Called by the thread that drives it. */
    void flushLost() {
        broken = true;
        flushQueues();
    }

    // Input.

    /** Returns the chunk to read into, from {@link #to()} on. The bytes before are not consumed yet. */
    Chunk input() {
        Chunk next = greeted && in.bytes() < Chunk.BYTES ? new Chunk(Chunk.BYTES) : in;
        if (from > 0 || next != in) {
            MemorySegment.copy(in.memory, from, next.memory, 0, to - from);
            to -= from;
            from = 0;
            in = next;
        }
        return in;
    }

    int to() {
        return to;
    }

    /** Consumes new bytes, up to {@code end} of the chunk. */
    void received(int end) throws MalformedFrameException {
        to = end;
        decode();
    }

    /** Returns true if reading must pause. */
    boolean paused() {
        return paused;
    }

    boolean challenged() {
        return challenged;
    }

    boolean greeted() {
        return greeted;
    }

    boolean closeReceived() {
        return closeReceived;
    }

    private void decode() throws MalformedFrameException {
        MemorySegment memory = in.memory;
        paused = false;
        while (from < to) {
            if (payloadLeft > 0) {
                if (!takePayload()) {
                    break;
                }
                continue;
            }
            if (to - from < Frames.WORD_BYTES) {
                break;
            }
            long word = memory.get(Frames.WORD, from);
            int bytes = Frames.headerBytes(word);
            if (to - from < bytes) {
                break;
            }
            if (!take(word, from)) {
                paused = true;
                break;
            }
            from += bytes;
            if (responseLeft > 0) {
                paused = true;
                break;
            }
        }
        if (from == to) {
            from = 0;
            to = 0;
        }
    }

    /** Handles a frame; returns false if there is no room for the reply. */
    private boolean take(long word, int at) throws MalformedFrameException {
        int kind = Frames.kind(word);
        if (!greeted) {
            greet(kind, at);
            return true;
        }
        int number = Frames.number(word);
        switch (kind) {
            case Frames.READ -> {
                return takeRead(number, at);
            }
            case Frames.RESPONSE -> takeResponse(number, Frames.status(word));
            case Frames.ACKNOWLEDGE -> takeAcknowledgement(number);
            case Frames.WRITE -> takeWrite(number, at);
            case Frames.COMPARE_AND_SWAP, Frames.FETCH_AND_ADD -> {
                return takeAtomic(kind, number, at);
            }
            case Frames.SEND -> takeSend(number);
            case Frames.CREDIT -> {
                if (number == 0 || credits + number > MAX_CREDITS) {
                    throw new MalformedFrameException("a credit of " + number);
                }
                credits += number;
            }
            case Frames.BROKEN -> peerBroken = true;
            case Frames.HEARTBEAT -> {
                // Heartbeat: no payload.
            }
            case Frames.CLOSE -> closeReceived = true;
            case Frames.ENDED -> events.ended(number);
            default -> throw new MalformedFrameException("a greeting after the greeting");
        }
        return true;
    }

    private void greet(int kind, int at) throws MalformedFrameException {
        if (server && kind == Frames.HELLO && !challenged) {
            put(Frames.CHALLENGE, events.hello(in.memory, at));
            challenged = true;
        } else if (server && kind == Frames.PROOF && challenged) {
            put(Frames.WELCOME, events.proven(Frames.bytes(in.memory, at + 8, Handshake.PROOF_BYTES)));
            greeted = true;
            outbox.grow();
        } else if (!server && kind == Frames.CHALLENGE && !challenged) {
            put(Frames.PROOF, events.challenged(Frames.bytes(in.memory, at + 8, Handshake.NONCE_BYTES)));
            challenged = true;
        } else if (!server && kind == Frames.WELCOME && challenged) {
            events.welcomed(Frames.bytes(in.memory, at + 8, Handshake.PROOF_BYTES));
            greeted = true;
        } else {
            throw new MalformedFrameException("not the greeting");
        }
    }

    /** Sends a frame of the greeting; as the first output, it always has room. */
    private void put(int kind, byte[] bytes) {
        putWord(Frames.word(kind, 0));
        put(bytes);
    }

    private void put(byte[] bytes) {
        MemorySegment.copy(bytes, 0, outbox.memory(), ValueLayout.JAVA_BYTE, outbox.at(), bytes.length);
        outbox.advance(bytes.length);
    }

    // Requests of the other end.

    private boolean takeRead(int bytes, int at) throws MalformedFrameException {
        if (refusing) {
            return true;
        }
        int key = Frames.key(in.memory, at);
        TcpRegions.Region region = regions.find(in.memory.get(Frames.WORD, at + 8), bytes, key);
        if (region == null) {
            refuse(Status.REMOTE_ACCESS_ERROR);
            return true;
        }
        if (!readyToRespond(Frames.WORD_BYTES)) {
            return false;
        }
        long offset = in.memory.get(Frames.WORD, at + 8) - region.start();
        putWord(Frames.word(Frames.RESPONSE, bytes));
        if (bytes <= outbox.room()) {
            MemorySegment.copy(region.memory(), offset, outbox.memory(), outbox.at(), bytes);
            outbox.advance(bytes);
        } else {
            source = region.memory();
            sourceOffset = offset;
            responseLeft = bytes;
            sendResponse();
        }
        return true;
    }

    private boolean takeAtomic(int kind, int bytes, int at) throws MalformedFrameException {
        if (refusing) {
            return true;
        }
        MemorySegment memory = in.memory;
        if (bytes != Long.BYTES) {
            throw new MalformedFrameException("an atomic of " + bytes + " bytes");
        }
        TcpRegions.Region region = regions.find(memory.get(Frames.WORD, at + 8), bytes, Frames.key(memory, at));
        if (region == null || (memory.get(Frames.WORD, at + 8) & 7) != 0) {
            refuse(Status.REMOTE_ACCESS_ERROR);
            return true;
        }
        if (!readyToRespond(Frames.WORD_BYTES + Long.BYTES)) {
            return false;
        }
        long offset = memory.get(Frames.WORD, at + 8) - region.start();
        long operand = memory.get(Frames.WORD, at + 24);
        long before = kind == Frames.FETCH_AND_ADD
                ? (long) ATOMIC.getAndAdd(region.memory(), offset, operand)
                : (long) ATOMIC.compareAndExchange(region.memory(), offset, operand, memory.get(Frames.WORD, at + 32));
        putWord(Frames.word(Frames.RESPONSE, Long.BYTES));
        outbox.memory().set(LOCAL_LONG, outbox.at(), before);
        outbox.advance(Long.BYTES);
        return true;
    }

    private void takeWrite(int bytes, int at) throws MalformedFrameException {
        if (refusing) {
            expect(Payload.SKIPPED, null, 0, bytes);
            return;
        }
        int key = Frames.key(in.memory, at);
        long address = in.memory.get(Frames.WORD, at + 8);
        TcpRegions.Region region = regions.find(address, bytes, key);
        if (region == null) {
            refuse(Status.REMOTE_ACCESS_ERROR);
            expect(Payload.SKIPPED, null, 0, bytes);
        } else {
            written = region;
            expect(Payload.WRITE, region.memory(), address - region.start(), bytes);
        }
    }

    private void takeSend(int bytes) throws MalformedFrameException {
        TcpQueuePair queuePair = queue;
        if (refusing) {
            expect(Payload.SKIPPED, null, 0, bytes);
        } else if (broken) {
            refuse(Status.REMOTE_INVALID_REQUEST);
            expect(Payload.SKIPPED, null, 0, bytes);
        } else if (queuePair == null || queuePair.receives().filled() == creditsGiven) {
            throw new MalformedFrameException("a SEND for which no RECEIVE is posted");
        } else if (bytes > queuePair.receives().nextBytes()) {
            queuePair.fill(0, Status.LOCAL_LENGTH_ERROR);
            breakDown();
            refuse(Status.REMOTE_INVALID_REQUEST);
            expect(Payload.SKIPPED, null, 0, bytes);
        } else {
            expect(Payload.SEND, queuePair.local, queuePair.receives().nextLocal(), bytes);
        }
    }

    /** Replies with a failure and discards all later requests. */
    private void refuse(Status status) {
        pendingRefusal = status;
        refusing = true;
    }

    /** Returns true if a reply of {@code bytes} bytes fits after all pending control frames. */
    private boolean readyToRespond(int bytes) {
        return requestLeft == 0 && putAcknowledgements() && outbox.ensure(bytes);
    }

    private boolean sendResponse() {
        while (responseLeft > 0) {
            MemorySegment memory = Objects.requireNonNull(source);
            // Room for at least one word, since a word read in two parts would be torn.
            if (!outbox.ensure(Long.BYTES)) {
                return false;
            }
            int part = Math.min(responseLeft, outbox.room());
            if (part < responseLeft) {
                part = (int) WrittenWords.beforeTorn(memory, sourceOffset, part);
            }
            MemorySegment.copy(memory, sourceOffset, outbox.memory(), outbox.at(), part);
            outbox.advance(part);
            sourceOffset += part;
            responseLeft -= part;
        }
        source = null;
        return true;
    }

    // Payloads.

    private void expect(Payload kind, @Nullable MemorySegment memory, long offset, int bytes) {
        payload = kind;
        target = memory;
        targetOffset = offset;
        payloadBytes = bytes;
        payloadLeft = bytes;
        if (bytes == 0) {
            payloadTaken();
        }
    }

    /** Consumes available payload; returns false if less than a whole word, which must not be torn, is left. */
    private boolean takePayload() {
        int part = Math.min(payloadLeft, to - from);
        TcpRegions.Region region = written;
        if (payload == Payload.WRITE && region != null && !regions.holds(region)) {
            refuse(Status.REMOTE_ACCESS_ERROR); // the region was deregistered while the payload arrived
            payload = Payload.SKIPPED;
            target = null;
        }
        MemorySegment memory = target;
        if (memory != null) {
            if (part < payloadLeft) {
                part = (int) WrittenWords.beforeTorn(memory, targetOffset, part);
            }
            if (payload == Payload.WRITE) {
                WrittenWords.land(in.memory, from, memory, targetOffset, part);
            } else {
                MemorySegment.copy(in.memory, from, memory, targetOffset, part);
            }
            targetOffset += part;
        }
        from += part;
        payloadLeft -= part;
        if (payloadLeft == 0) {
            payloadTaken();
        }
        return part > 0;
    }

    private void payloadTaken() {
        target = null;
        written = null;
        switch (payload) {
            case WRITE -> pendingAcknowledgements++;
            case SEND -> {
                if (broken) {
                    refuse(Status.REMOTE_INVALID_REQUEST); // the RECEIVE was flushed meanwhile
                } else {
                    pendingAcknowledgements++;
                    Objects.requireNonNull(queue).fill(payloadBytes, Status.SUCCESS);
                }
            }
            case RESPONSE -> {
                outstanding--;
                completeWithResponse(Status.SUCCESS);
            }
            case SKIPPED -> {
                // Discarded: the request was refused.
            }
        }
    }

    // Replies to own requests.

    private void takeAcknowledgement(int count) throws MalformedFrameException {
        if (broken) {
            return;
        }
        TcpQueuePair queuePair = queue;
        if (queuePair == null || count == 0 || count > sent - completed) {
            throw new MalformedFrameException("an acknowledgement without a request");
        }
        for (int i = 0; i < count; i++) {
            if (queuePair.queue().operation(completed) < Frames.WRITE || (requestLeft > 0 && completed == sent - 1)) {
                throw new MalformedFrameException("an acknowledgement of another request");
            }
            completeWithResponse(Status.SUCCESS);
        }
    }

    private void takeResponse(int bytes, Status status) throws MalformedFrameException {
        if (broken) {
            expect(Payload.SKIPPED, null, 0, bytes);
            return;
        }
        TcpQueuePair queuePair = queue;
        if (queuePair == null || completed == sent) {
            throw new MalformedFrameException("a reply without a request");
        }
        if (status != Status.SUCCESS) {
            if (bytes != 0 || status == Status.FLUSHED) {
                throw new MalformedFrameException("a failure with the status of a success");
            }
            fail(status);
            return;
        }
        if (queuePair.queue().operation(completed) >= Frames.WRITE
                || bytes != queuePair.queue().bytes(completed)) {
            throw new MalformedFrameException("a reply to another request");
        }
        expect(Payload.RESPONSE, queuePair.local, queuePair.queue().localOffset(completed), bytes);
    }

    private void completeWithResponse(Status status) {
        if (!broken) {
            Objects.requireNonNull(queue).complete(completed++, status);
        }
    }

    private void fail(Status status) {
        Objects.requireNonNull(queue).complete(completed++, status);
        breakDown();
    }

    /** Breaks the queue pair and flushes all waiting requests. */
    private void breakDown() {
        if (!broken) {
            broken = true;
            brokenPending = true;
        }
        flushQueues();
    }

    private void flushQueues() {
        TcpQueuePair queuePair = Objects.requireNonNull(queue);
        long posted = queuePair.posted();
        // A payload that was sent in part must be completed: the other end would lose the frame boundary.
        while (completed < posted) {
            queuePair.complete(completed++, Status.FLUSHED);
        }
        sent = completed;
        long receives = queuePair.receives().posted();
        while (queuePair.receives().filled() < receives) {
            queuePair.fill(0, Status.FLUSHED);
        }
        creditsGiven = Math.max(creditsGiven, receives);
    }

    // Output.

    /** Sends HELLO, a client's first frame. */
    void hello(byte[] nonce, byte[] firstProof, int kind, int number) {
        putWord(Frames.word(Frames.HELLO, 0));
        putWord(Frames.MAGIC);
        putWord(Frames.word(kind, number));
        put(nonce);
        put(firstProof);
        outbox.flush();
    }

    void sendHeartbeat() {
        heartbeatPending = outbox.empty();
    }

    void sendClose() {
        closePending = true;
    }

    /** Sends ENDED: at a client the number of ended clients, at a server its acknowledgement. */
    void sendEnded(int clients) {
        pendingEnded += clients;
    }

    /** Returns true if all posted requests are complete. */
    boolean drained() {
        TcpQueuePair queuePair = queue;
        return queuePair == null || broken || completed == queuePair.posted();
    }

    /** Sends as much as possible, and consumes the input that waited for room. */
    void produce() throws MalformedFrameException {
        if (producing) {
            return;
        }
        producing = true;
        try {
            if (sendResponse() && sendRequestPayload() && sendPending()) {
                if (paused) {
                    decode();
                }
                if (responseLeft == 0 && sendPending()) {
                    sendRequests();
                }
            }
            outbox.flush();
        } finally {
            producing = false;
        }
    }

    private void putWord(long word) {
        outbox.memory().set(Frames.WORD, outbox.at(), word);
        outbox.advance(Frames.WORD_BYTES);
    }

    private boolean put(long word) {
        if (!outbox.ensure(Frames.WORD_BYTES)) {
            return false;
        }
        putWord(word);
        return true;
    }

    private boolean putAcknowledgements() {
        if (pendingAcknowledgements > 0) {
            if (!put(Frames.word(Frames.ACKNOWLEDGE, pendingAcknowledgements))) {
                return false;
            }
            pendingAcknowledgements = 0;
        }
        return true;
    }

    private boolean sendPending() {
        if (!putAcknowledgements()) {
            return false;
        }
        Status refusal = pendingRefusal;
        if (refusal != null) {
            if (!put(Frames.word(Frames.RESPONSE, refusal))) {
                return false;
            }
            pendingRefusal = null;
        }
        TcpQueuePair queuePair = queue;
        if (queuePair != null) {
            if (broken) {
                flushQueues();
            } else {
                long posted = queuePair.receives().posted();
                if (posted != creditsGiven) {
                    if (!put(Frames.word(Frames.CREDIT, (int) (posted - creditsGiven)))) {
                        return false;
                    }
                    creditsGiven = posted;
                }
            }
        }
        if (brokenPending) {
            if (!put(Frames.word(Frames.BROKEN, 0))) {
                return false;
            }
            brokenPending = false;
        }
        if (pendingEnded > 0) {
            if (!put(Frames.word(Frames.ENDED, pendingEnded))) {
                return false;
            }
            pendingEnded = 0;
        }
        if (heartbeatPending) {
            if (!put(Frames.word(Frames.HEARTBEAT, 0))) {
                return false;
            }
            heartbeatPending = false;
        }
        if (closePending) {
            if (!put(Frames.word(Frames.CLOSE, 0))) {
                return false;
            }
            closePending = false;
        }
        return true;
    }

    private void sendRequests() {
        TcpQueuePair queuePair = queue;
        if (queuePair == null || broken) {
            return;
        }
        long posted = queuePair.posted();
        while (sent < posted) {
            int kind = queuePair.queue().operation(sent);
            int bytes = queuePair.queue().bytes(sent);
            long localOffset = queuePair.queue().localOffset(sent);
            Status impossible = null;
            if (localOffset + bytes > queuePair.local.byteSize()) {
                impossible = Status.LOCAL_PROTECTION_ERROR;
            } else if (kind == Frames.SEND && peerBroken) {
                impossible = Status.REMOTE_INVALID_REQUEST;
            }
            if (impossible != null) {
                // The request fails in order: after the replies to all earlier ones.
                if (completed == sent) {
                    fail(impossible);
                    sendPending();
                }
                return;
            }
            if (kind < Frames.WRITE ? outstanding == queuePair.outstandingReads : kind == Frames.SEND && credits == 0) {
                return;
            }
            if (!outbox.ensure(Frames.MAX_BYTES)) {
                return;
            }
            int at = outbox.at();
            MemorySegment memory = outbox.memory();
            switch (kind) {
                case Frames.SEND -> {
                    credits--;
                    putWord(Frames.word(Frames.SEND, bytes));
                }
                case Frames.READ, Frames.WRITE -> {
                    Frames.putRequest(
                            memory,
                            at,
                            kind,
                            bytes,
                            queuePair.queue().remote(sent),
                            queuePair.queue().key(sent));
                    outbox.advance(24);
                }
                default -> {
                    Frames.putRequest(
                            memory,
                            at,
                            kind,
                            bytes,
                            queuePair.queue().remote(sent),
                            queuePair.queue().key(sent));
                    memory.set(Frames.WORD, at + 24L, queuePair.queue().firstOperand(sent));
                    outbox.advance(32);
                    if (kind == Frames.COMPARE_AND_SWAP) {
                        memory.set(Frames.WORD, at + 32L, queuePair.queue().secondOperand(sent));
                        outbox.advance(8);
                    }
                }
            }
            sent++;
            if (kind < Frames.WRITE) {
                outstanding++;
            } else {
                requestOffset = localOffset;
                requestLeft = bytes;
                if (!sendRequestPayload()) {
                    return;
                }
            }
        }
    }

    private boolean sendRequestPayload() {
        while (requestLeft > 0) {
            if (!outbox.ensure(1)) {
                return false;
            }
            int part = Math.min(requestLeft, outbox.room());
            MemorySegment.copy(Objects.requireNonNull(queue).local, requestOffset, outbox.memory(), outbox.at(), part);
            outbox.advance(part);
            requestOffset += part;
            requestLeft -= part;
        }
        return true;
    }
}
