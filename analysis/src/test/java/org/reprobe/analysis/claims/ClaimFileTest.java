package org.reprobe.analysis.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;

class ClaimFileTest {
    private static final String VALUE = "value: {metric: m, cell: {scheme: a}}";
    private static final String RATIO = "ratio: {of: {metric: m}, to: {metric: m}}";

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            VALUE                                    | needs exactly one of published, derived, at-least, at-most, above, below, equivalent-within
            VALUE, published: 1, above: 2            | needs exactly one of published, derived, at-least, at-most, above, below, equivalent-within
            VALUE, equivalent-within: {percent: 7}   | equivalent-within needs a ratio, largest, smallest, rise-percent, drop-percent or take: spread
            RATIO, equivalent-within: 7              | equivalent-within must be a mapping, but is 7
            RATIO, equivalent-within: {percent: 7}, tolerance: {percent: 7} | equivalent-within is the tolerance; remove one of the two
            VALUE, published: 1, repeats: p/d        | repeats names p/d, which is no claim of this file; did you mean "p/c"?
            VALUE, published: 1, repeats: p/c        | repeats must name another claim
            VALUE, published: 1, repeats: p/d, evidence: tables | repeats names p/d, which is no claim of this file; did you mean "p/c"?, a claim that repeats another has no evidence of its own
            published: 1                             | needs exactly one of difference, drop-percent, largest, product, ratio, rise-percent, significance, smallest, value
            VALUE, product: {of: {metric: m}, by: {metric: m}}, published: 1 | needs exactly one of difference, drop-percent, largest, product, ratio, rise-percent, significance, smallest, value, but has product and value
            VALUE, publishd: 1                       | unknown key "publishd"; did you mean "published"?
            VALUE, published: many                   | published must be a number, but is "many"
            VALUE, published: 1, role: calibrated    | role must be one of calibration, form-chosen, prediction, but is "calibrated"; did you mean "calibration"?
            VALUE, published: 1, take: highest       | take needs over: the cells to take the highest of
            VALUE, published: 1, over: {load: [1]}, take: most | take must be one of each, lowest, highest, mean, spread, but is "most"
            VALUE, published: 1, over: {scheme: [a]} | over has scheme, but every metric fixes it in cell or lists it in without
            VALUE, published: 1, over: {load: some}  | load must be a list of values, all, or at-least and at-most, but is "some"
            VALUE, published: 1, over: {load: {at-leest: 1}} | unknown key "at-leest"; did you mean "at-least"?
            VALUE, published: 1, tolerance: 7        | tolerance must be exact, {percent: NUMBER} or {unit-of-last-digit: NUMBER}, but is 7
            VALUE, published: 1, tolerance: {percent: -1} | percent must be a number of at least 0, but is -1
            VALUE, published: 1, tolerance: {percent: 1, unit-of-last-digit: 1} | tolerance needs exactly one of percent, unit-of-last-digit, but has percent and unit-of-last-digit
            value: {cell: {scheme: a}}, published: 1 | key "metric" is missing in value
            value: {metric: m, cell: {scheme: [a]}}, published: 1 | scheme must be text, a number, true or false, but is a list
            value: {metric: m, scale: 0}, published: 1 | scale must not be 0
            ratio: {of: {metric: m}}, published: 1   | key "to" is missing in ratio
            ratio: {of: {metric: m}, to: 5}, published: 1 | to must be a mapping, but is 5
            ratio: {of: {metric: m}, to: {ratio: {of: {metric: m}, tu: {metric: m}}}}, published: 1 | key "to" is missing in ratio, unknown key "tu"; did you mean "to"?
            largest: {of: {metric: m}, at: {r: 1}, among: {q: all}}, published: 1 | at and among must have the same keys
            significance: {of: {metric: m}, against: {metric: m}, is: unsure, level: 0.05} | is must be one of significant, not significant, but is "unsure"
            significance: {of: {metric: m}, against: {metric: m}, is: significant, level: 0.05}, published: 1 | significance does not allow published; it has a level instead
            """)
    void aClaimThatCannotBeUsedIsNamedWithTheReason(String body, String message) throws Exception {
        InvalidInputException problems = catchThrowableOfType(
                InvalidInputException.class,
                () -> SampleRuns.claims(folder, body.replace("VALUE", VALUE).replace("RATIO", RATIO)));
        assertThat(problems).as(body).isNotNull();
        assertThat(problems.problems().stream().map(Problem::message).toList())
                .as(body)
                .allMatch(each -> each.startsWith("p/c: "))
                .extracting(each -> each.substring("p/c: ".length()))
                .satisfies(each -> assertThat(String.join(", ", each)).isEqualTo(message));
    }

    @Test
    void aRepetitionIsNoEvidence() throws Exception {
        List<Claim> claims = read("""
                paper: p
                claims:
                  - {id: p/a, source: s, text: t, scenario: s, unit: u, value: {metric: m}, published: 1}
                  - {id: p/b, source: s, text: t, scenario: s, unit: u, value: {metric: m}, published: 1, repeats: p/a}
                  - table: p/t
                    source: s
                    text: t
                    scenario: s
                    unit: u
                    metric: m
                    columns: {c: {}}
                    rows: {r: {published: [1]}, q: {published: [1]}}
                    except: {c/r: {repeats: p/a}}
                """);
        assertThat(claims)
                .extracting(Claim::evidence)
                .containsExactly(Evidence.TABLES, Evidence.REPEATED, Evidence.REPEATED, Evidence.TABLES);
        assertThat(claims).extracting(Claim::repeats).containsExactly(null, "p/a", "p/a", null);
    }

    @Test
    void aRepetitionOfARepetitionIsRefused() throws Exception {
        assertThat(refused("""
                paper: p
                claims:
                  - {id: p/a, source: s, text: t, scenario: s, unit: u, value: {metric: m}, published: 1}
                  - {id: p/b, source: s, text: t, scenario: s, unit: u, value: {metric: m}, published: 1, repeats: p/a}
                  - {id: p/c, source: s, text: t, scenario: s, unit: u, value: {metric: m}, published: 1, repeats: p/b}
                """).problems()).singleElement().satisfies(problem -> {
            assertThat(problem.message())
                    .isEqualTo("p/c: repeats names p/b, which itself repeats p/a; name that claim");
            assertThat(problem.line()).isEqualTo(5);
        });
    }

    @Test
    void everyProblemOfAFileIsShownAtOnce() throws Exception {
        InvalidInputException problems = refused("""
                paper: p
                claims:
                  - {id: p/a, source: s, text: t, scenario: s, unit: u, value: {metric: m}, publishd: 1, roll: x}
                  - {id: p/b, source: s, text: t, scenario: s, unit: u, value: {metric: m}, published: 1}
                  - {id: p/b, source: s, text: t, scenario: s, unit: u, value: {metric: m}, published: 2}
                  - {source: s}
                """);
        assertThat(problems.problems())
                .extracting(Problem::message)
                .containsExactly(
                        "p/a: unknown key \"publishd\"; did you mean \"published\"?",
                        "p/a: unknown key \"roll\"; did you mean \"role\"?",
                        "p/b: duplicate id",
                        "claim 4: key \"id\" is missing in claims",
                        "claim 4: key \"text\" is missing in claims",
                        "claim 4: key \"scenario\" is missing in claims",
                        "claim 4: key \"unit\" is missing in claims");
    }

    @Test
    void aProblemPointsAtItsPlaceInTheFile() throws Exception {
        InvalidInputException problems = refused("""
                paper: p
                claims:
                  - id: p/a
                    source: s
                    text: t
                    scenario: s
                    unit: u
                    ratio:
                      of: {metric: m, cell: {scheme: [a]}}
                      to: {metric: m}
                    published: 1
                  - id: p/b
                    source: s
                    text: t
                    scenario: s
                    unit: u
                    publishd: 1
                """);
        assertThat(problems.getMessage().replace(folder + "/", "")).isEqualTo("""
                claims.yaml:9:38: p/a: scheme must be text, a number, true or false, but is a list
                    9 |       of: {metric: m, cell: {scheme: [a]}}
                      |                                      ^
                claims.yaml:17:5: p/b: unknown key "publishd"; did you mean "published"?
                   17 |     publishd: 1
                      |     ^""");
    }

    @Test
    void damagedYamlIsShownWithItsPlace() throws Exception {
        InvalidInputException problems = refused("paper: p\nclaims:\n  - {id: p/a, source: [}\n");
        assertThat(problems.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.line()).isEqualTo(3);
            assertThat(problem.message()).startsWith("damaged YAML: ");
            assertThat(problem.excerpt()).isEqualTo("  - {id: p/a, source: [}");
        });
    }

    @Test
    void aDuplicateKeyIsRefused() throws Exception {
        assertThat(refused("paper: p\npaper: q\nclaims: []\n").problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.message()).contains("paper"));
    }

    @Test
    void filesThatHoldNoClaimsAreRefused() throws Exception {
        assertThat(refused("").getMessage()).endsWith("the file is empty");
        assertThat(refused("- 1\n").getMessage())
                .contains("the file must be a mapping of keys to values, but is a list");
        assertThat(refused("paper: p\nclaims: []\n").getMessage()).contains("claims must not be an empty list");
        Path binary = folder.resolve("binary.yaml");
        Files.write(binary, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
        assertThatThrownBy(() -> ClaimFile.read(binary, null))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageEndingWith("is not a text file in UTF-8");
        assertThatThrownBy(() -> ClaimFile.read(folder.resolve("missing.yaml"), null))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageEndingWith("missing.yaml: there is no such file");
        assertThatThrownBy(() -> ClaimFile.read(folder, null))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageEndingWith("is a folder, not a file");
    }

    @Test
    void aTableStandsForOneClaimACell() throws Exception {
        List<Claim> claims = read("""
                paper: p
                claims:
                  - table: p/table-1
                    source: Table 1
                    text: "{column} at {row}"
                    scenario: s
                    metric: m
                    scale: 0.001
                    unit: u
                    tolerance: {percent: 10}
                    cause: long clusters
                    columns: {fixed: {scheme: linear-fixed}, variable: {scheme: linear-variable}}
                    rows:
                      "0.80": {cell: {load-factor: 0.80}, published: [1.22, 2.0]}
                      "0.90": {cell: {load-factor: 0.90}, published: [2.46, 3]}
                    except:
                      variable/0.80: {role: calibration, cause: other, tolerance: exact}
                """);
        assertThat(claims)
                .extracting(Claim::id)
                .containsExactly(
                        "p/table-1/fixed/0.80",
                        "p/table-1/variable/0.80",
                        "p/table-1/fixed/0.90",
                        "p/table-1/variable/0.90");
        assertThat(claims.getFirst().text()).isEqualTo("fixed at 0.80");
        assertThat(claims.getFirst().tolerance()).isEqualTo(0.122);
        assertThat(claims.getFirst().cause()).isEqualTo("long clusters");
        assertThat(claims.get(1).role()).isEqualTo(ClaimResult.Role.CALIBRATION);
        assertThat(claims.get(1).cause()).isEqualTo("other");
        assertThat(claims.get(1).tolerance()).isEqualTo(0);
        assertThat(PublishedValue.of(claims))
                .element(3)
                .isEqualTo(new PublishedValue(
                        "p/table-1/variable/0.90",
                        "s",
                        Map.of("scheme", "linear-variable", "load-factor", 0.90),
                        "m",
                        3 / 0.001));
    }

    @Test
    void aTableWithAWrongNumberOfValuesIsRefused() throws Exception {
        String table = """
                paper: p
                claims:
                  - table: p/t
                    source: s
                    text: t
                    scenario: s
                    metric: m
                    unit: u
                    columns: {a: {scheme: a}, b: {scheme: b}}
                    rows:
                      "1": {cell: {load: 1}, published: [%s]}
                    except: {a/%s: {role: calibration}}
                """;
        assertThat(refused(table.formatted("1", "1")).getMessage())
                .contains("p/t: row \"1\" must publish 2 values, one for each column");
        assertThat(refused(table.formatted("1, many", "1")).getMessage())
                .contains("p/t: published must be a number, but is \"many\"");
        assertThat(refused(table.formatted("1, 2", "3")).getMessage())
                .contains("p/t: except names a/3, which the table does not have");
    }

    @Test
    void aClaimOverListedCellsPublishesAValueForEach() throws Exception {
        assertThat(PublishedValue.of(SampleRuns.claims(folder, VALUE + ", over: {load: [1, 2]}, published: 3")))
                .extracting(PublishedValue::cell)
                .containsExactly(Map.of("scheme", "a", "load", 1L), Map.of("scheme", "a", "load", 2L));
        assertThat(PublishedValue.of(SampleRuns.claims(folder, VALUE + ", over: {load: all}, published: 3")))
                .isEmpty();
        assertThat(PublishedValue.of(SampleRuns.claims(folder, VALUE + ", at-most: 3")))
                .isEmpty();
    }

    @Test
    void namesThatAreNoneAreRefusedWithTheirPlace() throws Exception {
        Path file = folder.resolve("claims.yaml");
        Files.writeString(file, """
                paper: p
                claims:
                  - id: p/a
                    source: s
                    text: t
                    scenario: figure-0.7
                    unit: u
                    value: {metric: m}
                    published: 1
                  - id: p/b
                    source: s
                    text: t
                    scenario: figure-07
                    unit: u
                    value: {metric: latengy_ns.p50}
                    published: 1
                  - id: p/c
                    source: s
                    text: t
                    scenario: figure-07
                    unit: u
                    value: {metric: m, cell: {writes: 0.5}}
                    over: {workload.writes: [0, 1], thread: [1]}
                    published: 1
                  - table: p/d
                    source: s
                    text: t
                    scenario: figure-07
                    unit: u
                    metric: m
                    columns: {a: {writes: 1}}
                    rows: {b: {cell: {threads: 1}, published: [1]}}
                """);
        ClaimFile.Names names = new ClaimFile.Names(
                Set.of("figure-07"), Set.of("workload.writes", "clients.threads"), Set.of(), Set.of("latency_ns", "m"));
        assertThatThrownBy(() -> ClaimFile.read(file, names))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("6:15: p/a: unknown scenario \"figure-0.7\"; did you mean \"figure-07\"?")
                .hasMessageContaining("15:21: p/b: unknown metric \"latengy_ns\"; did you mean \"latency_ns\"?")
                .hasMessageContaining("22:31: p/c: unknown key \"writes\"; did you mean \"workload.writes\"?")
                .hasMessageContaining("23:37: p/c: unknown key \"thread\"; did you mean \"clients.threads\"?")
                .hasMessageContaining("31:19: p/d: unknown key \"writes\"; did you mean \"workload.writes\"?")
                .hasMessageContaining("32:23: p/d: unknown key \"threads\"; did you mean \"clients.threads\"?");
    }

    @Test
    void aPaperIsCited() throws Exception {
        Path file = folder.resolve("claims.yaml");
        String claims =
                "claims: [{id: p/a, source: s, text: t, scenario: s, unit: u, value: {metric: m}, published: 1}]\n";
        Files.writeString(file, """
                paper: {name: p, title: On tables, authors: [A. One, B. Two], venue: Proc. X, year: 2020, link: "https://x/y"}
                """ + claims);
        assertThat(ClaimFile.read(file, null).paper().citation())
                .isEqualTo("A. One, B. Two: On tables, Proc. X, 2020, https://x/y");
        Files.writeString(file, "paper: p\n" + claims);
        assertThat(ClaimFile.read(file, null).paper().citation()).isEqualTo("p");
        assertThat(refused("paper: {name: p, title: t, authors: one, venue: v, year: 1}\n" + claims)
                        .getMessage())
                .contains("authors must be a list, each text, but is \"one\"");
    }

    private InvalidInputException refused(String text) throws Exception {
        InvalidInputException problems = catchThrowableOfType(InvalidInputException.class, () -> read(text));
        assertThat(problems).as(text).isNotNull();
        return problems;
    }

    private List<Claim> read(String text) throws Exception {
        Path file = folder.resolve("claims.yaml");
        Files.writeString(file, text);
        return ClaimFile.read(file, null).claims();
    }
}
