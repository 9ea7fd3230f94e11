package org.reprobe.explore;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Chooser of a random schedule. Every second schedule chooses uniformly among all actions. The others give programs
 * priorities that change at a few random steps. This finds bugs that need few switches with a known probability
 * (Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding
 * bugs", ASPLOS 2010). Half of the schedules have faults; if several faults are permitted, most have. In half of the
 * schedules with faults, requests in flight on broken connections arrive late: at a random step, or when nothing else
 * is possible.
 */
final class RandomChoice implements Chooser {
    private static final int MAX_CHANGES = 4;

    private final SplittableRandom random;
    private final int[] priorities;
    private final long[] changes;
    private final boolean fails;
    private final boolean late;
    private final List<Integer> among = new ArrayList<>();

    private final int faults;
    private final int length;
    private int step;
    private int lowest;

    /** @param length approximate number of choices per schedule */
    RandomChoice(long seed, long number, int programs, int length, int faults) {
        this.random = new SplittableRandom(Mixing.mix(seed, number));
        this.fails = faults > 1 ? random.nextInt(8) > 0 : random.nextBoolean();
        this.late = faults > 0 && random.nextBoolean();
        this.faults = faults;
        this.length = Math.max(1, length);
        this.priorities = new int[programs];
        for (int i = 0; i < programs; i++) {
            int other = random.nextInt(i + 1);
            priorities[i] = priorities[other];
            priorities[other] = i + 1;
        }
        this.changes = number % 2 == 0 ? new long[0] : new long[1 + random.nextInt(MAX_CHANGES)];
        for (int i = 0; i < changes.length; i++) {
            changes[i] = random.nextInt(this.length);
        }
    }

    @Override
    public int choose(World world, int[] actions, int count) {
        int now = step++;
        int usual = count;
        while (usual > 0 && Action.isFault(actions[usual - 1])) {
            usual--;
        }
        if (usual < count && fails && random.nextInt(length) < faults) {
            return fault(actions, usual, count);
        }
        among.clear();
        boolean arrives = !late || random.nextInt(length) < faults;
        for (int i = 0; i < usual; i++) {
            if (arrives || !world.scheduler().isLate(actions[i])) {
                among.add(i);
            }
        }
        for (int i = 0; among.isEmpty() && i < usual; i++) {
            among.add(i);
        }
        if (changes.length == 0) {
            return among.get(random.nextInt(among.size()));
        }
        int highest = highest(actions);
        for (long change : changes) {
            if (change == now) {
                priorities[highest] = --lowest;
                highest = highest(actions);
            }
        }
        int best = highest;
        among.removeIf(i -> Action.process(actions[i]) != best);
        return among.get(among.size() == 1 ? 0 : random.nextInt(among.size()));
    }

    /** Chooses a fault, each kind with the same probability: there are more connections and links than machines. */
    private int fault(int[] actions, int from, int count) {
        int kinds = 0;
        for (int i = from; i < count; i++) {
            kinds |= 1 << Action.kind(actions[i]);
        }
        int skipped = random.nextInt(Integer.bitCount(kinds));
        for (; skipped > 0; skipped--) {
            kinds &= kinds - 1;
        }
        int kind = Integer.numberOfTrailingZeros(kinds);
        among.clear();
        for (int i = from; i < count; i++) {
            if (Action.kind(actions[i]) == kind) {
                among.add(i);
            }
        }
        return among.get(random.nextInt(among.size()));
    }

    private int highest(int[] actions) {
        int best = Action.process(actions[among.getFirst()]);
        for (int i : among) {
            int other = Action.process(actions[i]);
            if (priorities[other] > priorities[best]) {
                best = other;
            }
        }
        return best;
    }
}
