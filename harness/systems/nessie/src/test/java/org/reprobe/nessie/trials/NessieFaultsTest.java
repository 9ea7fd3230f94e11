package org.reprobe.nessie.trials;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.nessie.FreeItems;
import org.reprobe.nessie.IndexEntry;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.Rules;
import org.reprobe.remote.AssumedOutcomes;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.OperationResult;
import org.reprobe.testing.Seeds;
import org.reprobe.trial.Script;

/** Writes and deletes without a reply. */
class NessieFaultsTest {
    private static final long SEED = Seeds.seed();
    private static final ExplorationLimits BREAKS =
            new ExplorationLimits(0, 1, 0, 0, ExplorationLimits.Tearing.ASCENDING, 5000, 6, 120);

    private static NessieTrial trial(Rules rules, int served, AssumedOutcomes.Takes takes) {
        int[][] places = {{0, 1}};
        return new NessieTrial(rules, 3, served, places, 1, true, Script.of("w0 r0|r0 d0 r0")) {
            @Override
            protected KeyValueClient connect(Client client) throws FabricException {
                return new AssumedOutcomes(super.connect(client), client, takes);
            }
        };
    }

    private static Counterexample found(NessieTrial trial) throws Exception {
        Exploration exploration = new Exploration(trial, BREAKS);
        Counterexample found = exploration.random(SEED, 40_000).counterexample();
        assertThat(found).as("seed %d", SEED).isNotNull();
        assertThat(exploration.replay(found.schedule()).violation()).isEqualTo(found.violation());
        return found;
    }

    @ParameterizedTest
    @CsvSource({"CORRECTED,3,FOR_DONE", "CORRECTED,3,FOR_NOT_DONE", "RHTM,0,FOR_DONE", "RHTM,0,FOR_NOT_DONE"})
    void anOperationWithoutAnswerIsNeitherDoneNorToBeRepeated(Rules rules, int served, AssumedOutcomes.Takes takes)
            throws Exception {
        assertThat(found(trial(rules, served, takes)).violation()).contains("No order of these operations explains");
    }

    /** It may be in the table, or appear there later. */
    @ParameterizedTest
    @CsvSource({"CORRECTED,3", "RHTM,0"})
    void theItemOfAWriteWithoutAnswerIsNotUsedAgain(Rules rules, int served) throws Exception {
        int[][] places = {{0, 1}, {1, 2}};
        found(new NessieTrial(rules, 3, served, places, 1, true, Script.of("w0 w1|r0 r0")) {
            @Override
            protected KeyValueClient connect(Client client) throws FabricException {
                NessieClient table = (NessieClient) super.connect(client);
                return new AssumedOutcomes(table, client, AssumedOutcomes.Takes.FOR_DONE) {
                    @Override
                    public OperationResult write(long key, long value) throws FabricException {
                        FreeItems items = table.items();
                        boolean[] inUse = new boolean[items.size()];
                        for (int item = 0; item < inUse.length; item++) {
                            inUse[item] = items.inUse(item) != IndexEntry.EMPTY;
                        }
                        try {
                            return table.write(key, value);
                        } catch (UnreachableException e) {
                            reconnect();
                            for (int item = 0; item < inUse.length; item++) {
                                if (!inUse[item] && items.inUse(item) != IndexEntry.EMPTY) {
                                    items.giveBack(items.inUse(item));
                                }
                            }
                            throw e; // it stays pending
                        }
                    }
                };
            }
        });
    }
}
