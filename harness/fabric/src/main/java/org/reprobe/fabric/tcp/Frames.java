package org.reprobe.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.SendQueue;

/**
 * Frame format of a connection; all numbers are little-endian. Each frame begins with one word: the kind in bits 0-7, a
 * status in bits 8-15, zeros, and in bits 32-63 a number: the payload's bytes, or a count.
 *
 * <pre>
 *   READ             word, address, key                          reply: RESPONSE and the bytes
 *   WRITE            word, address, key, payload                 reply: ACKNOWLEDGE
 *   COMPARE_AND_SWAP word, address, key, expected, desired       reply: RESPONSE and 8 bytes
 *   FETCH_AND_ADD    word, address, key, addend                  reply: RESPONSE and 8 bytes
 *   SEND             word, payload                               reply: ACKNOWLEDGE; needs a credit
 *   ACKNOWLEDGE      word: number of WRITEs and SENDs that succeeded
 *   RESPONSE         word, payload: status 0; or the failure's status without payload, and no later replies
 *   CREDIT           word: number of further posted RECEIVEs
 *   BROKEN           word: SENDs to this end fail from now on
 *   HEARTBEAT        word
 *   CLOSE            word: the last frame of a client; the server closes the connection
 *   HELLO            word, magic, kind, client or clients, nonce (16), first proof (32): the first frame of a connection
 *   WELCOME          word, proof (32): the server's
 *   ENDED            word: number of ended clients; echoed as acknowledgement
 *   CHALLENGE        word, nonce (16): reply to HELLO
 *   PROOF            word, proof (32): the client's; reply: WELCOME
 * </pre>
 *
 * Both ends use the same frames; a client has no regions.
 */
@SuppressWarnings("EnumOrdinal") // a status travels by its place; the greeting holds the format's version
final class Frames {
    static final int READ = SendQueue.READ;
    static final int COMPARE_AND_SWAP = SendQueue.COMPARE_AND_SWAP;
    static final int FETCH_AND_ADD = SendQueue.FETCH_AND_ADD;
    static final int WRITE = SendQueue.WRITE;
    static final int SEND = SendQueue.SEND;
    static final int ACKNOWLEDGE = 6;
    static final int RESPONSE = 7;
    static final int CREDIT = 8;
    static final int BROKEN = 9;
    static final int HEARTBEAT = 10;
    static final int CLOSE = 11;
    static final int HELLO = 12;
    static final int WELCOME = 13;
    static final int ENDED = 14;
    static final int CHALLENGE = 15;
    static final int PROOF = 16;

    /** "reprobe" and the version of the protocol. */
    static final long MAGIC = 0x03_65_62_6F_72_70_65_72L;

    static final int WORD_BYTES = 8;
    /** Longest frame in bytes, without payload. */
    static final int MAX_BYTES = 72;

    /** Kinds of HELLO: a queue pair of the client with that index, or a process with that number of clients. */
    static final int QUEUE_PAIR = 0;

    static final int GROUP = 1;

    /** Kind of HELLO: a queue pair without messages. */
    static final int ONE_SIDED = 2;

    /** Kind of HELLO: a queue pair of another server program. */
    static final int SERVERS_QUEUE_PAIR = 3;

    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final long ZEROS = 0xFFFF_0000L;
    private static final int[] HEADER_BYTES = {0, 24, 40, 32, 24, 8, 8, 8, 8, 8, 8, 8, 72, 40, 8, 24, 40};
    private static final Status[] STATUSES = Status.values();

    private Frames() {}

    static long word(int kind, int number) {
        return kind | (long) number << 32;
    }

    static long word(int kind, Status status) {
        return kind | (long) status.ordinal() << 8;
    }

    static int kind(long word) {
        return (int) word & 0xFF;
    }

    static int number(long word) {
        return (int) (word >> 32);
    }

    /** Length of a frame in bytes, without payload. */
    static int headerBytes(long word) throws MalformedFrameException {
        int kind = kind(word);
        if (kind == 0 || kind >= HEADER_BYTES.length || (word & ZEROS) != 0) {
            throw new MalformedFrameException("unknown kind of frame");
        }
        if (number(word) < 0) {
            throw new MalformedFrameException("a frame with a negative length");
        }
        return HEADER_BYTES[kind];
    }

    static Status status(long word) throws MalformedFrameException {
        int code = (int) (word >>> 8) & 0xFF;
        if (code >= STATUSES.length) {
            throw new MalformedFrameException("a reply with an unknown status");
        }
        return STATUSES[code];
    }

    /** Remote key of a request at {@code at}. */
    static int key(MemorySegment memory, long at) throws MalformedFrameException {
        long key = memory.get(WORD, at + 16);
        if (key >>> 32 != 0) {
            throw new MalformedFrameException("a remote key of more than 32 bits");
        }
        return (int) key;
    }

    static byte[] bytes(MemorySegment memory, long at, int count) {
        return memory.asSlice(at, count).toArray(ValueLayout.JAVA_BYTE);
    }

    static void putRequest(MemorySegment memory, long at, int kind, int bytes, long address, int key) {
        memory.set(WORD, at, word(kind, bytes));
        memory.set(WORD, at + 8, address);
        memory.set(WORD, at + 16, key & 0xFFFF_FFFFL);
    }
}
