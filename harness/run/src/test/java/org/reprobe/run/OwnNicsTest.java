package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reprobe.run.process.OwnJvm;

class OwnNicsTest {

    /** Program that has merged profiles: ended as by a signal, or in order. */
    static final class Program {
        private Program() {}

        @SuppressWarnings("SystemOut")
        public static void main(String[] args) throws Exception {
            System.out.println(OwnNics.merged(List.of(TinyScenario.NICS)));
            if (args[0].equals("killed")) {
                Runtime.getRuntime().halt(137);
            }
        }
    }

    private static Path folderOf(String how) throws Exception {
        List<String> command = new ArrayList<>(OwnJvm.java());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.class.getName(), how));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return Path.of(out.strip());
    }

    /** Regression: such folders of killed programs stayed for ever. */
    @Test
    void aKilledProgramsProfilesAreDeletedByTheNextOne() throws Exception {
        assertThat(folderOf("in order")).doesNotExist();
        Path left = folderOf("killed");
        assertThat(left.resolve("connectx5-edr.yaml")).exists();

        Path here = OwnNics.merged(List.of(TinyScenario.NICS));

        assertThat(left).doesNotExist();
        assertThat(here.resolve("connectx5-edr.yaml"))
                .hasSameTextualContentAs(TinyScenario.NICS.resolve("connectx5-edr.yaml"));
    }
}
