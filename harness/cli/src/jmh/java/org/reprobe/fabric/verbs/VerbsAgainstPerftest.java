package org.reprobe.fabric.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.commons.math3.stat.descriptive.DescriptiveStatistics;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;

/**
 * Comparison with perftest, in C, on one machine with the same settings, alternating, so that other load affects both.
 * Not with JMH, which would measure one after the other. {@code ./run.sh bench verbs} runs it in a virtual machine.
 */
public final class VerbsAgainstPerftest {
    private static final int BYTES = 64;
    private static final int DEPTH = 16;

    /** Warm-up in ns: the compiler, too, is emulated, and after a second most code is still interpreted. */
    private static final long WARM_UP_NS = 12_000_000_000L;

    private static final int WARM_UP_OPERATIONS = 2_000;
    private static final int CLOCK_LOOKS = 1_000;

    /** Timeout in s: a round of perftest takes a few seconds; one that stalls is ended and repeated. */
    private static final int STALLED_S = 40;

    private static final int TRIES = 3;

    private static final int KILLED = 137;

    private VerbsAgainstPerftest() {}

    /** Operation to compare, with its method here and the arguments of perftest. */
    private enum Setting {
        READ_LATENCY("READ latency, 64 B, depth 1", "us", 10_000, "ib_read_lat", "-s", "64"),
        SWAP_LATENCY("COMPARE_AND_SWAP latency, depth 1", "us", 10_000, "ib_atomic_lat", "-A", "CMP_AND_SWAP"),
        READ_RATE(
                "READ rate, 64 B, depth 16",
                "M/s",
                30_000,
                "ib_read_bw",
                "-s",
                "64",
                "-t",
                "16",
                "-o",
                "16",
                "-Q",
                "1"),
        READ_BATCHES(
                "READ rate, 64 B, batches of 16",
                "M/s",
                30_000,
                "ib_read_bw",
                "-s",
                "64",
                "-t",
                "16",
                "-o",
                "16",
                "-l",
                "16");

        private final String title;
        private final String unit;
        private final int operations;
        private final List<String> command;

        Setting(String title, String unit, int operations, String... command) {
            this.title = title;
            this.unit = unit;
            this.operations = operations;
            this.command = List.of(command);
        }
    }

    /** Runs the number of rounds given by the argument. */
    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 7;
        System.out.println("# " + rounds + " rounds in turns; medians, and the median of the rounds' ratios");
        System.out.printf(
                "%-36s %12s %12s %6s %8s %s%n",
                "setting", "perftest", "ours", "unit", "ratio", "(above 1: ours is better)");
        try (Fabric fabric = VerbsFabric.open(1)) {
            RemoteRegion region = fabric.register(fabric.allocate(1 << 20));
            for (Setting setting : Setting.values()) {
                List<Double> theirs = new ArrayList<>();
                List<Double> ours = new ArrayList<>();
                List<Double> ratios = new ArrayList<>();
                fabric.run(1, client -> {
                    MemorySegment local = client.allocate(4096);
                    QueuePair queuePair = client.connect(local, new ConnectionOptions(DEPTH, DEPTH));
                    for (long endNs = client.nowNs() + WARM_UP_NS; client.nowNs() < endNs; ) {
                        measure(setting, client, queuePair, region, WARM_UP_OPERATIONS);
                    }
                    for (int round = 0; round < rounds; round++) {
                        boolean oursFirst = round % 2 == 0;
                        double our = oursFirst ? measure(setting, client, queuePair, region, setting.operations) : 0;
                        double their = perftest(setting);
                        if (!oursFirst) {
                            our = measure(setting, client, queuePair, region, setting.operations);
                        }
                        if (their > 0) { // else there is nothing to compare with
                            ours.add(our);
                            theirs.add(their);
                            ratios.add(setting.unit.equals("us") ? their / our : our / their);
                        }
                    }
                });
                System.out.printf(
                        "%-36s %12.4f %12.4f %6s %8.3f %s%s%n",
                        setting.title,
                        median(theirs),
                        median(ours),
                        setting.unit,
                        median(ratios),
                        ratios.stream().map("%.2f"::formatted).toList(),
                        ratios.size() < rounds ? ", without the rounds in which perftest stalled" : "");
            }
        }
        Runtime.getRuntime().halt(0);
    }

    /** Median; NaN without values. */
    private static double median(List<Double> values) {
        return new DescriptiveStatistics(
                        values.stream().mapToDouble(Double::doubleValue).toArray())
                .getPercentile(50);
    }

    private static double measure(
            Setting setting, Client client, QueuePair queuePair, RemoteRegion region, int operations)
            throws FabricException {
        return switch (setting) {
            case READ_LATENCY, SWAP_LATENCY -> latencyUs(setting, client, queuePair, region, operations);
            case READ_RATE -> rate(client, queuePair, region, operations, 1);
            case READ_BATCHES -> rate(client, queuePair, region, operations, DEPTH);
        };
    }

    /**
     * Median, minus the cost of reading the time, which under emulation is a system's clock here and the processor's
     * counter, at almost no cost, in perftest.
     */
    private static double latencyUs(
            Setting setting, Client client, QueuePair queuePair, RemoteRegion region, int operations)
            throws FabricException {
        Completions completions = new Completions(DEPTH);
        double[] tookUs = new double[operations];
        for (int i = 0; i < operations; i++) {
            long startNs = client.nowNs();
            if (setting == Setting.READ_LATENCY) {
                queuePair.read(i, 0, region.address(), region.key(), BYTES, true);
            } else {
                queuePair.compareAndSwap(i, 0, region.address(), region.key(), 0, 0, true);
            }
            queuePair.doorbell();
            check(queuePair.await(completions), completions);
            tookUs[i] = (client.nowNs() - startNs) / 1000.0;
        }
        return new DescriptiveStatistics(tookUs).getPercentile(50) - clockUs(client);
    }

    /** Median time between two readings of the clock. */
    private static double clockUs(Client client) {
        double[] tookUs = new double[CLOCK_LOOKS];
        for (int i = 0; i < CLOCK_LOOKS; i++) {
            long startNs = client.nowNs();
            tookUs[i] = (client.nowNs() - startNs) / 1000.0;
        }
        return new DescriptiveStatistics(tookUs).getPercentile(50);
    }

    /** Rate in millions per second, with 16 in flight; the last of each batch is signaled. */
    private static double rate(Client client, QueuePair queuePair, RemoteRegion region, int operations, int batch)
            throws FabricException {
        Completions completions = new Completions(DEPTH);
        int posted = 0;
        int completed = 0;
        long startNs = client.nowNs();
        while (completed < operations) {
            while (posted < operations && posted - completed + batch <= DEPTH) {
                for (int i = 1; i <= batch; i++) {
                    queuePair.read(posted, (posted % DEPTH) * 64L, region.address(), region.key(), BYTES, i == batch);
                    posted++;
                }
                queuePair.doorbell();
            }
            completed += batch * check(queuePair.await(completions), completions);
        }
        return operations * 1000.0 / (client.nowNs() - startNs);
    }

    private static int check(int count, Completions completions) throws FabricException {
        for (int i = 0; i < count; i++) {
            if (completions.status(i) != Completions.Status.SUCCESS) {
                throw new FabricException(completions.status(i).text());
            }
        }
        return count;
    }

    /** Perftest's median latency or rate; 0 if it stalls each time, as its batches sometimes do on software RDMA. */
    private static double perftest(Setting setting) throws FabricException {
        for (int tries = 0; tries < TRIES; tries++) {
            double value = perftestOnce(setting);
            if (value > 0) {
                return value;
            }
        }
        return 0;
    }

    /** Runs both sides of a perftest program; 0 if it stalls. */
    private static double perftestOnce(Setting setting) throws FabricException {
        try {
            List<String> command = new ArrayList<>(setting.command);
            command.addAll(List.of("-d", "rxe0", "-F", "-n", String.valueOf(setting.operations)));
            Process server = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String output = "";
            command.add("127.0.0.1");
            for (int tries = 0; tries < 50; tries++) { // until the server listens
                Thread.sleep(100);
                Process client =
                        new ProcessBuilder(command).redirectErrorStream(true).start();
                CompletableFuture<Process> end = client.onExit().orTimeout(STALLED_S, TimeUnit.SECONDS);
                end.whenComplete((_, late) -> {
                    if (late != null) {
                        client.destroyForcibly();
                    }
                });
                output = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                int exit = client.waitFor();
                if (exit == KILLED) {
                    server.destroyForcibly().waitFor();
                    return 0;
                }
                if (exit == 0) {
                    server.waitFor(10, TimeUnit.SECONDS);
                    server.destroy();
                    return value(output);
                }
            }
            server.destroy();
            throw new FabricException(setting.command.getFirst() + " failed: " + output);
        } catch (IOException e) {
            throw new FabricException("perftest is missing (apt-get install perftest): " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FabricException("the benchmark was ended", e);
        }
    }

    /** Fifth column of the line of numbers: t_typical in us, or MsgRate in millions per second. */
    private static double value(String output) throws FabricException {
        return output.lines()
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length >= 5 && words[0].matches("\\d+") && words[1].matches("\\d+"))
                .mapToDouble(words -> Double.parseDouble(words[4]))
                .findFirst()
                .orElseThrow(() -> new FabricException("perftest said no numbers: " + output));
    }
}
