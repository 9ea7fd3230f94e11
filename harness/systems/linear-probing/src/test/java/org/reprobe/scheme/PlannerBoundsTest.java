package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.plan.Advice;
import org.reprobe.analysis.plan.PlanInput;
import org.reprobe.analysis.plan.PlanReader;
import org.reprobe.analysis.plan.Planner;
import org.reprobe.system.Systems;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;
import org.reprobe.testing.Seeds;

/** Inputs at and near the bounds of a plan. */
@Nightly(besides = "PlannerTest")
class PlannerBoundsTest {
    private static final Path NICS = Project.path("scenarios/nics");
    private static final PlanReader READER = new PlanReader(Systems.planned());
    private static final int INPUTS = 40;

    private static final Map<String, String> PLAIN =
            Map.of("records", "1e9", "value-bytes", "24", "lookups-per-second", "40e6", "memory-per-server-gib", "64");

    /** Records so large that a READ brings one, in tables so full that lookups take thousands of them. */
    private static final Map<String, String> MAX_ROUNDS = Map.of(
            "records", "1",
            "key-bytes", "65536",
            "value-bytes", "13",
            "lookups-per-second", "0.003",
            "memory-per-server-gib", "1e9",
            "nics", "shm-here",
            "send-queue", "195",
            "max-servers", "100000");

    private static final Map<String, String> MAX_PLACES = Map.of(
            "records", "1e9",
            "value-bytes", "24",
            "lookups-per-second", "40e6",
            "memory-per-server-gib", "64",
            "nics", "shm-here,connectx5-edr",
            "send-queue", "1048576",
            "outstanding-reads", "65536");

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** An integer or a number from low to high, evenly in its logarithm; often a bound. */
    private static String any(SplittableRandom random, boolean whole, double low, double high) {
        double value = switch (random.nextInt(6)) {
            case 0 -> low;
            case 1, 2 -> high;
            default ->
                Math.clamp(
                        Math.exp(random.nextDouble(Math.log(Math.max(low, 1e-9)), Math.log(high) + 1e-9)), low, high);
        };
        return whole ? String.valueOf((long) value) : String.valueOf(value);
    }

    private static Map<String, String> asked(SplittableRandom random, List<String> nics) {
        Map<String, String> asked = new LinkedHashMap<>();
        READER.keys().forEach(key -> {
            boolean required = List.of("records", "value-bytes", "lookups-per-second", "memory-per-server-gib")
                    .contains(key.name());
            if (!required && random.nextInt(2) == 0) {
                return;
            }
            var allowed = key.allowed();
            if (key.name().equals("value-bytes")) {
                asked.put(key.name(), any(random, true, 0, 1 << 20));
            } else if (key.name().equals("nics")) {
                asked.put(
                        key.name(),
                        random.nextInt(3) == 0 ? String.join(",", nics) : nics.get(random.nextInt(nics.size())));
            } else if (allowed.has("maximum")) {
                boolean whole = allowed.path("type").asString("").equals("integer");
                double low = allowed.has("minimum") ? allowed.get("minimum").asDouble() : 1e-9;
                asked.put(
                        key.name(),
                        any(random, whole, low, allowed.get("maximum").asDouble()));
            }
        });
        return asked;
    }

    /**
     * Inputs like these once took minutes; now they take some tenths of a second of CPU time, most of it the
     * compiler's.
     */
    @Test
    void plansAndAdviceTakeLessThanMinutes() throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        List<String> nics = NicProfiles.names(NICS);
        answerMs(READER.read(null, PLAIN, NICS));
        int answered = 0;
        for (int i = 0; i < INPUTS; i++) {
            Map<String, String> asked = i == 0 ? MAX_ROUNDS : i == 1 ? MAX_PLACES : asked(random, nics);
            PlanInput input;
            try {
                input = READER.read(null, asked, NICS);
            } catch (InvalidInputException e) {
                continue; // a sum of shares, or more threads than a card has queue pairs
            }
            assertThat(answerMs(input))
                    .as("ms for %s, %s", asked, Seeds.replay())
                    .isLessThan(10_000);
            answered++;
        }
        assertThat(answered).isGreaterThan(INPUTS / 4);
    }

    private static double answerMs(PlanInput input) {
        long startNs = THREADS.getCurrentThreadCpuTime();
        Planner.Result result = new Planner(input).plan();
        if (result.options().isEmpty()) {
            assertThat(result.nearest()).isNotEmpty();
        } else {
            Advice.of(input, result);
        }
        return (THREADS.getCurrentThreadCpuTime() - startNs) / 1e6;
    }
}
