package org.reprobe.run.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.CardLoad;
import org.reprobe.analysis.plan.Latency;
import org.reprobe.analysis.plan.PlanInput;
import org.reprobe.analysis.plan.PlanOption;
import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.analysis.plan.Simulated;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.system.RefusedException;
import org.reprobe.system.Systems;

/** Comparison of the planner's closed form with the simulator on random configurations. */
public final class PlanProof {
    private static final int RECORDS = 1 << 18;

    /** Size of the simulated table relative to the card's translation cache, if the planned table is larger than it. */
    private static final double TABLE_PER_CACHE = 2;

    private static final double LOOKUPS = 60_000;

    /** Rounds of all send queues near the knee: of a proof, and of an option of a plan. */
    private static final int PROVED_ROUNDS = 100;

    private static final int PLANNED_ROUNDS = 25;

    /** Largest simulation of an option: some ten seconds. */
    private static final double MAX_OPERATIONS = 10e6;

    private static final int MAX_CLIENTS = 4096;

    /** Cards with measurements. */
    public static final List<String> CARDS =
            List.of("connectx5-edr", "connectx5-roce", "connectx3-40g", "connectx3-56g", "connectx6-200g");

    private PlanProof() {}

    /** One configuration, predicted and simulated, at the utilisation at which latency under load was measured. */
    public record Point(
            CardLoad load,
            double utilisation,
            double predictedPerSecond,
            double simulatedPerSecond,
            double predictedIdleP99Ns,
            double simulatedIdleP99Ns,
            double predictedLoadedP99Ns,
            double simulatedLoadedP99Ns) {

        public double throughputError() {
            return predictedPerSecond / simulatedPerSecond - 1;
        }

        public double idleError() {
            return predictedIdleP99Ns / simulatedIdleP99Ns - 1;
        }

        public double loadedError() {
            return predictedLoadedP99Ns / simulatedLoadedP99Ns - 1;
        }

        /** Returns the relative errors of throughput, idle latency and latency under load. */
        public double[] errors() {
            return new double[] {throughputError(), idleError(), loadedError()};
        }

        public String line() {
            return String.format(
                    Locale.ROOT,
                    "%s, %s, records of %d bytes, %d x %d threads, queue %d, %d READs in flight, %.0f %% writes: %.2f M/s predicted, %.2f"
                            + " simulated (%+.1f %%); idle p99 %.2f us, %.2f (%+.1f %%); p99 at %.0f %% of it %.2f us, %.2f (%+.1f"
                            + " %%)",
                    load.nic().name(),
                    load.shape().label(),
                    load.shape().recordBytes(),
                    load.clients().machines(),
                    load.clients().threads(),
                    load.clients().sendQueue(),
                    load.clients().outstandingReads(),
                    100 * load.writeShare(),
                    predictedPerSecond / 1e6,
                    simulatedPerSecond / 1e6,
                    100 * throughputError(),
                    predictedIdleP99Ns / 1e3,
                    simulatedIdleP99Ns / 1e3,
                    100 * idleError(),
                    100 * utilisation,
                    predictedLoadedP99Ns / 1e3,
                    simulatedLoadedP99Ns / 1e3,
                    100 * loadedError());
        }
    }

    public static List<Point> run(List<NicProfile> profiles, int count, long seed, Consumer<Point> done)
            throws InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        List<PlannedScheme> schemes = Systems.planned();
        List<Point> points = new ArrayList<>();
        while (points.size() < count) {
            NicProfile nic = profiles.get(random.nextInt(profiles.size()));
            PlannedScheme scheme = schemes.get(random.nextInt(schemes.size()));
            int recordBytes = new int[] {8, 16, 24, 32, 64, 128, 256}[random.nextInt(7)];
            boolean inline = random.nextBoolean();
            double load = Math.round((0.2 + 0.7 * random.nextDouble()) * 100) / 100.0;
            int readSize = random.nextInt(scheme.readSizes());
            TableShape shape = scheme.shape(nic, load, inline, recordBytes, readSize);
            CardLoad.Clients clients = new CardLoad.Clients(
                    1 + random.nextInt(2),
                    4 + random.nextInt(33),
                    new int[] {32, 64}[random.nextInt(2)],
                    new int[] {4, 8, 16, 16}[random.nextInt(4)]);
            double utilisation = 0.1 + 0.7 * random.nextDouble();
            double writeShare = new double[] {0, 0, 0, 0, 0.05, 0.2, 0.5, 1}[random.nextInt(8)];
            long trialSeed = random.nextLong() >>> 16;
            if (shape == null) {
                continue;
            }
            Point point = point(nic, shape, clients, writeShare, utilisation, trialSeed);
            if (point != null) {
                points.add(point);
                done.accept(point);
            }
        }
        return points;
    }

    private static @Nullable Point point(
            NicProfile nic,
            TableShape shape,
            CardLoad.Clients clients,
            double writeShare,
            double utilisation,
            long seed)
            throws InterruptedException {
        try (PlanTrial trial = new PlanTrial(nic, shape, clients, RECORDS, represented(nic, shape), writeShare, seed)) {
            return point(trial, utilisation * trial.load().saturatedPerSecond());
        } catch (RefusedException e) {
            return null; // such as a table that can't be built: another one is drawn
        }
    }

    private static long represented(NicProfile nic, TableShape shape) {
        NicProfile.Contention room = nic.contention();
        double beyondCache = TABLE_PER_CACHE * room.translations() * room.pageBytes() / shape.bytesPerRecord();
        return Math.max(RECORDS, Math.round(beyondCache));
    }

    /** Interval of a simulated run. */
    private record Timing(double warmMs, double durationMs) {
        double operations(double perSecond) {
            return (warmMs + durationMs) * 1e-3 * perSecond;
        }
    }

    private static Timing saturation(PlanTrial trial, double predicted, int kneeRounds) {
        CardLoad load = trial.load();
        CardLoad.Clients clients = load.clients();
        double roundMs = clients.all() * clients.sendQueue() / load.requests() / predicted * 1e3;
        // Near the knee, where neither server nor clients alone limit throughput, clients stay synchronized for many
        // rounds.
        boolean knee = predicted < 0.97 * load.boundPerSecond();
        double warmMs = cachesReads(trial) / (predicted * load.requests()) * 1e3
                + (knee ? kneeRounds : 10) * roundMs * Math.max(1, load.demand().meanRounds());
        return new Timing(warmMs, Math.max(LOOKUPS / predicted * 1e3, (knee ? 2 * kneeRounds : 10) * roundMs));
    }

    /**
     * Returns the READs after which a card's translation cache is in steady state: each entry has been replaced several
     * times, or all translations of a table that fits are fetched.
     */
    private static double cachesReads(PlanTrial trial) {
        NicProfile.Contention room = trial.load().nic().contention();
        return 25 * Math.min(room.translations(), trial.tableBytes() / room.pageBytes()) / trial.scale();
    }

    private static Timing paced(PlanTrial trial, double perSecond, double percentileNs) {
        double coldMs = cachesReads(trial) / (perSecond * trial.load().requests()) * 1e3;
        return new Timing(coldMs + 20 * percentileNs * 1e-6, LOOKUPS / 2 / perSecond * 1e3);
    }

    /**
     * Simulates one server of an option of a plan, at saturation and at the peak with failed servers.
     *
     * @throws RefusedException if it can't be simulated, or not within seconds
     */
    public static Simulated simulated(PlanInput input, PlanOption option, long seed)
            throws RefusedException, InterruptedException {
        long ofServer =
                Math.max(1, Math.round(option.tableBytes() / option.shape().bytesPerRecord()));
        CardLoad.Clients clients = option.load().clients();
        if (clients.all() > MAX_CLIENTS) {
            throw new RefusedException(clients.all() + " client threads per server are too many");
        }
        try (PlanTrial trial = new PlanTrial(
                option.nic(),
                option.shape(),
                clients,
                Math.min(RECORDS, ofServer),
                ofServer,
                option.load().writeShare(),
                seed)) {
            double predicted = option.perServerPerSecond();
            Timing saturation = saturation(trial, predicted, PLANNED_ROUNDS);
            Timing paced = paced(trial, option.downPerSecond(), option.downNs()[1]);
            if (saturation.operations(predicted) + paced.operations(option.downPerSecond()) > MAX_OPERATIONS) {
                throw new RefusedException("the simulation would take minutes");
            }
            PlanTrial.Result full = valid(trial.run(clients.sendQueue(), 0, saturation.warmMs, saturation.durationMs));
            PlanTrial.Result loaded =
                    valid(trial.run(clients.sendQueue(), option.downPerSecond(), paced.warmMs, paced.durationMs));
            String percentile = input.percentileWords();
            return new Simulated(
                    full.lookupsPerSecond(),
                    loaded.p50Ns(),
                    switch (percentile) {
                        case "50" -> loaded.p50Ns();
                        case "99" -> loaded.p99Ns();
                        case "99.9" -> loaded.p999Ns();
                        default ->
                            option.downNs()[1]
                                    * loaded.p99Ns()
                                    / Latency.underLoadNs(option.load(), option.downPerSecond(), 0.99)[0];
                    });
        }
    }

    private static PlanTrial.Result valid(PlanTrial.Result result) throws RefusedException {
        if (result.problem() != null) {
            throw new RefusedException(result.problem());
        }
        return result;
    }

    /** Predicts and simulates one configuration, with latency at a load in 1/s. */
    public static Point point(PlanTrial trial, double perSecond) throws InterruptedException {
        CardLoad load = trial.load();
        CardLoad.Clients clients = load.clients();
        double predicted = load.saturatedPerSecond();
        Timing saturation = saturation(trial, predicted, PROVED_ROUNDS);
        PlanTrial.Result full = trial.run(clients.sendQueue(), 0, saturation.warmMs, saturation.durationMs);
        double idlePredicted = Latency.idleNs(load, 0.99);
        CardLoad.Clients one = new CardLoad.Clients(1, 1, clients.sendQueue(), clients.outstandingReads());
        double idleAlone;
        PlanTrial.Result idle;
        try (PlanTrial quiet = trial.with(one)) {
            idleAlone = Latency.idleNs(quiet.load(), 0.99);
            idle = quiet.run(0, 0, 200 * idlePredicted * 1e-6, 6_000 * idlePredicted * 1e-6);
        }
        double[] loaded = Latency.underLoadNs(load, perSecond, 0.99);
        Timing timing = paced(trial, perSecond, Double.isFinite(loaded[0]) ? loaded[0] : 20 * idlePredicted);
        PlanTrial.Result paced = trial.run(clients.sendQueue(), perSecond, timing.warmMs, timing.durationMs);
        return new Point(
                load,
                perSecond / predicted,
                predicted,
                full.lookupsPerSecond(),
                idleAlone,
                idle.p99Ns(),
                loaded[0],
                paced.p99Ns());
    }

    /** Returns the distribution of the errors in words, and every point beyond the promised error. */
    public static String summary(List<Point> points) {
        StringBuilder text = new StringBuilder();
        line(text, "throughput", points, Point::throughputError, 0.05);
        line(text, "idle p99", points, Point::idleError, 0.15);
        line(text, "p99 under load", points, Point::loadedError, 0.15);
        return text.toString();
    }

    private static void line(
            StringBuilder text, String what, List<Point> points, ToDoubleFunction<Point> error, double promised) {
        double[] sizes = points.stream()
                .mapToDouble(point -> Math.abs(error.applyAsDouble(point)))
                .sorted()
                .toArray();
        long within = Arrays.stream(sizes).filter(size -> size <= promised).count();
        text.append(String.format(
                Locale.ROOT,
                "%s: %d of %d within %.0f %%; median %.1f %%, 90 of 100 below %.1f %%, largest %.1f %%%n",
                what,
                within,
                sizes.length,
                100 * promised,
                100 * sizes[sizes.length / 2],
                100 * sizes[(int) (0.9 * (sizes.length - 1))],
                100 * sizes[sizes.length - 1]));
        points.stream()
                .filter(point -> !(Math.abs(error.applyAsDouble(point)) <= promised))
                .forEach(point -> text.append("  beyond: ").append(point.line()).append('\n'));
    }
}
