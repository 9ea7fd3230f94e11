package org.reprobe.plots.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.ClaimResult.Role;
import org.reprobe.analysis.claims.ClaimResult.Status;
import org.reprobe.analysis.claims.Evidence;
import org.reprobe.analysis.claims.Paper;
import org.reprobe.analysis.claims.Relation;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.plots.Course;
import org.reprobe.plots.FigureSpec;
import org.reprobe.plots.PublishedPoints;
import org.reprobe.plots.SampleResults;

/** Report with every optional element. Not results of anything. */
public final class SampleReport {
    static final String HOSTILE =
            "</pre></code><script>document.title='owned'</script>\"'><img src=x onerror=alert(1)>&amp;";

    private SampleReport() {}

    public static ReportInput full() {
        List<ReportSection> sections = new ArrayList<>();
        List<Measurement> withFailure = new ArrayList<>(SampleResults.lookupThroughput());
        withFailure.add(new Measurement(
                "figure-7",
                SampleResults.cell("scheme", "linear-fixed", "load-factor", 0.95),
                5,
                1,
                "sim",
                Kind.SIMULATED,
                false,
                "the table does not fit in memory: 12.4 GiB needed, 9.1 GiB free",
                Map.of()));
        sections.add(section(
                "figure-6-cuckoo-variants",
                "Cuckoo hashing with and without set-associativity",
                SampleResults.cuckooVariants(),
                List.of(SampleResults.figure6()),
                List.of(new ReportSection.SkippedCell(
                        "cuckoo-parallel,associativity=1,load-factor=0.95",
                        "a non-associative 3-way cuckoo table can't be filled beyond 0.9179")),
                List.of(
                        claim(
                                "f6/assoc",
                                "Section 5.2",
                                "4-way set-associative tables are on average only 3 % lower",
                                3,
                                3.1,
                                "%",
                                0.5),
                        claim(
                                "f6/par",
                                "Section 5.2",
                                "Parallel and Sequential Cuckoo do not differ significantly",
                                Double.NaN,
                                0.41,
                                "p",
                                Double.NaN))));
        sections.add(section(
                "figure-7-lookup-throughput",
                "Lookup throughput at different load factors",
                withFailure,
                List.of(SampleResults.figure7(), SampleResults.figure8()),
                List.of(),
                throughputClaims()));
        sections.add(section(
                "figure-9-latency",
                "Latency of different probing strategies",
                SampleResults.latencies(),
                List.of(SampleResults.figure9()),
                List.of(),
                List.of(
                        claim("f9/par", "Section 5.4", "Parallel Cuckoo's median latency", 4.7, 4.72, "µs", 0.33),
                        claim(
                                "f9/p90",
                                "Section 5.4",
                                "Variable Linear's 90th percentile at 80 % load",
                                6.2,
                                4.1,
                                "µs",
                                0.43),
                        claim(
                                "f9/seq",
                                "Section 5.4",
                                "Sequential Cuckoo's latency is 1.7 times higher",
                                1.7,
                                Double.NaN,
                                "times",
                                0.17))));
        sections.add(section(
                "figure-11-storage",
                "Inline and out-of-band storage",
                SampleResults.storages(),
                List.of(SampleResults.figure11()),
                List.of(),
                List.of(claim(
                        "f11/8",
                        "Section 5.7",
                        "Variable Linear with 8-byte records inline",
                        36,
                        33.7,
                        "M lookups/s",
                        2.6))));
        sections.add(section(
                "figure-12-cluster-tracking",
                "Cluster tracking under skew",
                SampleResults.clusterTracking(),
                List.of(SampleResults.figure12()),
                List.of(),
                List.of(claim(
                        "f12/17",
                        "Section 5.8",
                        "Tracking clusters improves the rate up to 1.7 times",
                        1.7,
                        1.61,
                        "times",
                        0.17))));
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("commit", "0123456789abcdef0123456789abcdef01234567, clean");
        environment.put("JDK", "Temurin 25.0.3+9");
        environment.put("CPU", "2 cores");
        environment.put("fabric", "sim");
        environment.put(
                "NIC profile",
                "connectx5-edr (sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08)");
        return new ReportInput(
                "Linear probing, 2020: reproduced at quick scale",
                "./run.sh run scenarios/linear-probing --scale quick --out results/2026-01-01-linear-probing",
                environment,
                List.of(new Paper("p", "On tables", List.of("A. One", "B. Two"), "Proc. X", 2020, null)),
                sections,
                List.of(claim(
                        "all/2.8",
                        "Abstract",
                        "Up to 2.8 times the throughput of cuckoo hashing",
                        2.8,
                        2.81,
                        "times",
                        0.28)),
                List.of());
    }

    /** Report in which every text chosen by users is an attack. */
    public static ReportInput hostile() {
        Measurement run = new Measurement(
                HOSTILE,
                SampleResults.cell(HOSTILE, HOSTILE, "scheme", HOSTILE, "load-factor", 0.5),
                0,
                1,
                HOSTILE,
                Kind.SIMULATED,
                true,
                null,
                Map.of("throughput_ops_per_s", 1e6));
        Measurement failed =
                new Measurement(HOSTILE, run.cell(), 1, 1, HOSTILE, Kind.SIMULATED, false, HOSTILE, Map.of());
        FigureSpec figure = new FigureSpec(
                HOSTILE,
                HOSTILE,
                "load-factor",
                org.reprobe.plots.FigureQuantity.THROUGHPUT,
                List.of(HOSTILE, "scheme"),
                "",
                FigureSpec.Shape.LINE,
                false,
                false,
                Map.of());
        ClaimResult claim = new ClaimResult(
                HOSTILE,
                HOSTILE,
                HOSTILE,
                1,
                2,
                HOSTILE,
                0.1,
                Status.MISSED,
                Role.PREDICTION,
                HOSTILE,
                Double.NaN,
                Relation.EQUALS,
                Set.of(),
                Evidence.PERFORMANCE,
                false,
                null,
                3);
        ReportSection section = new ReportSection(
                HOSTILE,
                HOSTILE,
                List.of(HOSTILE),
                Kind.SIMULATED,
                HOSTILE,
                HOSTILE,
                List.of(run, failed),
                List.of(),
                Course.NONE,
                List.of(figure),
                PublishedPoints.none(),
                HOSTILE,
                List.of(new ReportSection.SkippedCell(HOSTILE, HOSTILE)),
                List.of(claim));
        return new ReportInput(
                HOSTILE,
                HOSTILE,
                Map.of(HOSTILE, HOSTILE),
                List.of(new Paper(HOSTILE, HOSTILE, List.of(HOSTILE), HOSTILE, 2020, HOSTILE)),
                List.of(section),
                List.of(claim),
                List.of());
    }

    private static List<ClaimResult> throughputClaims() {
        List<ClaimResult> claims = new ArrayList<>();
        double[][] table = {{0.25, 50.8, 50.9}, {0.50, 43.9, 43.8}, {0.65, 35.2, 33.9}};
        for (double[] row : table) {
            claims.add(new ClaimResult(
                    "t2/" + row[0],
                    "Table 2",
                    "Variable Linear's throughput at load factor " + row[0],
                    row[1],
                    row[2],
                    "M lookups/s",
                    row[1] * 0.07,
                    Status.HOLDS,
                    row[0] < 0.3 ? Role.CALIBRATION : Role.PREDICTION,
                    null,
                    0.12,
                    Relation.EQUALS,
                    Set.of(),
                    Evidence.PERFORMANCE,
                    false,
                    null,
                    3));
        }
        double[][] requests = {{0.80, 1.22, 1.221}, {0.85, 1.53, 1.528}, {0.90, 2.46, 2.47}, {0.95, 7.41, 7.39}};
        for (double[] row : requests) {
            claims.add(claim(
                    "t1/" + row[0],
                    "Table 1",
                    "Fixed Linear's requests per lookup at load factor " + row[0],
                    row[1],
                    row[2],
                    "requests/lookup",
                    0.03));
        }
        claims.add(new ClaimResult(
                "t1/var/0.95",
                "Table 1",
                "Variable Linear's requests per lookup at load factor 0.95",
                10.05,
                9.61,
                "requests/lookup",
                0.27,
                Status.MISSED,
                Role.PREDICTION,
                "Tables differ by 3.3 % at this load with 1 Mi records; at full scale the value is 9.98.",
                0.31,
                Relation.EQUALS,
                Set.of(),
                Evidence.PERFORMANCE,
                false,
                null,
                3));
        return claims;
    }

    private static ClaimResult claim(
            String id, String source, String text, double published, double reproduced, String unit, double tolerance) {
        Status status = Double.isNaN(reproduced)
                ? Status.NOT_MEASURED
                : Double.isNaN(published) || Math.abs(reproduced - published) <= tolerance
                        ? Status.HOLDS
                        : Status.MISSED;
        @Nullable String cause = null;
        return new ClaimResult(
                id,
                source,
                text,
                published,
                reproduced,
                unit,
                tolerance,
                status,
                Role.PREDICTION,
                cause,
                Double.NaN,
                Relation.EQUALS,
                Set.of(),
                Evidence.PERFORMANCE,
                false,
                null,
                3);
    }

    private static ReportSection section(
            String name,
            String title,
            List<Measurement> measurements,
            List<FigureSpec> figures,
            List<ReportSection.SkippedCell> skipped,
            List<ClaimResult> claims) {
        String yaml =
                "title: " + title + "\nfabric: sim\nnic: connectx5-edr\nsweep:\n  load-factor: [0.25, 0.50, 0.65]\n";
        return new ReportSection(
                name,
                title,
                List.of("linear-probing/" + name),
                Kind.SIMULATED,
                yaml,
                "./run.sh run scenarios/linear-probing/" + name + ".yaml --scale quick",
                measurements,
                List.of(),
                Course.NONE,
                figures,
                SampleResults.published(),
                name + "/",
                skipped,
                claims);
    }

    public static void main(String[] arguments) throws Exception {
        Report.write(full(), java.nio.file.Path.of(arguments[0]));
    }
}
