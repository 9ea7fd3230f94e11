package org.reprobe.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.fabric.FabricContract;
import org.reprobe.run.StartupCache;
import org.reprobe.run.process.OwnJvm;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;
import org.reprobe.testing.NotTested;
import org.reprobe.testing.Project;
import org.reprobe.testing.Seeds;

/**
 * Real verbs, in a virtual machine with software RDMA: the contract's main cases, some failures and a scenario, in one
 * boot. With {@code -Dreprobe.nightly=true}, and by {@code ./run.sh vm}, all of the contract, all failures, the doctor,
 * DiSNI's example programs, clients that write, perftest and rings as well, and a server and its clients in two
 * machines. Each test of a guest is one here.
 */
@Needs(Need.VIRTUAL_MACHINE)
class VerbsInGuestTest {
    private static final Path MODULE = Path.of("").toAbsolutePath();
    private static final Path MACHINE = Project.path("harness/vm/vm.sh");
    private static final Path OUTPUT = MODULE.resolve("target/verbs-in-guest.txt");

    /**
     * Timeout in s, long enough for a busy host: hanging tests are ended earlier, by {@link GuestTests} and by timeout.
     */
    private static final int LIMIT_S = Integer.getInteger("reprobe.vm.limit-s", 3600);

    /**
     * Maximum time in s of an idle JVM there, at the beginning and nightly also at the end. Slower guests miss the
     * deadlines of RDMA connections in any test.
     */
    private static final int SLOW_S = 15;

    private static final boolean NIGHTLY = Boolean.getBoolean("reprobe.nightly");

    /**
     * Options: only the first level of the compiler, since the second would compile for longer than the tests run; and
     * a JVM's class archive at its own addresses, since relocation takes three times the instructions at the start.
     */
    private static final String CHEAP_START =
            "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0";

    private static final List<String> JAVA = OwnJvm.java();

    static {
        JAVA.addAll(List.of(CHEAP_START.split(" ")));
        JAVA.addAll(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Dreprobe.seed=" + Seeds.seed(), "-Xmx512m"));
    }

    /** Classes whose tests run there, by the prefix of their names. */
    private static final Map<String, Class<?>> IN_GUEST = Map.of(
            "VerbsContractInGuest",
            FabricContract.class,
            "VerbsFailuresInGuest",
            VerbsFailuresInGuest.class,
            "DisniExamplesInGuest",
            DisniExamplesInGuest.class,
            "SlowLinkInGuest",
            SlowLinkInGuest.class,
            "TwoGuests",
            TwoGuests.class);

    /** Cases that are always tested: each kind of request, of error and of wait once, and no other process. */
    private static final Map<String, List<String>> MAIN_CASES = Map.of(
            "VerbsContractInGuest",
            List.of(
                    "aReadBringsTheServersBytes",
                    "nothingHappensBeforeTheDoorbell",
                    "theLastSignaledCompletionCoversAllBeforeIt",
                    "aReadAfterAWriteOnOneQueuePairSeesIt",
                    "compareAndSwapSwapsOnlyWhatItExpects",
                    "aReadOutOfBoundsFailsAndFlushesWhatFollows",
                    "aWrongKeyFails",
                    "aFailingClientEndsTheRunWithItsOwnWords",
                    "everyMessageIsAnswered",
                    "aMessageLongerThanItsReceiveFailsAtBothEnds",
                    "aServerEndsWhenItsClientsHave"),
            "VerbsFailuresInGuest",
            List.of(
                    "theReceivingCardDeterminesTheOrderOfWrites",
                    "aServerThatHasGoneIsNotThere",
                    "aWrongTokenIsRefused",
                    "aBrokenQueuePairEndsTheRun"));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path shared;

    private static String output = "";
    private static String outputOfTwo = "";
    private static List<String> fastStarts = List.of();

    @BeforeAll
    static void boot() throws Exception {
        fastStarts = StartupCache.awaited(); // starting JVMs is most of what is done there
        Files.deleteIfExists(OUTPUT);
        Files.writeString(shared.resolve("tiny.yaml"), SCENARIO);
        Files.writeString(shared.resolve("rings.yaml"), RINGS);
        Path script = Files.writeString(shared.resolve("guest.sh"), script());
        Path server = Files.writeString(
                shared.resolve("server.sh"), java() + " org.reprobe.fabric.verbs.ServerInGuest '" + shared + "'\n");
        Path clients = Files.writeString(
                shared.resolve("clients.sh"),
                pace() + java() + " -Dreprobe.vm.folder='" + shared
                        + "' org.reprobe.fabric.verbs.GuestTests org.reprobe.fabric.verbs.SlowLinkInGuest"
                        + " org.reprobe.fabric.verbs.TwoGuests\necho CLIENTS DONE\n");
        // In parallel: each machine uses one core.
        try (ExecutorService machines = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<String> one = machines.submit(() -> inMachine(List.of("--share", shared.toString()), script));
            Future<String> two = NIGHTLY
                    ? machines.submit(() ->
                            inMachine(List.of("--share", shared.toString(), "--peer", server.toString()), clients))
                    : CompletableFuture.completedFuture("");
            output = one.get();
            outputOfTwo = two.get();
        }
        Files.writeString(OUTPUT, output + outputOfTwo);
        int paceS = Pattern.compile("GUEST PACE ([0-9]+)")
                .matcher(output + outputOfTwo)
                .results()
                .mapToInt(pace -> Integer.parseInt(pace.group(1)))
                .max()
                .orElse(0);
        boolean passed = output.contains("GUEST DONE")
                && (!NIGHTLY || outputOfTwo.contains("CLIENTS DONE"))
                && !(output + outputOfTwo).contains("FAIL ");
        assumeTrue(NotTested.unless(
                passed || paceS < SLOW_S,
                "verbs-in-guest",
                "verbs in virtual machines: a JVM that does nothing took %d s to start there, too slow for the deadlines of connections (%d s); ./run.sh vm tries again"
                        .formatted(paceS, SLOW_S)));
        NotTested.unless(
                NIGHTLY,
                "verbs-nightly",
                "verbs in virtual machines beyond the main cases (the whole contract, processes that die, the doctor, writers, rings, slow links, two machines, DiSNI's examples, perftest): ./run.sh vm, or ./run.sh test -Dreprobe.nightly=true");
    }

    /** Prints the time of an idle JVM, and ends a guest that is too slow. */
    private static String pace() {
        return """
                began=$SECONDS
                %s -version >/dev/null 2>&1
                echo "GUEST PACE $((SECONDS - began)) s"
                if [ $((SECONDS - began)) -ge %d ]; then exit 0; fi
                """.formatted(String.join(" ", JAVA), SLOW_S);
    }

    private static String inMachine(List<String> options, Path script) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", MACHINE.toString(), "--limit", String.valueOf(LIMIT_S)));
        command.addAll(options);
        command.addAll(List.of("bash", script.toString()));
        return run(LIMIT_S + 60, command.toArray(String[]::new)).output();
    }

    /**
     * Both kinds of table, small; the same keys are looked up on every fabric, though not equally often. And clients
     * that write, nightly.
     */
    private static final String LOOKUPS = "sweep: {scheme: [cuckoo-parallel, linear-variable]}";

    private static final String LOOKUPS_AND_WRITERS = """
            nessie: {growth: 1}
            sweep:
              scheme: [cuckoo-parallel, linear-variable, nessie, find-or-put]
            rules:
              - {when: {scheme: nessie}, workload.writes: 0.5}
              - {when: {scheme: find-or-put}, workload.writes: 0.5}""";

    private static final String SCENARIO = """
            title: Software RDMA
            fabric: verbs
            clients: {machines: 1, threads: 2}
            connection: {send-queue: 64, outstanding-reads: 16}
            table: {records: 4096, record-bytes: 16}
            load-factor: 0.65
            %s
            measure: {repeats: 1, warm-up-ms: 100, duration-ms: 1000, real-time-ms: 0}
            """.formatted(NIGHTLY ? LOOKUPS_AND_WRITERS : LOOKUPS);

    /**
     * Messages by rings, for which software RDMA guarantees no order: refused, and with the order assumed. In one run,
     * since starting takes longest.
     */
    private static final String RINGS = """
            title: Rings over software RDMA
            fabric: verbs
            scheme: farm-messages
            clients: {machines: 2, threads: 1}
            farm-reads: {in-flight: 2, memory-bytes: 65536}
            sweep: {farm-reads.assume-in-order: [false, true]}
            measure: {repeats: 1, warm-up-ms: 100, duration-ms: 3000, real-time-ms: 0}
            """;

    private static String java() {
        return String.join(" ", JAVA) + " " + String.join(" ", fastStarts) + " -cp '"
                + System.getProperty("java.class.path") + "'";
    }

    /** Script of the guest. */
    private static String script() {
        return pace()
                + java() + " " + GuestTests.class.getName() + " " + String.join(" ", guestTests()) + "\n"
                // No Git there: over the guest's file system it takes half a minute to find out whether anything was
                // changed.
                + """
                export JAVA_TOOL_OPTIONS='%s' GIT_DIR=/dev/null
                timeout 1200 %s run '%s' --fabric verbs --out '%s'
                echo scenario exit $?
                """.formatted(
                                CHEAP_START,
                                reprobe("-Dreprobe.slowness=5", "-Dreprobe.compiling-ms=100"),
                                shared.resolve("tiny.yaml"),
                                shared.resolve("verbs"))
                + (NIGHTLY ? perftest() + "timeout 1200 " + reprobe() + " doctor\n" + rings() : "")
                + "echo GUEST DONE\n"
                + (NIGHTLY ? pace() : "");
    }

    private static String perftest() {
        return """
                if command -v ib_read_lat >/dev/null; then
                  timeout 600 %s run perftest-latency perftest-rate --out '%s/perftest' \\
                    --set repeats=1 --set sweep.command.parameters.message-bytes=[64]
                fi
                """.formatted(
                        reprobe(
                                "-Dreprobe.slowness=5",
                                "-Dreprobe.project='" + Project.path("harness/examples/own-artifact") + "'"),
                        shared);
    }

    private static String rings() {
        return """
                timeout 1200 %1$s run '%2$s/rings.yaml' --out '%2$s/rings'
                echo rings exit $?
                """.formatted(reprobe("-Dreprobe.slowness=5"), shared);
    }

    private static String reprobe(String... options) {
        return java() + " " + String.join(" ", options) + " -Dreprobe.home='" + Project.folder()
                + "' org.reprobe.cli.Reprobe";
    }

    /** Arguments of {@link GuestTests}. */
    private static List<String> guestTests() {
        String here = VerbsInGuestTest.class.getPackageName() + ".";
        return NIGHTLY
                ? Stream.of("VerbsContractInGuest", "VerbsFailuresInGuest", "DisniExamplesInGuest")
                        .map(here::concat)
                        .toList()
                : MAIN_CASES.entrySet().stream()
                        .flatMap(type ->
                                type.getValue().stream().map(test -> "'" + here + type.getKey() + "#" + test + "'"))
                        .toList();
    }

    @TestFactory
    Stream<DynamicTest> theGuestsTests() {
        Map<String, String[]> results = new LinkedHashMap<>();
        Stream.of(output, outputOfTwo)
                .flatMap(String::lines)
                .map(String::strip)
                .filter(line -> line.matches("(PASS|FAIL|SKIP) .*"))
                .forEach(line -> {
                    String[] words = line.split(" ", 3);
                    results.put(words[1], words);
                });
        List<DynamicTest> tests = new ArrayList<>();
        results.forEach((name, words) -> tests.add(dynamicTest(name, () -> {
            assumeFalse(words[0].equals("SKIP"), words[words.length - 1]);
            assertThat(words[0]).as(output + outputOfTwo).isEqualTo("PASS");
        })));
        tests.add(dynamicTest("theGuestCameToItsEnd", () -> assertThat(output).contains("GUEST DONE")));
        expected()
                .forEach((prefix, names) -> tests.add(dynamicTest(
                        "everyTestRan " + prefix,
                        () -> assertThat(results.keySet())
                                .as(output + outputOfTwo)
                                .containsAll(names))));
        tests.add(
                dynamicTest("aScenarioAsksForAsManyRequestsAsSimulated", VerbsInGuestTest::requestsAreThoseSimulated));
        tests.add(dynamicTest(
                "aReportSaysThatItsRdmaIsSoftware",
                () -> assertThat(shared.resolve("verbs/report.html")).content().contains("measured, software RDMA")));
        return NIGHTLY ? Stream.concat(tests.stream(), nightly().stream()) : tests.stream();
    }

    private static List<DynamicTest> nightly() {
        List<DynamicTest> tests = new ArrayList<>();
        tests.add(dynamicTest(
                "theGuestWithAPeerCameToItsEnd", () -> assertThat(outputOfTwo).contains("CLIENTS DONE")));
        tests.add(dynamicTest(
                "theDoctorTellsTheOrderOfWrites",
                () -> assertThat(output)
                        .contains("does not guarantee the order in which the bytes of a WRITE are written")));
        for (String words : List.of(
                "VerbsClient::read memory from server: This is a RDMA/read on stag",
                "ReadClient::read memory from server: This is a RDMA/read on stag",
                "Message from the server: Hello from the server")) {
            tests.add(dynamicTest(
                    "disnisExampleSays " + words, () -> assertThat(output).contains(words)));
        }
        tests.add(dynamicTest(
                "clientsThatWriteGetRightAnswers",
                () -> assertThat(Files.readAllLines(shared.resolve("verbs/measurements.jsonl")))
                        .filteredOn(line -> line.contains("\"nessie\"") || line.contains("\"find-or-put\""))
                        .hasSize(2)
                        .allMatch(line -> line.contains("\"valid\": true"))));
        tests.add(dynamicTest("perftestIsRunAsACommand", VerbsInGuestTest::perftestHasPrintedItsNumbers));
        tests.add(dynamicTest(
                "ringsAreRefusedWithoutThatOrder",
                () -> assertThat(output.replaceAll("\\s+", " "))
                        .contains("set farm-reads.assume-in-order: true", "rings exit 1")));
        tests.add(dynamicTest(
                "ringsRunWhereTheOrderIsTakenForGranted",
                () -> assertThat(shared.resolve("rings/measurements.jsonl"))
                        .content()
                        .contains("\"valid\": true", "was assumed, not verified")));
        return tests;
    }

    private static void perftestHasPrintedItsNumbers() throws IOException {
        assumeTrue(NotTested.unless(
                Need.PERFTEST.missing().isEmpty(),
                "perftest",
                Need.PERFTEST.missing().orElse("")));
        assertThat(shared.resolve("perftest/perftest-latency/measurements.jsonl"))
                .as(output)
                .content()
                .contains("\"kind\": \"measured\", \"valid\": true")
                .containsPattern("\"p50\": [1-9][0-9]+");
        assertThat(shared.resolve("perftest/perftest-rate/measurements.jsonl"))
                .as(output)
                .content()
                .containsPattern("\"throughput_ops_per_s\": [1-9].*\"payload_bytes_per_s\": [1-9]");
    }

    /** Names of the tests that the guests must have run, by prefix. */
    private static Map<String, List<String>> expected() {
        Map<String, List<String>> expected = new TreeMap<>();
        if (NIGHTLY) {
            IN_GUEST.forEach((prefix, type) -> expected.put(prefix, testsOf(prefix, type)));
        } else {
            MAIN_CASES.forEach((prefix, tests) -> expected.put(
                    prefix, tests.stream().map(test -> prefix + "." + test).toList()));
        }
        return expected;
    }

    private static List<String> testsOf(String prefix, Class<?> type) {
        return Stream.of(type.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(method -> prefix + "." + method.getName())
                .toList();
    }

    /**
     * Requests follow from the tables and the keys, not from time. A busy guest makes few lookups, so two samples may
     * differ randomly by five standard errors. There is no randomness if every lookup makes the same number of
     * requests.
     */
    private static void requestsAreThoseSimulated() throws Exception {
        Path simulated = shared.resolve("sim");
        List<String> command = OwnJvm.command(Project.folder());
        command.addAll(List.of(
                "run",
                shared.resolve("tiny.yaml").toString(),
                "--fabric",
                "sim",
                "--set",
                "measure.warm-up-ms=0.1",
                "--set",
                "measure.duration-ms=2",
                "--out",
                simulated.toString()));
        Result result = run(300, command.toArray(String[]::new));
        assertThat(result.exit()).as(result.output()).isZero();
        Map<String, Lookups> measured = lookups(shared.resolve("verbs"));
        Map<String, Lookups> expected = lookups(simulated);
        assertThat(measured.keySet()).as(output).containsExactly("cuckoo-parallel", "linear-variable");
        assertThat(expected.keySet()).isEqualTo(measured.keySet());
        assertThat(measured.get("cuckoo-parallel").requestsPerLookup()).isEqualTo(3);
        assertThat(expected.get("cuckoo-parallel").requestsPerLookup()).isEqualTo(3);
        Lookups guests = measured.get("linear-variable");
        Lookups simulation = expected.get("linear-variable");
        assertThat(guests.requestsPerLookup())
                .as("%s beside %s", guests, simulation)
                .isCloseTo(simulation.requestsPerLookup(), within(5 * simulation.standardError(guests.count())));
    }

    /** Requests per lookup of one scheme. */
    private record Lookups(double requestsPerLookup, double count) {

        /**
         * Standard error of the difference to a mean of {@code others}: READs after the first are about geometrically
         * distributed.
         */
        double standardError(double others) {
            double more = requestsPerLookup - 1;
            return Math.sqrt(more * (1 + more) * (1 / count + 1 / others));
        }
    }

    /** Lookups by scheme, of valid runs; clients that write make none. */
    private static Map<String, Lookups> lookups(Path folder) throws IOException {
        Map<String, Lookups> lookups = new TreeMap<>();
        for (String line : Files.readAllLines(folder.resolve("measurements.jsonl"))) {
            assertThat(line).containsPattern("\"valid\": ?true");
            Matcher scheme = Pattern.compile("\"scheme\": ?\"([a-z-]+)\"").matcher(line);
            assertThat(scheme.find()).as(line).isTrue();
            if (line.contains("\"requests_per_lookup\"")) {
                lookups.put(scheme.group(1), new Lookups(metric("requests_per_lookup", line), metric("lookups", line)));
            }
        }
        return lookups;
    }

    private static double metric(String name, String line) {
        Matcher metric = Pattern.compile("\"" + name + "\": ?([0-9.]+)").matcher(line);
        assertThat(metric.find()).as(line).isTrue();
        return Double.parseDouble(metric.group(1));
    }

    private record Result(int exit, String output) {}

    private static Result run(int limitS, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(MODULE.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(limitS, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), output);
    }
}
