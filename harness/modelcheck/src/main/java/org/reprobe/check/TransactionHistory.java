package org.reprobe.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Transactions of several clients by {@link Entry#invoked}, without aborted ones, whose writes must be invisible. */
public record TransactionHistory(List<Entry> transactions) {

    public TransactionHistory {
        transactions = transactions.stream()
                .sorted(Comparator.comparingLong(Entry::invoked))
                .toList();
    }

    /**
     * Transaction. A read or write outside any transaction is a transaction by itself.
     *
     * @param number of the client's transaction; 0 for a single operation
     * @param reads reads of keys that the transaction had not written before
     * @param writes last write per key
     * @param returned time of the reported commit; {@link Event#PENDING} if it may commit at any time, or never
     */
    public record Entry(int client, long number, List<Access> reads, List<Access> writes, long invoked, long returned) {

        public Entry {
            reads = List.copyOf(reads);
            writes = List.copyOf(writes);
        }

        boolean pending() {
            return returned == Event.PENDING;
        }

        public String text() {
            String what = Stream.concat(
                            reads.stream().map(each -> "reads " + each.text()),
                            writes.stream().map(each -> "writes " + each.text()))
                    .collect(Collectors.joining(", "));
            return "client " + client + (number == 0 ? "" : "'s transaction " + number) + ": " + what
                    + (pending() ? " (no reply)" : "");
        }
    }

    public record Access(long key, long value) {

        String text() {
            return key + " = " + Event.value(value);
        }
    }

    /** Reconstructs transactions that a {@link TransactionRecorder} has recorded. */
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
                            "not a read or write, so not part of a transaction: " + event.text());
            }
        }

        void addTo(List<Entry> entries) {
            Event whole = of;
            if (whole == null) {
                throw new IllegalArgumentException("parts of a transaction without its start");
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
