package org.reprobe.analysis.claims;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;

class ShippedClaimsTest {

    @Test
    void theLinearProbingPaperHasAHundredClaimsOrMore() throws Exception {
        List<Claim> claims = shipped();
        assertThat(claims).hasSizeGreaterThanOrEqualTo(100);
        assertThat(claims)
                .extracting(Claim::id)
                .doesNotHaveDuplicates()
                .allMatch(id -> id.startsWith("linear-probing/"));
        assertThat(claims).extracting(Claim::role).contains(ClaimResult.Role.CALIBRATION, ClaimResult.Role.PREDICTION);
    }

    @Test
    void everyMetricOfAScenarioNamesItsCellByTheSameKeys() throws Exception {
        Map<String, Set<Set<String>>> keys = new TreeMap<>();
        for (Claim claim : shipped()) {
            Set<String> among = claim.quantity() instanceof Quantity.RelativeToExtreme extreme
                    ? extreme.among().keySet()
                    : Set.of();
            for (Quantity.Metric metric : claim.quantity().metrics()) {
                Set<String> named = new TreeSet<>(metric.cell().keySet());
                named.addAll(claim.over().keySet());
                named.addAll(among);
                named.removeAll(metric.without());
                keys.computeIfAbsent(metric.scenario(), _ -> new HashSet<>()).add(named);
            }
        }
        assertThat(keys).allSatisfy((scenario, named) -> {
            assertThat(named).as(scenario).hasSize(1);
            assertThat(named.iterator().next()).as(scenario).contains("scheme", "load-factor");
        });
    }

    @Test
    void runsThatFoundThePublishedValuesMakeEveryPlainClaimHold() throws Exception {
        List<Claim> claims = shipped();
        List<PublishedValue> published = PublishedValue.of(claims);
        // A cell's metric may be published twice, once rounded: the first in the file is the table's.
        Map<String, Measurement> runs = new TreeMap<>();
        for (PublishedValue value : published) {
            runs.putIfAbsent(
                    value.scenario() + new TreeMap<>(value.cell()) + value.metric(),
                    run(value.scenario(), value.cell(), value.metric(), value.value()));
        }
        List<Measurement> merged = merged(runs.values());
        Set<String> plain = new HashSet<>();
        published.forEach(value -> plain.add(value.claim()));
        assertThat(plain).hasSizeGreaterThan(60);
        for (ClaimResult result : ClaimCheck.evaluate(claims, merged, Comparability.PRESUMED)) {
            if (plain.contains(result.id())) {
                assertThat(result.status()).as("%s", result).isEqualTo(ClaimResult.Status.HOLDS);
            }
        }
    }

    @Test
    void withoutRunsNoClaimIsMeasured() throws Exception {
        assertThat(ClaimCheck.evaluate(shipped(), List.of(), Comparability.PRESUMED))
                .allSatisfy(result -> {
                    assertThat(result.status()).isEqualTo(ClaimResult.Status.NOT_MEASURED);
                    assertThat(result.cause()).startsWith("no run of ");
                });
    }

    private static List<Measurement> merged(Iterable<Measurement> single) {
        Map<String, Measurement> cells = new TreeMap<>();
        for (Measurement run : single) {
            cells.merge(run.scenario() + new TreeMap<>(run.cell().values()), run, (left, right) -> {
                Map<String, Double> metrics = new TreeMap<>(left.metrics());
                metrics.putAll(right.metrics());
                return new Measurement(left.scenario(), left.cell(), 0, 1, "sim", Kind.SIMULATED, true, null, metrics);
            });
        }
        return new ArrayList<>(cells.values());
    }

    private static Measurement run(String scenario, Map<String, Object> cell, String metric, double value) {
        return new Measurement(
                scenario, new Cell(cell), 0, 1, "sim", Kind.SIMULATED, true, null, Map.of(metric, value));
    }

    private static List<Claim> shipped() throws Exception {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("results/published/linear-probing.yaml"))) {
            folder = folder.getParent();
        }
        return ClaimFile.read(folder.resolve("results/published/linear-probing.yaml"), null)
                .claims();
    }
}
