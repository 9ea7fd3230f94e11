package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.plots.FigureLayout;
import org.reprobe.profile.HotMethods;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.Content;
import org.reprobe.system.RunOutcome;

class ExperimentTest {
    private static final RealRuns NO_REAL_RUNS = new RealRuns() {
        @Override
        public RunOutcome run(RunPlan.Unit unit, int threads) {
            throw new AssertionError("nothing here is real");
        }

        @Override
        public void profileInto(Function<RunPlan.Unit, Path> folders) {}

        @Override
        public void close() {}
    };

    private static final long MEMORY_BYTES = 1L << 30;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @SuppressWarnings("NullAway.Init")
    private RunPlan plan;

    private final List<String> notes = new ArrayList<>();

    @BeforeEach
    void makePlan() throws Exception {
        plan = TinyScenario.plan(dir, "tiny");
    }

    /** Progress that runs an action after a number of runs. */
    private static Progress after(int runs, Runnable action) {
        return new Progress() {
            private int finished;

            @Override
            public void started(RunPlan.Unit unit) {}

            @Override
            public void finished(RunPlan.Unit unit, Measurement measurement) {
                if (++finished == runs) {
                    action.run();
                }
            }

            @Override
            public void note(String text) {}
        };
    }

    static Experiment.Options options() {
        return new Experiment.Options(1, MEMORY_BYTES, null, false, null, NO_REAL_RUNS);
    }

    static Progress silent() {
        return after(-1, () -> {});
    }

    private Experiment create(String name, RunPlan planned, boolean combined, int jobs, Progress progress)
            throws Exception {
        return create(dir.resolve(name), planned, combined, jobs, progress);
    }

    static Experiment create(Path folder, RunPlan planned, boolean combined, int jobs, Progress progress)
            throws Exception {
        return Experiment.create(
                FolderLock.takeEmpty(folder),
                planned,
                combined,
                TinyScenario.HOME,
                Map.of("scale", "quick"),
                "./run.sh run tiny",
                Published.NOTHING,
                new Experiment.Options(jobs, MEMORY_BYTES, null, false, null, NO_REAL_RUNS),
                progress);
    }

    private Experiment resume(String name) throws Exception {
        return Experiment.resume(
                ResultFolder.take(dir.resolve(name), TinyScenario.NICS, notes), Published.NOTHING, options(), silent());
    }

    private void runWhole(String name) throws Exception {
        assertThat(create(name, plan, false, 1, silent()).run().state()).isEqualTo(Status.State.COMPLETE);
    }

    @Test
    void resultsAreTheSameWithAnyNumberOfJobs() throws Exception {
        runWhole("one");
        create("three", plan, false, 3, silent()).run();
        assertThat(TinyScenario.results(dir.resolve("three"))).isEqualTo(TinyScenario.results(dir.resolve("one")));
        assertThat(TinyScenario.results(dir.resolve("one")))
                .containsKeys(
                        "measurements.jsonl",
                        "histograms.hlog",
                        "summary.csv",
                        "claims.jsonl",
                        "figure-7.svg",
                        "figure-7.png",
                        "figure-7.pdf",
                        "figure-7.data.csv",
                        "figure-7.tex");
    }

    @Test
    void aProfiledRunFindsTheSameAndEachOfItsLegsHasARecording() throws Exception {
        runWhole("plain");
        Experiment.Options profiled = new Experiment.Options(1, MEMORY_BYTES, null, true, null, NO_REAL_RUNS);
        Experiment[] holder = new Experiment[1];
        holder[0] = Experiment.create(
                FolderLock.takeEmpty(dir.resolve("profiled")),
                plan,
                false,
                TinyScenario.HOME,
                Map.of("scale", "quick"),
                "./run.sh run tiny",
                Published.NOTHING,
                profiled,
                after(3, () -> holder[0].stop()));
        assertThat(holder[0].run().state()).isEqualTo(Status.State.INTERRUPTED);
        Experiment.resume(
                        ResultFolder.take(dir.resolve("profiled"), TinyScenario.NICS, notes),
                        Published.NOTHING,
                        profiled,
                        silent())
                .run();

        List<Path> recordings = HotMethods.recordings(dir.resolve("profiled/profiles"));
        assertThat(recordings)
                .extracting(file -> file.getFileName().toString())
                .containsExactly("harness-0.jfr", "harness-1.jfr");
        assertThat(HotMethods.of(recordings)).singleElement().satisfies(harness -> {
            assertThat(harness.role()).isEqualTo("harness");
            assertThat(harness.recordings()).isEqualTo(2);
        });
        for (String name : List.of("measurements.jsonl", "histograms.hlog")) {
            assertThat(dir.resolve("profiled").resolve(name))
                    .hasSameTextualContentAs(dir.resolve("plain").resolve(name));
        }
    }

    @Test
    void anInterruptedRunKeepsWhatEndedAndResumesToTheSameBytes() throws Exception {
        runWhole("whole");
        Experiment[] holder = new Experiment[1];
        holder[0] = create("cut", plan, false, 1, after(3, () -> holder[0].stop()));
        Experiment.Outcome outcome = holder[0].run();
        assertThat(outcome.state()).isEqualTo(Status.State.INTERRUPTED);
        Status status = Status.read(dir.resolve("cut"));
        assertThat(status.state()).isEqualTo(Status.State.INTERRUPTED);
        assertThat(status.done())
                .isGreaterThanOrEqualTo(3)
                .isLessThan(plan.units().size());
        assertThat(resume("cut").run().state()).isEqualTo(Status.State.COMPLETE);
        assertThat(TinyScenario.results(dir.resolve("cut"))).isEqualTo(TinyScenario.results(dir.resolve("whole")));
    }

    @Test
    void theDurationIsThatOfAllLegsOfAnInterruptedAndKilledRun() throws Exception {
        Experiment[] holder = new Experiment[1];
        holder[0] = create("cut", plan, false, 1, after(3, () -> holder[0].stop()));
        holder[0].run();
        Path cut = dir.resolve("cut");
        String first = Environment.read(cut).get("duration");
        assertThat(first).matches("\\d+\\.\\d s");
        // After SIGKILL.
        Files.writeString(
                cut.resolve("status.json"),
                Files.readString(cut.resolve("status.json")).replace("interrupted", "running"));
        Files.writeString(
                cut.resolve("environment.json"),
                Files.readString(cut.resolve("environment.json")).replace(first, "100.0 s"));
        resume("cut").run();
        List<String> legs =
                List.of(String.valueOf(Environment.read(cut).get("legs")).split(", "));
        assertThat(legs).hasSize(3).startsWith("100.0 s", "unknown");
        double last = Double.parseDouble(legs.getLast().replace(" s", ""));
        assertThat(Environment.read(cut)).containsEntry("duration", String.format(Locale.ROOT, "%.1f s", 100 + last));
    }

    @Test
    void aFolderWhoseWriterWasKilledResumesToTheSameBytes() throws Exception {
        runWhole("whole");
        runWhole("killed");
        Path killed = dir.resolve("killed");
        // After SIGKILL: half of the runs, the last line of each file incomplete, no findings.
        Path file = killed.resolve("measurements.jsonl");
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length / 2));
        byte[] log = Files.readAllBytes(killed.resolve("histograms.hlog"));
        Files.write(killed.resolve("histograms.hlog"), java.util.Arrays.copyOf(log, log.length * 2 / 3));
        Files.writeString(
                killed.resolve("status.json"),
                Files.readString(killed.resolve("status.json")).replace("complete", "running"));
        Files.writeString(killed.resolve(".status.json.4711-8a0f.part"), "{\"format");
        Files.delete(killed.resolve("summary.csv"));
        assertThat(Status.read(killed).state()).isEqualTo(Status.State.INTERRUPTED);
        assertThat(resume("killed").run().state()).isEqualTo(Status.State.COMPLETE);
        assertThat(notes).hasSize(1).first().asString().contains("damaged");
        assertThat(TinyScenario.results(killed)).isEqualTo(TinyScenario.results(dir.resolve("whole")));
    }

    /** Regression: failures other than an IOException left the status "running" for ever. */
    @Test
    void anEndedRunsStatusIsNeverRunning() throws Exception {
        Experiment failing = create("failing", plan, false, 1, after(2, () -> {
            throw new StackOverflowError("for this test");
        }));
        assertThatThrownBy(failing::run).isInstanceOf(Throwable.class);
        assertThat(Files.readString(dir.resolve("failing/status.json"))).contains("\"status\":\"failed\"");

        Experiment abandoned = create("abandoned", plan, true, 1, silent());
        abandoned.folder().close();
        for (String file : List.of("status.json", "tiny/status.json")) {
            assertThat(Files.readString(dir.resolve("abandoned").resolve(file))).contains("\"status\":\"interrupted\"");
        }
        assertThat(resume("abandoned").run().state()).isEqualTo(Status.State.COMPLETE);
    }

    @Test
    void aFolderThatCannotHaveAStatusIsLeftAsItWas() throws Exception {
        Path folder = dir.resolve("small");
        FolderLock lock = FolderLock.takeEmpty(folder);
        Path obstacle = Files.createDirectories(folder.resolve("status.json/obstacle"));
        assertThatThrownBy(() -> Experiment.create(
                        lock,
                        plan,
                        true,
                        TinyScenario.HOME,
                        Map.of("scale", "quick"),
                        "./run.sh run tiny",
                        Published.NOTHING,
                        options(),
                        silent()))
                .hasMessageContaining("status.json: could not be written");
        Files.delete(obstacle);
        Files.delete(obstacle.getParent());
        assertThat(create("small", plan, true, 1, silent()).run().state()).isEqualTo(Status.State.COMPLETE);
    }

    @Test
    void runsByDrawnProfilesAreApartAndResumeToTheSameBytes() throws Exception {
        runWhole("plain");
        Path file = Files.createDirectories(dir.resolve("drawn-profiles")).resolve("tiny.yaml");
        Files.writeString(
                file, TinyScenario.yaml(2).replace("duration-ms: 0.05}", "duration-ms: 0.05, drawn-profiles: 10}"));
        RunPlan drawn = RunPlan.of(
                List.of(new ScenarioReader(TinyScenario.NICS).read(file, ScenarioReader.Options.of(Scale.QUICK))),
                TinyScenario.NICS);
        create("drawn", drawn, false, 2, silent()).run();

        for (String same : List.of("measurements.jsonl", "histograms.hlog")) {
            assertThat(dir.resolve("drawn").resolve(same))
                    .hasSameTextualContentAs(dir.resolve("plain").resolve(same));
        }
        assertThat(Files.readAllLines(dir.resolve("drawn/drawn.jsonl"))).hasSize(6 * 10);
        assertThat(Files.readAllLines(dir.resolve("drawn/summary.csv")).getFirst())
                .contains("latency_ns.p50.low,latency_ns.p50.median,latency_ns.p50.high");
        assertThat(Files.readString(dir.resolve("drawn/figure-7.data.csv"))).contains(",low,median,high\n");
        assertThat(Files.readString(dir.resolve("drawn/report.html"))).contains("predicted, 90 % interval of the card");

        Experiment[] holder = new Experiment[1];
        holder[0] = create("cut", drawn, false, 1, after(20, () -> holder[0].stop()));
        holder[0].run();
        resume("cut").run();
        assertThat(TinyScenario.results(dir.resolve("cut"))).isEqualTo(TinyScenario.results(dir.resolve("drawn")));
    }

    @Test
    void severalScenariosMakeOneFolderWithAFolderEach() throws Exception {
        RunPlan two = TinyScenario.plan(dir, "a", "b");
        create("both", two, true, 2, silent()).run();
        Path both = dir.resolve("both");
        assertThat(both.resolve("report.html")).isNotEmptyFile();
        assertThat(both.resolve("claims.jsonl")).exists();
        for (String name : List.of("a", "b")) {
            assertThat(Status.read(both.resolve(name)).state()).isEqualTo(Status.State.COMPLETE);
            assertThat(ResultFolder.read(both.resolve(name), TinyScenario.NICS, notes)
                            .missing())
                    .isEmpty();
        }
        assertThat(ResultFolder.read(both, TinyScenario.NICS, notes).done())
                .isEqualTo(two.units().size());
    }

    @Test
    void aCombinedFolderResumesToTheSameBytes() throws Exception {
        RunPlan two = TinyScenario.plan(dir, "a", "b");
        create("whole", two, true, 1, silent()).run();
        Experiment[] holder = new Experiment[1];
        holder[0] = create("cut", two, true, 2, after(5, () -> holder[0].stop()));
        holder[0].run();
        resume("cut").run();
        assertThat(TinyScenario.results(dir.resolve("cut"))).isEqualTo(TinyScenario.results(dir.resolve("whole")));
    }

    @Test
    void aReportFromFilesAloneHasTheSameBytes() throws Exception {
        runWhole("whole");
        Path whole = dir.resolve("whole");
        var before = TinyScenario.results(whole);
        String report = Files.readString(whole.resolve("report.html"));
        for (String name : List.of(
                "summary.csv",
                "claims.jsonl",
                "figure-7.svg",
                "figure-7.png",
                "figure-7.pdf",
                "figure-7.data.csv",
                "figure-7.tex",
                "report.html")) {
            Files.delete(whole.resolve(name));
        }
        Experiment.report(
                List.of(ResultFolder.read(whole, TinyScenario.NICS, notes)),
                whole,
                Published.NOTHING,
                FigureLayout.FREE);
        assertThat(TinyScenario.results(whole)).isEqualTo(before);
        assertThat(whole.resolve("report.html")).hasContent(report);
    }

    @Test
    void theReportOfAnInterruptedFolderIsMarkedIncomplete() throws Exception {
        Experiment[] holder = new Experiment[1];
        holder[0] = create("cut", plan, false, 1, after(2, () -> holder[0].stop()));
        holder[0].run();
        Path cut = dir.resolve("cut");
        Experiment.report(
                List.of(ResultFolder.read(cut, TinyScenario.NICS, notes)), cut, Published.NOTHING, FigureLayout.FREE);
        assertThat(Files.readString(cut.resolve("report.html"))).contains("INCOMPLETE (");
    }

    @Test
    void aCellThatNeverFitsIsRefusedAndTheOthersAreRun() throws Exception {
        long enoughForLinear =
                plan.units().stream().mapToLong(RunPlan.memoryBytes()).max().orElseThrow();
        Map<Integer, String> refusals = plan.refusals(enoughForLinear - 1);
        assertThat(refusals).isNotEmpty();
        assertThat(refusals.values())
                .allMatch(reason -> reason.contains("of memory (") && reason.contains("for the table"));
        Experiment experiment = Experiment.create(
                FolderLock.takeEmpty(dir.resolve("small")),
                plan,
                false,
                TinyScenario.HOME,
                Map.of("scale", "quick"),
                "./run.sh run tiny",
                Published.NOTHING,
                new Experiment.Options(1, enoughForLinear - 1, null, false, null, NO_REAL_RUNS),
                silent());
        Experiment.Outcome outcome = experiment.run();
        assertThat(outcome.done()).isEqualTo(plan.units().size());
        assertThat(outcome.invalid()).isNotEmpty().hasSizeLessThan(plan.units().size());
    }

    @Test
    void onlyARunWithUnwritableNumbersFails() throws Exception {
        RunPlan.Unit odd = plan.units().get(3);
        List<Measurement> kept = new ArrayList<>();
        Runner.Sink sink = (unit, measurement, latencyNs, series) -> {
            if (unit == odd && measurement.valid()) {
                org.reprobe.analysis.measurement.MeasurementFile.line(new Measurement(
                        measurement.scenario(),
                        measurement.cell(),
                        measurement.repeat(),
                        measurement.seed(),
                        measurement.fabric(),
                        measurement.kind(),
                        true,
                        null,
                        Map.of("throughput_ops_per_s", Double.NEGATIVE_INFINITY)));
            }
            kept.add(measurement);
        };
        ContentPool.Maker maker = (content, threads) -> content.build(Content.Builder.anew(threads));
        Runner runner = new Runner(plan.units(), maker, NO_REAL_RUNS, unit -> dir, MEMORY_BYTES, 2, silent());
        assertThat(runner.run(sink)).isTrue();
        assertThat(kept).hasSize(plan.units().size());
        assertThat(kept.stream().filter(run -> !run.valid()))
                .singleElement()
                .satisfies(run -> assertThat(run.problem())
                        .contains("can't be stored: metric throughput_ops_per_s is -Infinity"));
    }

    /** Regression: near full, refused finds were divided by no writes: -Infinity ended this run and each --resume. */
    @Test
    void findOrPutNearFullEndsNoOtherRunAndResumes() throws Exception {
        Path file = Files.writeString(dir.resolve("full.yaml"), """
                title: Full
                scheme: find-or-put
                table: {records: 16384}
                clients: {machines: 2, threads: 2}
                sweep: {load-factor: [0.3, 0.999999, 0.5]}
                measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 0.5}
                """);
        RunPlan full = RunPlan.of(
                List.of(new ScenarioReader(TinyScenario.NICS).read(file, ScenarioReader.Options.of(Scale.QUICK))),
                TinyScenario.NICS);
        Experiment.Outcome outcome = create("full", full, false, 1, silent()).run();
        assertThat(outcome.state()).isEqualTo(Status.State.COMPLETE);
        assertThat(outcome.done()).isEqualTo(3);
        assertThat(resume("full").run().done()).isEqualTo(3);
    }

    @Test
    void anOutOfRangeNumberInAFolderIsReportedWithItsPlace() throws Exception {
        runWhole("huge");
        Path file = dir.resolve("huge/measurements.jsonl");
        Files.writeString(
                file,
                Files.readString(file)
                        .replaceFirst("\"throughput_ops_per_s\": [0-9.]+", "\"throughput_ops_per_s\": 1e400"));
        assertThatThrownBy(() -> ResultFolder.read(dir.resolve("huge"), TinyScenario.NICS, notes))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("measurements.jsonl:1")
                .hasMessageContaining("\"throughput_ops_per_s\" is out of the range of numbers");
    }

    /** Regression: "complete", with "Every number here is measured" over empty axes. */
    @Test
    void aFolderWithoutARunThatSucceededIsAFailedOneAndMeasuresNothing() throws Exception {
        Path file = Files.writeString(
                dir.resolve("real.yaml"), TinyScenario.yaml(1).replace("title: Tiny", "title: Tiny\nfabric: tcp"));
        RunPlan real = RunPlan.of(
                List.of(new ScenarioReader(TinyScenario.NICS).read(file, ScenarioReader.Options.of(Scale.QUICK))),
                TinyScenario.NICS);
        RealRuns unreachable = new RealRuns() {
            @Override
            public RunOutcome run(RunPlan.Unit unit, int threads) {
                return new RunOutcome(org.reprobe.analysis.measurement.Kind.MEASURED, false, "no way", Map.of(), null);
            }

            @Override
            public void profileInto(Function<RunPlan.Unit, Path> folders) {}

            @Override
            public void close() {}
        };
        Experiment.Outcome outcome = Experiment.create(
                        FolderLock.takeEmpty(dir.resolve("real")),
                        real,
                        false,
                        TinyScenario.HOME,
                        Map.of("scale", "quick"),
                        "./run.sh run real",
                        Published.NOTHING,
                        new Experiment.Options(1, MEMORY_BYTES, null, false, null, unreachable),
                        silent())
                .run();
        assertThat(outcome.state()).isEqualTo(Status.State.FAILED);
        assertThat(Status.read(dir.resolve("real")).state()).isEqualTo(Status.State.FAILED);
        assertThat(Files.readString(dir.resolve("real/report.html")))
                .contains("FAILED: Tiny", "Nothing was measured: every run failed.")
                .doesNotContain("Every number here is measured");
        ResultFolder read = ResultFolder.read(dir.resolve("real"), TinyScenario.NICS, notes);
        assertThat(read.hasValidRuns()).isFalse();
        Experiment.report(List.of(read), read.dir(), Published.NOTHING, FigureLayout.FREE);
        assertThat(Files.readString(dir.resolve("real/report.html"))).contains("FAILED: Tiny");
    }

    @Test
    void settingsThatRulesMakeDifferentAreShownWithEachCell() throws Exception {
        Path file = Files.writeString(
                dir.resolve("ruled.yaml"),
                TinyScenario.yaml(1)
                        + "rules: [{when: {load-factor: 0.5}, connection.send-queue: 16}, {cuckoo.hashes: 3}]\n");
        RunPlan ruled = RunPlan.of(
                List.of(new ScenarioReader(TinyScenario.NICS).read(file, ScenarioReader.Options.of(Scale.QUICK))),
                TinyScenario.NICS);
        create("ruled", ruled, false, 1, silent()).run();
        assertThat(Files.readAllLines(dir.resolve("ruled/summary.csv")))
                .first()
                .asString()
                .startsWith("scenario,load-factor,scheme,connection.send-queue,fabric,");
        assertThat(Files.readString(dir.resolve("ruled/summary.csv")))
                .contains("0.25,cuckoo-parallel,64,sim", "0.5,cuckoo-parallel,16,sim");
        assertThat(Files.readString(dir.resolve("ruled/measurements.jsonl"))).doesNotContain("send-queue");
    }

    @Test
    void aFolderBelongsToOneRun() throws Exception {
        Path mine = dir.resolve("mine");
        try (FolderLock lock = FolderLock.takeEmpty(mine)) {
            assertThatThrownBy(() -> FolderLock.takeEmpty(mine))
                    .isInstanceOf(InvalidInputException.class)
                    .hasMessageContaining("another run is writing its results there");
            assertThat(FolderLock.refusal(mine)).contains("another run is writing its results there");
            assertThat(lock.dir()).isEqualTo(mine);
        }
        assertThat(FolderLock.refusal(mine)).isNull();
        create("mine", plan, false, 1, silent()).run();
        assertThatThrownBy(() -> FolderLock.takeEmpty(mine))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("is not empty: name a new folder, or complete this one with --resume");
        FolderLock taken = FolderLock.take(mine);
        assertThatThrownBy(() -> resume("mine")).hasMessageContaining("another run is writing");
        taken.close();
        resume("mine").run();
    }

    @Test
    void runsOfTheSameSecondGetFoldersOfTheirOwn() throws Exception {
        LocalDateTime now = LocalDateTime.of(2026, 11, 21, 22, 0, 0);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FolderLock.takeNew(dir, "tiny", now).close();
        }
        try (var folders = Files.list(dir)) {
            folders.filter(Files::isDirectory)
                    .forEach(folder -> names.add(folder.getFileName().toString()));
        }
        assertThat(names)
                .containsExactlyInAnyOrder("20261121-220000-tiny", "20261121-220000-tiny-2", "20261121-220000-tiny-3");
    }

    @Test
    void anotherVersionsFolderIsRefused() throws Exception {
        runWhole("old");
        Path status = dir.resolve("old/status.json");
        Files.writeString(status, Files.readString(status).replace("\"format\":1", "\"format\":7"));
        assertThatThrownBy(() -> ResultFolder.read(dir.resolve("old"), TinyScenario.NICS, notes))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(
                        "written by another version of Reprobe (folder format 7; this one reads format 1)");
    }

    @Test
    void aDamagedLineInTheMiddleIsRefused() throws Exception {
        runWhole("torn");
        Path file = dir.resolve("torn/measurements.jsonl");
        String text = Files.readString(file);
        Files.writeString(file, "{\"scenario\n" + text, StandardCharsets.UTF_8, StandardOpenOption.TRUNCATE_EXISTING);
        assertThatThrownBy(() -> ResultFolder.read(dir.resolve("torn"), TinyScenario.NICS, notes))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("measurements.jsonl:1");
    }

    @Test
    void runsThatShareATableRunTogether() {
        for (List<RunPlan.Unit> group : RunPlan.groups(plan.units())) {
            assertThat(group.stream().map(RunPlan.Unit::content).distinct()).hasSize(1);
        }
        assertThat(RunPlan.groups(plan.units()).stream().mapToInt(List::size).sum())
                .isEqualTo(plan.units().size());
        assertThat(RunPlan.groups(plan.units())).hasSizeLessThan(plan.units().size());
    }

    @Test
    void everyCellRunsOnceBeforeAnyRunsAgain() {
        List<RunPlan.Unit> order =
                RunPlan.groups(plan.units()).stream().flatMap(List::stream).toList();
        int cells = plan.scenarios().stream()
                .mapToInt(scenario -> scenario.cells().size())
                .sum();

        assertThat(order.subList(0, cells).stream().map(RunPlan.Unit::name).distinct())
                .hasSize(cells);
        assertThat(order.stream().map(RunPlan.Unit::repeat)).isSorted();
    }

    @Test
    void everyRunHasASeedOfItsOwn() {
        assertThat(plan.units().stream().map(RunPlan.Unit::runSeed).distinct())
                .hasSize(plan.units().size());
    }
}
