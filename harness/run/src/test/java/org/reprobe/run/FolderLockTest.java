package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.document.InvalidInputException;

class FolderLockTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    /** Readers of a status probe the lock: a run that starts at that moment must not take them for another run. */
    @Test
    void aReaderIsNoOtherRun() throws Exception {
        FolderLock.take(dir).close();
        AtomicBoolean ended = new AtomicBoolean();
        Thread reader = Thread.ofPlatform().start(() -> {
            while (!ended.get()) {
                FolderLock.isAbandoned(dir);
            }
        });
        try {
            for (int i = 0; i < 200; i++) {
                FolderLock.take(dir).close();
            }
        } finally {
            ended.set(true);
            reader.join();
        }
        assertThat(FolderLock.isAbandoned(dir)).isTrue();
        try (FolderLock _ = FolderLock.take(dir)) {
            assertThatThrownBy(() -> FolderLock.take(dir))
                    .isInstanceOf(InvalidInputException.class)
                    .hasMessageContaining("another run");
        }
    }
}
