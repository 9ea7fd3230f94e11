package org.reprobe.table;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.EnumWord;
import org.reprobe.memory.Memory;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;

/**
 * Folder of built tables, with one file per table. Reading verifies the CRC-32C checksums of the header, which contains
 * the spec, and of every 64 MiB. A damaged table is rebuilt, and a notice is given. Files are created atomically, so
 * processes may share a folder. A table that can't be stored can still be used.
 *
 * <p>A file is big-endian: magic number (8 bytes), header length (4), header, checksum of the header (8), table, heap.
 * The header contains the spec as text, the sizes of table and heap in bytes, the displacements, and the checksum of
 * each chunk of the table and of the heap.
 */
public final class TableCache {
    private static final long MAGIC = 0x5265_7072_5461_6231L; // "ReprTab1"; the last digit is the format's version
    private static final long CHUNK_BYTES = 64L << 20;
    private static final int MAX_HEADER_BYTES = 16 << 20;

    private final Path folder;
    private final Consumer<String> notices;

    /** Creates a cache. Notices are one sentence per file that is damaged or can't be written. */
    public TableCache(Path folder, Consumer<String> notices) {
        this.folder = folder;
        this.notices = notices;
    }

    /** Loads a table from its file, or builds and stores it. */
    public TableImage load(TableSpec spec, int threads, Memory memory) throws TableRefusedException {
        TableBuilder.check(spec);
        Path file = file(spec);
        TableImage kept = read(spec, file, threads, memory);
        if (kept != null) {
            return kept;
        }
        TableImage built = TableBuilder.build(spec, threads, Long.MAX_VALUE, memory);
        write(built, file, threads);
        return built;
    }

    public Path file(TableSpec spec) {
        String text = text(spec);
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return folder.resolve(
                    String.format(Locale.ROOT, "%s-%d-%s-", EnumWord.of(spec.kind()), spec.records(), spec.loadFactor())
                            + HexFormat.of().formatHex(hash, 0, 8)
                            + ".table");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a text of exactly those parameters on which the table's bytes depend. */
    private static String text(TableSpec spec) {
        TableGeometry geometry = TableGeometry.of(spec);
        KeySpec keys = spec.keys();
        return "kind " + spec.kind() + "\nstorage " + spec.storage() + "\nrecords " + spec.records() + "\nrecord bytes "
                + spec.recordBytes() + "\nslots " + geometry.slots() + "\nassociativity " + geometry.associativity()
                + "\nhashes " + geometry.hashes() + "\nneighbourhood " + geometry.neighbourhood() + "\nkeys "
                + keys.distribution() + " theta "
                + (keys.distribution() == Distribution.ZIPF ? keys.theta() : 0) + " of "
                + (keys.distribution() == Distribution.DISTINCT ? 0 : keys.keySpace()) + "\nseed "
                + spec.seed()
                + (spec.sizes().equals(RecordSizes.ONE) ? "" : "\n" + spec.sizes());
    }

    private @Nullable TableImage read(TableSpec spec, Path file, int threads, Memory memory)
            throws TableRefusedException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            Header header = Header.read(channel);
            if (!header.text().equals(text(spec))) {
                throw new DamageException("it contains another table");
            }
            long bytes = header.tableBytes() + header.heapBytes();
            if (channel.size() != header.end() + bytes) {
                throw new DamageException("the file has the wrong length");
            }
            TableBuilder.checkMemory(bytes, FreeMemory.bytes(), Long.MAX_VALUE);
            return read(spec, header, channel, threads, memory);
        } catch (NoSuchFileException e) {
            return null;
        } catch (UncheckedIOException e) {
            notices.accept(unreadable(file, e.getCause()));
            return null;
        } catch (IOException e) {
            notices.accept(unreadable(file, e));
            return null;
        }
    }

    private static String unreadable(Path file, @Nullable IOException cause) {
        String what = "is damaged";
        String why = "the file is truncated";
        if (!(cause instanceof EOFException)) {
            what = cause instanceof DamageException ? what : "can't be read";
            why = cause == null ? "for an unknown reason" : String.valueOf(cause.getMessage());
        }
        return "The stored table " + file + " " + what + " (" + why + "), so it is built again.";
    }

    private static TableImage read(TableSpec spec, Header header, FileChannel channel, int threads, Memory memory) {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment table = memory.allocate(header.tableBytes(), arena);
            readChunks(channel, header.end(), table, header.checksums(), 0, threads);
            MemorySegment heap = null;
            if (header.heapBytes() > 0) {
                heap = memory.allocate(header.heapBytes(), arena);
                int first = chunks(header.tableBytes());
                readChunks(channel, header.end() + header.tableBytes(), heap, header.checksums(), first, threads);
            }
            TableGeometry geometry =
                    TableGeometry.of(spec).withTableBytes(header.tableBytes()).withHeapBytes(header.heapBytes());
            KeySet keys = KeySets.of(spec.keys(), spec.records(), spec.seed());
            return new TableImage(spec, geometry, keys, table, heap, header.displacements(), arena);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private static void readChunks(
            FileChannel channel, long position, MemorySegment memory, int[] checksums, int first, int threads) {
        Parallel.run(threads, chunks(memory.byteSize()), c -> {
            ByteBuffer buffer = chunk(memory, c);
            long at = position + c * CHUNK_BYTES;
            try {
                readFully(channel, buffer, at);
                if (checksum(buffer.flip()) != checksums[first + c]) {
                    throw new DamageException("wrong checksum of the bytes from " + at + " on");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private void write(TableImage image, Path file, int threads) {
        Path part = null;
        try {
            Files.createDirectories(folder);
            part = Files.createTempFile(folder, file.getFileName() + ".", ".part");
            try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
                long at = writeFully(channel, Header.of(image, threads).bytes(), 0);
                at = writeAll(channel, image.table(), at);
                MemorySegment heap = image.heap();
                if (heap != null) {
                    writeAll(channel, heap, at);
                }
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            notices.accept("The table can't be stored in " + folder + ": " + e.getMessage() + ".");
            if (part != null) {
                try {
                    Files.deleteIfExists(part);
                } catch (IOException again) {
                    e.addSuppressed(again); // the failure to store the table is reported already
                }
            }
        }
    }

    private static long writeAll(FileChannel channel, MemorySegment memory, long position) throws IOException {
        long at = position;
        for (int c = 0; c < chunks(memory.byteSize()); c++) {
            at = writeFully(channel, chunk(memory, c), at);
        }
        return at;
    }

    private static long writeFully(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
        }
        return at;
    }

    private static void readFully(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            int n = channel.read(bytes, at);
            if (n < 0) {
                throw new EOFException();
            }
            at += n;
        }
    }

    private static int chunks(long bytes) {
        return Math.toIntExact(Math.ceilDiv(bytes, CHUNK_BYTES));
    }

    private static ByteBuffer chunk(MemorySegment memory, int chunk) {
        long from = chunk * CHUNK_BYTES;
        return memory.asSlice(from, Math.min(CHUNK_BYTES, memory.byteSize() - from))
                .asByteBuffer();
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static final class DamageException extends IOException {
        DamageException(String message) {
            super(message);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // not to be compared
    private record Header(String text, long tableBytes, long heapBytes, long displacements, int[] checksums, long end) {
        private static final int FRAME_BYTES = 12;
        private static final int CHECKSUM_BYTES = 8;

        static Header of(TableImage image, int threads) {
            long tableBytes = image.table().byteSize();
            MemorySegment heap = image.heap();
            long heapBytes = heap == null ? 0 : heap.byteSize();
            int[] checksums = new int[chunks(tableBytes) + chunks(heapBytes)];
            Parallel.run(threads, checksums.length, c -> {
                int heapChunk = c - chunks(tableBytes);
                checksums[c] =
                        checksum(heap == null || heapChunk < 0 ? chunk(image.table(), c) : chunk(heap, heapChunk));
            });
            return new Header(
                    TableCache.text(image.spec()), tableBytes, heapBytes, image.displacements(), checksums, 0);
        }

        ByteBuffer bytes() throws IOException {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(content);
            out.writeUTF(text);
            out.writeLong(tableBytes);
            out.writeLong(heapBytes);
            out.writeLong(displacements);
            for (int checksum : checksums) {
                out.writeInt(checksum);
            }
            ByteBuffer bytes = ByteBuffer.allocate(FRAME_BYTES + content.size() + CHECKSUM_BYTES);
            bytes.putLong(MAGIC).putInt(content.size()).put(content.toByteArray());
            return bytes.putLong(checksum(ByteBuffer.wrap(content.toByteArray())))
                    .flip();
        }

        static Header read(FileChannel channel) throws IOException {
            ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES);
            readFully(channel, frame, 0);
            frame.flip();
            if (frame.getLong() != MAGIC) {
                throw new DamageException("the file is not a table of this version");
            }
            int length = frame.getInt();
            if (length < 0 || length > MAX_HEADER_BYTES) {
                throw new DamageException("the header is malformed");
            }
            ByteBuffer content = ByteBuffer.allocate(length + CHECKSUM_BYTES);
            readFully(channel, content, FRAME_BYTES);
            content.flip();
            if (checksum(content.slice(0, length)) != content.getLong(length)) {
                throw new DamageException("wrong checksum of the header");
            }
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(content.array(), 0, length));
            String text = in.readUTF();
            long tableBytes = in.readLong();
            long heapBytes = in.readLong();
            long displacements = in.readLong();
            int[] checksums = new int[chunks(tableBytes) + chunks(heapBytes)];
            for (int i = 0; i < checksums.length; i++) {
                checksums[i] = in.readInt();
            }
            return new Header(
                    text, tableBytes, heapBytes, displacements, checksums, FRAME_BYTES + length + CHECKSUM_BYTES);
        }
    }
}
