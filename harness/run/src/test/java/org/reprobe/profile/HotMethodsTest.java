package org.reprobe.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HotMethodsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    /** Uses CPU time in which dozens of samples are taken. */
    private static long spin() {
        long endNs = System.nanoTime() + 250_000_000;
        long x = 1;
        while (System.nanoTime() < endNs) {
            for (int i = 0; i < 100_000; i++) {
                x = x * 6_364_136_223_846_793_005L + 1;
            }
        }
        return x;
    }

    private Path recorded(String name) throws IOException {
        Path file = dir.resolve("profiles/cell.0").resolve(name);
        try (FlightRecording recording = FlightRecording.begin()) {
            assertThat(spin()).isNotZero();
            recording.end(file);
        }
        return file;
    }

    @Test
    void theMethodInWhichTimeGoesIsNamedByRole() throws Exception {
        Path file = recorded("client-1.jfr");
        Files.copy(file, file.resolveSibling("client-12.jfr"));
        Files.copy(file, dir.resolve("profiles/server-0.jfr"));

        List<Path> recordings = HotMethods.recordings(dir.resolve("profiles"));
        List<HotMethods> roles = HotMethods.of(recordings);

        assertThat(roles).extracting(HotMethods::role).containsExactly("client", "server");
        assertThat(roles).extracting(HotMethods::recordings).containsExactly(2, 1);
        HotMethods client = roles.getFirst();
        assertThat(client.methods().getFirst().name()).endsWith("HotMethodsTest.spin");
        assertThat(client.methods().getFirst().samples())
                .isEqualTo(2 * roles.getLast().methods().getFirst().samples())
                .isBetween(2L, client.samples());
        try (Stream<Path> files = Files.list(file.getParent())) {
            assertThat(files).hasSize(2); // and no part of one
        }
    }

    @Test
    void aRecordingThatIsCutOffIsNotTakenForAWholeOne() throws Exception {
        Path file = dir.resolve("client-0.jfr");
        try (FlightRecording recording = FlightRecording.begin()) {
            recording.end(file);
        }
        byte[] whole = Files.readAllBytes(file);
        assertThat(HotMethods.of(List.of(file))).hasSize(1);
        for (int bytes : new int[] {0, 1, 15, 16, whole.length / 3, whole.length / 2, whole.length - 1}) {
            Files.write(file, Arrays.copyOf(whole, bytes));
            assertThatThrownBy(() -> HotMethods.of(List.of(file)))
                    .describedAs("%d of %d bytes", bytes, whole.length)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("client-0.jfr: incomplete flight recording");
        }
        assertThat(HotMethods.recordings(dir.resolve("nothing"))).isEmpty();
    }
}
