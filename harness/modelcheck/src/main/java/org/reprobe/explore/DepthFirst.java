package org.reprobe.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Depth-first enumeration of schedules with bounded switches. Each starts anew and is abandoned at a known state. */
final class DepthFirst implements Chooser {

    private static final class Choice {
        private final int[] actions;
        private final int last;
        private final int used;
        private int at;

        Choice(int[] actions, int last, int used) {
            this.actions = actions;
            this.last = last;
            this.used = used;
        }

        int usedAfter() {
            return used + Execution.cost(actions, at, last);
        }
    }

    private final StateSet known = new StateSet();
    private final List<Choice> path = new ArrayList<>();
    private final int maxSwitches;
    private final boolean cutsLinks;
    private int depth;

    /** @param cutsLinks true to include schedules in which links are cut */
    DepthFirst(int maxSwitches, boolean cutsLinks) {
        this.maxSwitches = maxSwitches;
        this.cutsLinks = cutsLinks;
    }

    int states() {
        return known.size();
    }

    @Override
    public int choose(World world, int[] actions, int count) {
        if (depth < path.size()) {
            return path.get(depth++).at;
        }
        int used = depth == 0 ? 0 : path.get(depth - 1).usedAfter();
        boolean bounded = maxSwitches < Integer.MAX_VALUE;
        int last = world.scheduler().last();
        long hash = StateHash.of(world);
        if (!known.add(bounded ? Mixing.mix(hash, last) : hash, bounded ? used : 0)) {
            return GIVE_UP;
        }
        path.add(new Choice(Arrays.copyOf(actions, count), last, used));
        depth++;
        return 0;
    }

    /** Advances to the next schedule; returns false if there is none. */
    boolean next() {
        depth = 0;
        while (!path.isEmpty()) {
            Choice top = path.getLast();
            while (++top.at < top.actions.length) {
                boolean tried = cutsLinks || Action.kind(top.actions[top.at]) != Action.CUT;
                if (tried && top.usedAfter() <= maxSwitches) {
                    return true;
                }
            }
            path.removeLast();
        }
        return false;
    }
}
