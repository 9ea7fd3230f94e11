package org.reprobe.farm.messages;

import java.util.function.IntFunction;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.remote.SampledThreads;
import org.reprobe.system.Counts;
import org.reprobe.system.Settings;

/** Threads that ask those of other machines by messages, and answer them (FaRM 2014, section 3.1). One object serves all of a run. */
public final class MessagingThreads extends SampledThreads {
    private final Parameters plan;

    /**
     * What all threads of a run do.
     *
     * @param machines that they are on
     * @param threads which thread of which machine a client is, by its index
     * @param messages how they exchange them
     * @param questions what they ask
     * @param inFlight operations that a thread has under way
     */
    public record Parameters(
            int machines,
            IntFunction<ThreadNumber> threads,
            MessageExchange.Kind messages,
            Asked questions,
            int inFlight,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    /**
     * A thread.
     *
     * @param machine that it is on
     * @param thread from 0, of that machine's
     */
    public record ThreadNumber(int machine, int thread) {

        /** Simulated machines take turns with clients' numbers, real processes have some one after the other. */
        public static ThreadNumber of(Settings settings, int client) {
            int machines = settings.clients().machines();
            int threads = settings.clients().threads();
            return settings.isReal()
                    ? new ThreadNumber(client / threads, client % threads)
                    : new ThreadNumber(client % machines, client / machines);
        }

        /** Which client it is; for simulated machines. */
        public int client(int machines) {
            return thread * machines + machine;
        }
    }

    /** What a thread asks. */
    @FunctionalInterface
    public interface Asked {
        Questions by(Client client, ThreadNumber own) throws FabricException;
    }

    /** All threads of a scenario. */
    public static MessagingThreads of(
            Settings settings, Settings.Measure measure, MessageExchange.Kind messages, int inFlight, Asked questions) {
        return new MessagingThreads(
                new Parameters(
                        settings.clients().machines(),
                        client -> ThreadNumber.of(settings, client),
                        messages,
                        questions,
                        inFlight,
                        measure.warmUpNs(),
                        measure.durationNs(),
                        settings.conditions()),
                settings.clients().total(),
                // New keys fill the table: a longer warm-up would measure a fuller one.
                !settings.workload().inserts());
    }

    public MessagingThreads(Parameters plan, int clients) {
        this(plan, clients, true);
    }

    /**
     * Threads of a run.
     *
     * @param prolongs whether the warm-up may be prolonged: not where operations change what is measured
     */
    public MessagingThreads(Parameters plan, int clients, boolean prolongs) {
        super(clients, plan.warmUpNs(), plan.durationNs(), prolongs, plan.conditions());
        this.plan = plan;
    }

    @Override
    protected void run(Client client, SampledInterval interval, Counts mine) throws FabricException {
        try (Questions questions = plan.questions().by(client, plan.threads().apply(client.index()))) {
            new MessagingThread(client, plan, questions, interval, mine).run();
        }
    }
}
