package org.reprobe.analysis.cards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.claims.Claim;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.testing.Project;

class CardPointsTest {
    private static final String COLUMNS =
            "id,source,place,card,profile,kind,used,scheme,clients.machines,metric,value,unit,obstacle\n";
    private static final String ROW =
            "a,https://example.org,p,A card,some-nic,symmetric load,held-out,farm-reads,7,throughput_ops_per_s,10.5,M/s per machine,\n";

    @TempDir
    Path dir;

    private List<CardPoint> read(String text) throws Exception {
        return CardPoints.read(Files.writeString(dir.resolve("some.csv"), text));
    }

    private List<String> problems(String text) {
        InvalidInputException refused = catchThrowableOfType(InvalidInputException.class, () -> read(text));
        return refused.problems().stream()
                .map(problem -> problem.line() + ":" + problem.column() + ": " + problem.message())
                .toList();
    }

    @Test
    void everyShippedRowNamesAProfileAndAnAddress() throws Exception {
        List<CardPoint> points = new ArrayList<>();
        for (Path file : CardPoints.files(Project.path("results/published"))) {
            points.addAll(CardPoints.read(file));
        }

        assertThat(points)
                .hasSizeGreaterThan(1000)
                .extracting(CardPoint::claimId)
                .doesNotHaveDuplicates();
        assertThat(points)
                .allMatch(point -> point.source().startsWith("https://"))
                .allMatch(point -> !point.isExpressible() || point.settings().containsKey("scheme"));
        for (CardPoint point : points) {
            if (!point.profile().isEmpty()) {
                assertThat(NicProfiles.missing(Project.path("scenarios/nics"), point.profile()))
                        .isNull();
            }
        }
        Set<CardPoint.Kind> kinds = new HashSet<>();
        points.forEach(point -> kinds.add(point.kind()));
        assertThat(kinds).containsExactlyInAnyOrder(CardPoint.Kind.values());
    }

    @Test
    void everyFileIsReproducedByAScenario() throws Exception {
        Set<String> reproduced = new TreeSet<>();
        try (var files = Files.list(Project.path("scenarios/cards"))) {
            for (Path file : files.toList()) {
                Files.readString(file)
                        .lines()
                        .filter(line -> line.startsWith("reproduces: ["))
                        .forEach(line -> reproduced.addAll(List.of(line.replace("reproduces: [", "")
                                .replace("]", "")
                                .split(", "))));
            }
        }
        assertThat(CardPoints.files(Project.path("results/published")))
                .extracting(file -> "cards/" + CardPoints.name(file))
                .containsExactlyInAnyOrderElementsOf(reproduced);
    }

    @Test
    void aRowIsAClaimInItsOwnUnit() throws Exception {
        CardPoint point = read(COLUMNS + ROW).getFirst();
        Claim claim = CardPoints.claims(List.of(point)).getFirst();

        assertThat(point.cell())
                .containsEntry("nic", "some-nic")
                .containsEntry("scheme", "farm-reads")
                .containsEntry("clients.machines", 7L)
                .hasSize(3);
        assertThat(claim.id()).isEqualTo("cards/some/a");
        assertThat(claim.role()).isEqualTo(ClaimResult.Role.PREDICTION);
        assertThat(claim.published()).isEqualTo(10.5);
        assertThat(claim.quantity().metrics().getFirst().scale()).isEqualTo(1e-6 / 7);
        assertThat(claim.quantity().scenarios()).containsExactly("some");
    }

    @Test
    void aRowWithAnObstacleIsNoClaim() throws Exception {
        assertThat(CardPoints.claims(read(COLUMNS + ROW.replace("machine,\n", "machine,too many\n"))))
                .isEmpty();
    }

    @Test
    void allProblemsOfAFileAreReportedWithTheirPlaces() {
        assertThat(problems(COLUMNS
                        + ROW
                        + ROW
                        + ROW.replace("a,https", "b,https").replace("symmetric load", "symetric load")
                        + ROW.replace("a,https", "c,https").replace("M/s per machine", "us")
                        + ROW.replace("a,https", "d,https").replace("10.5", "-1")
                        + ROW.replace("a,https", "e,https").replace("some-nic", "")
                        + ROW.replace("a,https", "f,https").replace("held-out,", "")))
                .containsExactly(
                        "3:1: duplicate id \"a\"",
                        "4:41: unknown kind \"symetric load\"; did you mean \"symmetric load\"?",
                        "5:104: unknown unit \"us\"; allowed: M/s, M/s both ways, M/s of two cards, M/s per machine",
                        "6:99: a number above 0 is expected",
                        "7:32: a row without a profile needs an obstacle: the reason",
                        "8:1: 12 fields for 13 columns");
    }

    @Test
    void unknownAndMissingColumnsAreRefused() {
        assertThat(problems(COLUMNS.replace("value", "vale").replace("scheme", "verb.kind,verb.kind") + ROW))
                .containsExactly(
                        "1:50: column \"verb.kind\" occurs twice",
                        "1:84: unknown column \"vale\"; did you mean \"value\"?",
                        "1:1: column \"value\" is missing");
    }

    @Test
    void aFileWithoutRowsAndOneThatIsNoTableAreRefused() {
        assertThat(problems("")).containsExactly("0:0: is empty");
        assertThat(catchThrowableOfType(InvalidInputException.class, () -> CardPoints.read(dir.resolve("none.csv")))
                        .problems())
                .extracting(Problem::message)
                .containsExactly("there is no such file");
    }
}
