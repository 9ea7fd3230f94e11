package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.claims.ClaimResult;

/** The page of all results in a folder. */
class ResultsIndexTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path results;

    private Path folder(String name, Status status, String started) throws IOException {
        Path folder = Files.createDirectories(results.resolve(name));
        status.write(folder);
        Files.writeString(
                folder.resolve("environment.json"),
                "{\"fabric\": \"tcp\", \"kind\": \"measured\", \"commit\": \"0123456789abcdef\", \"uncommitted-changes\": \"yes\", \"started\": \""
                        + started + "\"}");
        return folder;
    }

    @Test
    void everyReadableFolderHasARowNewestFirst() throws IOException {
        Path old = folder(
                "old one",
                new Status(Status.State.INTERRUPTED, 3, 0, 8, "./run.sh run x", List.of("x"), false),
                "2026-01-02T03:04:05Z");
        Files.createFile(old.resolve("b.png"));
        Files.createFile(old.resolve("a.png"));
        Path combined = folder(
                "new",
                new Status(Status.State.COMPLETE, 8, 0, 8, "./run.sh run x y", List.of("x", "y"), true),
                "2026-02-02T03:04:05Z");
        Files.createDirectories(combined.resolve("x"));
        Files.createDirectories(combined.resolve("y"));
        Files.createFile(combined.resolve("y/figure.png"));
        Files.createFile(combined.resolve("report.html"));
        Files.writeString(
                combined.resolve("claims.jsonl"),
                Stream.of(
                                ClaimResult.Status.HOLDS,
                                ClaimResult.Status.MISSED,
                                ClaimResult.Status.HOLDS,
                                ClaimResult.Status.CANT_TELL, // was not counted: its word for people is another
                                ClaimResult.Status.NOT_MEASURED)
                        .map(status ->
                                "{\"verdict\": \"" + status.word() + "\", \"status\": \"" + status.words() + "\"}\n")
                        .collect(Collectors.joining()));
        Files.createDirectories(results.resolve("published"));
        Files.createSymbolicLink(results.resolve("latest"), combined);
        Path damaged = Files.createDirectories(results.resolve("damaged"));
        Files.writeString(damaged.resolve("status.json"), "{");

        ResultsIndex.write(results);

        String page = Files.readString(results.resolve(ResultsIndex.NAME));
        assertThat(page.split("<tr data-folder=", -1)).hasSize(3);
        assertThat(page.indexOf("data-folder=\"new\""))
                .isPositive()
                .isLessThan(page.indexOf("data-folder=\"old one\""));
        assertThat(page)
                .contains("href=\"./new/report.html\"", "src=\"./new/y/figure.png\"", "2 of 4 hold", "1 missed")
                .contains("src=\"./old%20one/a.png\"", "interrupted, 3 of 8 runs", "none judged")
                .contains("0123456789ab, changed", "2026-01-02 03:04:05")
                .doesNotContain("./old%20one/report.html");
    }

    @Test
    void dataOfAResultAreReadOnceUntilItChanges() throws IOException {
        Status status = new Status(Status.State.COMPLETE, 1, 0, 1, "./run.sh run x", List.of("x"), false);
        Path folder = folder("one", status, "2026-01-02T03:04:05Z");
        String run =
                "{\"scenario\": \"x\", \"cell\": {}, \"repeat\": 0, \"seed\": 1, \"fabric\": \"tcp\", \"kind\": \"measured\", \"valid\": true, \"metrics\": {\"throughput_ops_per_s\": %d}}\n";
        Files.writeString(folder.resolve("measurements.jsonl"), run.formatted(31337));
        ResultsIndex.write(results);
        assertThat(page()).contains("31337.0");
        Files.writeString(folder.resolve("measurements.jsonl"), run.formatted(27182));
        ResultsIndex.write(results);
        assertThat(page()).contains("31337.0").doesNotContain("27182.0");
        Files.setLastModifiedTime(
                folder.resolve("status.json"), FileTime.from(Instant.now().plusSeconds(5)));
        ResultsIndex.write(results);
        assertThat(page()).contains("27182.0").doesNotContain("31337.0");
    }

    private String page() throws IOException {
        return Files.readString(results.resolve(ResultsIndex.NAME));
    }
}
