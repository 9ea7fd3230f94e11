package org.reprobe.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.Fault;
import org.reprobe.plots.Course;
import org.reprobe.sample.TimeSeries;
import org.reprobe.system.FaultSpec;
import org.reprobe.system.Settings;

/** Faults of one run: a scenario's faults, completed by random choices from the run's seed. */
public final class FaultPlan {
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_US = 1e3;
    /** Share of the earlier throughput at which a run has recovered. */
    private static final double RECOVERED = 0.9;
    /** Tolerance for slices of few operations, in standard deviations: their number is about Poisson distributed. */
    private static final double NOISE_SIGMAS = 3;

    private final List<Fault> faults = new ArrayList<>();
    private final long warmUpNs;

    private FaultPlan(long warmUpNs) {
        this.warmUpNs = warmUpNs;
    }

    /** Returns a run's faults; {@code clientsServe} if the clients' machines are the servers. */
    public static FaultPlan of(Settings settings, boolean clientsServe, long runSeed) {
        FaultPlan plan = new FaultPlan(settings.measure().warmUpNs());
        // Independent of the run's own choices from its seed.
        SplittableRandom random = new SplittableRandom(runSeed ^ 0xFA17L);
        for (FaultSpec spec : settings.faults()) {
            double atMs =
                    spec.atMs() == 0 ? random.nextDouble() * settings.measure().durationMs() : spec.atMs();
            long fromNs = plan.warmUpNs + (long) (atMs * NS_PER_MS);
            long untilNs = spec.forMs() == 0 ? Long.MAX_VALUE : fromNs + (long) (spec.forMs() * NS_PER_MS);
            plan.add(spec, fromNs, untilNs, settings, clientsServe, random);
        }
        return plan;
    }

    private void add(
            FaultSpec spec,
            long fromNs,
            long untilNs,
            Settings settings,
            boolean clientsServe,
            SplittableRandom random) {
        if (spec.kind() == FaultSpec.Kind.KILL) {
            faults.add(new Fault.Kill(number(spec.machine(), settings.clients().total(), random), fromNs));
            return;
        }
        Fault.Machine machine = machine(spec.machine(), settings, clientsServe, random);
        switch (spec.kind()) {
            case CRASH -> faults.add(new Fault.Crash(machine, fromNs, untilNs, spec.memory() == FaultSpec.Memory.KEPT));
            case SLOW_CPU -> faults.add(new Fault.Slow(Fault.Part.CPU, machine, fromNs, untilNs, spec.times()));
            case SLOW_CARD -> faults.add(new Fault.Slow(Fault.Part.CARD, machine, fromNs, untilNs, spec.times()));
            case DELAY -> {
                Fault.Machine to = machine(spec.to(), settings, clientsServe, random);
                faults.add(new Fault.Delay(machine, to, fromNs, untilNs, (long) (spec.delayUs() * NS_PER_US)));
            }
            default -> {
                Fault.Machine to = machine(spec.to(), settings, clientsServe, random);
                if (spec.way() != FaultSpec.Way.BACK) {
                    faults.add(new Fault.Cut(machine, to, fromNs, untilNs));
                }
                if (spec.way() != FaultSpec.Way.THERE) {
                    faults.add(new Fault.Cut(to, machine, fromNs, untilNs));
                }
            }
        }
    }

    private static Fault.Machine machine(
            String name, Settings settings, boolean clientsServe, SplittableRandom random) {
        boolean serves = clientsServe || name.startsWith("server");
        int machines = clientsServe || !serves ? settings.clients().machines() : 1;
        return new Fault.Machine(serves, number(name, machines, random));
    }

    private static int number(String name, int count, SplittableRandom random) {
        String rest = name.substring(name.indexOf('-') + 1);
        return rest.equals("any") ? random.nextInt(count) : name.contains("-") ? Integer.parseInt(rest) : 0;
    }

    public List<Fault> faults() {
        return faults;
    }

    /** Returns the times from the first fault to the first failed operation, and to the recovery of the throughput. */
    public Map<String, Double> metrics(TimeSeries series) {
        Map<String, Double> metrics = new TreeMap<>();
        long firstNs = faults.stream().mapToLong(Fault::fromNs).min().orElse(0) - warmUpNs;
        int at = series.slices() == 0 ? 0 : (int) Math.max(0, firstNs / series.sliceNs());
        if (at == 0 || at >= series.slices()) {
            return metrics; // no baseline
        }
        double before = 0;
        for (int slice = 0; slice < at; slice++) {
            before += series.operations(slice);
        }
        before /= at;
        double least = RECOVERED * before - NOISE_SIGMAS * Math.sqrt(before);
        int slowest = at - 1;
        for (int slice = at; slice < series.slices(); slice++) {
            if (series.failures(slice) > 0) {
                metrics.putIfAbsent(Metrics.DETECT, Math.max(0, (slice + 1) * series.sliceNs() - firstNs) / NS_PER_MS);
            }
            // The last slice may be partial.
            if (series.operations(slice) < least && slice < series.slices() - 1) {
                slowest = slice;
            }
        }
        if (slowest < series.slices() - 2) {
            metrics.put(Metrics.RECOVER, Math.max(0, (slowest + 1) * series.sliceNs() - firstNs) / NS_PER_MS);
        }
        return metrics;
    }

    static List<Course.Mark> marks(List<FaultSpec> faults) {
        List<Course.Mark> marks = new ArrayList<>();
        for (FaultSpec fault : faults) {
            if (fault.atMs() > 0) {
                double untilMs = fault.forMs() == 0 ? Double.POSITIVE_INFINITY : fault.atMs() + fault.forMs();
                marks.add(new Course.Mark(fault.atMs(), untilMs, words(fault)));
            }
        }
        return marks;
    }

    private static String words(FaultSpec fault) {
        boolean process = fault.kind() == FaultSpec.Kind.KILL;
        String machine = fault.machine().replace('-', ' ').replace("client", process ? "client" : "client machine");
        return switch (fault.kind()) {
            case CRASH -> machine + " crashes";
            case KILL -> machine + " is killed";
            case SLOW_CPU -> machine + ": slow CPU";
            case SLOW_CARD -> machine + ": slow card";
            case CUT -> machine + ": link cut";
            case DELAY -> machine + ": link delayed";
        };
    }
}
