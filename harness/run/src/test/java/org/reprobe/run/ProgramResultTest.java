package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ProgramResultTest {
    /** Stands for simulations on all cores, whose clients are virtual threads. */
    @Test
    void outputIsReadBesideSimulations() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
            Thread.ofVirtual().start(() -> {
                while (!over.get()) {
                    Thread.onSpinWait();
                }
            });
        }
        try {
            assertThat(ProgramResult.of(new ProcessBuilder("echo", "read"), 30))
                    .isEqualTo(new ProgramResult(0, "read", ""));
        } finally {
            over.set(true);
        }
    }
}
