package org.reprobe.trial;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.explore.Limits;
import org.reprobe.explore.Outcome;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ServerProgram;

/** Explores configurations of a protocol with a fault until one shows it. */
final class MutantHunt {
    private final List<String> configurations;

    /** What has shown faults so far comes first: few configurations show most. */
    private final List<String> sharpest = new ArrayList<>();

    MutantHunt(Collection<String> configurations) {
        this.configurations = List.copyOf(configurations);
    }

    /**
     * Looks for a schedule that goes wrong.
     *
     * @param ms how long at most
     * @return the configuration and what goes wrong there; null when nothing did
     */
    @Nullable
    String find(Mutants.Mutant mutant, long ms) throws InterruptedException {
        long end = System.nanoTime() + ms * 1_000_000;
        ProtocolLoader loader = new ProtocolLoader(mutant::in);
        Runnable fuel;
        try {
            fuel = (Runnable)
                    loader.loadClass(Fuel.class.getName()).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        Set<String> order = new LinkedHashSet<>();
        synchronized (sharpest) {
            order.addAll(sharpest.subList(0, Math.min(60, sharpest.size())));
        }
        order.addAll(configurations);
        for (String configuration : order) {
            if (System.nanoTime() > end) {
                return null;
            }
            String wrong = wrong(loader, fuel, configuration, end);
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

    /** What goes wrong in a configuration's schedules without and with one switch, and in random ones. */
    static @Nullable String wrong(ProtocolLoader loader, Runnable fuel, String text, long end)
            throws InterruptedException {
        Limits limits = DerivedSystem.limits(text);
        fuel.run();
        try {
            Trial trial = new Fuelled(loader.trial(text), fuel);
            for (Outcome outcome : Survey.explore(trial, limits, 1, () -> System.nanoTime() > end)) {
                String wrong = wrong(outcome);
                if (wrong != null) {
                    return wrong;
                }
            }
            return null;
        } catch (FabricException | RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            Throwable cause = e.getCause() instanceof InvocationTargetException wrapped ? wrapped : e;
            return "fails: " + cause;
        }
    }

    private static @Nullable String wrong(Outcome outcome) {
        if (outcome.counterexample() != null) {
            return outcome.counterexample().wrong();
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
        public @Nullable ServerProgram server() {
            return trial.server();
        }

        @Override
        public @Nullable String wrong(History history) {
            fuel.run();
            return trial.wrong(history);
        }
    }
}
