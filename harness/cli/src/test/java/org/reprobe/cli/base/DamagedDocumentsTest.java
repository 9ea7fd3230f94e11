package org.reprobe.cli.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reprobe.analysis.claims.ClaimFile;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.plan.PlanReader;
import org.reprobe.analysis.plan.Planner;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.analysis.regress.HistoryFile;
import org.reprobe.analysis.regress.HistoryNote;
import org.reprobe.run.Published;
import org.reprobe.run.RunPlan;
import org.reprobe.run.TinyScenario;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.Systems;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Seeds;

/** Files damaged by an editor or a disk: they are valid all the same, or their problems are reported with positions. */
class DamagedDocumentsTest {
    private static final Path SCENARIOS = TinyScenario.HOME.resolve("scenarios");
    private static final int DAMAGES = Integer.getInteger("reprobe.damages", 40);

    /** Replacements for a number, a word or a list. */
    private static final List<String> VALUES = List.of(
            "",
            "-1",
            "0",
            "1",
            "0.5",
            "3.7",
            "1e308",
            "1e-308",
            "1e9999",
            "9223372036854775807",
            "99999999999999999999",
            "2147483648",
            ".inf",
            ".nan",
            "~",
            "true",
            "no",
            "[]",
            "{}",
            "[1, 2]",
            "{a: 1}",
            "[[[[]]]]",
            "''",
            "\"\\e[2J\"",
            "\"\\u0000\"",
            "\u202e",
            "*nowhere",
            "&a",
            "*a",
            "!!binary x",
            "|",
            ">",
            "? x",
            "- x",
            "2026-13-77",
            "../../x",
            "\ud83d\ude00",
            "x".repeat(5000),
            "[".repeat(200),
            "#",
            ": :",
            "%",
            "@",
            "`",
            "\t");

    private static final List<String> NUMBERS = List.of(
            "18446744073709551615",
            "-9223372036854775809",
            "1e300",
            "1e-300",
            "9223372036854775807",
            "2147483648",
            "1e19",
            "0",
            "-1e300");

    private static final Pattern NUMBER = Pattern.compile("(?<![\\w./-])-?[0-9]+(\\.[0-9]+)?(?![\\w./-])");

    /** Stride over numbers to change; 1 in nightly runs. */
    private static final int NUMBERS_STEP = Integer.getInteger("reprobe.numbers-step", 7);

    private static final Pattern VALUE = Pattern.compile("(?<=: ?)[^ \\n{}\\[\\],][^\\n{}\\[\\],]*");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    /** Kind of document with its reader. */
    enum Kind {
        SCENARIO {
            @Override
            List<Path> shipped() throws Exception {
                List<Path> files = new ArrayList<>(
                        new Library(TinyScenario.HOME, null).all().values());
                files.add(SCENARIOS.resolve("reference.yaml"));
                return files;
            }

            @Override
            void read(Path file) throws Exception {
                Library library = new Library(TinyScenario.HOME, null);
                Scenario scenario = library.reader().read(file, ScenarioReader.Options.of(Scale.QUICK));
                RunPlan.of(List.of(scenario), library.nics()).refusals(1L << 30);
                Published.of(List.of(scenario), library.shelf());
            }
        },
        CLAIMS {
            @Override
            List<Path> shipped() throws Exception {
                return files(TinyScenario.HOME.resolve("results/published"));
            }

            @Override
            void read(Path file) throws Exception {
                ClaimFile.read(file, null);
            }
        },
        NIC {
            @Override
            List<Path> shipped() throws Exception {
                return files(TinyScenario.NICS);
            }

            @Override
            void read(Path file) throws Exception {
                NicProfiles.load(file.getParent(), file.getFileName().toString().replaceFirst("\\.yaml$", ""));
            }
        },
        PLAN {
            @Override
            List<Path> shipped() throws Exception {
                return files(TinyScenario.HOME.resolve("scenarios").resolve("plans"));
            }

            @Override
            void read(Path file) throws Exception {
                new Planner(new PlanReader(Systems.planned()).read(file, Map.of(), TinyScenario.NICS)).plan();
            }
        },
        NOTES {
            @Override
            List<Path> shipped() throws Exception {
                return List.of(TinyScenario.HOME.resolve(".github/regression-notes.yaml"));
            }

            @Override
            void read(Path file) throws Exception {
                HistoryNote.read(file);
            }
        },
        HISTORY {
            @Override
            List<Path> shipped() throws Exception {
                Path history = Files.createTempDirectory("history").resolve("history.jsonl");
                for (int night = 0; night < 5; night++) {
                    Measurement run = new Measurement(
                            "s",
                            new org.reprobe.analysis.measurement.Cell(Map.of("scheme", "linear-fixed")),
                            0,
                            1,
                            "f",
                            org.reprobe.analysis.measurement.Kind.MEASURED,
                            true,
                            null,
                            Map.of(Metrics.THROUGHPUT, 1e6 + night));
                    HistoryEntry entry = HistoryEntry.of(
                            OffsetDateTime.parse("2026-11-0" + (night + 1) + "T02:00:00Z"),
                            Map.of("commit", "c" + night),
                            "m",
                            List.of(run),
                            _ -> Map.of("nic", "x"));
                    HistoryFile.append(history, HistoryFile.read(history, new ArrayList<>()), entry, new ArrayList<>());
                }
                return List.of(history);
            }

            @Override
            void read(Path file) throws Exception {
                HistoryFile.read(file, new ArrayList<>());
            }
        };

        abstract List<Path> shipped() throws Exception;

        abstract void read(Path file) throws Exception;
    }

    private static List<Path> files(Path folder) throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDamagedDocumentIsReadOrItsProblemsAreReported(Kind kind) throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.seed() + kind.ordinal());
        List<Path> folders = kind.shipped();
        int reported = 0;
        for (int i = 0; i < DAMAGES; i++) {
            Path from = folders.get(random.nextInt(folders.size()));
            byte[] damaged = Files.readAllBytes(from);
            for (int times = random.nextInt(1, 4); times > 0; times--) {
                damaged = damaged(damaged, random);
            }
            Path file = Files.write(dir.resolve("damaged.yaml"), damaged);
            String as = "%s, damage %d of %s, %s".formatted(kind, i, from, Seeds.replay());
            try {
                kind.read(file);
            } catch (InvalidInputException e) {
                reported++;
                assertThat(e.problems()).as(as).isNotEmpty().allSatisfy(problem -> {
                    assertThat(problem.message()).isNotBlank().doesNotContain("Exception", "org.reprobe");
                    assertThat(problem.toString()).startsWith(file.toString());
                });
            } catch (Exception | StackOverflowError | OutOfMemoryError e) {
                Files.copy(
                        file,
                        Path.of("target", "damaged-" + kind + ".yaml"),
                        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
                throw new AssertionError(as + ", kept in target/", e);
            }
        }
        assertThat(reported).as("damages that were noticed").isGreaterThan(DAMAGES / 4);
    }

    /** Changes every number of every file, one after another, to one far out of bounds. */
    @ParameterizedTest
    @EnumSource
    @Nightly(besides = "a damaged document is read or its problems are reported")
    void aNumberOfAnySizeIsReadOrRefused(Kind kind) throws Exception {
        for (Path from : kind.shipped().reversed()) {
            String text = Files.readString(from);
            Matcher number = NUMBER.matcher(text);
            for (int i = 0; number.find(); i++) {
                if (i % NUMBERS_STEP != 0
                        || text.lastIndexOf('#', number.start()) > text.lastIndexOf('\n', number.start())) {
                    continue; // in a comment
                }
                String put = NUMBERS.get(i / NUMBERS_STEP % NUMBERS.size());
                String changed = text.substring(0, number.start()) + put + text.substring(number.end());
                Path file = Files.writeString(dir.resolve("damaged.yaml"), changed);
                try {
                    kind.read(file);
                } catch (InvalidInputException e) {
                    assertThat(e.problems()).isNotEmpty();
                } catch (Exception | StackOverflowError | OutOfMemoryError e) {
                    throw new AssertionError(
                            "%s with %s in place of %s at character %d"
                                    .formatted(from, put, number.group(), number.start()),
                            e);
                }
            }
        }
    }

    private static byte[] damaged(byte[] bytes, SplittableRandom random) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
        int at = random.nextInt(lines.size());
        switch (random.nextInt(9)) {
            case 0 -> lines.remove(at);
            case 1 -> lines.add(at, lines.get(random.nextInt(lines.size())));
            case 2 -> Collections.swap(lines, at, random.nextInt(lines.size()));
            case 3 -> lines.set(at, " ".repeat(random.nextInt(1, 5)) + lines.get(at));
            case 4 -> lines = lines.subList(0, at);
            case 5 -> {
                byte[] other = bytes.clone();
                if (other.length > 0) {
                    other[random.nextInt(other.length)] = (byte) random.nextInt(256);
                }
                return other;
            }
            default -> {
                List<int[]> places = new ArrayList<>();
                Matcher value = VALUE.matcher(text);
                while (value.find()) {
                    places.add(new int[] {value.start(), value.end()});
                }
                if (places.isEmpty()) {
                    return (text + VALUES.get(random.nextInt(VALUES.size()))).getBytes(StandardCharsets.UTF_8);
                }
                int[] place = places.get(random.nextInt(places.size()));
                String put = VALUES.get(random.nextInt(VALUES.size()));
                return (text.substring(0, place[0]) + put + text.substring(place[1])).getBytes(StandardCharsets.UTF_8);
            }
        }
        return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    }
}
