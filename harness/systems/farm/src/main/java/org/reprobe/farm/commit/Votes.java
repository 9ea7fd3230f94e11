package org.reprobe.farm.commit;

import org.reprobe.farm.memory.WordMap;

/**
 * States of transactions when a configuration ends, and the decision about them. The paper of 2014 has no recovery.
 * This rule is ours, and simpler than the vote of 2015 (section 5.3), since replicas prepare before any machine
 * commits:
 *
 * <p><b>An unfinished transaction is committed if any survivor has received its commit, otherwise it is aborted.</b>
 *
 * <p>The first commit message is sent after all primaries and replicas have prepared, so each survivor has the writes.
 * The client's acknowledgement follows the commits at all replicas and one primary: all copies of one region, of which
 * one survives. The same holds for values that other clients have read. A machine that has voted rejects messages of
 * the old configuration, so the decision is final.
 *
 * <p>A transaction's number contains its coordinator, which runs one transaction at a time. So the last committed
 * number of each coordinator is enough: it starts no transaction before the previous one has ended.
 */
public final class Votes {
    private static final int SEQUENCE_BITS = Integer.SIZE;
    private static final long SEQUENCE = (1L << SEQUENCE_BITS) - 1;

    /** Sequence number of the unfinished transaction, by coordinator. */
    private final WordMap unfinished = new WordMap();
    /** Sequence number of the last committed transaction, by coordinator. */
    private final WordMap committed = new WordMap();

    public void unfinished(long transaction) {
        unfinished.put(transaction >>> SEQUENCE_BITS, transaction & SEQUENCE);
    }

    void committed(long transaction) {
        long coordinator = transaction >>> SEQUENCE_BITS;
        committed.put(coordinator, Math.max(committed.get(coordinator), transaction & SEQUENCE));
    }

    public void add(Votes others) {
        others.unfinished.forEach((coordinator, sequence) -> unfinished(coordinator << SEQUENCE_BITS | sequence));
        others.committed.forEach((coordinator, sequence) -> committed(coordinator << SEQUENCE_BITS | sequence));
    }

    public boolean isCommitted(long transaction) {
        return committed.get(transaction >>> SEQUENCE_BITS) == (transaction & SEQUENCE);
    }

    /** Returns the unfinished transactions that are committed; all others are aborted. */
    public Votes decided() {
        Votes decided = new Votes();
        unfinished.forEach((coordinator, sequence) -> {
            if (committed.get(coordinator) == sequence) {
                decided.committed(coordinator << SEQUENCE_BITS | sequence);
            }
        });
        return decided;
    }

    public int words() {
        return unfinished.size() + committed.size();
    }

    /** Encodes the votes at {@code at} and returns the end. */
    public int put(long[] into, int at) {
        int[] end = {at};
        unfinished.forEach((coordinator, sequence) -> into[end[0]++] = coordinator << SEQUENCE_BITS | sequence);
        committed.forEach((coordinator, sequence) -> into[end[0]++] = ~(coordinator << SEQUENCE_BITS | sequence));
        return end[0];
    }

    public static Votes of(long[] words, int from, int count) {
        Votes votes = new Votes();
        for (int i = from; i < from + count; i++) {
            if (words[i] < 0) {
                votes.committed(~words[i]);
            } else {
                votes.unfinished(words[i]);
            }
        }
        return votes;
    }
}
