package org.reprobe.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShortageTest {
    private static @Nullable String words(Throwable failure) {
        return Shortage.text(failure, "use less");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    Java heap space                                         | Java's heap of
                    GC overhead limit exceeded                              | Java's heap of
                    Requested array size exceeds VM limit                   | Java's heap of
                    Required array length 2147483638 + 9 is too large       | Java's heap of
                    unable to create native thread: possibly out of memory  | ulimit -u
                    Cannot reserve 8192 bytes of direct buffer memory       | buffers of connections
                    Metaspace                                               | for classes
                    Compressed class space                                  | for classes
                    no block of 5 bytes                                     | the system has no more memory
                    """)
    void memoryIsReportedByItsKind(String message, String expected) {
        assertThat(words(new OutOfMemoryError(message))).contains(expected);
        assertThat(words(new IllegalStateException(new OutOfMemoryError(message))))
                .contains(expected);
        assertThat(words(new NoClassDefFoundError("Exception java.lang.OutOfMemoryError: " + message + " [in thread]")))
                .contains(expected);
    }

    @Test
    void theJvmsOwnErrorsAreKnown() {
        try (Arena arena = Arena.ofConfined()) {
            arena.allocate(Long.MAX_VALUE >> 1);
        } catch (OutOfMemoryError e) {
            assertThat(words(e)).contains("memory").doesNotContain("heap");
        }
        for (IntFunction<Object> array : List.<IntFunction<Object>>of(long[]::new, byte[]::new)) {
            try {
                assertThat(array.apply(Integer.MAX_VALUE)).isNull();
            } catch (OutOfMemoryError e) {
                assertThat(words(e)).startsWith("Java's heap of ").endsWith("MiB is full: use less");
            }
        }
    }

    @Test
    void limitsOfFilesAndProcessesAreNamed() {
        assertThat(words(new ExceptionInInitializerError(
                        new UncheckedIOException(new FileNotFoundException("/x (Too many open files)")))))
                .contains("ulimit -Hn");
        assertThat(words(new IOException("Cannot run program \"git\": error=11, Resource temporarily unavailable")))
                .contains("ulimit -u");
    }

    @Test
    void allElseIsNoShortage() {
        assertThat(words(new NoClassDefFoundError("org/example/Missing"))).isNull();
        assertThat(words(new IOException("disk"))).isNull();
        assertThat(words(new IllegalStateException())).isNull();
    }
}
