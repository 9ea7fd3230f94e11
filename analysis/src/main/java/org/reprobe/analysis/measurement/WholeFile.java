package org.reprobe.analysis.measurement;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/** Files that are either there in full or as they were before. */
public final class WholeFile {
    private WholeFile() {}

    /**
     * Writes text as UTF-8.
     *
     * @throws IOException as {@link #write(Path, byte[])} does
     */
    public static void write(Path file, String text) throws IOException {
        write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes bytes to a neighbouring file, then moves that into place.
     *
     * @throws IOException naming {@code file} when there is no room or no right to write; what stood there is kept
     */
    public static void write(Path file, byte[] bytes) throws IOException {
        // Not createTempFile: its files are readable by their owner alone, and stay so when moved. The number is for
        // threads of this
        // process, and for processes of containers and hosts that share a folder and have the same process number.
        Path part = file.resolveSibling("." + file.getFileName() + "."
                + ProcessHandle.current().pid() + "-"
                + Long.toHexString(UUID.randomUUID().getLeastSignificantBits())
                + ".part");
        try {
            try (FileChannel channel = FileChannel.open(part, CREATE_NEW, WRITE)) {
                ByteBuffer rest = ByteBuffer.wrap(bytes);
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
                channel.force(true); // or the new name could outlive a power cut, and the contents not
            }
            try {
                Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            FileSystemException failure =
                    new FileSystemException(file.toString(), null, "could not be written (" + e.getMessage() + ")");
            failure.initCause(e);
            try {
                Files.deleteIfExists(part);
            } catch (IOException undo) {
                failure.addSuppressed(undo);
            }
            throw failure;
        }
    }
}
