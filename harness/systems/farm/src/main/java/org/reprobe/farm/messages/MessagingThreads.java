package org.reprobe.farm.messages;

import java.util.function.IntFunction;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.SampledThreads;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.system.Settings;

/** Threads that exchange requests and replies (FaRM 2014, section 3.1). One object serves all clients of a run. */
public final class MessagingThreads extends SampledThreads {
    private final Parameters plan;

    /**
     * Parameters of a run's threads, of which each has machine and thread number by client index and keeps
     * {@code inFlight} operations in flight.
     */
    public record Parameters(
            int machines,
            IntFunction<ThreadNumber> threads,
            MessageExchange.Kind messages,
            Workload requests,
            int inFlight,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    /** Identity of a thread: its machine, and its number on that machine from 0. */
    public record ThreadNumber(int machine, int thread) {

        /**
         * Returns a client's thread: clients alternate between simulated machines, and are consecutive in real
         * processes.
         */
        public static ThreadNumber of(Settings settings, int client) {
            int machines = settings.clients().machines();
            int threads = settings.clients().threads();
            return settings.isReal()
                    ? new ThreadNumber(client / threads, client % threads)
                    : new ThreadNumber(client % machines, client / machines);
        }

        /** Returns the client number of the thread, for simulated machines. */
        public int client(int machines) {
            return thread * machines + machine;
        }
    }

    @FunctionalInterface
    public interface Workload {
        RemoteRequests forThread(Client client, ThreadNumber own) throws FabricException;
    }

    public static MessagingThreads of(
            Settings settings,
            Settings.Measure measure,
            MessageExchange.Kind messages,
            int inFlight,
            Workload requests) {
        return new MessagingThreads(
                new Parameters(
                        settings.clients().machines(),
                        client -> ThreadNumber.of(settings, client),
                        messages,
                        requests,
                        inFlight,
                        measure.warmUpNs(),
                        measure.durationNs(),
                        settings.conditions()),
                settings.clients().total(),
                // Inserts fill the table, so a longer warm-up would measure a fuller table.
                !settings.workload().inserts());
    }

    /** Creates the threads of a run; the warm-up may be prolonged only if operations don't change the state. */
    public MessagingThreads(Parameters plan, int clients, boolean prolongs) {
        super(clients, plan.warmUpNs(), plan.durationNs(), prolongs, plan.conditions());
        this.plan = plan;
    }

    @Override
    protected void run(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
        try (RemoteRequests requests =
                plan.requests().forThread(client, plan.threads().apply(client.index()))) {
            new MessagingThread(client, plan, requests, interval, clientCounts).run();
        }
    }
}
