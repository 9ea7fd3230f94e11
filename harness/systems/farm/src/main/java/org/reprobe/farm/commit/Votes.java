package org.reprobe.farm.commit;

import org.reprobe.farm.memory.WordMap;

/**
 * What machines know of transactions when a configuration ends, and what is decided by it. The paper of 2014 has no recovery; the rule is ours, and simpler than
 * the vote of 2015 (section 5.3), since here replicas are told to prepare before anybody is told to commit:
 *
 * <p><b>A transaction that is unfinished anywhere is committed if any survivor was told that it commits, else it is aborted.</b>
 *
 * <p>Somebody is told only after all primaries and replicas have prepared it, so each survivor has what it writes. Who was told that it has
 * committed was told after all replicas and one primary were: all copies of one region, of which one survives. The same holds for what somebody
 * has seen. And who votes no more accepts messages of the old configuration, so what is decided stays so.
 *
 * <p>A transaction's number has its coordinator's, who has one at a time: of each it is enough to know the last one that was committed, since
 * who is still in a transaction has begun none after it.
 */
public final class Votes {
    private static final int SEQUENCE_BITS = Integer.SIZE;
    private static final long SEQUENCE = (1L << SEQUENCE_BITS) - 1;

    /** By coordinator: the sequence of the one that is unfinished somewhere. */
    private final WordMap unfinished = new WordMap();
    /** By coordinator: the sequence of the last one that was committed. */
    private final WordMap committed = new WordMap();

    public void unfinished(long transaction) {
        unfinished.put(transaction >>> SEQUENCE_BITS, transaction & SEQUENCE);
    }

    void committed(long transaction) {
        long coordinator = transaction >>> SEQUENCE_BITS;
        committed.put(coordinator, Math.max(committed.get(coordinator), transaction & SEQUENCE));
    }

    /** Takes all of others' as well. */
    public void add(Votes others) {
        others.unfinished.forEach((coordinator, sequence) -> unfinished(coordinator << SEQUENCE_BITS | sequence));
        others.committed.forEach((coordinator, sequence) -> committed(coordinator << SEQUENCE_BITS | sequence));
    }

    public boolean isCommitted(long transaction) {
        return committed.get(transaction >>> SEQUENCE_BITS) == (transaction & SEQUENCE);
    }

    /** What is decided by it: of those that are unfinished somewhere, those that are committed. All others are aborted. */
    public Votes decided() {
        Votes decided = new Votes();
        unfinished.forEach((coordinator, sequence) -> {
            if (committed.get(coordinator) == sequence) {
                decided.committed(coordinator << SEQUENCE_BITS | sequence);
            }
        });
        return decided;
    }

    /** Words of a message that has them. */
    public int words() {
        return unfinished.size() + committed.size();
    }

    /** Puts them into a message; where it ends. */
    public int put(long[] into, int at) {
        int[] end = {at};
        unfinished.forEach((coordinator, sequence) -> into[end[0]++] = coordinator << SEQUENCE_BITS | sequence);
        committed.forEach((coordinator, sequence) -> into[end[0]++] = ~(coordinator << SEQUENCE_BITS | sequence));
        return end[0];
    }

    /** Takes those of a message. */
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
