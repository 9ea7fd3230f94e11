package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.cli.base.ExitCode;

/** Outputs in place of a command's inputs. */
@ShippedHome
class OutputArgumentsTest {
    private static final String RESULT = "name,latency\na,1\na,2\n";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private String err = "";
    private String base = "";
    private String now = "";

    @BeforeEach
    void writeResults() throws IOException {
        base = Files.writeString(dir.resolve("base.csv"), RESULT).toString();
        now = Files.writeString(dir.resolve("now.csv"), RESULT).toString();
    }

    private int run(String... arguments) {
        ByteArrayOutputStream complaints = new ByteArrayOutputStream();
        int code = Reprobe.execute(
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                new PrintStream(complaints, true, StandardCharsets.UTF_8),
                arguments);
        err = complaints.toString(StandardCharsets.UTF_8);
        return code;
    }

    private int compare(String... outputs) {
        String[] all = new String[outputs.length + 5];
        System.arraycopy(new String[] {"regress", "compare", base, now, "--value=latency=us"}, 0, all, 0, 5);
        System.arraycopy(outputs, 0, all, 5, outputs.length);
        return run(all);
    }

    @Test
    void aFileThatIsReadIsNotWrittenOver() throws Exception {
        String link = Files.createSymbolicLink(dir.resolve("link"), dir.resolve("base.csv"))
                .toString();
        for (String option : new String[] {"--json", "--html", "--markdown", "--junit"}) {
            for (String output : new String[] {now, dir + "/./now.csv", link}) {
                assertThat(compare(option, output)).isEqualTo(ExitCode.BAD_INPUT);
                assertThat(err).startsWith(option + " " + output + ": is also given as ");
            }
        }
        assertThat(Path.of(base)).hasContent(RESULT);
        assertThat(Path.of(now)).hasContent(RESULT);
    }

    @Test
    void aHistoryIsNotWrittenOver() {
        String history = dir.resolve("history.jsonl").toString();

        assertThat(run("regress", "history", history, "--result", base, "--json", history))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(err).contains("--json " + history + ": is also given as FILE: write to another file");
    }

    @Test
    void noFileIsWrittenTwice() {
        String both = dir.resolve("both").toString();

        assertThat(compare("--json", both, "--html", both)).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(err).isEqualTo("--html " + both + ": is also given as --json: write to another file\n");
        assertThat(compare("--json", "/dev/null", "--html", "/dev/null")).isNotEqualTo(ExitCode.BAD_INPUT);
        assertThat(compare("--json", both, "--html", both + ".html")).isNotEqualTo(ExitCode.BAD_INPUT);
        assertThat(compare("--json", both)).as("an earlier report").isNotEqualTo(ExitCode.BAD_INPUT);
    }

    @Test
    void aPartOfAResultIsNotWrittenOver() throws Exception {
        Path result = Files.createDirectory(dir.resolve("result"));
        Files.writeString(result.resolve("status.json"), "{}");
        String measurements =
                Files.writeString(result.resolve("measurements.jsonl"), "{}").toString();

        assertThat(compare("--json", measurements)).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(err).contains("is a part of a result: write to another file");
        assertThat(compare("--json", result.resolve("comparison.json").toString()))
                .isNotEqualTo(ExitCode.BAD_INPUT);
    }
}
