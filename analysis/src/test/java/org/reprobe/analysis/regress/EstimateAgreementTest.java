package org.reprobe.analysis.regress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.testing.Seeds;
import tools.jackson.databind.JsonNode;

/** Agreement of the displayed change with base and new: it was formerly another estimator's. */
class EstimateAgreementTest {
    private static final long SEED = Seeds.seed();

    private static List<Measurement> runs(String scheme, double... throughputs) {
        List<Measurement> runs = new ArrayList<>();
        for (int i = 0; i < throughputs.length; i++) {
            Cell cell = new Cell(Map.of("scheme", scheme));
            Map<String, Double> metrics = Map.of(Metrics.THROUGHPUT, throughputs[i]);
            runs.add(new Measurement("s", cell, i, 1, "shm", Kind.MEASURED, true, null, metrics));
        }
        return runs;
    }

    private static void agree(Comparison comparison) {
        for (RegressionFinding finding : comparison.findings()) {
            assertThat(finding.now() / finding.base()).isCloseTo(finding.ratio(), within(1e-12 * finding.ratio()));
        }
        for (Row row : comparison.rows()) {
            double change = number(row.now()) / number(row.base()) - 1;
            double shown = Double.parseDouble(row.change().replace(" %", "")) / 100;
            int decimals =
                    row.change().replace(" %", "").replaceFirst(".*\\.", "").length();
            assertThat(change).as("seed %d: %s", SEED, row).isCloseTo(shown, within(Math.pow(10, -2 - decimals)));
        }
        for (JsonNode finding :
                JsonLine.read(RegressionFiles.json("t", comparison)).path("findings")) {
            double ratio = finding.path("ratio").doubleValue();
            assertThat(finding.path("new").doubleValue() / finding.path("base").doubleValue())
                    .isCloseTo(ratio, within(1e-9 * ratio));
        }
    }

    private static double number(String text) {
        return Double.parseDouble(text.replace(",", ""));
    }

    /** Medians of 951 and 362 were displayed with a change of -27 %. */
    @Test
    void twoSamplesOfTwoLevelsEach() {
        Comparison comparison = ResultComparison.of(
                runs("a", 447e3, 485e3, 1013e3, 952e3, 951_049),
                runs("a", 952e3, 947e3, 362_028, 325e3, 293e3),
                Criteria.DEFAULT,
                List.of());
        agree(comparison);
        assertThat(comparison.rows().getFirst().change()).startsWith("-2");
    }

    @Test
    void samplesOfAnySizeAndLevel() {
        SplittableRandom random = new SplittableRandom(SEED);
        List<Measurement> base = new ArrayList<>();
        List<Measurement> now = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            double level = Math.exp(25 * random.nextDouble() - 12);
            double noise = Math.exp(-8 * random.nextDouble());
            for (List<Measurement> side : List.of(base, now)) {
                double[] values = new double[random.nextInt(1, 9)];
                for (int j = 0; j < values.length; j++) {
                    values[j] = level * Math.exp(noise * random.nextGaussian());
                }
                side.addAll(runs("cell-" + i, values));
            }
        }
        Comparison comparison = ResultComparison.of(base, now, Criteria.DEFAULT, List.of());
        agree(comparison);
        // The mean over the rows is that of their ratios.
        double mean = comparison.findings().stream()
                .mapToDouble(finding -> Math.log(finding.ratio()))
                .average()
                .orElseThrow();
        assertThat(Math.log(comparison.means().getFirst().ratio())).isCloseTo(mean, within(1e-9));
    }

    @Test
    void oneRunASideIsShownAsItIs() {
        RegressionFinding finding = ResultComparison.of(runs("a", 80), runs("a", 100), Criteria.DEFAULT, List.of())
                .findings()
                .getFirst();
        assertThat(finding.base()).isCloseTo(80, within(1e-9));
        assertThat(finding.now()).isCloseTo(100, within(1e-9));
    }

    @Test
    void pairs() {
        SplittableRandom random = new SplittableRandom(SEED);
        PairedComparison pairs = new PairedComparison(Criteria.DEFAULT, 20);
        do {
            double drift = Math.exp(random.nextGaussian());
            pairs.add("s", "a", Metrics.THROUGHPUT, 1e6 * drift, 0.9e6 * drift * Math.exp(0.2 * random.nextGaussian()));
        } while (!pairs.endPair());
        agree(pairs.comparison());
    }
}
