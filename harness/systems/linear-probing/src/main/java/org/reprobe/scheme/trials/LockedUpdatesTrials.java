package org.reprobe.scheme.trials;

import static org.reprobe.explore.Exploration.ALL;

import java.util.List;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.scheme.Probing;
import org.reprobe.table.Storage;
import org.reprobe.table.TableKind;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.Script;
import org.reprobe.trial.SystemTrials;

/** Configurations of {@link LockedUpdatesTrial} for each lookup scheme. */
public final class LockedUpdatesTrials {
    private static final ExplorationLimits LIMITS =
            ExplorationLimits.USUAL.withPauses(3).withTearing(ExplorationLimits.Tearing.EITHER_WAY);

    /** Limits with faults: machines fail, connections break and links are cut, more than once. */
    private static final ExplorationLimits FAULTS =
            new ExplorationLimits(1, 2, 1, 2, ExplorationLimits.Tearing.EITHER_WAY, 2000, 6, 20);

    private static final Probing LINEAR = new Probing.Linear(1, null, 0);

    private LockedUpdatesTrials() {}

    public static SystemTrials ofLinear() {
        return of(
                new CheckedSystem(
                        "locked-updates-linear",
                        "two clients write a record, a third reads it",
                        false,
                        LIMITS,
                        1,
                        () -> trial(TableKind.LINEAR, Storage.INLINE, LINEAR, false, "w0|w0|r0")),
                new CheckedSystem(
                        "locked-updates-heap",
                        "one client writes a record in the heap twice, another reads it twice",
                        false,
                        LIMITS,
                        2,
                        () -> trial(TableKind.LINEAR, Storage.HEAP, LINEAR, false, "w0 w0|r0 r0")),
                new CheckedSystem(
                        "locked-updates-dies",
                        "two clients write two records and a third reads one; any may die, and others give up then",
                        false,
                        LIMITS.withCrashes(1),
                        1,
                        () -> trial(TableKind.LINEAR, Storage.INLINE, LINEAR, true, "w0 w1|w0|r0")),
                new CheckedSystem(
                        "locked-updates-breaks",
                        "two clients write two records and a third reads one; any machine may fail and connections break, and others"
                                + " give up then",
                        false,
                        FAULTS,
                        0, // there are too many with more
                        () -> trial(TableKind.LINEAR, Storage.INLINE, LINEAR, true, "w0 w1 w0|w0 w1|r0 r0 r1")));
    }

    public static SystemTrials ofCuckoo() {
        return of(new CheckedSystem(
                "locked-updates-cuckoo",
                "two clients write the same two records, found by READs of all their places at once",
                false,
                LIMITS,
                ALL,
                () -> trial(TableKind.CUCKOO, Storage.INLINE, new Probing.Cuckoo(true), false, "w0|w0")));
    }

    public static SystemTrials ofHopscotch() {
        return of(new CheckedSystem(
                "locked-updates-hopscotch",
                "one client writes a record, another reads it, found in its neighbourhood",
                false,
                LIMITS,
                ALL,
                () -> trial(TableKind.HOPSCOTCH, Storage.INLINE, new Probing.Hopscotch(true), false, "w0|r0")));
    }

    private static SystemTrials of(CheckedSystem... systems) {
        return new SystemTrials(List.of(systems), List.of(), null);
    }

    private static LockedUpdatesTrial trial(
            TableKind kind, Storage storage, Probing probing, boolean mayDie, String script) {
        return new LockedUpdatesTrial(kind, storage, probing, mayDie, Script.of(script));
    }
}
