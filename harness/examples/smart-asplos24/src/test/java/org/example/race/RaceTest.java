package org.example.race;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.conformance.Conformance;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.system.Explorable;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;
import org.reprobe.testing.Seeds;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.workload.Rng;

/** Conformance tests of RACE, and detection of seeded faults. */
class RaceTest {
    private static final Path FOLDER = Project.path("harness/examples/smart-asplos24");
    private static final long SCHEDULES = 700;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private static Conformance conformance() throws Exception {
        return new Conformance(new RaceSystem(), NicProfiles.load(Project.path("scenarios/nics"), "connectx6-200g"));
    }

    @Test
    void itsAnswersAreTheTablesAndItsKeysAreRead() throws Exception {
        assertThat(conformance().lookups("race", Map.of(), Seeds.seed())).isEmpty();
        assertThat(conformance()
                        .settings(List.of(
                                Map.of("table.record-bytes", 16, "workload.writes", 1),
                                Map.of(
                                        "table.record-bytes",
                                        16,
                                        "workload.writes",
                                        1,
                                        "workload.keys",
                                        "zipf",
                                        "workload.theta",
                                        0.99),
                                Map.of("table.record-bytes", 16, "workload.writes", 1, "race.new-keys", true),
                                Map.of(
                                        "table.record-bytes",
                                        16,
                                        "workload.writes",
                                        0.5,
                                        "race.coroutines",
                                        4,
                                        "race.servers",
                                        2,
                                        "race.write-ns",
                                        1000),
                                Map.of(
                                        "table.record-bytes",
                                        16,
                                        "workload.writes",
                                        0.5,
                                        "workload.keys",
                                        "zipf",
                                        "workload.theta",
                                        0.99,
                                        "clients.threads",
                                        32,
                                        "race.conflicts",
                                        "dynamic",
                                        "race.epoch-ms",
                                        0.02))))
                .isEmpty();
    }

    @Test
    void itsSmallTablesAreLinearizable() throws Exception {
        assertThat(conformance().trials(SCHEDULES, 0, Seeds.seed())).isEmpty();
    }

    /** A read sees a second insert's value before it is withdrawn, and the next read the first one's. */
    @Test
    @Nightly(besides = "its small tables are linearizable")
    void insertsAsPrintedAreNotLinearizable() throws Exception {
        CheckedSystem printed = trial(new RaceSystem(), "race-printed-insert-read");
        Counterexample found = new Exploration(printed.trial().get(), printed.limits())
                .exhaustive(printed.switches(), 300_000)
                .counterexample();
        assertThat(found).isNotNull();
        assertThat(found.violation()).contains("No order of these operations explains");
    }

    private static CheckedSystem trial(Explorable system, String name) {
        return system.trials().systems().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** All keys are found again at any depth; keys that do not fit are refused. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5})
    void tablesHoldWhatIsPutIntoThem(int depth) {
        RaceTable table = RaceTable.of(depth, depth, 4000, 3400, 24);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(table.bytes());
            table.format(memory);
            RaceMemory race = new RaceMemory(memory, table);
            int put = 0;
            while (put < 3400 && race.put(Rng.at(Seeds.seed(), put), put + 1)) {
                put++;
            }
            assertThat(put).isGreaterThan(depth == 5 ? 2000 : 3000);
            for (int i = 0; i < 3400; i++) {
                long key = Rng.at(Seeds.seed(), i);
                assertThat(race.firstWord(key)).isEqualTo(i < put ? OptionalLong.of(key) : OptionalLong.empty());
            }
            memory.set(ValueLayout.JAVA_LONG, table.blockOffset(1) + RaceTable.VALUE, 0);
            assertThatThrownBy(() -> race.firstWord(Rng.at(Seeds.seed(), 0)))
                    .hasMessageContaining("refers to a block that is not its own");
        }
    }

    @Test
    void blocksAreUsedAgainInOrderAndUnderAnotherVersion() {
        FreeBlocks free = new FreeBlocks(7, 2);
        long first = free.take(1, 1);
        long second = free.take(2, 1);
        assertThat(free.isEmpty()).isTrue();
        assertThat(RaceSlot.block(first)).isEqualTo(7);
        free.giveBack(second);
        free.giveBack(first);
        free.giveBack(RaceSlot.of(3, 1, 0x7FFF, 100)); // another client's
        assertThat(free.take(1, 1)).isNotEqualTo(second).isEqualTo(RaceSlot.of(1, 1, RaceSlot.version(second) + 1, 8));
        assertThat(RaceSlot.block(free.take(1, 1))).isEqualTo(7);
        assertThat(free.take(4, 2)).isEqualTo(RaceSlot.of(4, 2, 0, 100));
    }

    /** Without any one of the paper's rules some schedule fails. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                // An insert does not read again.
                "insert-read# switch (findOther(key, own))# switch (Found.ABSENT)",
                // A slot is overwritten unconditionally.
                "two-keys# connection.compareAndSwap(region, offset, swappedAt, expected, desired);#"
                        + " local.set(WORD, swappedAt, desired);connection.write(region, offset, swappedAt, Long.BYTES);"
                        + "connection.roundTrip();local.set(WORD, swappedAt, expected);",
                // A rewritten block is taken for the one that the slot referred to.
                "reuse# !table.isWhole(local, blockAt(i), candidates[i])# false",
            })
    void aFaultIsFoundOut(String name, String right, String wrong) throws Exception {
        CheckedSystem system =
                trial(compiled("RaceClient", source -> changed(source, right + " => " + wrong)), "race-" + name);
        Exploration exploration = new Exploration(system.trial().get(), system.limits());
        Counterexample found = exploration.exhaustive(3, 100_000).counterexample();
        assertThat(found).isNotNull();
    }

    /** Faults of splits: each rule of {@link RaceSplit}, and of other clients during splits. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                // A stale directory is not detected.
                "split# RaceClient# !RaceTable.isOf(header, key) => header == 0",
                // An insert does not read again.
                "split-same# RaceClient# if (!readBuckets(key)) { => if (false) {",
                // It reads again, and does not withdraw from a bucket that was moved.
                "split-delete# RaceClient# swap(own, tentative, RaceSlot.EMPTY); return Attempt.RETRY;"
                        + " => return swap(own, tentative, slot) ? Attempt.DONE : Attempt.RETRY;",
                // Its duplicate is not searched for.
                "split-same# RaceClient# switch (findOther(key, own)) => switch (Found.ABSENT)",
                // A client that finds a subtable locked splits it as well.
                "split-same# RaceSplit# RaceTable.isLocked(entry) || !lock(suffix, entry) => lock(suffix, entry) && false",
                // Headers are changed only after the move.
                "split# RaceSplit# writeHeaders(old, RaceTable.header(depth + 1, suffix)); => ; ;; publish(depth"
                        + " => writeHeaders(old, RaceTable.header(depth + 1, suffix));publish(depth",
                // Headers are never changed.
                "split# RaceSplit# writeHeaders(old, RaceTable.header(depth + 1, suffix)); => ;",
                // An entry is in both subtables.
                "split# RaceSplit# slots[i], RaceSlot.EMPTY); => slots[i], slots[i]);",
                // An entry is moved despite a concurrent change or removal.
                "split# RaceSplit# asked[i] && found == slots[i] => asked[i]",
                // An entry is left behind after a concurrent change.
                "split# RaceSplit# found != RaceSlot.EMPTY) { => false) {",
                // Entries move regardless of their half.
                "split# RaceSplit# whole && !RaceTable.isOf(header, local.get(WORD, blockAt(i))) => false",
                // A slot of an unfinished insert is ignored.
                "split-insert# RaceSplit# whole && !RaceTable.isOf"
                        + " => whole && RaceSlot.isTentative(slots[i]) || whole && !RaceTable.isOf",
                // The directory refers to a subtable that is not filled yet.
                "split# RaceSplit# writeHeaders(old, => publish(depth + 1, suffix, old, addedSuffix, added);writeHeaders(old,",
                // Two clients change the root at once.
                "split-two# RaceSplit# !RaceTable.isLocked(root) => true",
                "split-two# RaceSplit# lock ? RaceTable.locked(root) : root + add => root + add",
                // The directory is not doubled, or not with the entries of others' subtables.
                "split-two# RaceSplit# RaceTable.entry(newDepth, => RaceTable.entry(globalDepth,",
                "split-two# RaceSplit# RaceTable.directoryOffset(entries), entryAt(0) => RaceTable.directoryOffset(0), entryAt(0)",
            })
    @Nightly(besides = "faults of clients are found")
    void aFaultOfASplitIsFoundOut(String name, String type, String changes) throws Exception {
        CheckedSystem system = trial(compiled(type, source -> changed(source, changes)), "race-" + name);
        Exploration exploration = new Exploration(system.trial().get(), system.limits());
        Counterexample found = exploration.exhaustive(1, 3_000).counterexample();
        if (found == null) {
            found = exploration.random(Seeds.seed(), 30_000).counterexample();
        }
        assertThat(found).isNotNull();
    }

    /** Applies changes, "right => wrong ;; right => wrong", to the source, where a space matches any white space. */
    private static String changed(String source, String changes) {
        String changed = source;
        for (String change : changes.split(" ;; ", -1)) {
            String[] sides = change.split(" => ", 2);
            String right =
                    Arrays.stream(sides[0].split(" ", -1)).map(Pattern::quote).collect(joining("\\s+"));
            String before = changed;
            changed = changed.replaceFirst(right, Matcher.quoteReplacement(sides[1]));
            assertThat(changed).as(change).isNotEqualTo(before);
        }
        return changed;
    }

    /** Returns the system with one changed class. */
    private Explorable compiled(String type, UnaryOperator<String> change) throws Exception {
        Path sources = Files.createDirectories(dir.resolve("src"));
        Path classes = Files.createDirectories(dir.resolve("classes"));
        String source = Files.readString(FOLDER.resolve("src/main/java/org/example/race/" + type + ".java"));
        Path changed = Files.writeString(sources.resolve(type + ".java"), change.apply(source));
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            assertThat(compiler.getTask(
                                    null,
                                    manager,
                                    null,
                                    // Modules have sources beside classes, possibly newer, which must not be compiled
                                    // too.
                                    List.of("-parameters", "-proc:none", "-implicit:none", "-d", classes.toString()),
                                    null,
                                    manager.getJavaFileObjectsFromPaths(List.of(changed)))
                            .call())
                    .isTrue();
        }
        ClassLoader loader = new ClassLoader(RaceTest.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (!name.startsWith("org.example.race.")) {
                    return super.loadClass(name, resolve);
                }
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                String file = name.replace('.', '/') + ".class";
                Path own = classes.resolve(file);
                try (InputStream in = Files.exists(own)
                        ? Files.newInputStream(own)
                        : getParent().getResourceAsStream(file)) {
                    byte[] bytes = requireNonNull(in).readAllBytes();
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        };
        return (Explorable)
                loader.loadClass("org.example.race.RaceSystem").getConstructor().newInstance();
    }
}
