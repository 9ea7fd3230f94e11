package org.reprobe.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.memory.Shortage;
import org.reprobe.sample.TimeSeries;
import org.reprobe.system.Content;
import org.reprobe.system.ProgramRun;
import org.reprobe.system.RefusedException;
import org.reprobe.system.Run;
import org.reprobe.system.RunOutcome;

/**
 * Executor of units on several workers. A unit's result depends on the unit only, so results are the same with any
 * number of workers; only their order differs. The thread that called {@link #run} stores them.
 */
final class Runner {
    /** Timeout for runs in progress after a stop. */
    private static final long STOPPING_MS = 5_000;

    private final ContentPool pool;
    private final RealRuns realRuns;
    private final Function<RunPlan.Unit, Path> ownFolders;
    private final int jobs;
    private final Progress progress;
    private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final List<Thread> workers = new ArrayList<>();
    private final List<Deque<RunPlan.Unit>> pending = new ArrayList<>(); // guarded by pool
    private final Function<RunPlan.Unit, UnitMemory> memory = UnitMemory.ofUnits(); // guarded by pool
    private final Set<ProgramRun> programRuns = ConcurrentHashMap.newKeySet();
    private int waiting; // guarded by pool
    private volatile boolean stopped;

    interface Sink {
        /** Stores a result. A failure ends all runs. A series without slices is for a run without one. */
        void store(RunPlan.Unit unit, Measurement measurement, @Nullable Histogram latencyNs, TimeSeries series)
                throws IOException;
    }

    private sealed interface Event {
        record Result(
                RunPlan.Unit unit,
                Measurement measurement,
                @Nullable Histogram latencyNs,
                TimeSeries series) implements Event {}

        record WorkerEnded() implements Event {}

        record Stop() implements Event {}
    }

    Runner(
            List<RunPlan.Unit> units,
            ContentPool.Maker maker,
            RealRuns realRuns,
            Function<RunPlan.Unit, Path> ownFolders,
            long budgetBytes,
            int jobs,
            Progress progress) {
        Map<Content, Integer> uses = new HashMap<>();
        for (RunPlan.Unit unit : units) {
            if (unit.localContent() != null) {
                uses.merge(unit.localContent(), 1, Integer::sum);
            }
        }
        RunPlan.groups(units).forEach(group -> pending.add(new ArrayDeque<>(group)));
        this.pool = new ContentPool(budgetBytes, UnitMemory.heapBudgetBytes(), uses, maker);
        this.realRuns = realRuns;
        this.ownFolders = ownFolders;
        this.jobs = jobs;
        this.progress = progress;
    }

    /** Returns the state of each external program of the runs in progress. Called from any thread. */
    List<Run.ProcessState> processes() {
        return programRuns.stream().flatMap(run -> run.processes().stream()).toList();
    }

    /** Stops all runs soon; unfinished ones are lost. Thread-safe. */
    void stop() {
        events.add(new Event.Stop());
    }

    /** Returns false if stopped before the end. If the sink fails, results stored before are kept. */
    boolean run(Sink sink) throws IOException, InterruptedException {
        for (int i = 0; i < jobs; i++) {
            Thread worker = Thread.ofPlatform().daemon().name("worker-" + i).unstarted(this::work);
            workers.add(worker);
        }
        workers.forEach(Thread::start);
        int running = jobs;
        try {
            while (running > 0) {
                switch (events.take()) {
                    case Event.Result result -> keep(sink, result);
                    case Event.WorkerEnded() -> running--;
                    case Event.Stop() -> {
                        end(running, sink);
                        return false;
                    }
                }
            }
            synchronized (pool) {
                return pending.stream().allMatch(Deque::isEmpty); // false if a worker failed
            }
        } catch (IOException | InterruptedException e) {
            end(0, sink);
            throw e;
        } finally {
            pool.close();
        }
    }

    private void keep(Sink sink, Event.Result result) throws IOException {
        Measurement measurement = result.measurement;
        try {
            sink.store(result.unit, measurement, result.latencyNs, result.series);
        } catch (RuntimeException | OutOfMemoryError e) {
            // Numbers of one run that no file can hold must not lose the others.
            String shortage = Shortage.text(e, "use a shorter measure.duration-ms");
            measurement =
                    result.unit.failed("the result can't be stored: " + (shortage == null ? message(e) : shortage));
            report(e);
            sink.store(result.unit, measurement, null, new TimeSeries());
        }
        progress.finished(result.unit, measurement);
    }

    private void end(int running, Sink sink) throws IOException, InterruptedException {
        stopped = true;
        workers.forEach(Thread::interrupt);
        synchronized (pool) {
            pool.notifyAll();
        }
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOPPING_MS);
        int left = running;
        while (left > 0) {
            Event event = events.poll(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
            switch (event) {
                case null -> {
                    return; // building a table can't be interrupted
                }
                case Event.Result result -> keep(sink, result);
                case Event.WorkerEnded() -> left--;
                case Event.Stop() -> {}
            }
        }
    }

    private record Work(RunPlan.Unit unit, ContentPool.Lease lease, int threads) {}

    private void work() {
        try {
            Work work = next();
            while (work != null) {
                progress.started(work.unit);
                perform(work);
                work = next();
            }
        } catch (InterruptedException e) {
            // Stopped: the run in progress is lost.
        } finally {
            events.add(new Event.WorkerEnded());
        }
    }

    /** Returns the next unit whose table is ready or can be built now; waits while there is none; null at the end. */
    private @Nullable Work next() throws InterruptedException {
        synchronized (pool) {
            while (!stopped) {
                pending.removeIf(Deque::isEmpty);
                if (pending.isEmpty()) {
                    return null;
                }
                for (Deque<RunPlan.Unit> group : pending) {
                    RunPlan.Unit unit = group.getFirst();
                    ContentPool.Lease lease = pool.tryLease(unit.localContent(), memory.apply(unit));
                    if (lease != null) {
                        // A table is built with all cores that would be idle otherwise.
                        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() - jobs + waiting + 1);
                        return new Work(group.removeFirst(), lease, threads);
                    }
                }
                waiting++;
                try {
                    pool.wait();
                } finally {
                    waiting--;
                }
            }
            return null;
        }
    }

    private void perform(Work work) throws InterruptedException {
        RunPlan.Unit unit = work.unit;
        Measurement measurement;
        Histogram latencyNs = null;
        TimeSeries series = new TimeSeries();
        try (ContentPool.Lease lease = work.lease) {
            RunOutcome outcome = outcome(unit, lease, work.threads);
            latencyNs = outcome.latencyNs();
            series = outcome.series();
            measurement = new Measurement(
                    unit.scenario().name(),
                    unit.planned().cell(),
                    unit.repeat(),
                    unit.settings().seed(),
                    unit.settings().fabric(),
                    outcome.kind(),
                    outcome.valid(),
                    outcome.problem(),
                    outcome.metrics(),
                    outcome.warnings());
        } catch (RefusedException e) {
            measurement = unit.failed(String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            if (stopped) {
                throw new InterruptedException();
            }
            String shortage = Shortage.text(
                    e,
                    !(unit.run() instanceof ProgramRun)
                            ? "use fewer clients or records, or a shorter send queue"
                            : "have the programs print less");
            measurement = unit.failed(shortage == null ? "failed unexpectedly: " + message(e) : shortage);
            report(e);
        }
        events.add(new Event.Result(unit, measurement, latencyNs, series));
    }

    private RunOutcome outcome(RunPlan.Unit unit, ContentPool.Lease lease, int threads)
            throws RefusedException, InterruptedException {
        if (unit.run() instanceof ProgramRun programs) {
            programRuns.add(programs);
            try {
                return programs.run(ownFolders.apply(unit), unit.runSeed());
            } finally {
                programRuns.remove(programs);
            }
        }
        return unit.isReal()
                ? realRuns.run(unit, threads)
                : SimulatedRun.run(unit.settings(), unit.nic(), unit.run(), lease.content(threads), unit.runSeed());
    }

    private static String message(Throwable e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private void report(Throwable e) {
        if (Boolean.getBoolean("reprobe.debug")) {
            java.io.StringWriter text = new java.io.StringWriter();
            e.printStackTrace(new java.io.PrintWriter(text));
            progress.note(text.toString());
        }
    }
}
