package org.reprobe.run;

import com.sun.management.OperatingSystemMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.sim.SimFabric;
import umontreal.ssj.simevents.Event;
import umontreal.ssj.simevents.Simulator;
import umontreal.ssj.simevents.eventlist.BinaryTree;
import umontreal.ssj.simevents.eventlist.EventList;
import umontreal.ssj.simevents.eventlist.Henriksen;
import umontreal.ssj.simevents.eventlist.RedblackTree;
import umontreal.ssj.simevents.eventlist.SplayTree;

/**
 * Simulated READs per second of CPU time, alternating with the same closed network in SSJ, a library for discrete-event
 * simulation: 28 clients with 16 READs in flight each at one card. Reprobe copies the bytes of each READ out of a table
 * that no cache holds, posts lists through queue pairs and polls completions; SSJ's READ is three events that only
 * schedule the next: departure, service, reply.
 *
 * <p>{@code ./run.sh bench ReadsAgainstSsj [rounds]}
 */
public final class ReadsAgainstSsj {
    private static final int CLIENTS = 28;
    private static final int IN_FLIGHT = 16;
    private static final int READS = 4_000_000;
    private static final int READ_BYTES = 128;
    private static final long TABLE_BYTES = 1L << 30;
    private static final int LIST = 512;
    private static final OperatingSystemMXBean CPU =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private ReadsAgainstSsj() {}

    /** Prints each round's READs per second and the ratio, and their medians. */
    public static void main(String[] args) throws Exception {
        System.setProperty("jdk.virtualThreadScheduler.parallelism", "1");
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 9;
        // SSJ's network has no limits of a card's caches.
        NicProfile nic =
                NicProfiles.load(Path.of("scenarios/nics"), "connectx5-edr").with(NicProfile.Contention.NONE);
        List<Supplier<EventList>> lists = List.of(SplayTree::new, RedblackTree::new, BinaryTree::new, Henriksen::new);
        try (SimFabric fabric = new SimFabric(nic, CLIENTS, 1)) {
            MemorySegment table = fabric.allocate(TABLE_BYTES);
            for (long at = 0; at < TABLE_BYTES; at += 4096) {
                table.set(ValueLayout.JAVA_LONG, at, at);
            }
            RemoteRegion region = fabric.register(table);
            for (int i = 0; i < 3; i++) {
                ours(fabric, region);
                lists.forEach(list -> ssj(nic, list));
            }
            Supplier<EventList> best = lists.stream()
                    .max(Comparator.comparingDouble(list -> ssj(nic, list)))
                    .orElseThrow();
            System.out.println(
                    "SSJ's fastest event list here: " + best.get().getClass().getSimpleName());
            for (int group : List.of(1, IN_FLIGHT, CLIENTS * IN_FLIGHT)) {
                System.out.printf(
                        Locale.ROOT,
                        "copying the same bytes alone, %d at a time: %.2f M/s%n",
                        group,
                        copies(table, group) / 1e6);
            }
            double[] ratios = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                boolean oursFirst = round % 2 == 0;
                double first = oursFirst ? ours(fabric, region) : ssj(nic, best);
                double second = oursFirst ? ssj(nic, best) : ours(fabric, region);
                double ours = oursFirst ? first : second;
                double ssj = oursFirst ? second : first;
                ratios[round] = ours / ssj;
                System.out.printf(
                        Locale.ROOT,
                        "%.2f M simulated READs/s, SSJ %.2f M: %.2f times%n",
                        ours / 1e6,
                        ssj / 1e6,
                        ours / ssj);
            }
            Arrays.sort(ratios);
            System.out.printf(
                    Locale.ROOT,
                    "median %.2f times, %.2f to %.2f%n",
                    ratios[rounds / 2],
                    ratios[0],
                    ratios[rounds - 1]);
        }
    }

    private static double ours(SimFabric fabric, RemoteRegion region) throws Exception {
        long[] seen = new long[CLIENTS];
        long startNs = cpuNs();
        fabric.run(CLIENTS, client -> {
            SplittableRandom random = new SplittableRandom(client.index());
            MemorySegment local = client.allocate(2L * LIST * READ_BYTES);
            QueuePair queuePair = client.connect(local, new ConnectionOptions(2 * LIST, IN_FLIGHT));
            Completions completions = new Completions(2 * LIST);
            int posted = 0;
            int done = 0;
            while (done < READS / CLIENTS) {
                while (posted - done < 2 * LIST && queuePair.free() >= LIST) {
                    for (int i = 0; i < LIST; i++, posted++) {
                        long at = random.nextLong(TABLE_BYTES / READ_BYTES) * READ_BYTES;
                        long place = (long) (posted % (2 * LIST)) * READ_BYTES;
                        queuePair.read(LIST, place, region.address() + at, region.key(), READ_BYTES, i == LIST - 1);
                    }
                    queuePair.doorbell();
                }
                done += LIST * queuePair.await(completions);
                seen[client.index()] += local.get(ValueLayout.JAVA_LONG, 0);
            }
        });
        double reads = READS / ((cpuNs() - startNs) * 1e-9);
        if (Arrays.stream(seen).sum() == 0) {
            throw new IllegalStateException("no bytes were read");
        }
        return reads;
    }

    /** Copies alone: the minimum. Of each group all ranges are touched first, so that their cache misses overlap. */
    private static double copies(MemorySegment table, int group) {
        SplittableRandom random = new SplittableRandom(0);
        MemorySegment local = MemorySegment.ofArray(new long[READ_BYTES / Long.BYTES]);
        long[] at = new long[group];
        double best = 0;
        for (int i = 0; i < 3; i++) {
            long startNs = cpuNs();
            long seen = 0;
            for (int read = 0; read < READS; read += group) {
                for (int j = 0; j < group; j++) {
                    at[j] = random.nextLong(TABLE_BYTES / READ_BYTES) * READ_BYTES;
                    seen += group == 1 ? 0 : touch(table, at[j]);
                }
                for (int j = 0; j < group; j++) {
                    MemorySegment.copy(table, at[j], local, 0, READ_BYTES);
                    seen += local.get(ValueLayout.JAVA_LONG, 0);
                }
            }
            best = Math.max(best, seen == 0 ? 0 : READS / ((cpuNs() - startNs) * 1e-9));
        }
        return best;
    }

    private static int touch(MemorySegment table, long at) {
        return table.get(ValueLayout.JAVA_BYTE, at) + table.get(ValueLayout.JAVA_BYTE, at + READ_BYTES - 1);
    }

    /**
     * Returns the CPU time of this process: other work on the machine makes it wait, which is no cost of either side.
     */
    private static long cpuNs() {
        return CPU.getProcessCpuTime();
    }

    private static double ssj(NicProfile nic, Supplier<EventList> list) {
        Simulator simulator = new Simulator(list.get());
        simulator.init();
        Card card = new Card(nic);
        for (int i = 0; i < CLIENTS * IN_FLIGHT; i++) {
            new Read(simulator, card).schedule(i);
        }
        long startNs = cpuNs();
        simulator.start();
        return card.reads / ((cpuNs() - startNs) * 1e-9);
    }

    private static final class Card {
        private final double halfWayNs;
        private final double readNs;
        private double busyNs;
        private long reads;

        Card(NicProfile nic) {
            halfWayNs = nic.requester().roundTripNs() / 2;
            readNs = nic.responder().messageNs()
                    + nic.responder().randomAccessNs()
                    + READ_BYTES * nic.responder().payloadNsPerByte();
        }
    }

    private enum Phase {
        LEAVES,
        IS_SERVED,
        IS_ANSWERED
    }

    private static final class Read extends Event {
        private final Card card;
        private Phase phase = Phase.LEAVES;

        Read(Simulator simulator, Card card) {
            super(simulator);
            this.card = card;
        }

        @Override
        public void actions() {
            double nowNs = simulator().time();
            switch (phase) {
                case LEAVES -> {
                    phase = Phase.IS_SERVED;
                    schedule(card.halfWayNs);
                }
                case IS_SERVED -> {
                    phase = Phase.IS_ANSWERED;
                    card.busyNs = Math.max(nowNs, card.busyNs) + card.readNs;
                    schedule(card.busyNs - nowNs + card.halfWayNs);
                }
                case IS_ANSWERED -> {
                    phase = Phase.LEAVES;
                    if (++card.reads == READS) {
                        simulator().stop();
                    } else {
                        schedule(0);
                    }
                }
            }
        }
    }
}
