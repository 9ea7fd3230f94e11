package org.reprobe.findorput.trials;

import static org.reprobe.explore.Exploration.ALL;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.Trial;
import org.reprobe.findorput.FindOrPut;
import org.reprobe.findorput.SharedTable;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.Configuration;
import org.reprobe.trial.Configuration.At;
import org.reprobe.trial.ConfigurationKind;
import org.reprobe.trial.Configurations;
import org.reprobe.trial.DerivedSystem;
import org.reprobe.trial.Script;
import org.reprobe.trial.SystemTrials;

/** Configurations of small tables to explore. Public, because explorations load the class again. */
public final class FindOrPutTrials implements Function<String, Trial> {
    private static final ExplorationLimits LIMITS = ExplorationLimits.USUAL.withPauses(3);

    /** Limits with faults: machines fail, connections break and links are cut, more than once. */
    private static final ExplorationLimits FAULTS =
            new ExplorationLimits(1, 2, 1, 2, ExplorationLimits.Tearing.ASCENDING, 2000, 6, 20);

    /** Two machines; a process accesses the buckets of its own machine by the CPU. */
    static final ConfigurationKind LOCAL = kind("find-or-put-local", LIMITS);

    /** Two machines; a process reads the buckets of its own machine by the CPU, and sets them through the card. */
    static final ConfigurationKind CARD = kind("find-or-put-card", LIMITS);

    private static final ConfigurationKind BREAKS = kind("find-or-put-breaks", FAULTS);

    /** Two machines, of which one may fail; a process accesses the buckets of its own machine by the CPU. */
    static final ConfigurationKind LOCAL_BREAKS = kind("find-or-put-breaks-local", FAULTS);

    private static final DerivedSystem DERIVED = new DerivedSystem(
            "find-or-put",
            "one to three processes of up to three operations each, on one machine or two; one may die",
            150,
            List.of(
                    kind("find-or-put", LIMITS),
                    LOCAL,
                    CARD,
                    kind("find-or-put-dies", LIMITS.withCrashes(1)),
                    BREAKS,
                    LOCAL_BREAKS),
            FindOrPutTrials.class,
            List.of(FindOrPut.class, SharedTable.class));

    /** Returns tables by number of buckets, C and M, empty at first; a key has one home bucket. */
    private static ConfigurationKind kind(String name, ExplorationLimits limits) {
        List<List<Integer>> sizes = new ArrayList<>();
        for (int buckets = 2; buckets <= Configurations.SLOTS; buckets++) {
            for (int chunk = 1; chunk <= buckets; chunk++) {
                for (int chunks = 1; chunks <= Math.ceilDiv(buckets, chunk); chunks++) {
                    sizes.add(List.of(buckets, chunk, chunks));
                }
            }
        }
        return new ConfigurationKind(name, 1, List.of(At.NOWHERE), "f", sizes, 0, limits);
    }

    public static SystemTrials all() {
        return new SystemTrials(
                List.of(
                        picked(
                                "same",
                                "three processes put the same two keys, in chunks of two of four buckets",
                                LIMITS,
                                1,
                                4,
                                2,
                                "f0 f1|f1 f0|f0"),
                        picked(
                                "full",
                                "three processes put three keys into two buckets",
                                LIMITS,
                                1,
                                2,
                                1,
                                "f0 f1|f1 f2|f2"),
                        picked(
                                "local",
                                "three processes on two machines, which access their own machine's buckets by the CPU",
                                LIMITS,
                                2,
                                4,
                                2,
                                "f0 f1|f1 f0|f0"),
                        picked(
                                "dies",
                                "two processes put the same two keys, and either may die at any step",
                                LIMITS.withCrashes(1),
                                1,
                                4,
                                2,
                                "f0 f1|f1 f0"),
                        picked(
                                "breaks",
                                "two processes put the same keys; any may die, connections break, and the table's machine may fail",
                                FAULTS,
                                1,
                                4,
                                2,
                                "f0 f1|f1 f0"),
                        picked(
                                "breaks-local",
                                "three processes on two machines, of which one may fail; any may die and connections break",
                                FAULTS,
                                2,
                                4,
                                2,
                                "f0 f1|f1 f0|f0")),
                List.of(DERIVED),
                null);
    }

    private static CheckedSystem picked(
            String name,
            String title,
            ExplorationLimits limits,
            int servers,
            int buckets,
            int chunkBuckets,
            String script) {
        return new CheckedSystem(
                "find-or-put-" + name,
                title,
                false,
                limits,
                limits.breaks() > 0 ? 1 : ALL,
                () -> new FindOrPutTrial(servers, buckets, chunkBuckets, 2, Script.of(script)));
    }

    @Override
    public Trial apply(String configuration) {
        return FindOrPutTrial.of(Objects.requireNonNull(Configuration.of(configuration, DERIVED.kinds())));
    }
}
