package org.reprobe.run;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.CardLoad;
import org.reprobe.analysis.plan.Latency;
import org.reprobe.analysis.plan.LookupDemand;
import org.reprobe.analysis.plan.PlanScheme;
import org.reprobe.analysis.plan.Shapes;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.table.TableRefusedException;

/** Holds the planner's closed form against the simulator on random configurations. */
public final class PlanProof {
    private static final int RECORDS = 1 << 19;
    private static final double LOOKUPS = 150_000;

    private PlanProof() {}

    /**
     * One configuration, predicted and simulated.
     *
     * @param utilisation of the busiest resource at which latency under load was taken
     */
    public record Point(
            String nic,
            TableShape shape,
            CardLoad.Clients clients,
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
    }

    /**
     * Draws configurations and simulates them.
     *
     * @param profiles the cards to draw from
     * @param count how many configurations
     * @param done called after each
     */
    public static List<Point> run(List<NicProfile> profiles, int count, long seed, Consumer<Point> done)
            throws InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        List<Point> points = new ArrayList<>();
        while (points.size() < count) {
            NicProfile nic = profiles.get(random.nextInt(profiles.size()));
            PlanScheme scheme = PlanScheme.values()[random.nextInt(PlanScheme.values().length)];
            int recordBytes = new int[] {8, 16, 24, 32, 64, 128, 256}[random.nextInt(7)];
            boolean inline = random.nextBoolean();
            double load = Math.round((0.2 + 0.7 * random.nextDouble()) * 100) / 100.0;
            int[] fixedBytes = {128, 256, 512};
            TableShape shape = Shapes.of(nic, scheme, load, inline, recordBytes, fixedBytes[random.nextInt(3)]);
            CardLoad.Clients clients = new CardLoad.Clients(
                    1 + random.nextInt(2),
                    4 + random.nextInt(33),
                    new int[] {32, 64, 128}[random.nextInt(3)],
                    new int[] {4, 8, 16, 16}[random.nextInt(4)]);
            double utilisation = 0.1 + 0.7 * random.nextDouble();
            long trialSeed = random.nextLong() >>> 16;
            if (shape == null) {
                continue;
            }
            Point point = point(nic, shape, clients, utilisation, trialSeed);
            if (point != null) {
                points.add(point);
                done.accept(point);
            }
        }
        return points;
    }

    private static @org.jspecify.annotations.Nullable Point point(
            NicProfile nic, TableShape shape, CardLoad.Clients clients, double utilisation, long seed)
            throws InterruptedException {
        try (PlanTrial trial = new PlanTrial(nic, shape, clients, RECORDS, seed)) {
            CardLoad load = new CardLoad(nic, shape, LookupDemand.of(shape), clients, trial.tableBytes());
            double predicted = load.saturatedPerSecond();
            double roundMs = clients.all() * clients.sendQueue() / load.demand().reads() / predicted * 1e3;
            // Where neither server nor clients alone decide, clients that are in step stay so for many rounds.
            boolean knee = predicted < 0.97 * load.boundPerSecond();
            double warmMs =
                    (knee ? 250 : 20) * roundMs * Math.max(1, load.demand().meanRounds());
            double durationMs = Math.max(LOOKUPS / predicted * 1e3, (knee ? 400 : 10) * roundMs);
            PlanTrial.Seen full = trial.run(clients.sendQueue(), 0, warmMs, durationMs);
            double idlePredicted = Latency.idleNs(load, 0.99);
            CardLoad.Clients one = new CardLoad.Clients(1, 1, clients.sendQueue(), clients.outstandingReads());
            PlanTrial.Seen idle;
            try (PlanTrial alone = trial.with(one)) {
                idle = alone.run(0, 0, 0.05, 20_000 * idlePredicted * 1e-6 / 2);
            }
            double rate = utilisation * predicted;
            double[] loaded = Latency.underLoadNs(load, rate, 0.99);
            PlanTrial.Seen paced = trial.run(
                    clients.sendQueue(), rate, 20 * loadedMs(loaded[0], idlePredicted), LOOKUPS / 3 / rate * 1e3);
            return new Point(
                    nic.name(),
                    shape,
                    clients,
                    utilisation,
                    predicted,
                    full.lookupsPerSecond(),
                    idlePredicted,
                    idle.p99Ns(),
                    loaded[0],
                    paced.p99Ns());
        } catch (TableRefusedException e) {
            return null; // a hopscotch table that got stuck: another one is drawn
        }
    }

    private static double loadedMs(double loadedNs, double idleNs) {
        return (Double.isFinite(loadedNs) ? loadedNs : 20 * idleNs) * 1e-6;
    }
}
