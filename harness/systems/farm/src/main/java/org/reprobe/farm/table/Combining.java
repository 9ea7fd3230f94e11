package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.memory.MemoryMap;

/**
 * Combines what threads of a machine do to one key at the same time: "concurrent inserts and updates to the same key into a single transaction"
 * (FaRM 2014, section 3.6, "inspired by flat combining"). The paper says no more; this is ours:
 *
 * <p>A key's cell says whether somebody has a transaction of that key under way. Who finds it free does its own operation. Who does not leaves
 * its operation in the cell's list and waits. Before a transaction reads its object, it takes the list's operations along: they are done one after the
 * other, so that the object gets the last one's value, and all are answered once it has it. What has come to the list since is handed over to
 * the first of those who wait, which does the next transaction: so nobody does others' operations for longer than its own takes.
 *
 * <p>Cells and operations stand in the machine's memory. Keys that share a cell and its tag are told apart when their operations are taken; who is of
 * another key then does its operation alone. For one thread; each slot has one operation at a time.
 */
public final class Combining {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final VarHandle SHARED = WORD.varHandle();

    // A cell: 0 when nobody has a transaction under way; else OWNED, the key's tag, and the operation that came to the
    // list last.
    private static final int OPERATION_BITS = 28;
    private static final long OPERATION = (1L << OPERATION_BITS) - 1;
    private static final long OWNED = 1L << (Long.SIZE - 1);
    private static final long FREE = 0;
    private static final int NONE = 0;

    /** Enough that keys that are updated at once seldom share one. */
    private static final int CELLS = 256;

    // Words of an operation.
    private static final int KEY = 0;
    private static final int VALUE = 1;
    private static final int INSERTS = 2;
    private static final int NEXT = 3;
    private static final int STATE = 4;
    private static final int OPERATION_WORDS = 5;

    // What the state word says: an answer, or what is to be done.
    private static final long WAITS = -1;
    private static final long LEADS = -2;
    private static final long ALONE = -3;

    private static final long ABSENT = 1;
    private static final long INSERTED = 2;
    private static final long UPDATED = 3;
    private static final long FULL = 4;

    /** What is to be done about an operation. */
    public enum Turn {
        /** A transaction, for it and for those that are taken along. */
        LEAD,
        /** A transaction for it alone. */
        ALONE,
        /** Nothing, another does it: {@link #turn} says what comes. */
        WAIT,
        /** Nothing, it was done: {@link #answer} says how. */
        ANSWERED
    }

    /**
     * Where they stand in a machine's memory.
     *
     * @param from a multiple of 8
     * @param cells a power of two
     * @param slots of each thread
     */
    public record Places(long from, int cells, int threads, int slots) {
        /** Adds the places of all threads to a map. */
        public static Places in(MemoryMap map, int slots) {
            long bytes = new Places(0, CELLS, map.threads(), slots).bytes();
            return new Places(map.words(bytes), CELLS, map.threads(), slots);
        }

        public Places {
            if ((long) threads * slots > OPERATION) {
                throw new IllegalArgumentException(threads + " threads with " + slots + " operations each");
            }
        }

        public long bytes() {
            return (cells + (long) threads * slots * OPERATION_WORDS) * Long.BYTES;
        }

        private long cell(long hash) {
            return from + (hash & (cells - 1)) * Long.BYTES;
        }

        /** @param operation from 1 */
        private long operation(int operation) {
            return from + (cells + (operation - 1L) * OPERATION_WORDS) * Long.BYTES;
        }
    }

    private final Requester cpu;
    private final MemorySegment memory;
    private final Places places;
    private final int first;
    private final long tagMask;
    /** By slot that leads: the last of the operations that its transaction does, which are a list from its own on. */
    private final int[] last;

    /**
     * A thread's.
     *
     * @param memory of its machine
     * @param thread from 0, of its machine
     */
    public Combining(Requester cpu, MemorySegment memory, Places places, int thread) {
        this(cpu, memory, places, thread, ~0L);
    }

    /**
     * Combining of a thread, with fewer bits in tags.
     *
     * @param tagMask bits of the keys' hashes that differ within a cell
     */
    public Combining(Requester cpu, MemorySegment memory, Places places, int thread, long tagMask) {
        this.cpu = cpu;
        this.memory = memory;
        this.places = places;
        this.first = thread * places.slots() + 1;
        this.tagMask = tagMask & ~OPERATION & ~OWNED;
        this.last = new int[places.slots()];
    }

    /** Cells are by its lowest bits, which {@link #tag} leaves out. */
    private static long hash(long key) {
        long mixed = (key ^ key >>> 32) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 32;
    }

    private long tag(long hash) {
        return hash & tagMask;
    }

    private long get(int operation, int word) {
        cpu.accesses(Long.BYTES);
        return (long) SHARED.getAcquire(memory, places.operation(operation) + (long) word * Long.BYTES);
    }

    private void set(int operation, int word, long to) {
        cpu.accesses(Long.BYTES);
        SHARED.setRelease(memory, places.operation(operation) + (long) word * Long.BYTES, to);
    }

    private long cell(long at) {
        cpu.accesses(Long.BYTES);
        return (long) SHARED.getVolatile(memory, at);
    }

    private boolean replace(long at, long seen, long by) {
        cpu.accesses(Long.BYTES);
        return SHARED.compareAndSet(memory, at, seen, by);
    }

    /**
     * Has a slot give a key a value.
     *
     * @param inserts whether the key is inserted where it is not there
     */
    public Turn begin(int slot, long key, long value, boolean inserts) {
        int own = first + slot;
        set(own, KEY, key);
        set(own, VALUE, value);
        set(own, INSERTS, inserts ? 1 : 0);
        set(own, NEXT, NONE);
        set(own, STATE, WAITS);
        last[slot] = own;
        long hash = hash(key);
        long at = places.cell(hash);
        while (true) {
            long seen = cell(at);
            if (seen == FREE) {
                if (replace(at, FREE, OWNED | tag(hash))) {
                    return Turn.LEAD;
                }
            } else if ((seen & tagMask) != tag(hash)) {
                return Turn.ALONE;
            } else {
                set(own, NEXT, seen & OPERATION);
                if (replace(at, seen, (seen & ~OPERATION) | own)) {
                    return Turn.WAIT;
                }
            }
        }
    }

    /** What has become of a slot's operation that waited. */
    public Turn turn(int slot) {
        int own = first + slot;
        long state = get(own, STATE);
        if (state == WAITS) {
            return Turn.WAIT;
        }
        if (state == ALONE) {
            return Turn.ALONE;
        }
        if (state != LEADS) {
            return Turn.ANSWERED;
        }
        int operation = own;
        for (int next = own; next != NONE; next = (int) get(next, NEXT)) {
            operation = next;
        }
        last[slot] = operation;
        return Turn.LEAD;
    }

    /** How a slot's operation was answered, which another did. */
    public TableWriter.Answer answer(int slot) {
        return switch ((int) get(first + slot, STATE)) {
            case (int) UPDATED -> TableWriter.Answer.UPDATED;
            case (int) INSERTED -> TableWriter.Answer.INSERTED;
            case (int) FULL -> TableWriter.Answer.FULL;
            default -> TableWriter.Answer.ABSENT;
        };
    }

    /**
     * Takes along who waits, before a slot's transaction reads its object.
     *
     * @return whether one of all inserts
     */
    public boolean take(int slot) {
        int own = first + slot;
        long key = get(own, KEY);
        int taken = inOrder(takeList(places.cell(hash(key)), false), key);
        set(last[slot], NEXT, taken);
        boolean inserts = false;
        for (int operation = own; operation != NONE; operation = (int) get(operation, NEXT)) {
            inserts |= get(operation, INSERTS) != 0;
            last[slot] = operation;
        }
        return inserts;
    }

    /** The value that the key has when all that were taken along have been done. */
    public long value(int slot) {
        return get(last[slot], VALUE);
    }

    /** Takes a cell's list, or frees the cell if there is none and that is wanted. */
    private int takeList(long at, boolean frees) {
        while (true) {
            long seen = cell(at);
            int top = (int) (seen & OPERATION);
            if (top == NONE && !frees) {
                return NONE;
            }
            if (replace(at, seen, top == NONE ? FREE : seen & ~OPERATION)) {
                return top;
            }
        }
    }

    /** A list's operations of a key, the first that came first; the others are told that they are alone. */
    private int inOrder(int list, long key) {
        int ordered = NONE;
        int next;
        for (int operation = list; operation != NONE; operation = next) {
            next = (int) get(operation, NEXT);
            if (get(operation, KEY) == key) {
                set(operation, NEXT, ordered);
                ordered = operation;
            } else {
                set(operation, STATE, ALONE);
            }
        }
        return ordered;
    }

    /**
     * A slot's transaction is over: answers those that were taken along, and has another lead if more have come.
     *
     * @param wasThere whether the key was there before it
     * @return the slot's own answer
     */
    public TableWriter.Answer end(int slot, boolean wasThere) {
        return end(slot, wasThere, false);
    }

    /** The same, of a transaction that has found no room for the key, which was not there: what was taken along was not done either. */
    TableWriter.Answer endFull(int slot) {
        return end(slot, false, true);
    }

    private TableWriter.Answer end(int slot, boolean wasThere, boolean full) {
        int own = first + slot;
        long key = get(own, KEY);
        boolean ownInserts = get(own, INSERTS) != 0;
        int others = (int) get(own, NEXT);
        int leader = NONE;
        for (int list = -1; leader == NONE && list != NONE; ) {
            list = takeList(places.cell(hash(key)), true);
            leader = inOrder(list, key);
        }
        TableWriter.Answer answer = full ? TableWriter.Answer.FULL : answerOf(ownInserts, wasThere);
        answer(others, answer);
        if (leader != NONE) {
            set(leader, STATE, LEADS);
        }
        return answer;
    }

    private static TableWriter.Answer answerOf(boolean inserts, boolean there) {
        return there ? TableWriter.Answer.UPDATED : inserts ? TableWriter.Answer.INSERTED : TableWriter.Answer.ABSENT;
    }

    /** Answers a list of operations that were done one after the other, after one with another answer. */
    private void answer(int list, TableWriter.Answer before) {
        boolean full = before == TableWriter.Answer.FULL;
        boolean there = before != TableWriter.Answer.ABSENT && !full;
        int next;
        for (int operation = list; operation != NONE; operation = next) {
            next = (int) get(operation, NEXT);
            boolean inserts = get(operation, INSERTS) != 0;
            TableWriter.Answer answer = full && inserts ? TableWriter.Answer.FULL : answerOf(inserts, there);
            there |= answer == TableWriter.Answer.INSERTED;
            set(
                    operation,
                    STATE,
                    switch (answer) {
                        case UPDATED -> UPDATED;
                        case INSERTED -> INSERTED;
                        case FULL -> FULL;
                        case ABSENT, REMOVED -> ABSENT;
                    });
        }
    }
}
