package org.reprobe.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationOutcome;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.NightlyCases;

class DerivedSystemTest {

    private static List<DerivedSystem> systems() {
        return DerivedSystems.SYSTEMS;
    }

    @Test
    void aConfigurationIsReadAsItIsWritten() {
        for (String text :
                List.of("nessie:01p,12s,20:w2|r0 d1", "pilaf:012p,321:d0", "find-or-put:4/2/2,3,3:f0|f1 f0")) {
            assertThat(Configuration.of(text, DerivedSystems.KINDS)).hasToString(text);
        }
        for (String text : List.of(
                "nessie:01p,02p:w0", // two keys in slot 0
                "nessie:01,12p:w0|r1", // those that are there come first
                "nessie:00:w0",
                "nessie:01:w1",
                "nessie:01:f0",
                "find-or-put:1:f0",
                "nessie:01:",
                "other:01:w0")) {
            assertThat(Configuration.of(text, DerivedSystems.KINDS)).as(text).isNull();
        }
    }

    /** Counted by hand: one key and one operation; present, and absent. Slots 0 and 1, since others are other names. */
    @Test
    void theSmallestConfigurationsAreThoseThatOneCanCount() {
        Set<String> smallest = new HashSet<>();
        Configurations all = new Configurations(DerivedSystems.named("nessie").kinds());
        for (int i = 0; i < 2000; i++) {
            Configuration next = all.next();
            if (next.keys().size() == 1 && next.operations() == 1) {
                smallest.add(next.toString());
            }
        }
        assertThat(smallest)
                .containsExactlyInAnyOrder(
                        "nessie:01:w0",
                        "nessie:01p:w0",
                        "nessie:01s:w0",
                        "nessie:01:d0",
                        "nessie:01p:d0",
                        "nessie:01s:d0");
    }

    /**
     * Each occurs once, independent of the names of keys, slots and clients; sizes grow within a round, up to the
     * largest.
     */
    @ParameterizedTest
    @MethodSource("systems")
    @Nightly(besides = "the first configurations hold")
    void configurationsAreDistinct(DerivedSystem system) {
        Set<String> seen = new HashSet<>();
        TreeMap<Integer, Integer> operations = new TreeMap<>();
        Iterator<String> configurations = system.configurations();
        for (int i = 0; i < 3000; i++) {
            String text = configurations.next();
            Configuration configuration = Configuration.of(text, system.kinds());
            assertThat(configuration).as(text).isNotNull();
            assertThat(seen.add(text)).as(text).isTrue();
            operations.merge(configuration.operations(), 1, Integer::sum);
        }
        assertThat(operations).containsKeys(1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    /** An invalid one would be omitted silently. */
    @Test
    void theSharpestConfigurationsAreConfigurationsOfASystem() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Class<?> trials : DerivedSystems.SYSTEMS.stream()
                .map(DerivedSystem::trials)
                .distinct()
                .toList()) {
            try (InputStream in = trials.getResourceAsStream("sharpest-configurations.txt")) {
                new String(in.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> !line.isBlank() && !line.startsWith("#"))
                        .forEach(lines::add);
            }
        }
        assertThat(lines)
                .doesNotHaveDuplicates()
                .allSatisfy(line ->
                        assertThat(Configuration.of(line, DerivedSystems.KINDS)).isNotNull());
        assertThat(DerivedSystems.SYSTEMS.stream()
                        .flatMap(system -> system.sharpest().stream())
                        .toList())
                .containsExactlyInAnyOrderElementsOf(lines);
    }

    /** A reason for a branch that was renamed would be ignored, and {@code check} would miss the branch. */
    @Test
    void unreachableBranchesAreBranchesOfASystem() {
        Set<String> listed = new TreeSet<>();
        Set<String> names = new HashSet<>();
        for (DerivedSystem system : DerivedSystems.SYSTEMS) {
            listed.addAll(Survey.reasons(system).keySet());
            new Branches(system).all().forEach(branch -> names.addAll(Survey.names(branch)));
        }
        listed.removeAll(names);
        assertThat(listed).isEmpty();
    }

    /** The suite's share: {@code check} explores more, until every branch was taken. */
    @ParameterizedTest
    @MethodSource("systems")
    void theFirstConfigurationsHold(DerivedSystem system) throws Exception {
        int configurations = DerivedSystems.shareOfSuite(system);
        Survey.Result result = Survey.of(system, configurations, 1, () -> false);
        assertThat(result.found()).as("%s", result.refutedSystem()).isNull();
        assertThat(result.configurations()).isEqualTo(configurations);
        assertThat(result.refuted()).as("said to be out of reach").isEmpty();
        assertThat(result.taken()).isGreaterThan(result.branches().size() / 5);
    }

    /**
     * Judges like {@code check}: each branch is taken or has a reason, and no taken branch is listed as unreachable.
     */
    @ParameterizedTest
    @MethodSource("systems")
    @Nightly(besides = "the first configurations hold")
    void theUsualConfigurationsTakeEveryReachableBranch(DerivedSystem system) throws Exception {
        Survey.Result result = Survey.of(system, system.usual(), 1, () -> false);
        assertThat(result.found()).as("%s", result.refutedSystem()).isNull();
        assertThat(Survey.lines(result.missing())).as("never taken").isEmpty();
        assertThat(Survey.lines(result.refuted())).as("listed as unreachable").isEmpty();
    }

    /** A hunt that changed the trial would find every fault. */
    @ParameterizedTest
    @ValueSource(strings = {"nessie:01s:w0|w0|r0", "farm-transactions:2/1/1,0,1:r0 w1|r1 w0", "farm-object"})
    void aHuntFindsNothingWithoutAFault(String configuration) throws Exception {
        String type = DerivedSystems.of(configuration).typeNames().getFirst();
        Mutants.Mutant none = new Mutants.Mutant(type, "", 0, -1, "", "");
        assertThat(new MutantExploration(List.of(configuration), List.of(type)).find(none, 600_000))
                .isNull();
    }

    private static List<String> faults() {
        return NightlyCases.of(
                "DerivedSystemTest.aSeededFaultIsFound",
                3,
                List.of(
                        "nessie.CorrectedOperations; migrate; leaves out postValid; table.postValid(n); nessie:01p,20p,02:w2|r0",
                        "nessie.TableAccess; judge; jumps never; yield valid; nessie:01s:w0|w0|r0",
                        "nessie.CorrectedOperations; takeBack; leaves out compareAndSwap; table.compareAndSwap; nessie:01p,20p,02:d0|w2",
                        "nessie.NessieServer; answer; leaves out revoke; revoke(server); nessie-server-breaks:01p:w0",
                        "nessie.NessieServer; run; leaves out endResize; recovery.endResize; nessie-resize-breaks:01p,10p,01:w2|r0 w1",
                        "pilaf.PilafServer; <init>; leaves out complete; complete; pilaf-breaks:012p:w0|r0 r0",
                        "nessie.CorrectedOperations; swap; jumps always; if (table.atS() != j) {; nessie:01p,02,02:w1|w2",
                        "nessie.CorrectedOperations; migrate; jumps always; if (table.atP() != i) { // 13; nessie:01p,20p,02:d0|w2",
                        "nessie.CorrectedOperations; tryDelete; jumps always; if (table.atP() != entry) {; nessie:01p,20p,02:d0|w2",
                        "nessie.CorrectedOperations; tryDelete; jumps never; return table.look(p, AT_P) == i; nessie:01s,21p,12:d0|w2",
                        "nessie.CorrectedOperations; read; jumps always; return found == Found.ABSENT; nessie:01s,21p,12:r0|w2",
                        "nessie.CorrectedOperations; finish; jumps never; return table.atP() == i; nessie:02p,01:w1|d0 w1|d1",
                        "nessie.NessieServer; answer; leaves out clear; dead.clear; nessie-server-breaks:01p:w0",
                        "nessie.NessieServer; declareDead; jumps never (2); if (owner != null; nessie-server-breaks:01p:w0",
                        "nessie.RecoveryState; takeBack; leaves out set; table.set; nessie-resize-breaks:01p,10p,01:w2|r0 w1",
                        "nessie.RecoveryState; copyEntries; leaves out set; set(COPIED, geometry.slots()); nessie-resize-breaks:01p,10p,01:w2|r0 w1",
                        "nessie.NessieServer; deregister; jumps never; if (!perhapsRevoked); nessie-server-breaks:01p:w0",
                        "pilaf.PilafServer; <init>; jumps always (2); if (index > 0; pilaf-breaks:013p,102p,201p,012:w3|r0 d0"));
    }

    /**
     * Faults of kinds once seeded by hand into Nessie's corrected rules, which all explored systems missed: an omitted
     * check, an ignored flag, an ignored result of a compare-and-swap; and duties of returning clients and servers.
     * Each with a derived configuration that shows it.
     */
    @ParameterizedTest
    @MethodSource("faults")
    void aSeededFaultIsFound(String ofMethodWhatSourceConfiguration) throws Exception {
        String[] words = ofMethodWhatSourceConfiguration.split("; ");
        assertThat(words).hasSize(5);
        String configuration = words[4];
        Mutants.Mutant fault = Mutants.of("org.reprobe." + words[0]).stream()
                .filter(each -> each.method().equals(words[1])
                        && each.what().equals(words[2])
                        && each.source().startsWith(words[3]))
                .findFirst()
                .orElseThrow();
        CheckedSystem system = DerivedSystems.configuration(configuration);
        List<ExplorationOutcome> right =
                Survey.explore(new Exploration(system.trial().get(), system.limits()), system.limits(), 1);
        assertThat(right).allMatch(outcome -> outcome.counterexample() == null);
        assertThat(new MutantExploration(List.of(configuration), List.of(fault.type())).find(fault, 600_000))
                .as(fault.text())
                .isNotNull();
    }
}
