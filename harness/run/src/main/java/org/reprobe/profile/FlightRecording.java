package org.reprobe.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.text.ParseException;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/** Recording of this process by Java's Flight Recorder with its settings {@code profile}. */
public final class FlightRecording implements AutoCloseable {
    private final Recording recording;

    private FlightRecording(Recording recording) {
        this.recording = recording;
    }

    public static FlightRecording begin() throws IOException {
        try {
            Recording recording = new Recording(Configuration.getConfiguration("profile"));
            recording.start();
            return new FlightRecording(recording);
        } catch (ParseException e) {
            throw new IOException("Flight Recorder's settings can't be read: " + e.getMessage(), e);
        }
    }

    /** Stops the recording and writes it. The file appears only when it is complete, even if this process is killed. */
    public void end(Path file) throws IOException {
        recording.stop();
        Files.createDirectories(file.toAbsolutePath().getParent());
        Path part = file.resolveSibling(file.getFileName() + ".part");
        recording.dump(part);
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Discards the recording unless it was written. */
    @Override
    public void close() {
        recording.close();
    }
}
