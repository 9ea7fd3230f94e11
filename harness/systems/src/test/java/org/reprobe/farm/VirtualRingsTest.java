package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.testing.Seeds;
import org.reprobe.workload.Rng;

class VirtualRingsTest {
    private static final int REGIONS = 20_000;
    /** No part is further from its mean than by so many standard deviations, but for one in a million and fewer. */
    private static final double DEVIATIONS = 6;

    private final Rng random = new Rng(Seeds.seed());

    private long[] identities(int machines) {
        long[] identities = new long[machines];
        Arrays.setAll(identities, i -> random.next());
        return identities;
    }

    private static double deviation(int rings, int machines) {
        return Math.sqrt((machines - 1.0) / (machines + 1) / rings) / machines;
    }

    private int anyRegion(VirtualRings rings) {
        return VirtualRings.region(
                (int) random.below(rings.rings()), (int) random.below(1 << VirtualRings.POSITION_BITS));
    }

    /** Many sets of machines: one ring's unevenness is foretold, and k rings take it down by the root of k. */
    @ParameterizedTest
    @CsvSource({"1, 2", "1, 20", "10, 20", "100, 5", "100, 20"})
    void partsVaryAsForetold(int rings, int machines) {
        double squares = 0;
        int sets = 4000 / rings + 40;
        for (int i = 0; i < sets; i++) {
            VirtualRings some = new VirtualRings(rings, identities(machines));
            double all = 0;
            for (int machine = 0; machine < machines; machine++) {
                double off = some.part(machine) - 1.0 / machines;
                squares += off * off;
                all += some.part(machine);
                if (rings == VirtualRings.PRINTED_RINGS) {
                    assertThat(Math.abs(off)).as(Seeds.replay()).isLessThan(DEVIATIONS * deviation(rings, machines));
                }
            }
            assertThat(all).isCloseTo(1, within(1e-9));
        }
        double measured = Math.sqrt(squares / sets / machines);
        // The gaps of one ring have long tails: more of an error than the 1 / sqrt(2 n) of a normal distribution.
        assertThat(measured / deviation(rings, machines)).as(Seeds.replay()).isCloseTo(1, within(0.25));
    }

    @Test
    void hashValuesAreSpreadAsTheRingsAre() {
        int machines = 20;
        VirtualRings rings = new VirtualRings(VirtualRings.PRINTED_RINGS, identities(machines));
        int[] counts = new int[machines];
        for (int i = 0; i < 400_000; i++) {
            counts[rings.machine(random.next())]++;
        }
        for (int machine = 0; machine < machines; machine++) {
            double expected = 400_000 * rings.part(machine);
            assertThat((double) counts[machine])
                    .as(Seeds.replay())
                    .isCloseTo(expected, within(DEVIATIONS * Math.sqrt(expected)));
        }
    }

    /** What moves, moves to the machine that joined, and is about its equal part; it comes from all the others. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 19})
    void aMachineThatJoinsTakesItsPartAndNothingElseMoves(int machines) {
        long[] all = identities(machines + 1);
        VirtualRings before = new VirtualRings(VirtualRings.PRINTED_RINGS, Arrays.copyOf(all, machines));
        VirtualRings after = new VirtualRings(VirtualRings.PRINTED_RINGS, all);
        int moved = 0;
        Set<Integer> from = new HashSet<>();
        for (int i = 0; i < REGIONS; i++) {
            int region = anyRegion(before);
            if (before.primary(region) != after.primary(region)) {
                assertThat(after.primary(region)).as(Seeds.replay()).isEqualTo(machines);
                from.add(before.primary(region));
                moved++;
            }
        }
        double part = 1.0 / (machines + 1);
        double sampling = Math.sqrt(part / REGIONS);
        assertThat((double) moved / REGIONS)
                .as(Seeds.replay())
                .isCloseTo(part, within(DEVIATIONS * (deviation(VirtualRings.PRINTED_RINGS, machines + 1) + sampling)));
        // In each of the rings it takes from one of them at random: 100 tries to meet 19 leave out 0.1 of one on
        // average.
        assertThat(from).as(Seeds.replay()).hasSizeGreaterThan(machines - 4);
    }

    /** Copies of a machine that leaves go on at those that follow, so a replica of a region becomes its primary. */
    @Test
    void aMachineThatLeavesIsFollowedByTheReplicas() {
        int machines = 12;
        long[] all = identities(machines);
        VirtualRings before = new VirtualRings(VirtualRings.PRINTED_RINGS, all);
        VirtualRings after = new VirtualRings(VirtualRings.PRINTED_RINGS, Arrays.copyOf(all, machines - 1));
        for (int i = 0; i < REGIONS; i++) {
            int region = anyRegion(before);
            int[] copies = before.copies(region, 3);
            assertThat(copies[0]).isEqualTo(before.primary(region));
            assertThat(Arrays.stream(copies).distinct().count()).isEqualTo(3);
            int primary = copies[0] == machines - 1 ? copies[1] : copies[0];
            assertThat(after.primary(region)).as(Seeds.replay()).isEqualTo(primary);
        }
        assertThatThrownBy(() -> before.copies(0, machines + 1)).hasMessage("13 copies on 12 machines");
    }

    @Test
    void theMachineThatMakesARegionHasItsPrimaryCopy() {
        for (int machines : new int[] {1, 2, 20}) {
            VirtualRings rings = new VirtualRings(VirtualRings.PRINTED_RINGS, identities(machines));
            Set<Integer> regions = new HashSet<>();
            Set<Integer> used = new HashSet<>();
            for (int i = 0; i < 2000; i++) {
                int machine = (int) random.below(machines);
                int region = rings.newRegion(machine, random, regions::contains);
                assertThat(rings.primary(region)).as(Seeds.replay()).isEqualTo(machine);
                assertThat(regions.add(region)).isTrue();
                used.add(VirtualRings.ring(region));
                int near = rings.newRegionNear(region, machine, random, regions::contains);
                assertThat(rings.primary(near)).as(Seeds.replay()).isEqualTo(machine);
                assertThat(VirtualRings.ring(near)).isEqualTo(VirtualRings.ring(region));
            }
            assertThat(used).hasSize(VirtualRings.PRINTED_RINGS);
        }
    }

    @Test
    void regionsNearEachOtherAreInOneRing() {
        int last = (1 << VirtualRings.POSITION_BITS) - 1;
        assertThat(VirtualRings.distance(VirtualRings.region(99, 5), VirtualRings.region(99, 2)))
                .isEqualTo(3);
        assertThat(VirtualRings.distance(VirtualRings.region(3, last), VirtualRings.region(3, 1)))
                .isEqualTo(2);
        assertThat(VirtualRings.distance(VirtualRings.region(3, 1), VirtualRings.region(4, 1)))
                .isEqualTo(-1);
        assertThat(VirtualRings.ring(VirtualRings.region(99, last))).isEqualTo(99);
        assertThat(VirtualRings.position(VirtualRings.region(99, last))).isEqualTo(last);
        assertThatThrownBy(() -> new VirtualRings(128, 1, 2)).hasMessage("2 machines in 128 rings");
    }
}
