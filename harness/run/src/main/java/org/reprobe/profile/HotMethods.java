package org.reprobe.profile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Hottest methods in recordings of one role's processes, most samples first. {@code samples} are of threads that ran
 * Java code, {@code nativeSamples} of threads in native code, which may have waited there.
 */
public record HotMethods(String role, int recordings, long samples, long nativeSamples, List<Method> methods) {
    public static final String SUFFIX = ".jfr";

    private static final int MAX_METHODS = 5;

    /** Start of a recording's chunk: this word, two versions of two bytes, and its size in eight bytes. */
    private static final int CHUNK_MAGIC = 0x464C5200; // "FLR\0"

    private static final int CHUNK_SIZE_AT = 8;
    private static final int CHUNK_HEADER_BYTES = 16;

    public HotMethods {
        methods = List.copyOf(methods);
    }

    /** A method; one of the JDK's is named with its caller outside the JDK. */
    public record Method(String name, long samples) {}

    /** Reads recordings named {@code ROLE-NUMBER.jfr}, one entry per role; fails if one is incomplete. */
    public static List<HotMethods> of(List<Path> recordings) throws IOException {
        Map<String, Count> roles = new TreeMap<>();
        for (Path file : recordings) {
            String role = file.getFileName().toString().replaceFirst("(-\\d+)?\\.jfr$", "");
            roles.computeIfAbsent(role, _ -> new Count()).add(file);
        }
        List<HotMethods> all = new ArrayList<>();
        roles.forEach((role, count) -> all.add(count.of(role)));
        return all;
    }

    public static List<Path> recordings(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    private static final class Count {
        private final Map<String, Long> methods = new HashMap<>();
        private int recordings;
        private long samples;
        private long nativeSamples;

        void add(Path file) throws IOException {
            requireWhole(file);
            recordings++;
            try (RecordingFile recording = new RecordingFile(file)) {
                while (recording.hasMoreEvents()) {
                    RecordedEvent event = recording.readEvent();
                    switch (event.getEventType().getName()) {
                        case "jdk.ExecutionSample" -> {
                            samples++;
                            methods.merge(name(event), 1L, Long::sum);
                        }
                        case "jdk.NativeMethodSample" -> nativeSamples++;
                        default -> {
                            // Waiting costs no CPU time.
                        }
                    }
                }
            }
        }

        /**
         * Checks that a file is complete. Java's reader fails on a truncated file with various exceptions, some of
         * which are no {@link IOException}; so the sizes in the chunks' headers are compared with the file's first.
         */
        private static void requireWhole(Path file) throws IOException {
            try (FileChannel channel = FileChannel.open(file)) {
                ByteBuffer header = ByteBuffer.allocate(CHUNK_HEADER_BYTES);
                long at = 0;
                do {
                    header.clear();
                    int headerBytes = channel.read(header, at);
                    long chunkBytes = headerBytes == CHUNK_HEADER_BYTES && header.getInt(0) == CHUNK_MAGIC
                            ? header.getLong(CHUNK_SIZE_AT)
                            : 0;
                    if (chunkBytes < CHUNK_HEADER_BYTES || chunkBytes > channel.size() - at) {
                        throw new IOException(file + ": incomplete flight recording");
                    }
                    at += chunkBytes;
                } while (at < channel.size());
            }
        }

        HotMethods of(String role) {
            List<Method> most = methods.entrySet().stream()
                    .map(entry -> new Method(entry.getKey(), entry.getValue()))
                    .sorted(Comparator.comparingLong(Method::samples).reversed().thenComparing(Method::name))
                    .limit(MAX_METHODS)
                    .toList();
            return new HotMethods(role, recordings, samples, nativeSamples, most);
        }

        private static String name(RecordedEvent sample) {
            List<RecordedFrame> frames = sample.getStackTrace() == null
                    ? List.of()
                    : sample.getStackTrace().getFrames();
            if (frames.isEmpty()) {
                return "unknown";
            }
            String top = name(frames.getFirst());
            if (!isJavas(top)) {
                return top;
            }
            return frames.stream()
                    .map(Count::name)
                    .filter(name -> !isJavas(name))
                    .findFirst()
                    .map(caller -> top + " of " + caller)
                    .orElse(top);
        }

        private static String name(RecordedFrame frame) {
            return frame.getMethod().getType().getName() + "."
                    + frame.getMethod().getName();
        }

        private static boolean isJavas(String method) {
            return method.startsWith("java.") || method.startsWith("jdk.") || method.startsWith("sun.");
        }
    }
}
