package org.reprobe.run.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.regress.PairedExperiment.Side;
import org.reprobe.run.Experiment;
import org.reprobe.run.TinyScenario;
import org.reprobe.run.process.Coordinator;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;

/** Two settings of one build in servers and clients that are started once. */
class KeptSidesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private static Set<Long> children() {
        return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
    }

    private KeptSides sides(String fabric) throws Exception {
        Path file = TinyScenario.write(dir, "t", 1);
        List<String> common = List.of("fabric=" + fabric, "sweep.load-factor=[0.5]", "sweep.scheme=[linear-fixed]");
        PairedSides.Sides sides = new PairedSides.Sides(
                TinyScenario.HOME,
                TinyScenario.HOME,
                List.of("connection.send-queue=32"),
                List.of("connection.send-queue=64"),
                common,
                List.of(),
                file);
        Coordinator coordinator = new Coordinator(new Coordinator.Options(
                TinyScenario.HOME,
                TinyScenario.NICS,
                dir.resolve("tables"),
                Coordinator.COMPILING_MS,
                null,
                "",
                List.of(),
                _ -> {}));
        return new KeptSides(
                sides,
                sets -> {
                    List<String> all = new ArrayList<>(common);
                    all.addAll(sets);
                    return new ScenarioReader(TinyScenario.NICS)
                            .read(file, new ScenarioReader.Options(all, null, null, Scale.QUICK));
                },
                TinyScenario.NICS,
                new Experiment.Options(1, 1L << 30, dir.resolve("tables"), false, null, coordinator),
                dir);
    }

    @Test
    void bothSidesRunTheirOwnSettingsInTheSameProcesses() throws Exception {
        Set<Long> before = children();
        Set<Long> during;
        try (KeptSides sides = sides("shm")) {
            Measurement base = sides.run(Side.BASE, 1, 5).measurements().getFirst();
            during = children();
            Measurement now = sides.run(Side.NEW, 1, 5).measurements().getFirst();
            Measurement longer = sides.run(Side.BASE, 2, 50).measurements().getFirst();
            assertThat(longer.metric(Metrics.DURATION)).isGreaterThanOrEqualTo(50e6);
            assertThat(children()).isEqualTo(during);
            assertThat(List.of(base, now)).allMatch(Measurement::valid, "valid");
            assertThat(base.kind()).isEqualTo(Kind.MEASURED);
            assertThat(base.cell()).isEqualTo(now.cell());
        }
        during.removeAll(before);
        assertThat(during).hasSize(2).noneMatch(pid -> TinyScenario.runs(String.valueOf(pid)));
    }

    @Test
    void aSideHasItsOwnSettings() throws Exception {
        try (KeptSides sides = sides("sim")) {
            Measurement base = sides.run(Side.BASE, 1, 0).measurements().getFirst();
            Measurement now = sides.run(Side.NEW, 1, 0).measurements().getFirst();
            Measurement again = sides.run(Side.BASE, 1, 0).measurements().getFirst();
            assertThat(again).isEqualTo(base);
            assertThat(now.metrics()).isNotEqualTo(base.metrics());
        }
    }

    @Test
    void noRunBeginsAfterAStop() throws Exception {
        try (KeptSides sides = sides("sim")) {
            sides.stop();
            assertThatThrownBy(() -> sides.run(Side.NEW, 1, 0)).isInstanceOf(InterruptedException.class);
        }
    }
}
