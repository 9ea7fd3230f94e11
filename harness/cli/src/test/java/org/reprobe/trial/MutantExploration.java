package org.reprobe.trial;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.ExplorationOutcome;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ServerProgram;

/**
 * Exploration of configurations of a protocol with a fault until one shows it: only those in which it would make a
 * difference, the ones that have shown most faults so far first.
 */
final class MutantExploration {
    private static final int SLICES = 30;
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private final List<String> configurations;
    private final Map<String, BitSet> metIn = new HashMap<>();
    private final Map<String, Integer> first;

    /** Configurations by faults shown so far: few configurations show most. */
    private final List<String> sharpest = new ArrayList<>();

    /** @param types classes with faults */
    MutantExploration(Collection<String> configurations, List<String> types) {
        this.configurations = List.copyOf(configurations);
        this.first = Mutants.firstNumbers(
                types.stream().flatMap(type -> Mutants.types(type).stream()).toList());
    }

    /**
     * Explores all configurations without a fault, to determine which faults would make a difference in them; returns
     * the configurations that fail without a fault, which show none.
     */
    List<String> survey() throws InterruptedException {
        ProtocolLoader loader =
                new ProtocolLoader(bytes -> Mutants.noting(first, bytes), DerivedSystems.SYSTEMS, Taken.class);
        boolean[] noted;
        try {
            noted = (boolean[])
                    loader.loadClass(Taken.class.getName()).getField("BRANCHES").get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        List<String> wrong = new ArrayList<>();
        for (String configuration : configurations) {
            Arrays.fill(noted, false);
            String found = null;
            try {
                DerivedSystem system = DerivedSystems.of(configuration);
                ExplorationLimits limits =
                        DerivedSystems.configuration(configuration).limits();
                Exploration exploration = Exploration.asFound(loader.trial(system, configuration), limits, () -> false);
                for (ExplorationOutcome outcome : Survey.explore(exploration, limits, 1)) {
                    found = found == null ? wrong(outcome) : found;
                }
            } catch (FabricException e) {
                found = e.getMessage();
            }
            if (found != null) {
                wrong.add(configuration + ": " + found);
            }
            BitSet met = new BitSet();
            for (int i = 0; i < noted.length && found == null; i++) {
                met.set(i, noted[i]);
            }
            metIn.put(configuration, met);
        }
        return wrong;
    }

    /** Returns true if a fault would make a difference in any schedule. */
    boolean reaches(Mutants.Mutant mutant) {
        return configurations.stream().anyMatch(configuration -> meets(configuration, mutant));
    }

    private boolean meets(String configuration, Mutants.Mutant mutant) {
        BitSet met = metIn.get(configuration);
        return met == null || met.get(first.getOrDefault(mutant.type(), 0) + mutant.number());
    }

    /** CPU time of this process: the duration of a search must not depend on other load of the machine. */
    static long cpuNs() {
        return SYSTEM.getProcessCpuTime();
    }

    /**
     * Searches for a failing schedule; returns the configuration and the failure, or null.
     *
     * @param cpuMs limit of CPU time of this process
     */
    @Nullable
    String find(Mutants.Mutant mutant, long cpuMs) throws InterruptedException {
        long end = cpuNs() + cpuMs * 1_000_000;
        ProtocolLoader loader = new ProtocolLoader(mutant::in, DerivedSystems.SYSTEMS, LoopBudget.class);
        Runnable fuel;
        try {
            // An invalid class file is a bug of this test, not a finding.
            Class.forName(mutant.type(), true, loader);
            fuel = (Runnable) loader.loadClass(LoopBudget.class.getName())
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        Set<String> order = new LinkedHashSet<>();
        synchronized (sharpest) {
            order.addAll(sharpest.subList(0, Math.min(60, sharpest.size())));
        }
        order.addAll(configurations);
        order.removeIf(configuration -> !meets(configuration, mutant));
        // First a little of each, since the sharpest may take the most time.
        long slice = cpuMs * 1_000_000 / SLICES;
        List<String> twice = new ArrayList<>(order);
        twice.addAll(order);
        for (int i = 0; i < twice.size(); i++) {
            long now = cpuNs();
            if (now > end) {
                return null;
            }
            String configuration = twice.get(i);
            String wrong = wrong(loader, fuel, configuration, i < order.size() ? Math.min(end, now + slice) : end);
            if (wrong != null) {
                synchronized (sharpest) {
                    int at = sharpest.indexOf(configuration);
                    if (at < 0) {
                        sharpest.add(configuration);
                    } else if (at > 0) {
                        sharpest.remove(at);
                        sharpest.add(at / 2, configuration);
                    }
                }
                return configuration + ": " + wrong.lines().findFirst().orElse("");
            }
        }
        return null;
    }

    /** Failure in a configuration's schedules without and with one switch, and in random ones. */
    static @Nullable String wrong(ProtocolLoader loader, Runnable fuel, String text, long end)
            throws InterruptedException {
        ExplorationLimits limits = DerivedSystems.configuration(text).limits();
        fuel.run();
        try {
            Trial trial = new Fuelled(loader.trial(DerivedSystems.of(text), text), fuel);
            Exploration exploration = Exploration.asFound(trial, limits, () -> cpuNs() > end);
            for (ExplorationOutcome outcome : Survey.explore(exploration, limits, 1)) {
                String wrong = wrong(outcome);
                if (wrong != null) {
                    return wrong;
                }
            }
            return null;
        } catch (FabricException
                | RuntimeException
                | ExceptionInInitializerError
                | StackOverflowError
                | OutOfMemoryError e) {
            Throwable cause = e.getCause() instanceof InvocationTargetException wrapped ? wrapped : e;
            return "fails: " + cause;
        }
    }

    private static @Nullable String wrong(ExplorationOutcome outcome) {
        if (outcome.counterexample() != null) {
            return outcome.counterexample().violation();
        }
        return outcome.schedules() > 0 && outcome.cut() == outcome.schedules() ? "no schedule comes to an end" : null;
    }

    /** A trial whose clients begin with enough fuel. */
    private record Fuelled(Trial trial, Runnable fuel) implements Trial {
        @Override
        public int clients() {
            return trial.clients();
        }

        @Override
        public int servers() {
            return trial.servers();
        }

        @Override
        public void build(Fabric fabric) throws FabricException {
            trial.build(fabric);
        }

        @Override
        public void run(Client client, HistoryRecorder history) throws FabricException {
            fuel.run();
            trial.run(client, history);
        }

        @Override
        public int atomicReadBytes() {
            return trial.atomicReadBytes();
        }

        @Override
        public boolean oneClock() {
            return trial.oneClock();
        }

        @Override
        public List<? extends @Nullable ServerProgram> serverPrograms() {
            return trial.serverPrograms();
        }

        @Override
        public @Nullable String violation(History history) {
            fuel.run();
            return trial.violation(history);
        }
    }
}
