package org.reprobe.trial;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the checker's tests against a checker with a fault until one fails. */
final class CheckerMutationRun {
    /** The check of histories, and the choice of schedules and of their events. */
    static final List<String> TYPES = List.of(
            "org.reprobe.check.LinearizabilityCheck",
            "org.reprobe.check.RegisterMap",
            "org.reprobe.check.FindOrPutSet",
            "org.reprobe.explore.DepthFirst",
            "org.reprobe.explore.StateSet",
            "org.reprobe.explore.Exploration",
            "org.reprobe.explore.Execution",
            "org.reprobe.explore.World",
            "org.reprobe.explore.Scheduler",
            "org.reprobe.explore.Faults",
            "org.reprobe.explore.StateHash",
            "org.reprobe.explore.Timeline",
            "org.reprobe.explore.ExploredQueuePair",
            "org.reprobe.explore.RequestEffects",
            "org.reprobe.explore.Request",
            "org.reprobe.explore.ServerMemory");

    private static final Pattern LOADED_HERE =
            Pattern.compile("org\\.reprobe\\.((check|explore)\\.[^.]*|trial\\.LoopBudget)");
    private static final List<String> TESTS_OF_CHECK = List.of("org.reprobe.check.LinearizabilityCheckTest");
    /** Tests in the order of speed and finds. */
    private static final List<String> TESTS_OF_EXPLORER = List.of(
            "org.reprobe.explore.StateSetTest",
            "org.reprobe.explore.ServerMemoryTest",
            "org.reprobe.explore.ExploredWaitsTest",
            "org.reprobe.explore.ExploredPausesTest",
            "org.reprobe.explore.ExploredServersTest",
            "org.reprobe.explore.ExploredFaultsTest",
            "org.reprobe.explore.ExploredLateRequestsTest",
            "org.reprobe.explore.ExploredCutsTest",
            "org.reprobe.explore.ExploredOperationsTest",
            "org.reprobe.explore.ExploredTearingTest",
            "org.reprobe.explore.ExploredMachineFailuresTest",
            "org.reprobe.explore.ExploredTimelineTest",
            "org.reprobe.explore.ExploredProgramsTest",
            "org.reprobe.explore.ExplorationCostsTest",
            "org.reprobe.explore.ExploredStatesTest",
            "org.reprobe.explore.ExploredFabricTest",
            "org.reprobe.explore.ExplorationTest");

    private CheckerMutationRun() {}

    /**
     * Returns the failing test with its failure, or a timeout; null if all pass.
     *
     * @param cpuMs CPU time of this process, far more than the tests take without a fault
     */
    static @Nullable String find(Mutants.Mutant mutant, long cpuMs) throws InterruptedException {
        List<String> names = mutant.type().startsWith("org.reprobe.check.") ? TESTS_OF_CHECK : TESTS_OF_EXPLORER;
        return find(mutant, LOADED_HERE, names, cpuMs);
    }

    /**
     * The same with tests of other classes.
     *
     * @param loadedHere names of the classes that are loaded with the fault or see it
     * @param names of the tests
     */
    static @Nullable String find(Mutants.Mutant mutant, Pattern loadedHere, List<String> names, long cpuMs)
            throws InterruptedException {
        ProtocolLoader loader = new ProtocolLoader(mutant::in, loadedHere);
        LongConsumer fuel;
        Class<?>[] tests;
        try {
            // An invalid class file is a bug of this test, not a finding.
            Class.forName(mutant.type(), true, loader);
            fuel = (LongConsumer) loader.loadClass(LoopBudget.class.getName())
                    .getConstructor()
                    .newInstance();
            tests = new Class<?>[names.size()];
            for (int i = 0; i < tests.length; i++) {
                tests[i] = loader.loadClass(names.get(i));
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        // Infinite loops are ended with the tests.
        fuel.accept(System.nanoTime() + TimeUnit.HOURS.toNanos(1));
        long end = MutantExploration.cpuNs() + cpuMs * 1_000_000;
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        for (Class<?> test : tests) {
            request.selectors(selectClass(test));
        }
        LauncherDiscoveryRequest all = request.build();
        CompletableFuture<@Nullable String> first = new CompletableFuture<>();
        Launcher launcher = LauncherFactory.create();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                launcher.execute(all, new TestExecutionListener() {
                    @Override
                    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                        // An aborted test shows nothing.
                        if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                            first.complete(test.getDisplayName() + ": "
                                    + result.getThrowable()
                                            .map(Throwable::toString)
                                            .orElse("")
                                            .lines()
                                            .findFirst()
                                            .orElse(""));
                        }
                    }
                });
                first.complete(null);
            } catch (RuntimeException | Error e) {
                first.complete("fails: " + e);
            }
        });
        try {
            while (MutantExploration.cpuNs() < end) {
                try {
                    return first.get(50, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    continue; // as long as there is CPU time left
                }
            }
            return "the tests: no end in sight";
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            // Running code ends at its next backward jump.
            fuel.accept(System.nanoTime());
            thread.interrupt();
        }
    }
}
