package org.reprobe.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.check.Event;
import org.reprobe.conformance.Conformance;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationOutcome;
import org.reprobe.explore.Schedule;
import org.reprobe.nessie.NessieSettings;
import org.reprobe.nessie.Rules;
import org.reprobe.system.Explorable;
import org.reprobe.system.KnownFault;
import org.reprobe.system.Settings;
import org.reprobe.system.Systems;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.Seeds;

/** Nessie and find-or-put in small configurations. */
class CheckedSystemsTest {
    private static final long SEED = Seeds.seed();

    private static CheckedSystem system(String name) {
        return all().filter(system -> system.name().equals(name)).findFirst().orElseThrow();
    }

    /** The first two of each system's trials that hold, then the others. */
    private static List<CheckedSystem> right() {
        List<CheckedSystem> always = new ArrayList<>();
        List<CheckedSystem> others = new ArrayList<>();
        for (SystemTrials trials : Systems.trials()) {
            List<CheckedSystem> right = trials.systems().stream()
                    .filter(system -> !system.printed())
                    .toList();
            int first = Math.min(2, right.size());
            always.addAll(right.subList(0, first));
            others.addAll(right.subList(first, right.size()));
        }
        int count = always.size();
        always.addAll(others);
        return NightlyCases.of("CheckedSystemsTest.theCorrectedProtocolHolds", count, always);
    }

    private static Stream<CheckedSystem> all() {
        return Systems.trials().stream().flatMap(trials -> trials.systems().stream());
    }

    /** Refuted protocols whose fault can't show in the answers that runs check: such a run fails on a wrong answer. */
    private static final List<String> NOT_OF_RUNS = List.of(
            // Runs use these rules in no setting: other cards, other layouts, other orders.
            "farm-ring-any-order",
            "farm-object-by-words",
            "farm-transaction-as-printed",
            "farm-table-remove-as-printed",
            "farm-distributed-lock-left",
            // transactions.validation and transactions.locking: orders of transactions; runs check each object that
            // they read.
            "farm-distributed-as-printed",
            "farm-shipped-as-printed");

    /** A protocol that {@code check} refutes is marked as wrong if its runs could show that. */
    @Test
    void refutedVariantsAreKnownFaultsOfRuns() throws Exception {
        Settings printed = new Settings(Map.of(
                Settings.General.class,
                new Settings.General("sim", "connectx5-edr", 1, "nessie", 0.5),
                NessieSettings.class,
                new NessieSettings(Rules.PRINTED, false, false, false, 1024, 2000, 0)));
        KnownFault fault =
                ((Explorable) Systems.of("nessie")).knownFault(printed).orElseThrow();
        List<String> refuted =
                all().filter(CheckedSystem::printed).map(CheckedSystem::name).toList();
        assertThat(refuted)
                .filteredOn(name -> !NOT_OF_RUNS.contains(name))
                .isNotEmpty()
                .allMatch(name -> name.startsWith(fault.trial()));
        assertThat(all().filter(system -> system.name().startsWith(fault.trial())))
                .allMatch(CheckedSystem::printed);
        assertThat(refuted).containsAll(NOT_OF_RUNS);
    }

    /** The name in a failed run's command for {@code check} selects all explored systems of it. */
    @Test
    void aSystemsTrialsHaveACommonName() {
        assertThat(Systems.trials().stream().map(SystemTrials::commonName))
                .containsExactlyInAnyOrder(
                        "locked-updates",
                        "locked-updates-cuckoo",
                        "locked-updates-hopscotch",
                        "nessie",
                        "pilaf",
                        "find-or-put",
                        "farm");
    }

    /** The first schedules of all, and random ones; {@code check} explores all of them. */
    @ParameterizedTest
    @MethodSource("right")
    void theCorrectedProtocolHolds(CheckedSystem system) throws Exception {
        int fewer = system.name().startsWith("nessie-server") ? 6 : 1; // their schedules take longer
        assertThat(Conformance.explored(system, 1_200 / fewer, SEED))
                .as("seed %d", SEED)
                .isNull();
    }

    /**
     * The shortest counterexamples to Nessie as printed: the wrong answer, and the number of switches. A delete that
     * starts again deletes a later write; a reused item is read half, with the flag of its first use; a slow reader
     * finds another key in an item.
     */
    @ParameterizedTest
    @CsvSource({
        "nessie-printed-delete-again, 'read(0) -> absent', 4",
        "nessie-printed-reuse, 'read(0) -> 101', 3",
        "nessie-printed-slow-read, 'read(0) -> absent', 2"
    })
    void nessieAsPrintedIsNotLinearizable(String name, String culprit, int switches) throws Exception {
        CheckedSystem system = system(name);
        Exploration exploration = new Exploration(system.trial().get(), system.limits());
        ExplorationOutcome outcome = exploration.exhaustive(Exploration.ALL, 100_000);
        Counterexample found = outcome.counterexample();
        assertThat(found).isNotNull();
        assertThat(found.violation())
                .contains("No order of these operations explains")
                .contains(culprit);
        assertThat(found.switches()).isLessThanOrEqualTo(switches);
        assertThat(exploration.exhaustive(found.switches() - 1, 100_000).counterexample())
                .as("none with fewer switches")
                .isNull();
    }

    /** A printed schedule shows the same bug, whatever searches do. */
    @Test
    void aScheduleFromTheCommandLineStillShowsTheDeleteThatDeletesTwice() throws Exception {
        CheckedSystem system = system("nessie-printed-delete-again");
        Counterexample shown = new Exploration(system.trial().get(), system.limits())
                .replay(Schedule.parse("g0,11s0,g1,s1,g1,11s1,g1,9s1,s0"));
        assertThat(shown.history().events().stream().map(Event::text))
                .containsExactly(
                        "delete(0) -> done",
                        "read(0) -> absent",
                        "write(0, 103) -> done",
                        "write(1, 104) -> done",
                        "read(0) -> absent");
    }
}
