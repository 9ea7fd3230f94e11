package org.reprobe.farm.tao;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.testing.Seeds;
import org.reprobe.workload.Rng;

class LinkBenchTest {
    private static final long SEED = Seeds.seed();
    private static final int DRAWS = 200_000;
    private static final LinkBench GRAPH = new LinkBench(1 << 20);

    private static double share(long atMost) {
        long found = 0;
        for (int i = 0; i < DRAWS; i++) {
            found += LinkBench.outDegree(Rng.at(SEED, i)) <= atMost ? 1 : 0;
        }
        return (double) found / DRAWS;
    }

    /** Points of the table, and one between two points that the full table has. */
    @ParameterizedTest
    @CsvSource({
        "0, 0.4533160573",
        "1, 0.7746259112",
        "4, 0.944507991",
        "16, 0.9910803256",
        "40, 0.996614138",
        "1000, 0.9995065916"
    })
    void outDegreesAreTheTables(long degree, double share) {
        double deviation = Math.sqrt(share * (1 - share) / DRAWS);
        assertThat(share(degree)).as(Seeds::replay).isCloseTo(share, within(5 * deviation + 2e-4));
    }

    @Test
    void theLargestDegreeIsTheTables() {
        assertThat(LinkBench.outDegree(-1L)).isEqualTo(961963);
        assertThat(LinkBench.outDegree(0)).isZero();
    }

    /** Averages over the middles of equal parts of all nodes. */
    @Test
    void aNodeHasThePapersNumberOfEdges() {
        double degrees = 0;
        double edges = 0;
        int parts = 1 << 22;
        for (int i = 0; i < parts; i++) {
            long bits = (2L * i + 1) << (Long.SIZE - 23);
            degrees += LinkBench.outDegree(bits);
            edges += GRAPH.edges(bits, 0) + GRAPH.edges(bits, 1);
        }
        // 4.35 billion edges of a billion nodes (FaRM 2014, section 4.4).
        assertThat(edges / parts).isCloseTo(4.35, within(0.1));
        assertThat(degrees / parts).isLessThan(4.2);
    }

    @Test
    void typesShareTheEdges() {
        long one = (long) (0.6 * Math.pow(2, 53)) << 11; // between 45 and 77 %: one edge
        assertThat(LinkBench.outDegree(one)).isEqualTo(1);
        assertThat(GRAPH.edges(one, 0)).isEqualTo(1);
        assertThat(GRAPH.edges(one, 1)).isZero();
    }

    @Test
    void sizesAreLogNormal() {
        int[] nodes = new int[DRAWS];
        int[] edges = new int[DRAWS];
        for (int i = 0; i < DRAWS; i++) {
            nodes[i] = GRAPH.nodeBytes(Rng.at(SEED, i));
            edges[i] = GRAPH.edgeBytes(Rng.at(SEED, i));
        }
        Arrays.sort(nodes);
        Arrays.sort(edges);
        assertThat(nodes[DRAWS / 2]).isCloseTo(128, within(2));
        assertThat(edges[DRAWS / 2]).isEqualTo(8);
        // One standard deviation above the median: 84.13 %.
        assertThat(nodes[(int) (0.8413 * DRAWS)]).isCloseTo((int) (128 * Math.E), within(6));
        assertThat(edges[DRAWS - 1]).isEqualTo(GRAPH.maxEdgeBytes());
        assertThat(Arrays.stream(nodes).average().orElseThrow()).isCloseTo(128 * Math.exp(0.5), within(3.0));
        assertThat(new LinkBench(200).nodeBytes(-1L)).isEqualTo(200);
    }
}
