package org.reprobe.command;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.reprobe.analysis.foreign.OutputPattern;
import org.reprobe.analysis.foreign.UnusableOutputException;

/** Search in growing output files for the line by which a server reports that it is ready. Each byte is read once. */
final class ReadyLine {
    private static final int CHUNK = 1 << 16;

    private final OutputPattern pattern;
    private final List<Tail> tails;

    ReadyLine(OutputPattern pattern, Path... files) {
        this.pattern = pattern;
        this.tails = List.of(files).stream().map(Tail::new).toList();
    }

    /** Returns true if a line since the last call matches, by {@code endNs}. An unfinished line is searched again. */
    boolean isWritten(long endNs) throws UnusableOutputException {
        for (Tail tail : tails) {
            try {
                if (tail.hasMatch(endNs)) {
                    return true;
                }
            } catch (IOException e) {
                // No output yet.
            }
        }
        return false;
    }

    private final class Tail {
        private final Path file;
        private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        /** Beginning of the last line; the rest of a line longer than {@link #CHUNK} bytes is not searched. */
        private final ByteBuffer line = ByteBuffer.allocate(CHUNK);

        private long read;

        Tail(Path file) {
            this.file = file;
        }

        boolean hasMatch(long endNs) throws IOException, UnusableOutputException {
            long before = read;
            try (SeekableByteChannel channel = Files.newByteChannel(file)) {
                channel.position(read);
                while (System.nanoTime() < endNs && channel.read(chunk.clear()) > 0) {
                    read += chunk.flip().remaining();
                    while (chunk.hasRemaining()) {
                        byte next = chunk.get();
                        if (next != '\n') {
                            if (line.hasRemaining()) {
                                line.put(next);
                            }
                        } else if (matches(endNs)) {
                            return true;
                        } else {
                            line.clear();
                        }
                    }
                }
            }
            return read > before && matches(endNs);
        }

        private boolean matches(long endNs) throws UnusableOutputException {
            return System.nanoTime() < endNs
                    && pattern.isIn(
                            new String(line.array(), 0, line.position(), StandardCharsets.UTF_8).stripTrailing(),
                            endNs);
        }
    }
}
