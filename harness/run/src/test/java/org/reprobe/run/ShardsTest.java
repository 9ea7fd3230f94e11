package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.testing.Seeds;

/** Properties of the division of a real paper's runs. */
class ShardsTest {
    private static RunPlan plan = new RunPlan(List.of(), List.of());

    @BeforeAll
    static void readPaper() throws Exception {
        List<Scenario> scenarios = new ArrayList<>();
        ScenarioReader reader = new ScenarioReader(TinyScenario.NICS);
        for (String folder : List.of("linear-probing", "nessie")) {
            try (Stream<Path> files = Files.list(TinyScenario.HOME.resolve("scenarios/" + folder))) {
                for (Path file : files.sorted().toList()) {
                    scenarios.add(reader.read(file, ScenarioReader.Options.of(Scale.QUICK)));
                }
            }
        }
        plan = RunPlan.of(scenarios, TinyScenario.NICS);
    }

    @Test
    void everyUnitIsInOneShardBesideThoseOfItsTable() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        double all = RunPlan.seconds(plan.units());
        double largest = RunPlan.groups(plan.units()).stream()
                .mapToDouble(RunPlan::seconds)
                .max()
                .orElseThrow();
        for (int round = 0; round < 20; round++) {
            int count = round == 0 ? 1 : 1 + random.nextInt(round < 15 ? 64 : 2_000);
            Shards shards = Shards.of(plan, count);
            String as = count + " shards, " + Seeds.replay();
            assertThat(shards.count()).as(as).isEqualTo(count);

            Set<Integer> seen = new HashSet<>();
            Map<Object, Integer> shardOfTable = new HashMap<>();
            for (int shard = 1; shard <= count; shard++) {
                List<RunPlan.Unit> units = shards.units(shard);
                assertThat(units).as(as).isSortedAccordingTo(Comparator.comparingInt(RunPlan.Unit::index));
                for (RunPlan.Unit unit : units) {
                    assertThat(seen.add(unit.index())).as("twice, " + as).isTrue();
                    if (unit.content() != null) {
                        assertThat(shardOfTable.computeIfAbsent(unit.content(), _ -> 0))
                                .as(as)
                                .isIn(0, shard);
                        shardOfTable.put(unit.content(), shard);
                    }
                }
            }
            assertThat(seen).as(as).hasSize(plan.units().size());

            List<Double> seconds = shards.parts().stream().map(RunPlan::seconds).toList();
            assertThat(seconds).as(as).isSortedAccordingTo(Comparator.reverseOrder());
            // Bound of any division in which no part is idle while there is work.
            assertThat(shards.seconds()).as(as).isLessThanOrEqualTo((all / count + largest) * (1 + 1e-9));
            assertThat(Shards.of(plan, count)).as(as).isEqualTo(shards);
        }
    }

    @Test
    void eightShardsOfAPaperAreNearlyEqual() {
        double all = RunPlan.seconds(plan.units());
        assertThat(Shards.of(plan, 8).seconds()).isLessThan(1.01 * all / 8);
    }
}
