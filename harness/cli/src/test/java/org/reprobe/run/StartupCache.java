package org.reprobe.run;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.reprobe.cli.StartupTraining;

/**
 * Reduces the work of starting the program in tests, which start it hundreds of times, by a third: with an
 * ahead-of-time cache of its classes (JEP 483 and 514). Such a cache needs all classes in jars, so folders of the class
 * path are packed first. The first of the JVMs that share the tests makes it, beside its tests; until then, and if it
 * fails, programs start without.
 *
 * <p>Only with {@code -Dreprobe.fast-starts=true}, as in {@code ./run.sh test}: for a few tests it costs more than it
 * saves.
 */
public final class StartupCache implements LauncherSessionListener {
    private static final String PROPERTY = "reprobe.fast-starts";
    private static final Path FOLDER = TinyScenario.HOME.resolve("harness/cli/target/fast-starts");
    private static final Path CACHE = FOLDER.resolve("cache");

    /** The class path, once all is ready. Of this build only: another's jars contain other classes. */
    private static final Path FINISHED =
            FOLDER.resolve("finished " + System.getProperty("reprobe.build-started", "at no time"));

    /** Options of JVMs with the cache; in a file, so that they are one word on every command line. */
    private static final Path FLAGS = FOLDER.resolve("flags");

    private static final int TRAINING_S = 120;

    private static final CountDownLatch DECIDED = new CountDownLatch(1);

    /** Waits for the options that make starts fast; none if programs start without. */
    public static List<String> awaited() throws InterruptedException {
        DECIDED.await();
        String flags = System.getProperty("reprobe.worker-flags", "");
        return flags.startsWith("@") ? List.of(flags, "-Dreprobe.worker-flags=" + flags) : List.of();
    }

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        // Maven's own JVM, which looks for tests, has a session, too, and another class path.
        if (Boolean.getBoolean(PROPERTY)
                && System.getProperty("java.class.path").contains("test-classes")) {
            Thread.ofPlatform().daemon().name("fast starts").start(StartupCache::prepare);
        } else {
            DECIDED.countDown();
        }
    }

    private static void prepare() {
        try {
            Files.createDirectories(FOLDER);
            try (FileChannel channel = FileChannel.open(
                            FOLDER.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock _ = channel.lock()) { // the other JVM makes it
                if (!Files.exists(FINISHED)) {
                    String classPath = inJars(System.getProperty("java.class.path"));
                    train(classPath);
                    Files.writeString(
                            FLAGS,
                            System.getProperty("reprobe.worker-flags", "") + "\n-XX:AOTCache=" + CACHE
                                    + "\n-Xlog:aot*=off,cds*=off\n-Djdk.reflect.useNativeAccessorOnly=true\n");
                    Files.writeString(FINISHED, classPath);
                }
                System.setProperty("java.class.path", Files.readString(FINISHED));
                System.setProperty("reprobe.worker-flags", "@" + FLAGS);
            }
        } catch (IOException | UncheckedIOException e) {
            System.out.println("Programs start without a cache: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            DECIDED.countDown();
        }
    }

    /** Returns the class path with a jar in place of each folder. */
    private static String inJars(String classPath) throws IOException {
        List<String> entries = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            Path path = Path.of(entry);
            if (Files.isDirectory(path)) {
                Path jar = FOLDER.resolve(entries.size() + "-" + path.getFileName() + ".jar");
                zip(path, jar);
                entries.add(jar.toString());
            } else {
                entries.add(entry);
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private static void zip(Path folder, Path jar) throws IOException {
        try (OutputStream out = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(out);
                Stream<Path> files = Files.walk(folder)) {
            zip.setLevel(0); // read often, kept for minutes
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                zip.putNextEntry(new ZipEntry(folder.relativize(file).toString()));
                Files.copy(file, zip);
                zip.closeEntry();
            }
        }
    }

    private static void train(String classPath) throws IOException, InterruptedException {
        Path part = FOLDER.resolve("cache.part");
        List<String> command = TinyScenario.jvm(
                "-Xmx1g", "-XX:AOTCacheOutput=" + part, "-cp", classPath, StartupTraining.class.getName());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(FOLDER.resolve("training.txt").toFile())
                .start();
        process.getOutputStream().close();
        try {
            if (!process.waitFor(TRAINING_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("the training failed:\n" + Files.readString(FOLDER.resolve("training.txt")));
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        Files.move(part, CACHE, StandardCopyOption.ATOMIC_MOVE);
    }
}
