package org.reprobe.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.text.ParseException;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/** A recording of this process by Java's Flight Recorder, with its settings {@code profile}. */
public final class FlightRecording implements AutoCloseable {
    private final Recording recording;

    private FlightRecording(Recording recording) {
        this.recording = recording;
    }

    /** Begins one, on all threads. */
    public static FlightRecording begin() throws IOException {
        try {
            Recording recording = new Recording(Configuration.getConfiguration("profile"));
            recording.start();
            return new FlightRecording(recording);
        } catch (ParseException e) {
            throw new IOException("Java's settings for profiles can't be read: " + e.getMessage(), e);
        }
    }

    /** Ends it and writes it. A file of that name is there only when it is whole, whenever this process is killed. */
    public void end(Path file) throws IOException {
        recording.stop();
        Files.createDirectories(file.toAbsolutePath().getParent());
        Path part = file.resolveSibling(file.getFileName() + ".part");
        recording.dump(part);
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Ends it, and frees what it holds; written or not. */
    @Override
    public void close() {
        recording.close();
    }
}
