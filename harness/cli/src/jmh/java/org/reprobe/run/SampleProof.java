package org.reprobe.run;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.DoubleStream;
import org.reprobe.run.SampleAccuracy.Point;
import org.reprobe.run.SampleAccuracy.Verdict;

/**
 * {@link SampleAccuracy} of all schemes, loads and lengths of READs, for runs of 1, 5 and 50 ms.
 *
 * <p>{@code ./run.sh bench SampleProof [SEED]} takes some minutes, writes {@code results/benchmarks/sampling.md} and
 * fails if a number is wrong without a warning of the run.
 */
public final class SampleProof {
    /** Number of runs by duration in ms. */
    private static final Map<Double, Integer> RUNS = Map.of(1.0, 10, 5.0, 10, 10.0, 2, 50.0, 2);

    private static final Map<Double, Integer> LONG_RUNS = Map.of(50.0, 6, 500.0, 1);

    /** Start of the part of the page that is written by hand and kept. */
    private static final String NOTES = "\n## Notes\n";

    private SampleProof() {}

    public static void main(String[] arguments) throws Exception {
        long seed = arguments.length > 0 ? Long.parseLong(arguments[0]) : 1;
        List<Point> points = run(seed, System.out);
        String page = page(seed, points);
        Path file = Path.of(System.getProperty("reprobe.home", ".")).resolve("results/benchmarks/sampling.md");
        String old = Files.exists(file) ? Files.readString(file) : "";
        Files.writeString(file, page + old.substring(old.contains(NOTES) ? old.indexOf(NOTES) : old.length()));
        System.out.println(page);
        System.exit(points.stream().anyMatch(point -> point.verdict() == Verdict.WRONG) ? 1 : 0);
    }

    private record Part(String name, String yaml, Map<Double, Integer> runs) {}

    private static List<Point> run(long seed, PrintStream out) throws Exception {
        List<Future<List<Point>>> futures = new ArrayList<>();
        try (ExecutorService threads =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            for (Part part : parts()) {
                Callable<List<Point>> trial = () -> {
                    List<Point> some = SampleAccuracy.points(part.name(), part.yaml(), part.runs(), seed);
                    synchronized (out) {
                        some.stream()
                                .filter(point -> point.verdict() == Verdict.WRONG)
                                .forEach(point -> out.println(point.line()));
                        out.println("# " + some.size() + " numbers of " + part.name());
                        out.flush();
                    }
                    return some;
                };
                futures.add(threads.submit(trial));
            }
        }
        List<Point> points = new ArrayList<>();
        for (Future<List<Point>> future : futures) {
            points.addAll(future.get());
        }
        return points;
    }

    private static List<Part> parts() {
        List<Part> parts = new ArrayList<>();
        for (String keys : new String[] {"uniform", "zipf"}) {
            for (int readSlots : new int[] {5, 11, 16, 32, 64}) {
                parts.add(linear(keys, "inline", readSlots, "", RUNS));
            }
            parts.add(linear(keys, "inline", 16, "", LONG_RUNS));
            parts.add(linear(keys, "heap", 16, "", RUNS));
            parts.add(linear(keys, "inline", 16, "load: {rate-per-s: 200000}", RUNS));
            // A key with more duplicates than slots can't be in these tables, so there is less skew.
            for (String scheme :
                    new String[] {"cuckoo-parallel", "cuckoo-sequential", "hopscotch", "hopscotch-chained"}) {
                parts.add(new Part(keys + " " + scheme, yaml(keys, 0.5, "inline", scheme, ""), RUNS));
            }
        }
        return parts;
    }

    private static Part linear(String keys, String storage, int readSlots, String load, Map<Double, Integer> runs) {
        String paced = load.isEmpty() ? "" : ", paced";
        String more = "linear-probing: {read-slots: " + readSlots + "}\n" + load;
        return new Part(
                keys + " " + storage + " " + readSlots + " slots" + paced,
                yaml(keys, 0.99, storage, "linear-variable", more),
                runs);
    }

    private static String yaml(String keys, double theta, String storage, String scheme, String more) {
        return """
            title: Sample
            clients: {machines: 1, threads: 6}
            connection: {send-queue: 64}
            table: {records: 20000, storage: %s}
            workload: {keys: %s, theta: %s}
            scheme: %s
            sweep: {load-factor: [0.5, 0.65, 0.83, 0.9, 0.95]}
            %s
            """.formatted(storage, keys, theta, scheme, more);
    }

    private static String page(long seed, List<Point> points) {
        StringBuilder page = new StringBuilder("""
            # Are short samples right?

            `./run.sh bench SampleProof %d`. Load factors .5 to .95, uniform and Zipf keys, READs of 5 to 64 slots, all lookup schemes, 6 clients on the
            simulated ConnectX-5, tables of 20,000 records; ten runs of 1 ms, ten of 5 ms and, for READs of 16 slots, six of 50 ms. READs of the
            table per lookup are compared with those that the table's bytes require (within four standard errors); throughput, p50 and p99 with runs
            ten times as long on the same table (within 3 %%, or within six standard errors of the runs' mean: *by chance*). *Warned*: the runs have a
            warning. *Wrong*: none of these.

            | duration | number | right | by chance | warned | wrong | median error | largest error |
            |---|---|---|---|---|---|---|---|
            """.formatted(seed));
        for (double durationMs : new double[] {1, 5, 50}) {
            for (String what : new String[] {"requests", "throughput", "p50", "p99", "all"}) {
                List<Point> some = points.stream()
                        .filter(point ->
                                point.durationMs() == durationMs && point.what().equals(what))
                        .toList();
                if (!some.isEmpty()) {
                    row(page, durationMs, what, some);
                }
            }
        }
        page.append("\nWrong numbers:\n\n");
        List<Point> wrong = points.stream()
                .filter(point -> point.verdict() == Verdict.WRONG)
                .toList();
        wrong.forEach(point -> page.append("- ").append(point.line()).append('\n'));
        if (wrong.isEmpty()) {
            page.append("none\n");
        }
        return page.toString();
    }

    private static void row(StringBuilder page, double durationMs, String what, List<Point> points) {
        double[] errors = points.stream()
                .filter(point -> point.verdict() != Verdict.WARNED)
                .flatMapToDouble(point -> DoubleStream.of(Math.abs(point.error())))
                .sorted()
                .toArray();
        page.append(String.format(Locale.ROOT, "| %.0f ms | %s |", durationMs, what));
        for (Verdict verdict :
                new Verdict[] {Verdict.WITHIN_TOLERANCE, Verdict.BY_CHANCE, Verdict.WARNED, Verdict.WRONG}) {
            page.append(String.format(
                    Locale.ROOT,
                    " %d |",
                    points.stream().filter(point -> point.verdict() == verdict).count()));
        }
        page.append(
                errors.length == 0
                        ? " | |\n"
                        : String.format(
                                Locale.ROOT,
                                " %.2f %% | %.2f %% |%n",
                                100 * errors[errors.length / 2],
                                100 * Arrays.stream(errors).max().orElse(0)));
    }
}
