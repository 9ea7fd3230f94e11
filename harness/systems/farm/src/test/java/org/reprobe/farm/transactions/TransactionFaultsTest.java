package org.reprobe.farm.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.check.StrictSerializabilityCheck.Outcome;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.CommitRules.Validation;
import org.reprobe.farm.transactions.TransactionRun.Plan;
import org.reprobe.farm.transactions.TransactionRun.Shipping;
import org.reprobe.testing.SeededFaults;
import org.reprobe.testing.Seeds;

/** Wrong rules of commits and allocations are detected on conflicting transactions. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class TransactionFaultsTest {
    private static final long DURATION_NS = 1_000_000;

    static boolean isSerializable(String validation, boolean shipped) throws Exception {
        CommitRules rules = CommitRules.CORRECTED.with(Validation.valueOf(validation));
        Plan plan = shipped ? new Plan(9, 2, 1, 0, rules).shipping(Shipping.ALL) : new Plan(9, 3, 1, 0, rules);
        try (TransactionRun run = new TransactionRun("sim", plan, (shipped ? 4 : 2) * DURATION_NS)) {
            return !(run.outcome() instanceof Outcome.NotSerializable);
        }
    }

    private static Stream<Arguments> wrongRules() {
        SeededFaults notValidated = new SeededFaults("org.reprobe.farm.")
                .without("transactions.DistributedTransaction", "sendToPrimaries(CommitMessage.VALIDATE, sender);");
        String lock = "long version = CommitMessage.version(words[at + 1]);";
        SeededFaults lockedWhateverTheVersion =
                new SeededFaults("org.reprobe.farm.").replacing("commit.Participant", lock, """
                        words[at + 1] = CommitMessage.version(writer.header(memory(address), offset))
                                | CommitMessage.change(words[at + 1]);
                        """ + lock);
        return Stream.of(
                Arguments.of("validated as printed", new SeededFaults("org.reprobe.farm."), "VERSIONS"),
                Arguments.of("not validated", notValidated, "VERSIONS_AND_LOCKS"),
                Arguments.of("locked whatever the version", lockedWhateverTheVersion, "VERSIONS_AND_LOCKS"));
    }

    /** Wrong commit rules are detected on conflicting transactions. */
    @ParameterizedTest
    @MethodSource("wrongRules")
    void wrongRulesAreFoundOut(String name, SeededFaults fault, String validation) throws Exception {
        for (boolean shipped : new boolean[] {false, true}) {
            assertThat(fault.call(TransactionFaultsTest.class, "isSerializable", validation, shipped))
                    .as("%s, shipped: %s", name, shipped)
                    .isEqualTo(false);
        }
    }

    /** Each rule of allocating and freeing objects is necessary. */
    @ParameterizedTest
    @CsvSource({
        "FREES_AT_PREPARE, no object is allocated",
        "KEEPS_ABORTED, parts are allocated",
        "KEEPS_REPLACED, parts are allocated",
        "IGNORES_INCARNATION, wrong"
    })
    void wrongAllocationsAreFoundOut(AllocationFaults fault, String found) throws Exception {
        assertThat((String) fault.seeded().call(TransactionFaultsTest.class, "wrongParts", 64))
                .as(Seeds.replay())
                .contains(found);
        assertThat(wrongParts(1)).isEmpty();
    }

    /** Returns the failure that is found in runs of increasing length. */
    static String wrongParts(int longest) {
        // During a long wait for a locked object other transactions free its part.
        Plan plan =
                new Plan(12, 8, 2, 0, CommitRules.CORRECTED).withBackOff(50_000).withParts(16);
        String wrong = "";
        for (int longer = Math.min(longest, 2); wrong.isEmpty() && longer <= longest; longer *= 2) {
            wrong = wrong(plan, longer * DURATION_NS);
        }
        return wrong;
    }

    /** Returns the failure of a run's threads, of its final state or of its answers. */
    private static String wrong(Plan plan, long durationNs) {
        try (TransactionRun run = new TransactionRun("sim", plan, durationNs)) {
            String failure = run.partsFailure(Objects.requireNonNull(run.parts));
            return (failure == null ? "" : failure) + (run.counts.wrongAnswers() > 0 ? "wrong" : "");
        } catch (Exception e) {
            return String.valueOf(e.getMessage());
        }
    }
}
