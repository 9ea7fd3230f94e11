package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.memory.MemoryMap;

/**
 * Combines the concurrent operations of a machine's threads on one key: "concurrent inserts and updates to the same key
 * into a single transaction" (FaRM 2014, section 3.6, "inspired by flat combining"). The paper gives no details; this
 * design is Reprobe's.
 *
 * <p>A key's cell records whether a transaction of that key is in progress. An operation that finds the cell free
 * becomes the leader. Other operations join the cell's list and wait. Before a transaction reads its object, its leader
 * takes the list. The operations take effect in order, so the object gets the value of the last one, and all are
 * answered after the commit. The first operation that joined the list later leads the next transaction, so no thread
 * runs other threads' operations for longer than one transaction.
 *
 * <p>Cells and operations are in the machine's memory. Different keys with equal cell and tag are separated when the
 * list is taken; an operation on another key then runs alone. Single-threaded; one operation per slot.
 */
public final class Combining {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final VarHandle SHARED = WORD.varHandle();

    // A cell: 0 if no transaction is in progress, else OWNED, the key's tag, and the last operation of the list.
    private static final int OPERATION_BITS = 28;
    private static final long OPERATION = (1L << OPERATION_BITS) - 1;
    private static final long OWNED = 1L << (Long.SIZE - 1);
    private static final long FREE = 0;
    private static final int NONE = 0;

    private static final int CELLS = 256;

    private static final int KEY = 0;
    private static final int VALUE = 1;
    private static final int INSERTS = 2;
    private static final int NEXT = 3;
    private static final int STATE = 4;
    private static final int OPERATION_WORDS = 5;

    // Values of the state word: an answer, or the operation's next action.
    private static final long WAITS = -1;
    private static final long LEADS = -2;
    private static final long ALONE = -3;

    private static final long ABSENT = 1;
    private static final long INSERTED = 2;
    private static final long UPDATED = 3;
    private static final long FULL = 4;

    /** Next action of an operation. */
    public enum Turn {
        /** Run a transaction for it and for the list. */
        LEAD,
        /** Run a transaction for it alone. */
        ALONE,
        /** Wait for another operation's transaction; {@link #turn} returns the next action. */
        WAIT,
        /** Done by another operation's transaction; {@link #result} returns the result. */
        DONE
    }

    /**
     * Places in a machine's memory: {@code from} is a multiple of 8, {@code cells} a power of two, {@code slots} per
     * thread.
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
    /** Last operation of each leading slot's transaction; its operations are a list from its own on. */
    private final int[] last;

    public Combining(Requester cpu, MemorySegment memory, Places places, int thread) {
        this(cpu, memory, places, thread, ~0L);
    }

    /** Creates a thread's part; the mask selects fewer bits as tags, to force collisions in tests. */
    public Combining(Requester cpu, MemorySegment memory, Places places, int thread, long tagMask) {
        this.cpu = cpu;
        this.memory = memory;
        this.places = places;
        this.first = thread * places.slots() + 1;
        this.tagMask = tagMask & ~OPERATION & ~OWNED;
        this.last = new int[places.slots()];
    }

    /** Returns a hash; its lowest bits, which {@link #tag} omits, select the cell. */
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

    /** Returns the next action of an operation that waited. */
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
            return Turn.DONE;
        }
        int operation = own;
        for (int next = own; next != NONE; next = (int) get(next, NEXT)) {
            operation = next;
        }
        last[slot] = operation;
        return Turn.LEAD;
    }

    /** Returns the result of an operation that another one's transaction did. */
    public TableWriter.Result result(int slot) {
        return switch ((int) get(first + slot, STATE)) {
            case (int) UPDATED -> TableWriter.Result.UPDATED;
            case (int) INSERTED -> TableWriter.Result.INSERTED;
            case (int) FULL -> TableWriter.Result.FULL;
            default -> TableWriter.Result.ABSENT;
        };
    }

    /** Takes waiting operations before a slot's transaction reads its object; returns true if any inserts. */
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

    /** Returns the value after all operations of a slot's transaction. */
    public long value(int slot) {
        return get(last[slot], VALUE);
    }

    /** Takes a cell's list; with {@code frees}, frees the cell if the list is empty. */
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

    /** Returns a list's operations on a key, oldest first; operations on other keys are set to run alone. */
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

    /** Ends a slot's transaction: answers its other operations, starts the next leader, returns its own answer. */
    public TableWriter.Result end(int slot, boolean wasThere) {
        return end(slot, wasThere, false);
    }

    TableWriter.Result endFull(int slot) {
        return end(slot, false, true);
    }

    private TableWriter.Result end(int slot, boolean wasThere, boolean full) {
        int own = first + slot;
        long key = get(own, KEY);
        boolean ownInserts = get(own, INSERTS) != 0;
        int others = (int) get(own, NEXT);
        int leader = NONE;
        for (int list = -1; leader == NONE && list != NONE; ) {
            list = takeList(places.cell(hash(key)), true);
            leader = inOrder(list, key);
        }
        TableWriter.Result result = full ? TableWriter.Result.FULL : resultOf(ownInserts, wasThere);
        result(others, result);
        if (leader != NONE) {
            set(leader, STATE, LEADS);
        }
        return result;
    }

    private static TableWriter.Result resultOf(boolean inserts, boolean there) {
        return there ? TableWriter.Result.UPDATED : inserts ? TableWriter.Result.INSERTED : TableWriter.Result.ABSENT;
    }

    /** Answers a list of operations in order, after one with answer {@code before}. */
    private void result(int list, TableWriter.Result before) {
        boolean full = before == TableWriter.Result.FULL;
        boolean there = before != TableWriter.Result.ABSENT && !full;
        int next;
        for (int operation = list; operation != NONE; operation = next) {
            next = (int) get(operation, NEXT);
            boolean inserts = get(operation, INSERTS) != 0;
            TableWriter.Result result = full && inserts ? TableWriter.Result.FULL : resultOf(inserts, there);
            there |= result == TableWriter.Result.INSERTED;
            set(
                    operation,
                    STATE,
                    switch (result) {
                        case UPDATED -> UPDATED;
                        case INSERTED -> INSERTED;
                        case FULL -> FULL;
                        case ABSENT, REMOVED -> ABSENT;
                    });
        }
    }
}
