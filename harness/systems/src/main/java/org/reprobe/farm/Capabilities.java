package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.RemoteRegion;

/**
 * What a thread needs to access other machines' regions (FaRM 2014, section 3.3): a region's machine follows from its number and the set of
 * machines; its capability, the place in that machine's memory and the key, is asked of that machine once and then kept. For one thread.
 */
final class Capabilities {
    /** Of the message that asks for one: the region's number, as a word. */
    static final int QUESTION_BYTES = Long.BYTES;

    /** Of the message that answers: number, address, bytes and key, a word each. */
    static final int ANSWER_BYTES = 4 * Long.BYTES;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final VirtualRings rings;
    /** By a hash of the number and then in order, half of it free. */
    private int[] numbers = new int[16];

    private @Nullable RemoteRegion[] regions = new RemoteRegion[numbers.length];
    private int count;

    /** A thread's that knows none yet. */
    Capabilities(VirtualRings rings) {
        this.rings = rings;
    }

    /** The machine that an object is on. */
    int machine(long address) {
        return rings.primary(number(address));
    }

    /** The number of the region that an object is in. */
    static int number(long address) {
        return FarmTable.regionOf(address);
    }

    /** The capability of the region that an object is in; null when its machine must be asked. */
    @Nullable
    RemoteRegion find(long address) {
        return regions[slot(number(address))];
    }

    /** Where the object is in its machine's memory, by a capability that was found. */
    static long remote(RemoteRegion region, long address) {
        return region.address() + FarmTable.offsetOf(address);
    }

    /** Keeps a region's capability. */
    void keep(int number, RemoteRegion region) {
        int slot = slot(number);
        if (regions[slot] == null) {
            count++;
        }
        numbers[slot] = number;
        regions[slot] = region;
        if (2 * count > numbers.length) {
            grow();
        }
    }

    static void putQuestion(MemorySegment message, int number) {
        message.set(WORD, 0, Integer.toUnsignedLong(number));
    }

    static int takeQuestion(MemorySegment message) {
        return (int) message.get(WORD, 0);
    }

    static void putAnswer(MemorySegment message, int number, RemoteRegion region) {
        message.set(WORD, 0, Integer.toUnsignedLong(number));
        message.set(WORD, 8, region.address());
        message.set(WORD, 16, region.bytes());
        message.set(WORD, 24, region.key());
    }

    /** Keeps what a machine has answered. */
    void takeAnswer(MemorySegment message) {
        keep((int) message.get(WORD, 0), new RemoteRegion(message.get(WORD, 8), message.get(WORD, 16), (int)
                message.get(WORD, 24)));
    }

    private int slot(int number) {
        int mask = numbers.length - 1;
        int slot = ((number * 0x9E3779B9) >>> 16) & mask;
        while (regions[slot] != null && numbers[slot] != number) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        int[] oldNumbers = numbers;
        @Nullable RemoteRegion[] oldRegions = regions;
        numbers = new int[2 * oldNumbers.length];
        regions = new RemoteRegion[numbers.length];
        for (int i = 0; i < oldNumbers.length; i++) {
            RemoteRegion region = oldRegions[i];
            if (region != null) {
                int slot = slot(oldNumbers[i]);
                numbers[slot] = oldNumbers[i];
                regions[slot] = region;
            }
        }
    }
}
