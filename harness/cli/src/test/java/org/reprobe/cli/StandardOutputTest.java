package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.reprobe.cli.base.ExitCode;

class StandardOutputTest {
    private final ByteArrayOutputStream complaints = new ByteArrayOutputStream();
    private final PrintStream err = new PrintStream(complaints, true, StandardCharsets.UTF_8);

    private static StandardOutput failing(String reason) {
        return new StandardOutput(new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException(reason);
            }
        });
    }

    @Test
    void aCommandKeepsItsExitCodeWhereAllIsWritten() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        StandardOutput output = new StandardOutput(written);
        output.write(65);
        assertThat(output.exitCode(ExitCode.BAD_INPUT, err)).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(output.exitCode(ExitCode.FINE, err)).isEqualTo(ExitCode.FINE);
        assertThat(written.toString(StandardCharsets.UTF_8)).isEqualTo("A");
        assertThat(complaints.size()).isZero();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskIsReportedAndFails() throws Exception {
        try (FileOutputStream full = new FileOutputStream("/dev/full")) {
            StandardOutput output = new StandardOutput(full);
            Reprobe.execute(new PrintStream(output, true, StandardCharsets.UTF_8), err, "reference", "plan");
            assertThat(output.exitCode(ExitCode.FINE, err)).isEqualTo(ExitCode.FAILED);
            assertThat(complaints.toString(StandardCharsets.UTF_8))
                    .startsWith("Standard output could not be written (No space left on device)")
                    .hasLineCount(1);
        }
    }

    @Test
    void theVerdictOfACommandStaysItsExitCode() {
        StandardOutput output = failing("No space left on device");
        output.write(65);
        assertThat(output.exitCode(3, err)).isEqualTo(3);
        assertThat(complaints.size()).isPositive();
    }

    @Test
    void aReaderThatHasEndedGetsNoMessage() {
        StandardOutput output = failing("Broken pipe");
        output.write(65);
        assertThat(output.exitCode(ExitCode.FINE, err)).isEqualTo(141);
        assertThat(complaints.size()).isZero();
    }
}
