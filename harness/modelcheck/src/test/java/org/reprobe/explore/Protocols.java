package org.reprobe.explore;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Operation;
import org.reprobe.check.RegisterMap;
import org.reprobe.check.Verdict;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.RemoteTransactions;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.UnreachableException;

/** Small protocols, correct and incorrect, on a few words of memory. */
final class Protocols {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private Protocols() {}

    /** Client's connection with one blocking operation at a time. */
    static final class Words {
        private final Client client;
        private QueuePair queuePair;
        /** Set when the last reconnection did not succeed at once. */
        private boolean couldNot;

        private final RemoteRegion region;
        private final Completions completions = new Completions(4);
        final MemorySegment local;

        Words(Client client, RemoteRegion region) throws FabricException {
            this.client = client;
            this.region = region;
            this.local = client.allocate(256);
            this.queuePair = client.connect(local, new ConnectionOptions(16, 4));
        }

        /** Reconnects once the server is reachable. */
        void reconnect() throws FabricException {
            queuePair.close();
            couldNot = false;
            while (true) {
                try {
                    queuePair = client.connect(local, new ConnectionOptions(16, 4));
                    return;
                } catch (UnreachableException e) {
                    couldNot = true;
                    client.pause(1000);
                }
            }
        }

        private void finish() throws FabricException {
            queuePair.doorbell();
            queuePair.await(completions);
            if (completions.status(0) != Completions.Status.SUCCESS) {
                throw completions.status(0).exception("an operation");
            }
        }

        long read(int word) throws FabricException {
            read(word, 1);
            return local.get(LONG, 0);
        }

        void read(int word, int words) throws FabricException {
            queuePair.read(0, 0, region.address() + word * 8L, region.key(), words * 8, true);
            finish();
        }

        void write(int word, long... values) throws FabricException {
            for (int i = 0; i < values.length; i++) {
                local.set(LONG, 128 + i * 8L, values[i]);
            }
            queuePair.write(0, 128, region.address() + word * 8L, region.key(), values.length * 8, true);
            finish();
        }

        /** Returns true if it swapped. */
        boolean swap(int word, long expected, long desired) throws FabricException {
            queuePair.compareAndSwap(0, 64, region.address() + word * 8L, region.key(), expected, desired, true);
            finish();
            return local.get(LONG, 64) == expected;
        }

        void add(int word, long addend) throws FabricException {
            queuePair.fetchAndAdd(0, 64, region.address() + word * 8L, region.key(), addend, true);
            finish();
        }

        /** Adds to two words in one transaction of two round trips; returns true if it committed. */
        boolean addToBoth(long addend) throws FabricException {
            RemoteTransactions transactions = queuePair.transactions().orElseThrow();
            transactions.begin(0, false);
            transactions.read(0, 0, region.address(), region.key(), false);
            transactions.read(0, 8, region.address() + 8, region.key(), true);
            finish();
            for (int word = 0; word < 2; word++) {
                long sum = local.get(LONG, word * 8L) + addend;
                transactions.write(0, region.address() + word * 8L, region.key(), sum, false);
            }
            transactions.commit(0, 64, true);
            finish();
            return local.get(LONG, 64) == 1;
        }
    }

    interface Part {
        void run(Client client, Words words, HistoryRecorder history) throws FabricException;
    }

    static Trial of(int clients, long[] first, Function<MemorySegment, @Nullable String> wrong, Part part) {
        return of(clients, first, Long.BYTES, wrong, part);
    }

    private static Trial of(
            int clients,
            long[] first,
            int atomicReadBytes,
            Function<MemorySegment, @Nullable String> wrong,
            Part part) {
        return new Trial() {
            private MemorySegment memory = MemorySegment.NULL;
            private RemoteRegion region = new RemoteRegion(0, 0, 0);

            @Override
            public int clients() {
                return clients;
            }

            @Override
            public int atomicReadBytes() {
                return atomicReadBytes;
            }

            @Override
            public void build(Fabric fabric) throws FabricException {
                memory = fabric.allocate(first.length * 8L);
                MemorySegment.copy(first, 0, memory, LONG, 0, first.length);
                region = fabric.register(memory);
            }

            @Override
            public void run(Client client, HistoryRecorder history) throws FabricException {
                part.run(client, new Words(client, region), history);
            }

            @Override
            public @Nullable String violation(History history) {
                if (new LinearizabilityCheck<>(new RegisterMap()).check(history)
                        instanceof Verdict.NotLinearizable verdict) {
                    return verdict.text();
                }
                return wrong.apply(memory);
            }

            @Override
            public String place(int number, long offset) {
                return "word " + offset / 8;
            }
        };
    }

    private static Function<MemorySegment, @Nullable String> word(int word, long expected) {
        return memory -> {
            long value = memory.getAtIndex(LONG, word);
            return value == expected ? null : "word " + word + " is " + value + ", not " + expected;
        };
    }

    /** Each client adds 1 to a counter by READ and WRITE. */
    static Trial lostUpdate(int clients) {
        return of(clients, new long[1], word(0, clients), (_, words, _) -> words.write(0, words.read(0) + 1));
    }

    /** Each client adds 1 to a counter by READ and COMPARE_AND_SWAP, until it succeeds. */
    static Trial update(int clients, int times) {
        return of(clients, new long[1], word(0, (long) clients * times), (client, words, _) -> {
            for (int i = 0; i < times; i++) {
                long before = words.read(0);
                while (!words.swap(0, before, before + 1)) {
                    client.pause(1000);
                    before = words.read(0);
                }
            }
        });
    }

    /** Two clients add to two words in transactions; client 2 adds to the first by an atomic. */
    static Trial transactions() {
        return of(3, new long[2], Protocols::sums, (client, words, _) -> {
            if (client.index() < 2) {
                while (!words.addToBoth(client.index() + 1)) {
                    client.pause(1000);
                }
                return;
            }
            long before = words.read(0);
            while (!words.swap(0, before, before + 10)) {
                client.pause(1000);
                before = words.read(0);
            }
        });
    }

    private static @Nullable String sums(MemorySegment memory) {
        long first = memory.getAtIndex(LONG, 0);
        long second = memory.getAtIndex(LONG, 1);
        return first == 13 && second == 3 ? null : "the sums are " + first + " and " + second;
    }

    /** Client 0 writes a pair of equal words, client 1 reads the pair without verification. */
    static Trial tornRead() {
        return of(2, new long[2], _ -> null, (client, words, _) -> {
            if (client.index() == 0) {
                words.write(0, 1, 1);
            } else {
                words.read(0, 2);
                if (words.local.get(LONG, 0) != words.local.get(LONG, 8)) {
                    throw new IllegalStateException("read half of a pair");
                }
            }
        });
    }

    /**
     * Writer of words 0, 1, ... in order and reader of all: with atomic READs, a later word is never newer than an
     * earlier one.
     */
    static Trial wordsInTurn(int count, int atomicReadBytes) {
        return of(2, new long[count], atomicReadBytes, _ -> null, (client, words, _) -> {
            if (client.index() == 0) {
                for (int word = 0; word < count; word++) {
                    words.write(word, 1);
                }
                return;
            }
            words.read(0, count);
            for (int word = 1; word < count; word++) {
                if (words.local.getAtIndex(LONG, word) > words.local.getAtIndex(LONG, word - 1)) {
                    throw new IllegalStateException("word " + word + " is newer than the one before");
                }
            }
        });
    }

    /** {@link #tornRead} with verification. */
    static Trial verifiedRead() {
        return of(2, new long[2], _ -> null, (client, words, _) -> {
            if (client.index() == 0) {
                words.write(0, 1, 1);
                return;
            }
            words.read(0, 2);
            while (words.local.get(LONG, 0) != words.local.get(LONG, 8)) {
                client.pause(1000);
                words.read(0, 2);
            }
        });
    }

    /**
     * Stack of free items linked by index: word 0 is the head, word i the next of item i, word 10 + i its owner. Client
     * 0 takes one item, client 1 takes two and returns the first. The head may have a version number.
     */
    static Trial freeItems(boolean versioned) {
        long[] first = new long[16];
        first[0] = 1;
        first[1] = 2;
        first[2] = 3;
        return of(2, first, Protocols::freeItemWithOwner, (client, words, _) -> {
            int me = client.index() + 1;
            long taken = take(words, versioned);
            own(words, taken, me);
            if (me == 2) {
                long second = take(words, versioned);
                own(words, second, me);
                words.write(10 + (int) taken, 0);
                give(words, taken, versioned);
            }
        });
    }

    private static @Nullable String freeItemWithOwner(MemorySegment memory) {
        for (long item = memory.getAtIndex(LONG, 0) & 0xFF; item != 0; item = memory.getAtIndex(LONG, item)) {
            if (memory.getAtIndex(LONG, 10 + item) != 0) {
                return "item " + item + " is free and has an owner";
            }
        }
        return null;
    }

    private static void own(Words words, long item, int me) throws FabricException {
        if (!words.swap(10 + (int) item, 0, me)) {
            throw new IllegalStateException("item " + item + " is taken twice");
        }
    }

    private static long take(Words words, boolean versioned) throws FabricException {
        while (true) {
            long head = words.read(0);
            long item = head & 0xFF;
            long next = words.read((int) item);
            if (words.swap(0, head, next | version(head, versioned))) {
                return item;
            }
        }
    }

    private static void give(Words words, long item, boolean versioned) throws FabricException {
        while (true) {
            long head = words.read(0);
            words.write((int) item, head & 0xFF);
            if (words.swap(0, head, item | version(head, versioned))) {
                return;
            }
        }
    }

    private static long version(long head, boolean versioned) {
        return versioned ? (head & ~0xFFL) + 0x100 : 0;
    }

    /** Each client takes a lock, adds to a counter by READ and WRITE, and releases the lock. */
    static Trial lock(int clients) {
        return of(clients, new long[2], _ -> null, (client, words, _) -> {
            while (!words.swap(0, 0, client.index() + 1)) {
                client.pause(1000);
            }
            words.write(1, words.read(1) + 1);
            words.write(0, 0);
        });
    }

    /** Each client waits without pauses until all have added 1 to a counter. */
    static Trial spin(int clients) {
        return of(clients, new long[1], _ -> null, (_, words, _) -> {
            long before = words.read(0);
            while (!words.swap(0, before, before + 1)) {
                before = words.read(0);
            }
            while (words.read(0) < clients) {
                // Retries at once.
            }
        });
    }

    /** Client 0 writes a register, the others read it twice. With two copies, reader i reads copy i mod 2. */
    static Trial register(int clients, int copies) {
        return of(clients, new long[copies], _ -> null, (client, words, history) -> {
            int me = client.index();
            if (me == 0) {
                int invocation = history.invoked(0, Operation.WRITE, 5, 7);
                for (int copy = 0; copy < copies; copy++) {
                    words.write(copy, 7);
                }
                history.returned(invocation, Event.DONE);
                return;
            }
            int invocation = history.invoked(me, Operation.READ, 5, 0);
            long value = words.read(me % copies);
            history.returned(invocation, value == 0 ? Event.ABSENT : value);
        });
    }

    /** Reaction to a compare-and-swap that ended without a reply. */
    enum Unanswered {
        /** Assumes success. */
        DONE,
        /** Assumes failure and repeats it. */
        AGAIN,
        /** Repeats it unless the word shows success, as if it could not arrive any more. */
        LOOK,
        /** Leaves the outcome open. */
        PENDING
    }

    /** One client swaps a word from 0 to 7, another one's 9 back to 0, and reads it; each may end without a reply. */
    static Trial swaps(Unanswered what) {
        return of(2, new long[1], _ -> null, (client, words, history) -> {
            for (int times = 0; times < 2; times++) {
                long expected = client.index() == 0 ? 0 : 7;
                long desired = client.index() == 0 ? 7 : 0;
                int invocation =
                        history.invoked(client.index(), Operation.COMPARE_AND_SWAP, 5, shown(desired), shown(expected));
                try {
                    history.returned(invocation, shown(found(words, expected, desired)));
                } catch (UnreachableException e) {
                    words.reconnect();
                    if (what == Unanswered.DONE) {
                        history.returned(invocation, shown(expected));
                    } else if (what == Unanswered.AGAIN || (what == Unanswered.LOOK && words.read(0) == expected)) {
                        history.returned(invocation, shown(found(words, expected, desired)));
                    }
                }
            }
        });
    }

    /**
     * A client adds 1 to a word twice. Without a reply, and if it can't reconnect at once, it assumes a failed machine,
     * from which nothing arrives late: it reads the word and adds what is missing. Otherwise it stops.
     */
    static Trial addsAgainAfterAnOutage() {
        Function<MemorySegment, @Nullable String> wrong = memory -> {
            long sum = memory.getAtIndex(LONG, 0);
            return sum <= 2 ? null : "added " + sum + " times, not twice";
        };
        return of(1, new long[1], wrong, (_, words, _) -> {
            boolean looks = false;
            for (long times = 0; times < 2; ) {
                try {
                    times = looks ? words.read(0) : times;
                    if (times < 2) {
                        looks = false;
                        words.add(0, 1);
                        times++;
                    }
                } catch (UnreachableException e) {
                    words.reconnect();
                    looks = words.couldNot;
                    if (!looks) {
                        return;
                    }
                }
            }
        });
    }

    private static long shown(long value) {
        return value == 0 ? Event.ABSENT : value;
    }

    private static long found(Words words, long expected, long desired) throws FabricException {
        words.swap(0, expected, desired);
        return words.local.get(LONG, 64);
    }

    /** A server counts its starts in persistent memory; a client waits for two of them. */
    static Trial restarts() {
        return new Trial() {
            private MemorySegment memory = MemorySegment.NULL;
            private RemoteRegion region = new RemoteRegion(0, 0, 0);

            @Override
            public int clients() {
                return 1;
            }

            @Override
            public void build(Fabric fabric) throws FabricException {
                memory = fabric.allocate(8);
                region = fabric.register(memory);
            }

            @Override
            public ServerProgram server() {
                return here -> {
                    memory.set(LONG, 0, memory.get(LONG, 0) + 1);
                    here.next(new Completions(4));
                };
            }

            @Override
            public void run(Client client, HistoryRecorder history) throws FabricException {
                Words words = new Words(client, region);
                for (int tries = 0; tries < 3; tries++) {
                    try {
                        if (words.read(0) == 2) {
                            throw new IllegalStateException("the server has begun twice");
                        }
                    } catch (UnreachableException e) {
                        words.reconnect();
                    }
                }
            }

            @Override
            public @Nullable String violation(History history) {
                long begun = memory.get(LONG, 0);
                return begun <= 2 ? null : "it has begun " + begun + " times";
            }
        };
    }
}
