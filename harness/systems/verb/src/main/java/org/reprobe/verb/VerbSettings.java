package org.reprobe.verb;

import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/** Section {@code verb} of a scenario: the requests of one client thread. */
@Section(name = "verb", meaning = "Scheme verb: single requests, as perftest posts them.")
public record VerbSettings(
        @Key(byDefault = "read", meaning = "The request.") Kind kind,

        @Key(
                byDefault = "8",
                min = 1,
                max = 1 << 23,
                meaning = "Payload of a request in bytes; always 8 for compare-and-swap and fetch-and-add.")
        int bytes,

        @Key(byDefault = "request", meaning = """
                    request: post, wait for the completion. ping-pong (write, send): the server sends the same bytes back, and the \
                    latency is half a round trip, as perftest prints it; with write the last client machine is the server. \
                    reply (send): the server replies with a SEND of the same length, and the latency is the round trip.""") Exchange exchange,

        @Key(byDefault = "1", min = 1, max = 4096, meaning = "Queue pairs per client thread.")
        int queuePairs,

        @Key(byDefault = "1", min = 1, max = 1024, fabrics = "sim", meaning = """
                    Threads of a client machine that share their queue pairs; not with send and ping-pong. More than 1 requires a \
                    NIC profile with the cost of the lock (card.lock-ns).""")
        int sharing,

        @Key(byDefault = "0", min = 0, max = 4096, fabrics = "sim", meaning = """
                    Doorbells that the queue pairs of a client machine share, each with a lock; 12 is the default of mlx5. \
                    0: each queue pair has its own. More than 0 requires a NIC profile with the cost of the lock (card.lock-ns).""")
        int doorbells,

        @Key(byDefault = "1", min = 1, max = 65536, meaning = "Requests in flight per queue pair.")
        int inFlight,

        @Key(byDefault = "1", min = 1, max = 65536, meaning = "Requests per doorbell.")
        int batch,

        @Key(byDefault = "1", min = 1, max = 65536, meaning = """
                    A completion for every so many requests of a queue pair; requests without completion end with the next one that has one.""")
        int signalEvery,

        @Key(
                byDefault = "0",
                min = 0,
                max = 4096,
                fabrics = {"sim", "verbs"},
                meaning = "Largest payload that is posted inline, in bytes.")
        int inlineBytes,

        @Key(byDefault = "one", meaning = """
                    one: all requests use one address. random: each uses a uniformly random one of verb.region-bytes, a multiple of the \
                    payload, rounded up to 8 bytes.""") Addresses addresses,

        @Key(byDefault = "67108864", min = 8, max = 1L << 40, meaning = "random: bytes of the server's memory.")
        long regionBytes,

        @Key(byDefault = "each", meaning = """
                    each: when a request ends, the next one is posted. all: post all requests in flight, wait for all of them.""") Refill refill) {
    private static final long LINE_BYTES = 64;

    public enum Kind {
        READ,
        WRITE,
        SEND,
        COMPARE_AND_SWAP,
        FETCH_AND_ADD;

        public boolean isAtomic() {
            return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
        }

        /** Returns true if the request carries a payload to the server. */
        public boolean carriesPayload() {
            return this == WRITE || this == SEND;
        }
    }

    public enum Exchange {
        REQUEST,
        PING_PONG,
        REPLY
    }

    public enum Addresses {
        ONE,
        RANDOM
    }

    public enum Refill {
        EACH,
        ALL
    }

    /** Requests of scheme {@code compare-and-swap}: batches on random words. */
    static VerbSettings compareAndSwaps(long words, int batch) {
        return new VerbSettings(
                Kind.COMPARE_AND_SWAP,
                Long.BYTES,
                Exchange.REQUEST,
                1,
                1,
                0,
                batch,
                batch,
                batch,
                0,
                Addresses.RANDOM,
                words * Long.BYTES,
                Refill.ALL);
    }

    /** Returns the exchange; {@link Exchange#REQUEST} for requests to which a server does not reply. */
    Exchange effectiveExchange() {
        return kind == Kind.SEND || (kind == Kind.WRITE && exchange == Exchange.PING_PONG)
                ? exchange
                : Exchange.REQUEST;
    }

    boolean isWritePingPong() {
        return kind == Kind.WRITE && effectiveExchange() == Exchange.PING_PONG;
    }

    /** Returns the queue pairs of a client machine. */
    long queuePairsOfMachine(int threads) {
        return (long) queuePairs * Math.ceilDiv(threads, sharing);
    }

    /** Returns the requests in flight per client thread. */
    int requests() {
        return Math.multiplyExact(queuePairs, inFlight);
    }

    /** Returns the distance of addresses, in bytes. */
    long addressBytes() {
        return kind.isAtomic() ? Long.BYTES : (bytes + 7L) & ~7L;
    }

    /** Returns the number of addresses. */
    long places() {
        return addresses == Addresses.RANDOM && kind != Kind.SEND ? regionBytes / addressBytes() : 1;
    }

    /** Returns the length of the server's memory. */
    long memoryBytes() {
        return places() * addressBytes();
    }

    /** Returns the length of a buffer for one payload, in whole cache lines. */
    long bufferBytes() {
        return (bytes + LINE_BYTES - 1) & -LINE_BYTES;
    }

    /**
     * Returns the length of a client thread's local memory: a buffer for outgoing payloads, then one for incoming ones.
     * Atomics return their words to one place per request in flight.
     */
    long localBytes() {
        return bufferBytes() + Math.max(bufferBytes(), kind.isAtomic() ? (long) requests() * Long.BYTES : 0);
    }
}
