package org.reprobe.plots;

import java.nio.file.Files;
import java.nio.file.Path;

/** Draws every sample figure into a directory, or just one: run by tests in a JVM of its own. */
public final class DrawSamples {

    private DrawSamples() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createDirectories(Path.of(arguments[0]));
        PublishedPoints published = SampleResults.published();
        FigureWriter.write(SampleResults.figure6(), SampleResults.cuckooVariants(), published, directory);
        if (arguments.length > 1 && arguments[1].equals("one")) {
            return;
        }
        FigureWriter.write(SampleResults.figure7(), SampleResults.lookupThroughput(), published, directory);
        FigureWriter.write(SampleResults.figure8(), SampleResults.lookupThroughput(), published, directory);
        FigureWriter.write(SampleResults.figure9(), SampleResults.latencies(), published, directory);
        FigureWriter.write(SampleResults.figure11(), SampleResults.storages(), published, directory);
        FigureWriter.write(SampleResults.figure12(), SampleResults.clusterTracking(), published, directory);
    }
}
