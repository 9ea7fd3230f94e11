package org.reprobe.analysis.claims;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.claims.ClaimResult.Role;
import org.reprobe.analysis.claims.ClaimResult.Status;
import org.reprobe.analysis.measurement.Kind;

class ClaimResultsTest {
    @TempDir
    Path folder;

    private static ClaimResult result(double reproduced, Status status) {
        return new ClaimResult(
                "p/table-1/fixed/0.80",
                "Table 1",
                "requests, \"fixed\"",
                1.22,
                reproduced,
                "requests/lookup",
                0.01,
                status,
                Role.PREDICTION,
                status == Status.HOLDS ? null : "why",
                status == Status.NOT_MEASURED ? Double.NaN : 0.0025,
                Relation.AT_LEAST,
                status == Status.NOT_MEASURED ? Set.of() : Set.of(Kind.MEASURED, Kind.SIMULATED),
                Evidence.TABLES,
                status == Status.MISSED,
                null,
                3);
    }

    @Test
    void aLineHoldsEverythingInSixDigits() {
        assertThat(ClaimResults.line(result(1.2210000001, Status.HOLDS)))
                .isEqualTo(
                        "{\"id\": \"p/table-1/fixed/0.80\", \"source\": \"Table 1\", \"published\": 1.22, \"reproduced\": 1.221,"
                                + " \"difference\": 0.001, \"tolerance\": 0.01, \"holds\": true, \"role\": \"prediction\","
                                + " \"status\": \"holds\", \"verdict\": \"holds\", \"evidence\": \"tables\","
                                + " \"derived\": false, \"repeats\": null, \"relation\": \"at least\", \"unit\": \"requests/lookup\","
                                + " \"interval\": 0.0025, \"runs\": 3, \"kind\": \"measured and simulated\", \"text\": \"requests, \\\"fixed\\\"\","
                                + " \"cause\": null}");
    }

    @Test
    void unmeasuredClaimsAreNullAndDoNotHold() {
        assertThat(ClaimResults.line(result(Double.NaN, Status.NOT_MEASURED)))
                .contains(
                        "\"reproduced\": null, \"difference\": null",
                        "\"holds\": false",
                        "\"status\": \"not measured\", \"verdict\": \"not-measured\"");
        assertThat(ClaimResults.line(result(1, Status.CANT_TELL)))
                .contains("\"holds\": false", "\"verdict\": \"cant-tell\"");
    }

    @Test
    void resultsReplaceAnEarlierFile() throws Exception {
        Path file = folder.resolve(ClaimResults.NAME);
        List<ClaimResult> results =
                List.of(result(1.221, Status.HOLDS), result(2, Status.MISSED), result(Double.NaN, Status.NOT_MEASURED));
        Files.writeString(file, "old");
        ClaimResults.write(file, results);
        assertThat(file)
                .hasContent(results.stream().map(ClaimResults::line).collect(Collectors.joining("\n", "", "\n")));
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }
}
