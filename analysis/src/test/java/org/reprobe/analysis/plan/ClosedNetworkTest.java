package org.reprobe.analysis.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class ClosedNetworkTest {
    /** Returns all probabilities, as logarithms, which were formerly summed. */
    private static double[] direct(int clients, double aloneNs, double minNs, double thinkNs) {
        double[] logs = new double[clients + 1];
        double max = 0;
        for (int j = 1; j <= clients; j++) {
            logs[j] = logs[j - 1]
                    + Math.log(Math.max(aloneNs / j, minNs))
                    - Math.log(thinkNs)
                    + Math.log(clients - j + 1.0);
            max = Math.max(max, logs[j]);
        }
        double sum = 0;
        double rate = 0;
        double there = 0;
        for (int j = 0; j <= clients; j++) {
            double p = Math.exp(logs[j] - max);
            sum += p;
            there += p * j;
            rate += j == 0 ? 0 : p / Math.max(aloneNs / j, minNs);
        }
        return new double[] {rate / sum, there / sum};
    }

    @Test
    void theOmittedTailIsNegligible() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        for (int i = 0; i < 300; i++) {
            int clients = 1 + random.nextInt(3_000);
            double aloneNs = Math.exp(random.nextDouble(0, 14));
            double minNs = Math.exp(random.nextDouble(0, 14));
            double thinkNs = Math.exp(random.nextDouble(0, 20));
            ClosedNetwork network = ClosedNetwork.of(clients, aloneNs, minNs, thinkNs);
            double[] direct = direct(clients, aloneNs, minNs, thinkNs);
            assertThat(network.ratePerNs())
                    .as("%s: %d clients, %s, %s, %s", Seeds.replay(), clients, aloneNs, minNs, thinkNs)
                    .isCloseTo(direct[0], Percentage.withPercentage(1e-7));
            assertThat(network.meanAtNetwork())
                    .as(Seeds.replay())
                    .isCloseTo(direct[1], Percentage.withPercentage(1e-7));
        }
    }

    /** A plan of 10,000 machines with 65,536 threads each has this many clients; it took minutes. */
    @Test
    void theWorkGrowsAsTheSquareRootOfTheClients() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        for (int i = 0; i < 300; i++) {
            int clients = 1 + random.nextInt(655_360_000);
            ClosedNetwork network = ClosedNetwork.of(
                    clients,
                    Math.exp(random.nextDouble(0, 14)),
                    Math.exp(random.nextDouble(0, 14)),
                    Math.exp(random.nextDouble(0, 20)));
            assertThat(network.terms())
                    .as("%s: %d clients", Seeds.replay(), clients)
                    .isLessThan((int) (100 + 40 * Math.sqrt(clients)));
        }
    }
}
