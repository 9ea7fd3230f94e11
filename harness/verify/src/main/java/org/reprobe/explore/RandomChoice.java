package org.reprobe.explore;

import java.util.SplittableRandom;

/**
 * One random schedule. Every second one chooses among all that can happen with equal probability; the others give programs
 * priorities that change at a few random steps, which finds bugs that need few switches with a known probability (Burckhardt,
 * Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010).
 * There are faults in half of the schedules, if at all.
 */
final class RandomChoice implements Chooser {
    private static final int MAX_CHANGES = 4;

    private final SplittableRandom random;
    private final int[] priorities;
    private final long[] changes;
    private final boolean fails;
    private final int faults;
    private final int length;
    private int step;
    private int lowest;

    /**
     * @param number of the schedule, from 0: same seed and number, same schedule
     * @param programs how many
     * @param length choices that a schedule takes, about
     * @param faults how many faults a schedule may have
     */
    RandomChoice(long seed, long number, int programs, int length, int faults) {
        this.random = new SplittableRandom(Mixing.mix(seed, number));
        this.fails = random.nextBoolean();
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
            return usual + random.nextInt(count - usual);
        }
        if (changes.length == 0) {
            return random.nextInt(usual);
        }
        int highest = highest(actions, usual);
        for (long change : changes) {
            if (change == now) {
                priorities[highest] = --lowest;
                highest = highest(actions, usual);
            }
        }
        int mine = 0;
        for (int i = 0; i < usual; i++) {
            mine += Action.process(actions[i]) == highest ? 1 : 0;
        }
        int chosen = mine == 1 ? 0 : random.nextInt(mine);
        for (int i = 0; i < usual; i++) {
            if (Action.process(actions[i]) == highest && chosen-- == 0) {
                return i;
            }
        }
        return 0;
    }

    private int highest(int[] actions, int count) {
        int best = Action.process(actions[0]);
        for (int i = 1; i < count; i++) {
            int other = Action.process(actions[i]);
            if (priorities[other] > priorities[best]) {
                best = other;
            }
        }
        return best;
    }
}
