package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Seeds;

class ShardFolderTest {
    private static final long MEMORY_BYTES = 1L << 30;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @SuppressWarnings("NullAway.Init")
    private RunPlan plan;

    private final List<String> notes = new ArrayList<>();

    @BeforeEach
    void makePlan() throws Exception {
        plan = TinyScenario.plan(dir, "a", "b");
    }

    private static ShardFolder prepare(Path folder, RunPlan plan, int count) throws Exception {
        return ShardFolder.prepare(
                folder,
                plan,
                count,
                new ShardFolder.Origin(true, MEMORY_BYTES, "./run.sh run a b", Map.of("scale", "quick"), null),
                TinyScenario.HOME,
                TinyScenario.NICS);
    }

    private ShardFolder prepare(String name, int count) throws Exception {
        return prepare(dir.resolve(name), plan, count);
    }

    /** Makes an attempt at some units, independent of others; returns its folder. */
    private static Path attempt(ShardFolder folder, int shard, List<RunPlan.Unit> units) throws Exception {
        Experiment experiment = Experiment.shard(
                folder,
                shard,
                units,
                TinyScenario.HOME,
                Map.of(),
                "./run.sh run a b --shard",
                ExperimentTest.options(),
                ExperimentTest.silent());
        assertThat(experiment.run().findings()).as("no findings of a shard").isNull();
        return experiment.folder().dir();
    }

    private void attemptWhatIsMissing(ShardFolder folder, int shard) throws Exception {
        List<RunPlan.Unit> missing = folder.missing(shard, notes);
        if (!missing.isEmpty()) {
            attempt(folder, shard, missing);
        }
    }

    private TreeMap<String, String> whole() throws Exception {
        ExperimentTest.create(dir.resolve("whole"), plan, true, 1, ExperimentTest.silent())
                .run();
        return TinyScenario.results(dir.resolve("whole"));
    }

    private static TreeMap<String, String> results(ShardFolder folder) throws IOException {
        TreeMap<String, String> results = TinyScenario.results(folder.dir());
        results.keySet().removeIf(name -> name.startsWith("shards/"));
        return results;
    }

    private ShardFolder.Merged merge(ShardFolder folder) throws Exception {
        return folder.merge(Published.NOTHING, notes, null);
    }

    /** Truncates a file like SIGKILL during a write. */
    private static void cut(Path file, double share) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, (int) (share * bytes.length)));
    }

    @Test
    @Nightly(besides = "ProgramTest: shards merge to the bytes of one run")
    void anyShardsInAnyOrderSomeOfThemTwiceOrKilledGiveTheBytesOfOneRun() throws Exception {
        TreeMap<String, String> whole = whole();
        Random random = new Random(Seeds.seed());
        for (int round = 0; round < 4; round++) {
            int count = round == 0 ? 1 : 1 + random.nextInt(20);
            String as = count + " shards in round " + round + ", " + Seeds.replay();
            ShardFolder folder = prepare("round-" + round, count);
            List<Integer> order =
                    new ArrayList<>(IntStream.rangeClosed(1, count).boxed().toList());
            Collections.shuffle(order, random);
            for (int shard : order) {
                List<RunPlan.Unit> units = folder.shards().units(shard);
                if (units.isEmpty()) {
                    continue;
                }
                Path first = attempt(folder, shard, units);
                switch (random.nextInt(3)) {
                    case 0 -> attempt(folder, shard, units); // a lost node went on
                    case 1 -> {
                        try (Stream<Path> files = Files.walk(first)) {
                            for (Path file : files.filter(
                                            each -> each.toString().matches(".*(jsonl|hlog)"))
                                    .toList()) {
                                cut(file, random.nextDouble());
                            }
                        }
                        attemptWhatIsMissing(folder, shard);
                    }
                    default -> {}
                }
            }
            ShardFolder.Merged merged = merge(ShardFolder.open(folder.dir(), TinyScenario.NICS));
            assertThat(merged.differing()).as(as).isEmpty();
            assertThat(merged.missing()).as(as).isEmpty();
            assertThat(results(folder)).as(as).isEqualTo(whole);
            assertThat(Status.read(folder.dir()).state()).isEqualTo(Status.State.COMPLETE);
            assertThat(merge(folder).missing()).as("merged again, " + as).isEmpty();
            assertThat(results(folder)).as("merged again, " + as).isEqualTo(whole);
        }
    }

    @Test
    void missingRunsAreReportedAndCanBeResumedWithoutShards() throws Exception {
        ShardFolder folder = prepare("part", 3);
        attemptWhatIsMissing(folder, 1);
        attemptWhatIsMissing(folder, 3);
        ShardFolder.Merged merged = merge(folder);
        assertThat(merged.missing()).containsOnly(Map.entry(2, folder.shards().units(2)));
        assertThat(Status.read(folder.dir()).state()).isEqualTo(Status.State.INTERRUPTED);
        assertThat(Files.readString(folder.dir().resolve("report.html"))).contains("INCOMPLETE");
        Experiment.resume(
                        ResultFolder.take(folder.dir(), TinyScenario.NICS, notes),
                        Published.NOTHING,
                        ExperimentTest.options(),
                        ExperimentTest.silent())
                .run();
        TreeMap<String, String> resumed = results(folder);
        assertThat(resumed).isEqualTo(whole());
        // Runs in the folder itself count as well.
        assertThat(merge(folder).missing()).isEmpty();
        assertThat(results(folder)).isEqualTo(resumed);
    }

    @Test
    void anAttemptWithDifferentFactsIsNamed() throws Exception {
        ShardFolder folder = prepare("forged", 2);
        attemptWhatIsMissing(folder, 1);
        attemptWhatIsMissing(folder, 2);
        List<RunPlan.Unit> units = folder.shards().units(2);
        Path forged = attempt(folder, 2, units);
        Path file = forged.resolve(units.getFirst().scenario().name()).resolve("measurements.jsonl");
        Files.writeString(file, Files.readString(file).replaceFirst("(ops_per_s\": )(\\d)", "$17$2"));
        Path environment = forged.resolve("environment.json");
        Files.writeString(
                environment, Files.readString(environment).replaceFirst("\"node\" : \"[^\"]*\"", "\"node\" : \"n7\""));

        ShardFolder.Merged merged = merge(folder);
        assertThat(merged.differing())
                .singleElement()
                .asString()
                .contains("has different results on", "n7 (", "repeat");
        assertThat(merged.findings()).isNull();
        assertThat(folder.dir().resolve("status.json")).doesNotExist();
    }

    @Test
    void aFailedRunIsMadeAgainAndTheValidOneCounts() throws Exception {
        ShardFolder folder = prepare("failed", 1);
        Path first = attempt(folder, 1, folder.shards().units(1));
        Path file = first.resolve("a").resolve("measurements.jsonl");
        Files.writeString(
                file,
                Files.readString(file).replaceFirst("\"valid\": true", "\"valid\": false, \"problem\": \"no memory\""));
        assertThat(folder.missing(1, notes)).hasSize(1);
        assertThat(Objects.requireNonNull(merge(folder).merged()).failures()).hasSize(1);
        attemptWhatIsMissing(folder, 1);
        assertThat(Objects.requireNonNull(merge(folder).merged()).failures()).isEmpty();
        assertThat(results(folder)).isEqualTo(whole());
    }

    @Test
    void shardsOfOtherRunsAreRefused() throws Exception {
        ShardFolder folder = prepare("mine", 2);
        attemptWhatIsMissing(folder, 1);
        assertThatThrownBy(() -> prepare("mine", 3)).hasMessageContaining("divided into 2 shards, not 3");
        RunPlan other = TinyScenario.plan(Files.createDirectory(dir.resolve("other")), "a");
        assertThatThrownBy(() -> prepare(dir.resolve("mine"), other, 2))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("shards of another run");

        ShardFolder theirs = prepare(dir.resolve("theirs"), other, 2);
        Path stranger = attempt(theirs, 1, theirs.shards().units(1));
        Files.move(stranger, folder.shardDir(2).resolve("stranger"));
        assertThatThrownBy(() -> merge(folder)).hasMessageContaining("belongs to another run");

        Path file = theirs.dir().resolve("shards/plan.json");
        String text = Files.readString(file);
        Files.writeString(file, text.replaceFirst("\"commit\" : \"[^\"]*\"", "\"commit\" : \"0123\""));
        assertThatThrownBy(
                        () -> ShardFolder.open(theirs.dir(), TinyScenario.NICS).ofCommit(TinyScenario.HOME))
                .hasMessageContaining("was begun by commit 0123");
        Files.writeString(file, text.replaceFirst("\"digest\" : \"[^\"]*\"", "\"digest\" : \"0123\""));
        assertThatThrownBy(() -> ShardFolder.open(theirs.dir(), TinyScenario.NICS))
                .hasMessageContaining("was written by another version");
        Files.writeString(file, text.substring(0, text.length() / 2));
        assertThatThrownBy(() -> ShardFolder.open(theirs.dir(), TinyScenario.NICS))
                .hasMessageContaining("is damaged");
        assertThatThrownBy(() -> ShardFolder.open(dir, TinyScenario.NICS)).hasMessageContaining("has no shards");
        assertThatThrownBy(() -> ResultFolder.read(theirs.dir(), TinyScenario.NICS, notes))
                .hasMessageContaining("that are not merged");
    }
}
