package org.reprobe.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of several clients and when they were under way, in the order in which they began. Those that were aborted are not among
 * them: nobody may have seen what they would have written.
 *
 * @param transactions in order of {@link Entry#invoked}
 */
public record TransactionHistory(List<Entry> transactions) {

    public TransactionHistory {
        transactions = transactions.stream()
                .sorted(Comparator.comparingLong(Entry::invoked))
                .toList();
    }

    /**
     * A transaction, or a read or write outside of any, which is one by itself.
     *
     * @param number of the client's; 0 for an operation by itself
     * @param reads of keys that it had not written before
     * @param writes of each key the last
     * @param invoked when it began
     * @param returned when it was said to have committed, or {@link Event#PENDING}: it may have done so at any time since, or never
     */
    public record Entry(int client, long number, List<Access> reads, List<Access> writes, long invoked, long returned) {

        public Entry {
            reads = List.copyOf(reads);
            writes = List.copyOf(writes);
        }

        boolean pending() {
            return returned == Event.PENDING;
        }

        /** Like {@code client 1's transaction 2: reads 3 = 7, writes 3 = 8}. */
        public String words() {
            String what = Stream.concat(
                            reads.stream().map(each -> "reads " + each.words()),
                            writes.stream().map(each -> "writes " + each.words()))
                    .collect(Collectors.joining(", "));
            return "client " + client + (number == 0 ? "" : "'s transaction " + number) + ": " + what
                    + (pending() ? " (no answer)" : "");
        }
    }

    /** A key, and the value that was read or written. */
    public record Access(long key, long value) {

        String words() {
            return key + " = " + Event.value(value);
        }
    }

    /** Puts transactions together again that a {@link TransactionRecorder} has taken down. */
    public static TransactionHistory of(History history) {
        Map<Integer, Map<Long, Parts>> parts = new HashMap<>();
        List<Entry> entries = new ArrayList<>();
        for (Event event : history.events()) {
            Map<Long, Parts> own = parts.computeIfAbsent(event.client(), _ -> new HashMap<>());
            if (event.operation() == Operation.TRANSACTION) {
                own.computeIfAbsent(event.key(), Parts::new).of = event;
            } else if (event.expected() != 0) {
                own.computeIfAbsent(event.expected(), Parts::new).add(event);
            } else {
                Parts alone = new Parts(0);
                alone.of = event;
                alone.add(event);
                alone.addTo(entries);
            }
        }
        parts.values().forEach(own -> own.values().forEach(each -> each.addTo(entries)));
        return new TransactionHistory(entries);
    }

    /** What is known of one while its events are gone through. */
    private static final class Parts {
        private final long number;
        private final List<Access> reads = new ArrayList<>();
        private final Map<Long, Long> writes = new HashMap<>();
        private @Nullable Event of;

        Parts(long number) {
            this.number = number;
        }

        void add(Event event) {
            switch (event.operation()) {
                case READ -> {
                    if (!event.pending() && !writes.containsKey(event.key())) {
                        reads.add(new Access(event.key(), event.result()));
                    }
                }
                case WRITE -> writes.put(event.key(), event.argument());
                case DELETE, COMPARE_AND_SWAP, FIND_OR_PUT, TRANSACTION ->
                    throw new IllegalArgumentException(
                            "a transaction reads and writes; this is no part of it: " + event.words());
            }
        }

        void addTo(List<Entry> entries) {
            Event whole = of;
            if (whole == null) {
                throw new IllegalArgumentException("a transaction has parts but no beginning");
            }
            if (whole.pending() || whole.result() != Event.REFUSED) {
                entries.add(new Entry(
                        whole.client(),
                        number,
                        reads,
                        writes.entrySet().stream()
                                .map(each -> new Access(each.getKey(), each.getValue()))
                                .sorted(Comparator.comparingLong(Access::key))
                                .toList(),
                        whole.invoked(),
                        whole.returned()));
            }
        }
    }
}
